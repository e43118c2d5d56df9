"""The board of Eraser: the original's turns, its initial boards, and what always holds."""

from collections import Counter

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.games.eraser.board import COLUMNS, NAMES, ROWS, SWAPS, Board, stock_of
from ludus.games.eraser.initial_board import Twister, draw
from tests.support.compiled import COMPILED
from tests.support.eraser_data import cells, lines

TURNS = lines("turns")


def operations(board: Board) -> str:
    return " ".join(NAMES[number] for number in board.operations())


def shown(board: Board, rows: int = 8) -> list[str]:
    return [board.column(x, rows) for x in range(COLUMNS)]


@pytest.mark.parametrize("kind", sorted({turn["k"] for turn in TURNS}))
def test_golden_turns_go_as_in_the_original(kind: str) -> None:
    for turn in (turn for turn in TURNS if turn["k"] == kind):
        board = Board(stock_of(turn["c"]))
        assert operations(board) == turn["ob"], turn["i"]
        assert board.exchange(*cells(turn["m"])) == turn["s"], turn["i"]
        assert shown(board) == turn["a"], turn["i"]
        assert operations(board) == turn["oa"], turn["i"]
        assert board.steps == len(turn["st"])
        assert board.erased == sum(sum(sizes) for _, sizes, _ in turn["st"])


def test_golden_turns_erase_the_same_cells_step_by_step() -> None:
    for turn in TURNS:
        board = Board(stock_of(turn["c"]))
        board.swap(*cells(turn["m"]))
        for points, sizes, masks in turn["st"]:
            assert board.erase() == points, turn["i"]
            assert [board.burst >> 6 * x & 63 for x in range(6)] == masks, turn["i"]
            assert board.burst.bit_count() == sum(sizes)
        assert board.erase() == 0


@pytest.mark.parametrize("name", ["games", "views"])
def test_a_seed_gives_the_board_of_the_original(name: str) -> None:
    for game in lines(name)[:: 1 if COMPILED else 12]:
        rows = game.get("rows", ROWS)
        assert shown(Board(draw(game["seed"])), rows) == game["init"], game["seed"]


def test_the_seeds_of_golden_turns_give_their_boards() -> None:
    boards: dict[int, Board] = {}
    for turn in TURNS:
        if turn["k"] == "fresh" and (COMPILED or turn["seed"] % 30 == 0):
            board = boards.setdefault(turn["seed"], Board(draw(turn["seed"])))
            assert [board.column(x, len(text)) for x, text in enumerate(turn["c"])] == turn["c"]


@pytest.mark.parametrize("seed", [0, 1, 1000006, 2**32 - 1])
def test_the_generator_is_numpys(seed: int) -> None:
    words, place = Twister(seed).state()
    theirs = numpy.random.RandomState(seed).get_state(legacy=False)["state"]
    assert words == list(theirs["key"])
    assert place == theirs["pos"]


@pytest.mark.parametrize("seed", [2**32, 2**48 - 1, 2**64 - 1])
def test_a_long_seed_is_taken_as_numpy_takes_its_words(seed: int) -> None:
    words, _ = Twister(seed).state()
    theirs = numpy.random.RandomState([seed % 2**32, seed >> 32]).get_state(legacy=False)
    assert words == list(theirs["state"]["key"])


def test_any_whole_number_is_a_seed() -> None:
    assert draw(-1) == draw(2**64 - 1)
    assert draw(2**64 + 3) == draw(3)


@pytest.mark.parametrize("seed", [3, 2**40 + 1])
def test_every_block_of_a_new_board_has_five_colours_and_no_three_in_a_line(seed: int) -> None:
    columns = shown(Board(draw(seed)), ROWS)
    for start in range(0, ROWS, 6):
        block = [column[start : start + 6] for column in columns]
        assert set("".join(block)) <= set("RBGYP")
        for line in [*block, *map("".join, zip(*block, strict=True))]:
            assert not any(letter * 3 in line for letter in "RBGYP")
    assert Board(draw(seed)).operations() != []


# What always holds.

