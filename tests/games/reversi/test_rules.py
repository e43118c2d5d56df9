"""The rules of Reversi: counted positions, the rules in words, and what holds in every bout."""

import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.errors import LudusError
from ludus.games import IllegalMove
from ludus.games.reversi import GAME, ReversiOptions
from ludus.games.reversi.rules import ReversiPosition, opening
from ludus.games.reversi.view import place
from tests.support.compiled import COMPILED

SIZES = (4, 6, 8, 10, 12)


def start(size: int = 8) -> ReversiPosition:
    return GAME.start(ReversiOptions(size=size), 0)


def play(position: ReversiPosition, line: str) -> ReversiPosition:
    """The position after moves by whoever is to move."""
    for move in line.split():
        position.play({position.seat: move})
    return position


def rows(position: ReversiPosition) -> list[str]:
    return str(position).replace(" ", "").split("\n")


# Counting the ways to play n moves, from the standard start.


def perft(position: ReversiPosition, depth: int, *, passes: bool) -> int:
    """Ways to play that many plies. ``passes``: a skipped seat's turn counts as a ply."""
    seat = position.seat
    moves = position.legal(seat)
    if depth <= 1:
        return len(moves) if depth == 1 else 1
    total = 0
    for move in moves:
        after = position.copy()
        after.play({seat: move})
        skipped = passes and after.to_move == (seat,)
        total += perft(after, depth - 2 if skipped else depth - 1, passes=passes)
    return total


KNOWN = [4, 12, 56, 244, 1396, 8200, 55092, 390216]


@pytest.mark.parametrize(("depth", "ways"), list(enumerate(KNOWN, 1)))
def test_there_are_as_many_ways_to_play_as_everybody_counts(depth: int, ways: int) -> None:
    if depth > 6 and not COMPILED:
        pytest.skip("slow as plain Python")
    assert perft(start(), depth, passes=False) == ways
    assert perft(start(), depth, passes=True) == ways


@pytest.mark.skipif(not COMPILED, reason="slow as plain Python")
def test_the_tables_count_a_pass_as_a_move_where_we_skip_the_seat() -> None:
    """At depth 9 the first passes come: the usual tables say 3005288.

    The four first moves are one another's images, so that one of them tells.
    """
    begun = start()
    begun.play({0: "d3"})
    assert 4 * perft(begun, 8, passes=True) == 3_005_288
    assert 4 * perft(begun, 8, passes=False) == 3_005_320


# The rules in words.


def test_black_begins_with_four_discs_in_the_middle() -> None:
    position = start()
    assert position.to_move == (0,)
    assert (position.discs(0), position.discs(1)) == (["e4", "d5"], ["d4", "e5"])
    assert position.legal(0) == ["d3", "c4", "f5", "e6"]
    assert position.legal(1) == []


def test_a_disc_turns_every_rival_disc_that_it_encloses_in_all_eight_directions() -> None:
    position = ReversiPosition(
        """
        x . . x . . x .
        . o . o . o . .
        . . o o o . . .
        x o o . o o o x
        . . o o o . . .
        . o . o . o . .
        x . . o . . x .
        . . . x . . . .
        """
    )
    position.play({0: "d4"})
    assert len(position.turned) == 18
    assert position.discs(1) == []


def test_a_row_of_rival_discs_up_to_the_edge_or_a_gap_is_not_enclosed() -> None:
    position = ReversiPosition(
        """
        . o o o o o
        . . . . . .
        . o o . x .
        . . . . . .
        . o o x . .
        . . . . . .
        """
    )
    assert position.legal(0) == ["a5"]


def test_discs_are_turned_only_by_the_disc_just_put() -> None:
    """Turning a disc may enclose others; those stay."""
    position = ReversiPosition(
        """
        . o x .
        . o . .
        . o . .
        . x . .
        """
    )
    position.play({0: "a1"})
    assert rows(position)[:3] == ["xxx.", ".o..", ".o.."]


def test_a_seat_that_cannot_move_is_skipped() -> None:
    position = play(start(), "c4 c3 e6 b4 a4 a5 b2")
    assert position.to_move == (1,)
    position.play({1: "a3"})
    assert position.to_move == (1,)
    assert position.legal(0) == []
    assert position.view()["phase"]["en"] == "black cannot move, white moves again"


