"""The board of Duel 2048 as bots meet it: golden data, then the specification point by point.

Everything runs on the compiled board and on its plain source.
"""

import copy
import gzip
import importlib.util
import json
import pickle
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.games.duel2048 import board as installed

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "duel2048"
DIRECTIONS = range(4)


def plain_source(name: str) -> ModuleType:
    """A module as plain Python, whether or not a compiled one lies beside it."""
    path = Path(installed.__file__).parent / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"plain_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


with pytest.MonkeyPatch.context() as patch:
    patch.setitem(sys.modules, "ludus.games.duel2048.tiles", plain_source("tiles"))
    PLAIN = plain_source("board")
with gzip.open(GOLDEN / "board_ops.jsonl.gz", "rt") as file:
    CASES = [json.loads(line) for line in file]
FIGURES = json.loads((GOLDEN / "rule_figures.json").read_text())


@pytest.fixture(params=[installed, PLAIN], ids=["installed", "plain"])
def module(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def board(module: Any) -> Any:
    """One tile of the first player at the top left, one of level 2 of the second."""
    board = module.Chessboard((3, 4))
    board.add(True, (0, 0))
    board.add(False, (2, 6), 2)
    return board


def from_text(module: Any, text: str, array: Any = ()) -> Any:
    """The board that prints as the text."""
    tiles = [
        (cell, int(word[1:]), word[0] == "+")
        for cell, word in enumerate(text.split())
        if int(word[1:])
    ]
    return module.restore(array, tiles)


# Golden data.


def apply(board: Any, op: str, args: list[Any]) -> Any:
    args = [tuple(arg) if isinstance(arg, list) else arg for arg in args]
    if op == "repr":
        return repr(board)
    if op == "cells":
        cells = [(row, column) for row in range(4) for column in range(8)]
        return [[board.getValue(cell), board.getBelong(cell)] for cell in cells]
    if op == "copy":
        twin = board.copy()
        twin.move(*args)
        return [repr(board), repr(twin)]
    return getattr(board, op)(*args)


def outcome_of(module: Any, case: dict[str, Any]) -> dict[str, Any]:
    """What our board does with a recorded case, in the words of the record."""
    tiles = [(r * 8 + c, level, 1) for r, c, level in case["T"]]
    tiles += [(r * 8 + c, level, 0) for r, c, level in case["F"]]
    board = module.restore(tuple(case["array"]), tiles)
    done = {"board": repr(board), "ret": None, "rtype": None, "exc": None}
    try:
        ret = apply(board, case["op"], case["args"])
        done |= {"ret": json.loads(json.dumps(ret)), "rtype": type(ret).__name__}
    except Exception as error:
        done["exc"] = type(error).__name__
    done["after"] = repr(board)
    done["scores"] = [board.getScore(True), board.getScore(False)]
    done["anime"] = [list(step) for step in board.getAnime()]
    return done


@pytest.mark.parametrize("op", sorted({case["op"] for case in CASES}))
def test_every_golden_case_gives_what_the_original_gave(module: Any, op: str) -> None:
    wrong = []
    for case in CASES:
        if case["op"] == op:
            done = outcome_of(module, case)
            keys = [key for key in done if case.get(key) is not None or key in ("ret", "exc")]
            if any(done[key] != case[key] for key in keys):
                wrong.append((case["id"], {key: (done[key], case[key]) for key in keys}))
    assert wrong == []


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure["figure"])
def test_the_figures_of_the_rules_hold(module: Any, figure: dict[str, Any]) -> None:
    board = from_text(module, figure["before"])
    assert repr(board) == figure["before"]
    assert board.move(figure["mover_is_first"], figure["direction"]) is figure["changed"]
    assert repr(board) == figure["after"]


# The specification, point by point.


def test_the_array_is_kept_by_reference_and_shared_by_copies(module: Any) -> None:
    array = [5, 6, 7]
    board = module.Chessboard(array)
    assert board.array is array
    assert board.copy().array is array


