"""Many matches at once, some with hostile bots: everybody gets what they deserve."""

import pytest

from bench.sandbox import HOSTILE, crowd


@pytest.mark.parametrize("bouts", [40])
def test_hostile_bots_get_their_verdicts_and_cost_the_others_no_bout(bouts: int) -> None:
    met = crowd(bouts, jobs=2)
    assert (met.bouts, met.hostile) == (bouts, round(2 * HOSTILE * bouts))
    assert met.wrong == 0
    assert met.late == 0
