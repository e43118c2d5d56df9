"""Over many bouts a bot's mistakes are grouped, and become test positions."""

import pytest

from ludus.analysis.bot_mistakes import (
    AnalysedRecord,
    find_bot_mistakes,
    list_test_positions,
)
from ludus.analysis.evaluate import analyse_fully
from ludus.analysis.grading import SERIOUS
from ludus.analysis.test_positions import build_test_position
from ludus.games.registry import get
from tests.support.bouts import fixed_bout


@pytest.fixture(scope="module")
def bouts() -> list[AnalysedRecord]:
    made = []
    for number, bots in enumerate([("greedy", "random"), ("random", "greedy")]):
        record = fixed_bout(bots=bots)
        analysis = analyse_fully(record, seconds=None, level=0)
        made.append(AnalysedRecord(f"{number}.ludus", record, analysis))
    return made


def test_mistakes_are_those_of_the_bot_alone_and_the_largest_come_first(
    bouts: list[AnalysedRecord],
) -> None:
    found = find_bot_mistakes("random", bouts, get("reversi"))
    assert found.bouts == 2 and found.mistakes
    assert all(mistake.rivals == ["greedy"] for mistake in found.mistakes)
    losses = [mistake.found.loss for mistake in found.mistakes]
    assert losses == sorted(losses, reverse=True)
    seats = {mistake.record: mistake.found.seat for mistake in found.mistakes}
    assert seats.items() <= {"0.ludus": 1, "1.ludus": 0}.items()


def test_every_move_is_in_one_group_of_each_kind(bouts: list[AnalysedRecord]) -> None:
    found = find_bot_mistakes("random", bouts, get("reversi"))
    for kind in ("phase", "standing", "rival", "seat"):
        groups = [group for group in found.groups if group.by == kind]
        assert sum(group.moves for group in groups) == found.moves
        assert sum(group.mistakes for group in groups) == len(found.mistakes)
        assert all(group.name["en"] and group.name["zh"] for group in groups)


def test_mistakes_become_positions_in_which_the_better_move_is_legal(
    bouts: list[AnalysedRecord],
) -> None:
    tests = list_test_positions(bouts, "random")
    found = find_bot_mistakes("random", bouts, get("reversi"))
    assert len(tests) == len(found.mistakes)
    for test in tests:
        built = build_test_position(test)  # raises if a better move is not legal there
        assert test.played in built.position.legal(test.seat)
        assert test.played not in test.better
    everyone = list_test_positions(bouts)
    serious = [move for each in bouts for move in each.analysis.moves if move.grade in SERIOUS]
    assert len(everyone) == len(serious)