def test_a_tile_belongs_to_the_territory_whoever_adds_it(board: Any) -> None:
    assert board.add(False, (1, 1)) is None
    assert board.add(True, (1, 5)) is None
    assert board.getBelong((1, 1)) is True
    assert board.getBelong((1, 5)) is False


def test_add_takes_the_level_by_position_or_keyword(board: Any) -> None:
    board.add(True, (1, 1), 3)
    board.add(belong=True, position=(1, 2), value=4)
    assert board.getValue((1, 1)) == 3
    assert board.getValue((1, 2)) == 4


def test_add_replaces_a_tile_and_level_0_removes_it(board: Any) -> None:
    board.add(True, (0, 0), 5)
    assert board.getScore(True) == [5]
    board.add(True, (0, 0), 0)
    assert board.getScore(True) == []
    assert (0, 0) in board.getNone(True)


def test_a_list_is_no_position(board: Any) -> None:
    for call in (board.getBelong, board.getValue):
        with pytest.raises(TypeError):
            call([0, 0])
    with pytest.raises(TypeError):
        board.add(True, [0, 0])


@pytest.mark.parametrize("level", [-1, 1001, 40_000])
def test_a_level_that_no_board_can_hold_is_refused(board: Any, level: int) -> None:
    with pytest.raises(ValueError, match="level"):
        board.add(True, (1, 1), level)
    assert board.getValue((1, 1)) == 0


def test_off_the_board_there_is_emptiness_with_a_side(board: Any) -> None:
    assert board.getBelong((7, 2)) is True
    assert board.getBelong((114, 514)) is False
    assert board.getBelong((-1, 2)) is True
    assert board.getBelong((2**80, 2**80)) is False
    assert board.getValue((9, 9)) == 0
    assert board.getValue((-1, -1)) == 0


def test_a_tile_added_off_the_board_is_stored_and_seen_only_when_asked_for(board: Any) -> None:
    before = repr(board)
    assert board.add(True, (9, 9), 3) is None
    assert repr(board) == before
    assert board.getValue((9, 9)) == 3
    assert board.getScore(False) == [2, 3]
    assert board.copy().getValue((9, 9)) == 3


@pytest.mark.parametrize("position", [(0,), (), 5, None])
def test_what_has_no_column_raises_and_harms_nothing(board: Any, position: Any) -> None:
    with pytest.raises((IndexError, TypeError)):
        board.getBelong(position)
    with pytest.raises((IndexError, TypeError)):
        board.add(True, position)
    assert board.getScore(True) == [1]


def test_coordinates_are_compared_by_value(board: Any) -> None:
    for zero in (0, False, 0.0, numpy.int64(0), numpy.uint8(0), numpy.float64(0)):
        assert board.getValue((zero, zero)) == 1
        assert board.getBelong((zero, zero)) is True
    assert board.getValue((numpy.int64(2), numpy.int32(6))) == 2
    assert board.getValue((1.5, 2)) == 0
    board.add(True, (numpy.int64(3), numpy.int32(2)), numpy.int64(4))
    assert board.getValue((3, 2)) == 4


@pytest.mark.parametrize("first", [True, 1, numpy.int64(1), numpy.bool_(True), 1.0])
@pytest.mark.parametrize("second", [False, 0, numpy.int64(0), numpy.bool_(False), 0.0])
def test_numbers_stand_for_sides(board: Any, first: Any, second: Any) -> None:
    assert board.getScore(first) == [1]
    assert board.getScore(second) == [2]
    assert board.getNone(first)[0] == (0, 1)
    assert board.getNone(second)[0] == (0, 4)
    assert board.getNext(first, 0) == board.getNext(True, 0)
    assert board.getNext(second, 0) == board.getNext(False, 0)
    board.updateTime(first, 4.5)
    board.updateDecision(second, (1,))
    assert board.getTime(True) == 4.5
    assert board.getDecision(False) == (1,)
    assert board.move(first, 3) is True
    assert board.getBelong((0, 3)) is True


