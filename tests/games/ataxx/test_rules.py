"""The rules of Ataxx: counted positions, the rules in words, and a second writing of them."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.errors import LudusError
from ludus.games import Game, IllegalMove
from ludus.games.ataxx import GAME, AtaxxOptions
from ludus.games.ataxx.rules import AtaxxPosition, opening
from tests.support.compiled import COMPILED
from tests.support.slow_ataxx import SlowAtaxx, write_move


def start(size: int = 7, limit: int = 401) -> AtaxxPosition:
    return GAME.start(AtaxxOptions(size=size, limit=limit), 0)


def play(position: AtaxxPosition, line: str) -> AtaxxPosition:
    """The position after moves by whoever is to move."""
    for move in line.split():
        position.play({position.seat: move})
    return position


def rows(position: AtaxxPosition) -> list[str]:
    return str(position).replace(" ", "").split("\n")


# Counting the ways to play n moves, from the standard start.


KNOWN = [16, 256, 6460, 155888, 4752668]


@pytest.mark.parametrize(("depth", "ways"), list(enumerate(KNOWN, 1)))
def test_there_are_as_many_ways_to_play_as_everybody_counts(depth: int, ways: int) -> None:
    if depth > 3 and not COMPILED:
        pytest.skip("slow as plain Python")
    assert GAME.perft(start(), depth) == ways


def test_the_fast_count_is_the_plain_one_to_the_end_of_bouts() -> None:
    position = AtaxxPosition(". o x\nx . o\n. x o", 0, 6)
    for depth in range(5):
        assert GAME.perft(position, depth) == Game.perft(GAME, position, depth)


# The rules in words.


def test_black_begins_with_two_pieces_in_the_corners() -> None:
    position = start()
    assert position.to_move == (0,)
    assert (position.pieces(0), position.pieces(1)) == (["a1", "g7"], ["g1", "a7"])
    assert position.legal(1) == []
    assert position.legal(0)[:5] == ["b1", "a1c1", "a2", "b2", "a1c2"]


def test_a_piece_is_added_beside_one_of_the_mover_or_jumps_two_steps() -> None:
    assert rows(play(start(4), "b2"))[:2] == ["x..o", ".x.."]
    assert rows(play(start(4), "a1c2"))[:2] == ["...x", "..x."]
    assert rows(play(start(5), "a1c2"))[:2] == ["....o", "..x.."]


def test_all_rival_pieces_around_turn_and_no_others() -> None:
    position = AtaxxPosition(
        """
        x . o o o
        . . o . o
        . . o o o
        . . . . .
        o o o o o
        """
    )
    position.play({0: "b2"})
    assert rows(position) == ["x.xoo", ".xx.o", "..xoo", ".....", "ooooo"]
    assert position.turned == ["c1", "c2", "c3"]


def test_a_move_that_is_possible_from_several_pieces_is_listed_once() -> None:
    position = AtaxxPosition("x x x\n. . .\n. . o")
    assert position.legal(0).count("b2") == 1
    assert sorted(position.legal(0)) == sorted(
        ["a2", "b2", "c2", "a1a3", "b1a3", "c1a3", "a1b3", "b1b3", "c1b3", "c1a2", "a1c2"]
    )


def test_a_full_board_ends_the_bout_and_more_pieces_win() -> None:
    position = play(AtaxxPosition("x . x\nx x o\no o o"), "b1")
    assert position.to_move == ()
    assert position.outcome.scores == (1.0, 0.0)
    assert position.outcome.reason == "full"
    assert position.outcome.detail == {"black": 6, "white": 3}
    assert GAME.explain(position.outcome)["en"] == "the board is full (6 black, 3 white)"


def test_equal_numbers_draw() -> None:
    position = AtaxxPosition("x o\nx o")
    assert position.outcome.scores == (0.5, 0.5)
    assert position.outcome.winner is None


def test_a_seat_without_pieces_has_lost() -> None:
    position = play(AtaxxPosition("x . . .\n. . . .\n. . o .\n. . . ."), "b2")
    assert position.outcome.reason == "no_pieces_white"
    assert position.outcome.scores == (1.0, 0.0)
    assert GAME.explain(position.outcome)["zh"] == "白方已无棋子"


STUCK = """
x x o o . .
x x o o . .
o o o o . .
o o o o . .
. . . . . .
. . . . . .
"""


def test_the_empty_cells_belong_to_the_other_when_a_seat_cannot_move() -> None:
    """Whoever moved last: the board counts, not the turn."""
    for seat in range(2):
        position = AtaxxPosition(STUCK, seat)
        assert position.outcome.reason == "stuck_black"
        assert position.outcome.detail == {"black": 4, "white": 32}


def test_a_seat_that_cannot_move_may_still_win_by_its_pieces() -> None:
    position = AtaxxPosition("x x x x x\nx x x x x\nx x o o o\nx x o o o\nx x o o .")
    assert position.outcome.reason == "stuck_black"
    assert position.outcome.detail == {"black": 16, "white": 9}
    assert position.outcome.winner == 0


def test_pieces_are_counted_when_the_limit_of_moves_is_reached() -> None:
    position = play(start(limit=3), "b2 f2 c3")
    assert position.outcome.reason == "limit"
    assert position.outcome.detail == {"limit": 3, "black": 4, "white": 3}
    assert play(start(limit=2), "b2 f2").outcome.scores == (0.5, 0.5)


def test_botzone_ends_a_bout_with_its_401st_move() -> None:
    assert AtaxxOptions().limit == 401


# Repetition: jumps there and back.

CYCLE = "a1a3 g1g3 a3a1 g3g1"


def test_a_move_that_repeats_a_pair_of_boards_loses() -> None:
    position = play(start(), CYCLE)
    assert position.outcome is None, "the first board came up again, but not the move after it"
    assert "a1a3" in position.legal(0)
    play(position, "a1a3")
    assert position.outcome.reason == "repeats_black"
    assert position.outcome.scores == (0.0, 1.0)


def test_another_move_after_an_earlier_board_does_not_repeat() -> None:
    position = play(start(), f"{CYCLE} a1c1")
    assert position.outcome is None
    play(position, "g1g3 c1a1")
    assert position.outcome is None
    play(position, "g3g1")
    assert position.outcome.reason == "repeats_white", "it went home from there before"


def test_an_added_piece_makes_earlier_boards_impossible() -> None:
    position = play(start(), f"{CYCLE} b1 g1g3 a1a3 g3g1 a3a1")
    assert position.outcome is None


def test_copies_remember_what_must_not_be_repeated() -> None:
    position = play(start(), CYCLE).copy()
    assert play(position.copy(), "a1a3").outcome.reason == "repeats_black"
    assert play(AtaxxPosition(str(position)), "a1a3").outcome is None


def test_positions_with_different_pasts_have_different_digests() -> None:
    """The same board, seat and number of moves, but one more past must not be repeated."""
    one = play(start(), CYCLE)
    other = play(start(), CYCLE.replace("a3", "c1"))
    assert str(one) == str(other)
    assert one.digest() != other.digest()


# What is refused.


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ("a1", "there is a piece on a1 already"),
        ("g1", "there is a piece on g1 already"),
        ("d4", "no piece of yours is beside d4"),
        ("b1c3", "there is no piece of yours on b1"),
        ("g1g3", "there is no piece of yours on g1"),
        ("a1b2", "expected a cell from a1 to g7"),
        ("a1d4", "expected a cell from a1 to g7"),
        ("h1", "expected a cell from a1 to g7"),
        ("g7i7", "expected a cell from a1 to g7"),
        ("A2", "expected a cell from a1 to g7"),
        ("", "expected a cell from a1 to g7"),
        ("pass", "expected a cell from a1 to g7"),
    ],
)
def test_a_move_that_cannot_be_played_is_refused_with_the_reason(move: str, why: str) -> None:
    position = start()
    with pytest.raises(IllegalMove) as refusal:
        position.play({0: move})
    assert why in refusal.value.why["en"]
    assert position.digest() == start().digest()


@pytest.mark.parametrize("moves", [{}, {1: "b2"}, {0: "b2", 1: "b2"}])
def test_only_the_seat_to_move_may_move(moves: dict[int, str]) -> None:
    why = "it is seat 0's turn now" if len(moves) == 1 else "expected a move of seat 0 alone"
    with pytest.raises(IllegalMove, match=why):
        start().play(moves)


@pytest.mark.parametrize("given", [{"size": 3}, {"size": 9}, {"limit": 0}, {"limit": 1001}])
def test_other_sizes_and_limits_are_refused(given: dict[str, int]) -> None:
    with pytest.raises(LudusError, match="between"):
        AtaxxOptions(**given)


@pytest.mark.parametrize("picture", ["xo\nx", "xo.\nxox", ("." * 9 + "\n") * 9, "x?\n..", "x"])
def test_a_picture_that_is_no_board_is_refused(picture: str) -> None:
    with pytest.raises(ValueError, match="expected a square"):
        AtaxxPosition(picture)


# What people see.


def test_a_view_tells_where_the_last_piece_came_from_and_what_turned() -> None:
    position = AtaxxPosition("x . .\n. . .\n. . o")
    position.play({0: "a1b3"})
    shown = position.view()
    assert shown["marks"] == {"last": [0, 7], "turned": [8]}
    assert shown["events"] == [
        {"kind": "slide", "from": 0, "to": 7},
        {"kind": "flip", "to": 8},
    ]
    shown = play(start(), "b2").view()
    assert shown["marks"]["last"] == [8]
    assert shown["events"] == [{"kind": "put", "to": 8}]
    assert shown["counters"] == {"pieces": [3, 2], "empty": 44, "ply": 1, "limit": 401}
    assert shown["phase"] == {"en": "white to move", "zh": "白方走"}


def test_an_added_piece_can_be_clicked_or_dragged_and_a_jump_dragged() -> None:
    gestures = start().view()["gestures"]["0"]
    assert {"kind": "cell", "row": 1, "column": 1, "move": "b2"} in gestures
    place = {"row": 0, "column": 0, "to_row": 1, "to_column": 1}
    assert {"kind": "drag", **place, "move": "b2"} in gestures
    place = {"row": 0, "column": 0, "to_row": 2, "to_column": 1}
    assert {"kind": "drag", **place, "move": "a1b3"} in gestures


def test_the_opening_is_drawn_with_its_corners() -> None:
    assert opening(4) == "x..o\n....\n....\no..x"


# What holds in every bout.

SOME = settings(max_examples=40 if COMPILED else 5, deadline=None)
BOUTS = given(
    size=st.sampled_from([4, 4, 5, 7]),
    limit=st.sampled_from([12, 60, 401]),
    quiet=st.sampled_from([0.0, 0.5, 0.97]),
    generator=st.randoms(use_true_random=False),
)
QUIET = {"a1a3", "a3a1", "a1c1", "c1a1", "g1g3", "g3g1"}
"""Jumps by which a bout can go on for ever, or repeat."""


def choose(moves: list[str], quiet: float, generator: random.Random) -> str:
    """A random move; with the probability ``quiet`` one that turns little."""
    jumps = [move for move in moves if move in QUIET] or [m for m in moves if len(m) == 4]
    return generator.choice(jumps if jumps and generator.random() < quiet else moves)


@SOME
@BOUTS
def test_the_rules_agree_with_a_second_writing(size, limit, quiet, generator) -> None:
    position, slow = start(size, limit), SlowAtaxx(size, limit)
    signs = {1: "x", -1: "o", None: "."}
    while slow.result is None:
        moves = {write_move(move): move for move in slow.moves(slow.colour)}
        assert sorted(position.legal(position.seat)) == sorted(moves)
        move = choose(sorted(moves), quiet, generator)
        slow.play(moves[move])
        position.play({position.seat: move})
        picture = ["".join(signs[slow.board.get((x, y))] for x in range(size)) for y in range(size)]
        assert rows(position) == picture
        assert (position.outcome is None) == (slow.result is None)
    assert position.outcome.scores[0] * 2 == slow.result


def test_every_way_to_end_is_reached_by_random_bouts() -> None:
    """So that the comparison above compares them all."""
    generator, met = random.Random(1), set()
    for size, quiet in [(4, 0.0), (4, 0.5), (7, 0.97)] * 100:
        position = start(size, 60)
        while position.to_move:
            moves = position.legal(position.seat)
            position.play({position.seat: choose(moves, quiet, generator)})
        met.add(position.outcome.reason)
    assert met == set(GAME.reasons)


@SOME
@BOUTS
def test_a_turned_or_mirrored_board_has_as_many_moves(size, limit, quiet, generator) -> None:
    position = start(size, limit)
    for _ in range(generator.randrange(20)):
        if position.to_move:
            position.play({position.seat: generator.choice(position.legal(position.seat))})
    if position.outcome is None:
        board = rows(position)
        turned = ["".join(row[i] for row in reversed(board)) for i in range(size)]
        mirrored = [row[::-1] for row in board]
        for picture in (turned, mirrored):
            twin = AtaxxPosition("\n".join(picture), position.seat)
            assert len(twin.legal(twin.seat)) == len(position.legal(position.seat))