def test_a_picture_whose_seat_cannot_move_is_given_to_the_other() -> None:
    position = ReversiPosition("xo..\n....\n....\n....", seat=1)
    assert position.to_move == (0,)


def test_a_full_board_ends_the_bout() -> None:
    position = play(start(4), "c4 d4 a2 a3 a4 b4 d3 b1 a1 d1 c1 d2")
    assert position.to_move == ()
    assert "." not in str(position)
    assert position.outcome.reason == "tied"
    assert position.outcome.scores == (0.5, 0.5)
    assert GAME.explain(position.outcome) == {"en": "8 discs each", "zh": "双方各 8 子"}


def test_a_wipe_out_ends_the_bout_on_a_board_with_room() -> None:
    position = play(start(), "e6 f4 e3 f6 g5 d6 e7 f5 c5")
    assert position.to_move == ()
    assert position.outcome.winner == 0
    assert position.outcome.detail == {"black": 13, "white": 0}
    assert GAME.explain(position.outcome)["en"] == "more discs for black (13 black, 0 white)"


def test_white_wins_with_more_discs() -> None:
    position = ReversiPosition("oooo\noooo\nxxoo\nxxxo")
    assert position.outcome.scores == (0.0, 1.0)
    assert position.outcome.detail == {"black": 5, "white": 11}


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ("d4", "there is a disc already"),
        ("a1", "encloses no rival disc"),
        ("i1", "expected a cell from a1 to h8"),
        ("h9", "expected a cell from a1 to h8"),
        ("D3", "expected a cell from a1 to h8"),
        ("d03", "expected a cell from a1 to h8"),
        ("", "expected a cell from a1 to h8"),
        ("pass", "expected a cell from a1 to h8"),
    ],
)
def test_a_move_that_cannot_be_played_is_refused_with_the_reason(move: str, why: str) -> None:
    position = start()
    with pytest.raises(IllegalMove) as refusal:
        position.play({0: move})
    assert why in refusal.value.why["en"]
    assert str(position) == str(start())


@pytest.mark.parametrize("moves", [{}, {0: "d3", 1: "d3"}])
def test_only_the_seat_to_move_may_move(moves: dict[int, str]) -> None:
    with pytest.raises(IllegalMove, match="expected a move of seat 0 alone"):
        start().play(moves)


def test_moves_tried_on_the_same_position_are_told_to_copy_it() -> None:
    position = start()
    position.play({0: "d3"})
    with pytest.raises(IllegalMove) as refusal:
        position.play({0: "c4"})
    assert str(refusal.value).startswith("seat 0 answered 'c4': it is seat 1's turn now, but a")
    assert "copy() the position before you try a move" in refusal.value.why["en"]


@pytest.mark.parametrize("size", SIZES)
def test_boards_of_every_even_size_can_be_played(size: int) -> None:
    position = start(size)
    assert len(rows(position)) == size
    assert len(position.legal(0)) == 4
    finish(position, random.Random(size))
    assert position.outcome is not None


@pytest.mark.parametrize(("size", "why"), [(2, "between"), (14, "between"), (7, "even")])
def test_other_sizes_are_refused(size: int, why: str) -> None:
    with pytest.raises(LudusError, match=why):
        ReversiOptions(size=size)


@pytest.mark.parametrize("picture", ["xo\nx", "xo.\nxox", ("." * 13 + "\n") * 13, "x?\n.."])
def test_a_picture_that_is_no_board_is_refused(picture: str) -> None:
    with pytest.raises(ValueError):
        ReversiPosition(picture)


# What people see.


def test_a_view_tells_where_the_last_disc_was_put_and_what_turned() -> None:
    position = play(start(), "d3")
    shown = position.view()
    assert shown["marks"] == {"last": [19], "turned": [27]}
    assert shown["events"] == [{"kind": "put", "to": 19}, {"kind": "flip", "to": 27}]
    assert shown["counters"] == {"discs": [4, 1], "empty": 59}
    assert shown["phase"] == {"en": "white to move", "zh": "白方走"}
    click = {"kind": "cell", "row": 2, "column": 2, "move": "c3"}
    assert shown["gestures"]["1"][0] == click


def test_a_picture_of_a_position_gives_the_position_again() -> None:
    position = finish(start(6), random.Random(1), stop=12)
    again = ReversiPosition(str(position), position.seat)
    assert again.digest() == position.digest()
    assert again.legal(again.seat) == position.legal(position.seat)