def test_what_is_no_side_is_refused_where_the_original_refuses_it(board: Any) -> None:
    assert board.getNone(None) == []
    assert board.getNext(None, 0) == ()
    for call in (board.getScore, board.getTime, board.getDecision):
        with pytest.raises(KeyError):
            call(2)
    with pytest.raises(KeyError):
        board.move(None, 1)


def test_move_tells_with_a_real_bool_whether_anything_moved(board: Any) -> None:
    assert board.move(True, 3) is True
    assert board.move(True, 3) is False
    assert board.move(belong=True, direction=2) is True


def test_move_in_no_direction_moves_nothing(board: Any) -> None:
    before = repr(board)
    assert board.move(True, None) is False
    assert repr(board) == before


def test_bools_and_numpy_integers_are_directions(board: Any) -> None:
    assert board.move(True, True) is True
    assert board.getValue((3, 0)) == 1
    assert board.move(True, False) is True
    assert board.getValue((0, 0)) == 1
    assert board.move(True, numpy.int64(3)) is True
    assert board.getValue((0, 3)) == 1


@pytest.mark.parametrize("direction", [4, -1, 2**70, "up", [1], (0,), 2.5])
def test_what_is_no_direction_is_a_type_error(board: Any, direction: Any) -> None:
    before = repr(board)
    for side in (True, False):
        with pytest.raises(TypeError):
            board.move(side, direction)
    with pytest.raises(TypeError):
        type(board)(()).move(True, direction)
    assert repr(board) == before


@pytest.mark.parametrize("direction", [1.0, numpy.float64(1), numpy.float32(1)])
def test_a_float_direction_is_an_error_only_for_a_side_with_tiles(
    board: Any, direction: Any
) -> None:
    with pytest.raises(TypeError):
        board.move(True, direction)
    assert type(board)(()).move(True, direction) is False


def test_scores_are_fresh_ascending_lists_of_plain_integers(board: Any) -> None:
    board.add(True, (3, 3), 4)
    board.add(True, (2, 0), 2)
    scores = board.getScore(True)
    assert scores == [1, 2, 4]
    assert type(scores) is list and {type(level) for level in scores} == {int}
    scores.append(9)
    assert board.getScore(True) == [1, 2, 4]


def test_empty_cells_are_fresh_row_major_lists_of_tuples(board: Any) -> None:
    for side, columns in ((True, range(4)), (False, range(4, 8))):
        cells = board.getNone(side)
        taken = {(0, 0), (2, 6)}
        assert cells == [(r, c) for r in range(4) for c in columns if (r, c) not in taken]
        assert type(cells) is list and {type(cell) for cell in cells} == {tuple}
        cells.clear()
        assert len(board.getNone(side)) == 15


def test_positions_are_usable_as_dictionary_keys(board: Any) -> None:
    seen = {position: 0 for position in board.getNone(True)}
    seen[board.getNext(True, 0)] = 1
    assert seen[1, 0] == 1
    assert len(seen) == 15


def test_the_next_cell_counts_from_the_far_end_for_the_second_player(module: Any) -> None:
    board = module.Chessboard((0, 1, 17))
    assert [board.getNext(True, r) for r in range(3)] == [(0, 0), (0, 1), (0, 1)]
    assert [board.getNext(False, r) for r in range(3)] == [(3, 7), (3, 6), (3, 6)]
    assert type(board.getNext(True, 0)) is tuple


def test_the_next_cell_of_a_round_past_the_array_is_an_index_error(board: Any) -> None:
    for number in (2, 500, -3):
        with pytest.raises(IndexError):
            board.getNext(True, number)
    assert board.getNext(True, -1) == board.getNext(True, 1)
    assert board.getNext(True, numpy.int64(1)) == board.getNext(True, 1)
    assert board.getNext(belong=True, currentRound=1) == board.getNext(True, 1)


