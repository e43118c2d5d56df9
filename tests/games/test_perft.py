"""Counting sequences of moves, for every game."""

import pytest

from ludus.games import Game, get, names


@pytest.mark.parametrize("name", names())
def test_one_step_is_what_is_legal(name: str) -> None:
    game = get(name)
    position = game.start(game.Options(), 1)
    assert game.perft(position, 0) == 1
    assert game.perft(position, 1) == len(position.legal(position.to_move[0]))


def test_a_fast_count_agrees_with_the_plain_one() -> None:
    tablut = get("tablut")
    position = tablut.start(tablut.Options(), 1)
    assert tablut.perft(position, 3) == Game.perft(tablut, position, 3)


def test_reversi_has_the_known_counts() -> None:
    reversi = get("reversi")
    position = reversi.start(reversi.Options(), 1)
    assert [reversi.perft(position, depth) for depth in range(1, 6)] == [4, 12, 56, 244, 1396]