# What holds in every bout.


def finish(
    position: ReversiPosition, generator: random.Random, stop: int = 1000
) -> ReversiPosition:
    """Play random moves, to the end or up to a number of them."""
    while position.to_move and stop > 0:
        moves = position.legal(position.seat)
        position.play({position.seat: generator.choice(moves)})
        stop -= 1
    return position


BOUTS = given(size=st.sampled_from(SIZES[:3]), generator=st.randoms(use_true_random=False))
SOME = settings(max_examples=60 if COMPILED else 10, deadline=None)


@SOME
@BOUTS
def test_every_move_adds_one_disc_and_only_turns_rival_ones(size, generator) -> None:
    position = start(size)
    while position.to_move:
        seat = position.seat
        own, rival = set(position.discs(seat)), set(position.discs(1 - seat))
        move = generator.choice(position.legal(seat))
        position.play({seat: move})
        turned = set(position.turned)
        assert set(position.discs(seat)) == own | {move} | turned
        assert set(position.discs(1 - seat)) == rival - turned
        assert turned and turned <= rival
        assert move not in own | rival


@SOME
@BOUTS
def test_only_enclosed_discs_turn(size, generator) -> None:
    position = start(size)
    while position.to_move:
        seat = position.seat
        board = {place(name): seat for name in position.discs(seat)}
        board |= {place(name): 1 - seat for name in position.discs(1 - seat)}
        move = generator.choice(position.legal(seat))
        position.play({seat: move})
        assert {place(name) for name in position.turned} == expected_turns(board, seat, place(move))


def expected_turns(board: dict, seat: int, put: tuple[int, int]) -> set[tuple[int, int]]:
    """The rule once more, written in another way."""
    found = set()
    for down, right in [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]:
        line = [(put[0] + i * down, put[1] + i * right) for i in range(1, 13)]
        owners = [board.get(cell) for cell in line]
        if seat in owners:
            between = owners.index(seat)
            if all(owner == 1 - seat for owner in owners[:between]):
                found |= set(line[:between])
    return found


@SOME
@BOUTS
def test_black_white_and_empty_cells_fill_the_board(size, generator) -> None:
    position = start(size)
    for number in range(size * size):
        counters = position.view()["counters"]
        assert sum(counters["discs"]) == 4 + number
        assert sum(counters["discs"]) + counters["empty"] == size * size
        if not position.to_move:
            break
        position.play({position.seat: generator.choice(position.legal(position.seat))})


@SOME
@given(
    size=st.sampled_from(SIZES[:3]),
    generator=st.randoms(use_true_random=False),
    length=st.integers(0, 40),
)
def test_a_turned_or_mirrored_board_has_turned_or_mirrored_moves(size, generator, length) -> None:
    position = finish(start(size), generator, length)
    board = rows(position)
    turned = ["".join(row[i] for row in reversed(board)) for i in range(size)]
    mirrored = [row[::-1] for row in board]
    cells = {place(move) for move in position.legal(position.seat)}
    last = size - 1
    for picture, where in (
        (turned, {(column, last - row) for row, column in cells}),
        (mirrored, {(row, last - column) for row, column in cells}),
    ):
        twin = ReversiPosition("\n".join(picture), position.seat)
        assert {place(move) for move in twin.legal(twin.seat)} == where


@SOME
@BOUTS
def test_with_colours_exchanged_the_other_seat_has_the_same_moves(size, generator) -> None:
    position = finish(start(size), generator, generator.randrange(30))
    exchanged = str(position).translate(str.maketrans("xo", "ox"))
    twin = ReversiPosition(exchanged, 1 - position.seat)
    assert twin.legal(1 - position.seat) == position.legal(position.seat)


@SOME
@BOUTS
def test_a_seat_is_skipped_only_when_it_cannot_move(size, generator) -> None:
    position = start(size)
    while position.to_move:
        seat = position.seat
        position.play({seat: generator.choice(position.legal(seat))})
        if position.to_move == (seat,):
            rival = ReversiPosition(str(position), 1 - seat)
            assert rival.to_move == (seat,), "the rival has no move on this board either"


def test_the_opening_is_drawn_in_the_middle() -> None:
    assert opening(4) == "....\n.ox.\n.xo.\n...."


def test_who_only_plays_need_not_wait_for_numpy() -> None:
    script = "import sys, ludus.games.reversi; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0