def test_a_full_territory_has_no_next_cell_in_any_round(module: Any) -> None:
    board = module.restore((), [(r * 8 + c, 1, 1) for r in range(4) for c in range(4)])
    assert board.getNext(True, 99) == ()
    assert type(board.getNext(True, 0)) is tuple


def test_decisions_are_empty_at_first_and_then_the_very_objects_told(board: Any) -> None:
    assert board.getDecision(True) == () and board.getDecision(False) == ()
    decision = (numpy.int64(1), 2)
    assert board.updateDecision(True, decision) is None
    assert board.getDecision(True) is decision
    assert board.copy().getDecision(True) is decision
    assert board.getDecision(False) == ()


def test_times_are_zero_at_first_and_then_what_was_told(board: Any) -> None:
    assert board.getTime(True) == 0 and type(board.getTime(False)) is int
    assert board.updateTime(False, 3.25) is None
    assert board.getTime(False) == 3.25 and board.getTime(True) == 0


def test_anime_lists_moved_tiles_by_reference_and_outlives_add(board: Any) -> None:
    assert board.getAnime() == []
    board.move(True, 3)
    anime = board.getAnime()
    assert anime == [(0, 0, 0, 3)]
    assert type(anime) is list and type(anime[0]) is tuple
    board.add(True, (2, 2))
    assert board.getAnime() is anime
    board.move(True, 0)
    assert anime == [(0, 0, 0, 3)]
    assert board.getAnime() == [(2, 2, 0, 2)]
    board.move(True, 0)
    assert board.getAnime() == []


def test_anime_is_empty_after_a_move_in_no_direction(board: Any) -> None:
    board.move(True, 3)
    board.move(True, None)
    assert board.getAnime() == []


def test_raw_is_four_fresh_lists_of_eight_pairs(board: Any) -> None:
    raw = board.getRaw()
    assert [len(row) for row in raw] == [8] * 4
    assert raw[0][:2] == [(1, True), (0, True)]
    assert raw[2][5:7] == [(0, False), (2, False)]
    assert {type(row) for row in raw} == {list}
    assert {(type(v), type(o)) for row in raw for v, o in row} == {(int, bool)}
    raw[0][0] = (9, False)
    assert board.getRaw()[0][0] == (1, True)


def test_the_text_shows_owners_and_levels(module: Any) -> None:
    text = (
        "+01 +00 +00 +00 -00 -00 -00 -00\n"
        "+00 +00 -02 +00 -00 +03 -00 -00\n"
        "+00 +00 +00 +00 -01 -00 -00 -00\n"
        "+00 +00 +00 +00 -00 -00 -00 -00"
    )
    board = from_text(module, text)
    assert repr(board) == str(board) == text
    board.add(True, (3, 0), 12)
    board.add(True, (3, 1), 100)
    assert repr(board).splitlines()[3] == "+12 +100 +00 +00 -00 -00 -00 -00"


def test_boards_are_equal_only_to_themselves(board: Any) -> None:
    assert board == board
    assert board != board.copy()
    assert len({board, board.copy()}) == 2


COPIES = {
    "copy": lambda board: board.copy(),
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda board: pickle.loads(pickle.dumps(board)),
}


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_is_the_same_board_and_independent(how: str) -> None:
    board = installed.Chessboard((3, 4))
    for cell in ((0, 0), (1, 0), (3, 5)):
        board.add(True, cell)
    board.updateDecision(True, (3, 5))
    board.updateTime(False, 2.5)
    before = repr(board)
    twin = COPIES[how](board)
    assert repr(twin) == before
    assert twin.belongs == board.belongs
    assert twin.getDecision(True) == (3, 5) and twin.getTime(False) == 2.5
    assert twin.array == (3, 4)
    twin.move(True, 1)
    twin.updateTime(False, 1.0)
    assert repr(board) == before and board.getTime(False) == 2.5
    changed = repr(twin)
    board.add(True, (2, 2))
    assert repr(twin) == changed


