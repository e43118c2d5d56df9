"""The round robin's order is the original's."""

import json
from pathlib import Path

import pytest

from ludus.compat.paperio.schedule import schedule

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden/paperio/schedule.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("count", GOLDEN["n"])
def test_pairs_start_in_the_originals_order(count: str) -> None:
    players = [f"p{number:02}" for number in range(int(count))]
    assert [list(pair) for pair in schedule(players)] == GOLDEN["n"][count]


def test_everybody_meets_everybody_once() -> None:
    players = [f"p{number}" for number in range(9)]
    met = {frozenset(pair) for pair in schedule(players, seed=7)}
    assert len(met) == len(schedule(players, seed=7)) == 36
