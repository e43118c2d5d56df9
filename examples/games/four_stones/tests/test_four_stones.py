"""The contract that every game keeps, and what is special about this one."""

from ludus.games.contract import GameContract

from four_stones import GAME


class TestFourStones(GameContract):
    game = GAME


def after(*moves):
    """The position after some moves, by the two seats in turn."""
    position = GAME.start(GAME.Options(), seed=0)
    for move in moves:
        position.play({position.to_move[0]: move})
    return position


def test_three_in_a_line_win():
    assert after(*"15253").outcome.winner == 0  # across
    assert after(*"12121").outcome.winner == 0  # down
    assert after(*"1223433").outcome.winner == 0  # aslant


def test_a_stone_falls_onto_the_stones_below_it():
    assert str(after(*"22")).splitlines()[-2:] == [". o . . .", ". x . . ."]


def test_a_full_column_takes_no_more_stones():
    assert after(*"1111").legal(0) == ["2", "3", "4", "5"]
