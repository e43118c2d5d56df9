"""The house bots: they never fail, and the strong one is stronger."""

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games.paperio import GAME
from ludus.games.paperio import rules as rules_module
from ludus.match import replay
from ludus.match.series import series

COMPILED = not str(rules_module.__file__).endswith(".py")


def points(one: str, other: str, bouts: int, **options: int) -> float:
    players = [create_player(resolve_bot(name, GAME), GAME) for name in (one, other)]
    total = 0.0
    for played in series(GAME, GAME.Options(**options), players, bouts, seed=11):
        assert played.record.faults == []
        replay.verify(played.record)
        total += played.score(0)
    return total


@pytest.mark.skipif(not COMPILED, reason="takes minutes as plain Python")
@pytest.mark.parametrize("rival", ["random", "go_round"])
def test_the_hunter_beats_the_others(rival: str) -> None:
    assert points("hunter", rival, 4, turns=150) >= 3


def test_going_round_beats_chance() -> None:
    assert points("go_round", "random", 12) >= 11


@pytest.mark.parametrize("size", [(1, 1), (2, 2), (5, 5), (3, 40), (30, 6)])
@pytest.mark.parametrize("name", ["random", "go_round", "hunter"])
def test_on_tiny_fields_they_may_lose_but_do_not_fail(name: str, size: tuple[int, int]) -> None:
    assert points(name, name, 4, k=size[0], h=size[1], turns=30) <= 4
