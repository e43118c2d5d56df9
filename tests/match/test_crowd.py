"""Many matches at once, some with hostile bots: everybody gets what they deserve."""

import pytest

from tests.support.crowd import HOSTILE, crowd

BOUTS = 40
"""A quarter of the hostile bots have their turn; tests/bots tries each of them."""


@pytest.mark.slow
def test_hostile_bots_get_their_verdicts_and_cost_the_others_no_bout() -> None:
    met = crowd(BOUTS, jobs=2)
    assert (met.bouts, met.hostile) == (BOUTS, round(2 * HOSTILE * BOUTS))
    assert met.wrong == 0
    assert met.late == 0
