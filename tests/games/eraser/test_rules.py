"""The rules of Eraser: the original's games, endings, options, refusals, and what people see."""

import json
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.errors import LudusError
from ludus.games import IllegalMove
from ludus.games.eraser import GAME, EraserOptions
from ludus.games.eraser.board import NAMES, Board, stock_of
from ludus.games.eraser.rules import EraserPosition
from tests.support.compiled import COMPILED
from tests.support.eraser_data import lines, moves_of

GAMES = lines("games") if COMPILED else lines("games")[::4]
REASONS = {
    "turns": "Reach the maximum turn number",
    "stuck": "No eraserable moves",
    "holes": "Run out of blocks",
}


def play(position: EraserPosition, move: str) -> None:
    position.play({position.turn & 1: move})


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game["id"])
def test_a_golden_game_goes_as_in_the_original(game: dict[str, Any]) -> None:
    position = GAME.start(EraserOptions(rows=game["rows"]), game["seed"])
    for move, *facts, crc in game["turns"]:
        operations = position.operations()
        assert zlib.crc32(" ".join(operations).encode()) == crc
        if move == "!":
            break
        points, erased, steps, count = facts
        before = sum(position.points)
        play(position, move)
        found = (sum(position.points) - before, position.board.erased, position.board.steps)
        assert found == (points, erased, steps)
        assert len(operations) == count
    assert list(reversed(position.points)) == game["score"]
    assert list(reversed(position.best_combos)) == game["highCombo"]
    assert [position.board.column(x, 8) for x in range(6)] == game["final"]
    assert [max(1192 - lost, 0) for lost in position.board.lost()] == game["remained"]
    over = game["errorStatus"] == -1
    assert REASONS.get(position.ending) == (game["reason"] if over else None)
    if over and game["score"][0] != game["score"][1]:
        assert position.outcome is not None
        assert position.outcome.winner == 1 - game["winner"]


def test_equal_points_are_a_draw() -> None:
    tied = [game for game in GAMES if game["score"] == [0, 0] and game["errorStatus"] == -1]
    for game in tied:
        position = GAME.start(EraserOptions(), game["seed"])
        for move in moves_of(game):
            play(position, move)
        assert position.outcome is not None
        assert position.outcome.scores == (0.5, 0.5)
        assert position.outcome.reason == "tied"
        assert position.outcome.detail == {"first": 0, "second": 0, "ending": "turns"}
        assert GAME.explain(position.outcome)["en"] == "equal points: 0 to 0"


def on(*columns: str, **options: Any) -> EraserPosition:
    return GAME.start(EraserOptions(columns=",".join(columns), **options), 0)


# Erasing the B's of column 0 takes four of it, and only two are above the main board.
SHORT = ("BBRBRGRY", "GYBGYRGY", "RGYRGYRG", "YRGYRGYR", "GYRGYRGY", "RGYRGYRG")


def test_a_hole_leaves_the_other_side_one_more_turn() -> None:
    position = on(*SHORT)
    play(position, "0212")
    assert position.points == (4, 0)
    assert position.board.holed()
    assert position.to_move == (1,)
    assert position.view()["phase"]["en"].startswith("the last turn")
    play(position, "4041")
    assert position.ending == "holes"
    assert position.to_move == ()


def test_a_hole_can_end_the_bout_at_once() -> None:
    position = on(*SHORT, hole="end")
    play(position, "0212")
    assert position.ending == "holes"
    assert position.outcome is not None
    assert position.outcome.scores == (1.0, 0.0)


def test_the_turn_limit_comes_before_a_hole() -> None:
    position = on(*SHORT, turns=1)
    play(position, "0212")
    assert position.board.holed()
    assert position.ending == "turns"


def test_a_board_without_a_swap_that_erases_is_over_at_once() -> None:
    position = on("RBGYPR", "BGYPRB", "GYPRBG", "YPRBGY", "PRBGYP", "RBGYPR")
    assert position.operations() == []
    assert (position.ending, position.legal(0)) == ("stuck", [])
    with pytest.raises(IllegalMove, match="the bout is over"):
        position.play({0: "0010"})


def test_every_swap_of_neighbours_is_legal_in_the_original_s_order() -> None:
    position = GAME.start(EraserOptions(), 1)
    moves = position.legal(0)
    side = [f"{x}{y}{x + 1}{y}" for x in range(5) for y in range(6)]
    up = [f"{x}{y}{x}{y + 1}" for y in range(5) for x in range(6)]
    assert moves == side + up == list(NAMES)
    assert position.legal(1) == []
    assert [move for move in moves if move in position.operations()] == position.operations()