seeds = st.integers(min_value=0, max_value=2**20)
swaps = st.integers(min_value=0, max_value=59)
few_colours = st.lists(st.text("RBG", min_size=8, max_size=40), min_size=COLUMNS, max_size=COLUMNS)
EXAMPLES = 40 if COMPILED else 4


def in_a_line(columns: list[str]) -> bool:
    rows = map("".join, zip(*columns, strict=True))
    return any(letter * 3 in line for line in [*columns, *rows] for letter in "RBGYP")


@settings(max_examples=EXAMPLES, deadline=None)
@given(columns=few_colours, moves=st.lists(swaps, min_size=1, max_size=12))
def test_after_a_turn_no_three_are_in_a_line(columns: list[str], moves: list[int]) -> None:
    board = Board(stock_of(columns))
    for number in moves:
        board.exchange(*SWAPS[number])
        assert not in_a_line(shown(board, 6))


@settings(max_examples=EXAMPLES, deadline=None)
@given(columns=few_colours, moves=st.lists(swaps, max_size=12))
def test_pieces_are_either_on_the_board_or_erased(columns: list[str], moves: list[int]) -> None:
    board = Board(stock_of(columns))
    before, erased = Counter("".join(columns)), Counter[str]()
    for number in moves:
        board.swap(*SWAPS[number])
        while True:
            main = "".join(shown(board, 6))
            if not board.erase():
                break
            erased.update(main[cell] for cell in range(36) if board.burst >> cell & 1)
    after = Counter("".join(shown(board, ROWS)).replace(".", ""))
    assert after + erased == before
    assert sum(board.lost()) == erased.total()


@settings(max_examples=EXAMPLES, deadline=None)
@given(columns=few_colours, number=swaps)
def test_the_score_is_the_sum_of_its_steps(columns: list[str], number: int) -> None:
    whole, stepped = Board(stock_of(columns)), Board(stock_of(columns))
    total = whole.exchange(*SWAPS[number])
    stepped.swap(*SWAPS[number])
    steps = []
    while points := stepped.erase():
        steps.append(points)
    assert (sum(steps), len(steps)) == (total, whole.steps)
    assert shown(whole, ROWS) == shown(stepped, ROWS)


@settings(max_examples=EXAMPLES, deadline=None)
@given(seed=seeds, moves=st.lists(swaps, max_size=20))
def test_operations_are_exactly_the_swaps_that_score(seed: int, moves: list[int]) -> None:
    board = Board(draw(seed))
    for number in moves:
        board.exchange(*SWAPS[number])
    scoring = [n for n in range(60) if board.copy().exchange(*SWAPS[n]) > 0]
    assert board.operations() == scoring
    assert board.stuck() == (scoring == [])


@settings(max_examples=EXAMPLES, deadline=None)
@given(seed=seeds, moves=st.lists(swaps, min_size=2, max_size=12))
def test_copying_and_playing_is_playing(seed: int, moves: list[int]) -> None:
    board, other = Board(draw(seed)), Board(draw(seed))
    for number in moves:
        before = shown(board, ROWS)
        twin = board.copy()
        assert twin.exchange(*SWAPS[number]) == other.exchange(*SWAPS[number])
        assert shown(board, ROWS) == before
        assert shown(twin, ROWS) == shown(other, ROWS)
        assert (twin.lost(), twin.codes()) == (other.lost(), other.codes())
        board = twin


@pytest.mark.parametrize(("one", "other"), [(-1, 0), (0, 36), (35, 36)])
def test_a_swap_outside_the_main_board_is_refused(one: int, other: int) -> None:
    board = Board(draw(1))
    with pytest.raises(IndexError, match="cells 0 to 35"):
        board.exchange(one, other)
    with pytest.raises(IndexError, match="columns 0 to 5"):
        board.column(6)
    with pytest.raises(ValueError, match="7200 cells"):
        Board(b"")


def test_a_piece_of_unknown_colour_is_like_no_other() -> None:
    columns = ["RBGYPR???", "RGBPYB???", "YBRGRP???", "GRBYGR", "BYGRPB", "PGYBRG"]
    board = Board(stock_of(columns))
    assert board.exchange(0, 1) == 0  # nothing there
    assert board.column(0, 9).endswith("???")