def test_a_copy_keeps_the_anime_and_the_order_of_tiles(board: Any) -> None:
    board.move(True, 3)
    twin = board.copy()
    assert twin.getAnime() == [(0, 0, 0, 3)]
    twin.move(True, 1)
    assert board.getAnime() == [(0, 0, 0, 3)]


def test_the_originals_attributes_can_be_read(board: Any) -> None:
    assert board.board[2, 6] == (False, (2, 6), 2)
    assert board.board[0, 0].value == 1
    assert board.belongs == {True: [(0, 0)], False: [(2, 6)]}
    assert board.decision == {True: (), False: ()}
    assert board.time == {True: 0, False: 0}
    assert board.anime is board.getAnime()


# Properties of every board.

TILES = st.binary(min_size=32, max_size=32)
SIDES = st.booleans()
HEADINGS = st.sampled_from(DIRECTIONS)
many = settings(max_examples=150, deadline=None)


def board_of(tiles: bytes, module: Any = installed) -> Any:
    """A board with a tile of level 1 to 5 for every byte that does not ask for an empty cell."""
    asked = [(cell, byte % 6, byte % 12 >= 6) for cell, byte in enumerate(tiles)]
    return module.restore((7,), [(cell, level, mine) for cell, level, mine in asked if level])


def face_value(board: Any) -> int:
    return sum(2**level for side in (True, False) for level in board.getScore(side))


@many
@given(TILES, SIDES, HEADINGS)
def test_a_merge_never_changes_the_total_face_value(tiles: bytes, side: bool, heading: int) -> None:
    board = board_of(tiles)
    before = face_value(board)
    board.move(side, heading)
    assert face_value(board) == before


@many
@given(TILES, SIDES, HEADINGS)
def test_a_merge_never_moves_the_other_sides_tiles_but_may_eat_them(
    tiles: bytes, side: bool, heading: int
) -> None:
    board = board_of(tiles)
    before = board.board
    board.move(side, heading)
    for cell, tile in before.items():
        if tile.belong != side:
            after = (board.getBelong(cell), board.getValue(cell))
            eaten = (side, tile.value + 1)
            left_again = cell not in board.board and cell in {a[:2] for a in board.getAnime()}
            assert after in ((tile.belong, tile.value), eaten)
            assert not left_again


@many
@given(TILES, st.lists(st.tuples(SIDES, HEADINGS), max_size=6))
def test_an_empty_cell_always_belongs_to_its_territory(tiles: bytes, merges: Any) -> None:
    board = board_of(tiles)
    for side, heading in merges:
        board.move(side, heading)
    for first in (True, False):
        for cell in board.getNone(first):
            assert board.getBelong(cell) is first
            assert (cell[1] < 4) is first


@many
@given(TILES, SIDES, HEADINGS)
def test_a_merge_that_moves_nothing_changes_nothing(tiles: bytes, side: bool, heading: int) -> None:
    board = board_of(tiles)
    before = repr(board)
    moved = board.move(side, heading)
    assert moved == (repr(board) != before) == (board.getAnime() != [])


@many
@given(TILES, st.lists(st.tuples(SIDES, HEADINGS), max_size=6))
def test_the_compiled_board_and_its_source_do_the_same(tiles: bytes, merges: Any) -> None:
    one, other = board_of(tiles), board_of(tiles, PLAIN)
    for side, heading in merges:
        assert one.move(side, heading) is other.move(side, heading)
        assert one.getAnime() == other.getAnime()
        assert one.belongs == other.belongs
        assert repr(one) == repr(other)
        for belong in (True, False):
            assert one.getNext(belong, 0) == other.getNext(belong, 0)