def test_the_order_of_the_two_cells_does_not_matter() -> None:
    position = GAME.start(EraserOptions(), 9)
    for move in NAMES:
        one, other = position.copy(), position.copy()
        play(one, move)
        play(other, move[2:] + move[:2])
        assert one.digest() == other.digest(), move


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ("", "expected two neighbouring cells"),
        ("12 22", "expected two neighbouring cells"),
        ("１２２２", "expected two neighbouring cells"),
        ("0000", "not neighbours"),
        ("0011", "not neighbours"),
        ("0999", "not neighbours"),
        ("0506", "on the main board"),
        ("5060", "on the main board"),
    ],
)
def test_what_is_no_swap_is_refused_with_the_first_reason(move: str, why: str) -> None:
    position = GAME.start(EraserOptions(), 1)
    before = position.digest()
    with pytest.raises(IllegalMove) as refused:
        play(position, move)
    assert why in refused.value.why["en"]
    assert position.digest() == before


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"turns": 0}, "between 1 and"),
        ({"rows": 5}, "between 6 and 1200"),
        ({"hole": "stay"}, "one of turn, end"),
        ({"columns": "R,B"}, "must name 6 columns"),
        ({"columns": ",".join(["R" * 1201] * 6)}, "at most 1200"),
        ({"columns": ",".join(["RX"] * 6)}, "not 'X'"),
        ({"columns": ",".join(["RRGG?R"] * 6)}, "colours of the main board"),
    ],
)
def test_options_that_make_no_board_are_refused(given: dict[str, Any], why: str) -> None:
    with pytest.raises(LudusError) as refused:
        EraserOptions.parse(given)
    assert why in refused.value.text["en"]
    assert refused.value.text["zh"] != refused.value.text["en"]


def test_the_board_can_be_given() -> None:
    drawn = GAME.start(EraserOptions(), 5)
    columns = [drawn.board.column(x) for x in range(6)]
    given = GAME.start(EraserOptions(columns=",".join(columns)), 0)
    assert given.digest() == drawn.digest()
    low = GAME.start(EraserOptions(rows=9), 5)
    assert [low.board.column(x, 10) for x in range(6)] == [text[:9] + "." for text in columns]


@settings(max_examples=40 if COMPILED else 5, deadline=None)
@given(
    seed=st.integers(0, 2**20),
    rows=st.sampled_from([9, 30, 1200]),
    choices=st.lists(st.integers(0, 10**6), max_size=60),
)
def test_copies_play_alike_and_points_go_to_the_mover(
    seed: int, rows: int, choices: list[int]
) -> None:
    position = GAME.start(EraserOptions(rows=rows, turns=50), seed)
    for choice in choices:
        if not position.to_move:
            break
        moves = position.operations() or position.legal(position.turn & 1)
        twin, mover, before = position.copy(), position.turn & 1, position.points
        play(position, moves[choice % len(moves)])
        play(twin, moves[choice % len(moves)])
        assert twin.digest() == position.digest()
        assert position.points[1 - mover] == before[1 - mover]
        assert position.points[mover] >= before[mover]
        assert position.combos[mover] <= position.best_combos[mover]


# What people see.


def test_the_view_shows_the_main_board_two_rows_above_it_and_the_reserve() -> None:
    position = GAME.start(EraserOptions(), 1)
    view = position.view()
    pieces = view["layers"]["pieces"]
    assert "".join(pieces[:6]) == "".join(position.board.column(x)[7] for x in range(6))
    assert "".join(pieces[-6:]) == "".join(position.board.column(x)[0] for x in range(6))
    assert view["bars"] == {f"reserve{x}": 1192 for x in range(6)}
    drags = view["gestures"]["0"]
    assert len(drags) == 120
    assert {drag["move"] for drag in drags} == set(NAMES)
    assert drags[0] == {
        "kind": "drag", "row": 7, "column": 0, "to_row": 7, "to_column": 1, "move": "0010",
    }  # fmt: skip


def test_the_events_of_a_turn_can_be_drawn_one_after_the_other() -> None:
    position = GAME.start(EraserOptions(), 1)
    play(position, "2232")  # five steps
    view = position.view()
    kinds = [event["kind"] for event in view["events"]]
    assert kinds[0] == "swap"
    assert kinds.count("erase") == 5
    assert sum(event.get("points", 0) for event in view["events"]) == 14 == position.points[0]
    assert view["marks"]["last"] == [32, 33]
    assert sum(1192 - left for left in view["bars"].values()) == position.combos[0]
    assert redrawn(GAME.start(EraserOptions(), 1), view["events"]) == shape(position)


def shape(position: EraserPosition) -> list[bool]:
    return [bool(piece) for piece in position.view()["layers"]["pieces"]]


def redrawn(position: EraserPosition, events: list[dict[str, Any]]) -> list[bool]:
    """Which cells hold a piece after the events, each piece going where they say."""
    cells = shape(position)
    for event in events:
        if event["kind"] == "erase":
            assert all(cells[cell] for cell in event["cells"])
            for cell in event["cells"]:
                cells[cell] = False
        elif event["kind"] == "fall":
            assert not cells[event["to"]]
            cells[event["to"]] = True
            if "from" in event:
                assert cells[event["from"]]
                cells[event["from"]] = False
    return cells


def test_a_position_prints_itself_from_the_top() -> None:
    position = GAME.start(EraserOptions(), 1)
    rows = str(position).splitlines()
    assert len(rows) == 8
    assert rows[-1] == "B R Y R G R"


def test_digests_tell_what_may_come_apart() -> None:
    columns = ["RBGYPRBG", "BGYPRBGY", "GYPRBGYR", "RPRBGYPR", "PRBGYPRB", "RBGYPRBR"]
    other = [*columns[:-1], columns[-1][:-1] + "B"]
    one, two = (EraserPosition(Board(stock_of(each))) for each in (columns, other))
    assert one.digest() != two.digest()
    assert len({EraserPosition(one.board, 200, extra).digest() for extra in (True, False)}) == 2


def test_views_are_plain_json() -> None:
    position = GAME.start(EraserOptions(rows=9), 3)
    while position.to_move:
        play(position, (position.operations() or position.legal(position.turn & 1))[0])
        view = position.view()
        assert json.loads(json.dumps(view)) == view
