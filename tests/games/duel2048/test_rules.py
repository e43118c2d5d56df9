"""The rules of Duel 2048: recorded games of the original, refusals, skipped phases, scoring."""

import ast
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.errors import LudusError
from ludus.games import IllegalMove
from ludus.games.duel2048 import GAME, DuelOptions
from ludus.games.duel2048 import rules as rules_module
from ludus.games.duel2048.board import Chessboard, restore
from ludus.games.duel2048.dialect import to_cell_move, to_direction_move
from ludus.games.duel2048.rules import DIRECTIONS, DuelPosition, draw, score
from tests.support import duel2048_scripts

ROOT = Path(__file__).resolve().parents[3]
COMPILED = not rules_module.__file__.endswith(".py")


def golden_games() -> list[dict[str, Any]]:
    """The recorded games; as plain Python, which is slower, only some of the long ones."""
    games = duel2048_scripts.golden_games()
    return [g for g in games if COMPILED or g["rounds"] < 100 or g["id"] % 8 == 0]


def is_faultless(game: dict[str, Any]) -> bool:
    faults = [game["attrs"][key] for key in ("violator", "timeout", "error")]
    return faults == [None] * 3 and game["platform_crash"] is None


GAMES = golden_games()
FAULTLESS = [game for game in GAMES if is_faultless(game)]


def start(game: dict[str, Any]) -> DuelPosition:
    """The first position of a recorded game."""
    if game["prefill"] is None:
        options = DuelOptions(rounds=game["rounds"], array=tuple(game["array"]))
        return GAME.start(options, 0)
    tiles = [(r * 8 + c, level, mine) for r, c, level, mine in game["prefill"]]
    return DuelPosition(restore(tuple(game["array"]), tiles), game["rounds"])


def decoded(decision: Any) -> Any:
    """What the recorded player returned."""
    match decision:
        case {"py": text}:
            return ast.literal_eval(text)
        case {"sleep": _, "then": value}:
            return decoded(value)
        case list():
            return tuple(decision)
    return decision


def move_text(mode: str, decision: Any) -> str:
    answer = decoded(decision)
    return to_cell_move(answer) if mode == "position" else to_direction_move(answer)


@pytest.mark.parametrize("game", FAULTLESS, ids=lambda game: str(game["id"]))
def test_a_recorded_game_is_played_the_same_way(game: dict[str, Any]) -> None:
    position = start(game)
    calls: list[list[Any]] = []

    def skipped(phase: int) -> None:
        calls.append([phase // 4, phase % 2, "_direction" if phase & 2 else "_position"])

    position.on_skip = skipped
    position.begin()
    boards = [entry.split("\n", 1)[1] for entry in game["log"] if entry.startswith("&p")]
    shown = []
    for number, seat, mode, decision in game["steps"]:
        if not mode.startswith("_"):
            calls.append([position.round, *position.to_move, mode])
            assert (number, (seat,)) == (position.round, position.to_move)
            assert position.merging == (mode == "direction")
            move = move_text(mode, decision)
            assert move in position.legal(seat)
            position.play({seat: move})
            shown.append(str(position))
    assert calls == [step[:3] for step in game["steps"]]
    assert shown == boards
    assert_ended_like(game, position)


def assert_ended_like(game: dict[str, Any], position: DuelPosition) -> None:
    board, outcome = position.board, position.outcome
    assert str(position) == game["final"]
    assert [board.getScore(True), board.getScore(False)] == game["scores"]
    assert [list(board.getDecision(side)) for side in (True, False)] == game["decision"]
    assert outcome is not None
    assert outcome.winner == {True: 0, False: 1, None: None}[game["attrs"]["winner"]]
    said = game["log"][-1]
    if outcome.winner is None:
        assert said == "&e:tied" and outcome.reason == "tied"
    else:
        facts = outcome.detail
        won = f"&e:player {outcome.winner} win by level {facts['level']}"
        assert said == f"{won} ({facts['first']} to {facts['second']})"


@pytest.mark.parametrize("game", FAULTLESS[::5], ids=lambda game: str(game["id"]))
def test_a_position_that_tells_nobody_of_skips_ends_the_same_way(game: dict[str, Any]) -> None:
    position = start(game)
    position.begin()
    for _, seat, mode, decision in game["steps"]:
        if not mode.startswith("_"):
            position.play({seat: move_text(mode, decision)})
    assert_ended_like(game, position)


def test_what_the_original_called_a_violation_is_refused() -> None:
    checked = 0
    for game in GAMES:
        if game["attrs"]["violator"] is None and game["platform_crash"] is None:
            continue
        position = start(game)
        *steps, (_, seat, mode, decision) = game["steps"]
        for _, mover, its_mode, its_decision in steps:
            position.play({mover: move_text(its_mode, its_decision)})
        with pytest.raises(IllegalMove) as refusal:
            position.play({seat: move_text(mode, decision)})
        assert refusal.value.seat == seat
        checked += 1
    assert checked >= 5


def test_a_seed_draws_what_the_original_drew() -> None:
    for game in GAMES:
        assert list(draw(game["seed"], game["rounds"])) == game["array"]


# Phases.


def fresh(*moves: str, rounds: int = 3, array: tuple[int, ...] = (0, 0, 0)) -> DuelPosition:
    """A position after some moves."""
    position = GAME.start(DuelOptions(rounds=rounds, array=array), 0)
    for move in moves:
        position.play({position.to_move[0]: move})
    return position


def full_board(*, mergeable: bool = False) -> Chessboard:
    """No empty cell; a chequered pattern on which nobody can merge."""
    levels = [1 + (c // 8 + c) % 2 + 2 * (c % 8 >= 4) for c in range(32)]
    if mergeable:
        levels[1] = levels[0]
    return restore((0, 0, 0), [(c, levels[c], c % 8 < 4) for c in range(32)])


def test_a_round_is_put_put_merge_merge() -> None:
    position = fresh()
    seen = []
    while position.round == 0:
        seen.append((position.to_move, position.merging))
        position.play({position.to_move[0]: position.legal(position.to_move[0])[0]})
    assert seen == [((0,), False), ((1,), False), ((0,), True), ((1,), True)]


def test_a_seat_may_fill_its_next_cell_or_any_empty_cell_of_the_other_side() -> None:
    position = fresh()
    assert position.legal(0) == ["0,0"] + [f"{r},{c}" for r in range(4) for c in range(4, 8)]
    position.play({0: "0,4"})
    others = [f"{r},{c}" for r in range(4) for c in range(4)]
    assert position.legal(1) == ["3,7", *others]


def test_a_tile_put_on_the_other_side_belongs_to_the_other_side() -> None:
    position = fresh("0,4")
    assert position.board.getBelong((0, 4)) is False


def test_a_seat_with_a_full_territory_must_put_on_the_other_side() -> None:
    tiles = [(r * 8 + c, 1 + (r + c) % 2, True) for r in range(4) for c in range(4)]
    position = DuelPosition(restore((5,), tiles), 1)
    position.begin()
    assert position.next_cell() == -1
    assert position.legal(0) == [f"{r},{c}" for r in range(4) for c in range(4, 8)]


def test_a_seat_that_faces_a_full_territory_may_only_fill_its_next_cell() -> None:
    tiles = [(r * 8 + c, 1 + (r + c) % 2, False) for r in range(4) for c in range(4, 8)]
    position = DuelPosition(restore((5,), tiles), 1)
    position.begin()
    assert position.legal(0) == ["1,1"]


def test_a_seat_without_tiles_skips_its_merge() -> None:
    skipped: list[int] = []
    position = fresh("0,4")
    position.on_skip = skipped.append
    position.play({1: "3,7"})
    assert skipped == [2]
    assert position.to_move == (1,) and position.merging
    assert position.board.getDecision(True) == ()


def test_puts_are_skipped_only_when_the_whole_board_is_full() -> None:
    skipped: list[int] = []
    position = DuelPosition(full_board(mergeable=True), 3)
    position.on_skip = skipped.append
    position.begin()
    assert skipped == [0, 1]
    assert position.to_move == (0,) and position.merging


def test_a_dead_board_runs_to_the_end_and_tells_of_every_phase() -> None:
    skipped: list[int] = []
    position = DuelPosition(full_board(), 3)
    position.on_skip = skipped.append
    position.begin()
    assert skipped == list(range(12))
    assert position.outcome is not None and position.to_move == ()


def test_a_dead_board_ends_at_once_when_nobody_is_told() -> None:
    told, silent = DuelPosition(full_board(), 3), DuelPosition(full_board(), 3)
    told.on_skip = lambda phase: None
    told.begin()
    silent.begin()
    assert silent.outcome == told.outcome
    assert silent.digest() == told.digest()
    assert silent.phase == told.phase == 12


# Refusals.


@pytest.mark.parametrize(
    ("before", "move", "why"),
    [
        ((), "up", "expected a cell"),
        ((), "0", "expected a cell"),
        ((), "0, 0", "expected a cell"),
        ((), "4,0", "expected a cell"),
        ((), "2,2", "may only fill 0,0"),
        (("0,0",), "0,0", "that cell is taken"),
        (("0,4",), "3,6", "may only fill 3,7"),
        (("0,0", "3,7"), "0,1", "expected a direction"),
        (("0,0", "3,7"), "UP", "expected a direction"),
        (("0,0", "3,7"), "up", "nothing would move"),
    ],
)
def test_an_illegal_move_is_refused_with_its_reason(
    before: tuple[str, ...], move: str, why: str
) -> None:
    position = fresh(*before)
    seat = position.to_move[0]
    digest = position.digest()
    with pytest.raises(IllegalMove, match=why) as refusal:
        position.play({seat: move})
    assert (refusal.value.seat, refusal.value.move) == (seat, move)
    assert position.digest() == digest


def test_a_refused_merge_leaves_the_last_merge_on_show() -> None:
    position = fresh("0,0", "3,7", "right")
    before = position.view()
    assert {"kind": "slide", "from": 0, "to": 3} in before["events"]
    with pytest.raises(IllegalMove, match="nothing would move"):
        position.play({1: "right"})
    assert position.view() == before


@pytest.mark.parametrize("moves", [{}, {1: "0,0"}, {0: "0,0", 1: "3,7"}, {2: "0,0"}])
def test_moves_of_other_seats_are_refused(moves: dict[int, str]) -> None:
    why = "it is seat 0's turn now" if len(moves) == 1 else "expected a move of seat 0 alone"
    with pytest.raises(IllegalMove, match=why):
        fresh().play(moves)


def test_nobody_moves_after_the_end() -> None:
    position = fresh("0,0", "3,7", "right", "left", rounds=1, array=(0,))
    assert position.outcome is not None
    assert position.legal(0) == position.legal(1) == []
    with pytest.raises(IllegalMove, match="the bout is over"):
        position.play({0: "0,0"})


# Scoring and options.


def board_with(*tiles: tuple[int, int, bool]) -> Chessboard:
    return restore((), list(tiles))


def test_more_tiles_of_the_highest_level_that_differs_win() -> None:
    outcome = score(board_with((0, 5, True), (7, 5, False), (1, 3, True), (6, 4, False)))
    assert outcome.scores == (0.0, 1.0)
    assert outcome.detail == {"level": 4, "first": 0, "second": 1}
    assert GAME.explain(outcome) == {
        "en": "more tiles of level 4 for second (0 to 1)",
        "zh": "后手的 4 级方块更多（0 比 1）",
    }


def test_tiles_count_for_their_owner_wherever_they_stand() -> None:
    assert score(board_with((7, 2, True))).winner == 0


def test_level_14_and_above_do_not_count() -> None:
    assert score(board_with((0, 14, True), (7, 1, False))).winner == 1
    assert score(board_with((0, 15, True))).reason == "tied"


def test_equal_tiles_tie() -> None:
    outcome = score(board_with((0, 2, True), (7, 2, False)))
    assert outcome.scores == (0.5, 0.5) and outcome.winner is None


def test_an_array_shorter_than_the_rounds_is_refused() -> None:
    with pytest.raises(LudusError) as refusal:
        DuelOptions(rounds=3, array=(1, 2))
    assert "has 2 numbers, 3 rounds need as many" in refusal.value.text["en"]


def test_a_short_array_under_a_position_is_an_index_error_not_a_crash() -> None:
    with pytest.raises(IndexError):
        DuelPosition(Chessboard(()), 2).legal(0)


def test_the_seed_matters_unless_the_array_is_given() -> None:
    assert GAME.start(DuelOptions(), 1).digest() != GAME.start(DuelOptions(), 2).digest()
    given = DuelOptions(rounds=2, array=(5, 6))
    assert GAME.start(given, 1).digest() == GAME.start(given, 2).digest()


def test_every_level_that_play_can_reach_has_a_token() -> None:
    tokens = GAME.scene(DuelOptions())["tokens"]["tiles"]
    most = 4 * 100_000  # the face value that the longest bout adds
    assert f"+{most.bit_length() - 1}" in tokens


def test_gestures_are_clicks_for_cells_and_keys_for_directions() -> None:
    position = fresh()
    clicks = position.view()["gestures"]["0"]
    assert clicks[0] == {"kind": "cell", "row": 0, "column": 0, "move": "0,0"}
    merging = fresh("0,0", "3,7").view()
    assert [g["key"] for g in merging["gestures"]["0"]] == ["down", "right"]
    assert merging["phase"] == {"en": "slide", "zh": "滑动"}, "where equal tiles may meet or not"
    help = GAME.scene(DuelOptions())["help"]
    assert "any free cell of the other half" in help["en"] and "对方领地可放任意空格" in help["zh"]


def test_a_seat_without_a_tile_is_told_that_its_slide_was_skipped() -> None:
    given_away = fresh("0,4", "3,7")
    assert given_away.to_move == (1,)
    phase = given_away.view()["phase"]
    assert phase["en"] == "first has no tile to slide: skipped; slide"
    assert phase["zh"] == "先手没有可滑动的方块，跳过；滑动"
    given_away.play({1: given_away.legal(1)[0]})
    assert "skipped" in given_away.view()["phase"]["en"], given_away.view()["phase"]


# Properties of every bout.

BOARDS = st.binary(min_size=32, max_size=32)
SEEDS = st.integers(0, 10**6)
some = settings(max_examples=40, deadline=None)


def board_of(tiles: bytes, kinds: int) -> Chessboard:
    """A board with few or many empty cells and equal neighbours, by how many kinds there are."""
    asked = [(c, byte % kinds, byte // kinds % 2 == 0) for c, byte in enumerate(tiles)]
    return restore((3, 1, 4, 1), [tile for tile in asked if tile[1]])


def can_put(board: Chessboard) -> bool:
    return bool(board.getNone(True) or board.getNone(False))


def can_merge(board: Chessboard, first: bool) -> list[str]:
    return [name for d, name in enumerate(DIRECTIONS) if board.copy().move(first, d)]


@some
@given(BOARDS, st.sampled_from([2, 3, 9]), SEEDS)
def test_a_phase_is_skipped_exactly_when_its_seat_can_do_nothing(
    tiles: bytes, kinds: int, seed: int
) -> None:
    generator = random.Random(seed)
    position = DuelPosition(board_of(tiles, kinds), 4)
    skipped: list[int] = []

    def skip(phase: int) -> None:
        skipped.append(phase)
        board, first = position.board, phase % 2 == 0
        assert not (can_merge(board, first) if phase & 2 else can_put(board))

    position.on_skip = skip
    position.begin()
    played = []
    while position.to_move:
        seat, board = position.to_move[0], position.board
        legal = position.legal(seat)
        assert legal
        if position.merging:
            assert legal == can_merge(board, seat == 0)
        played.append(position.phase)
        position.play({seat: generator.choice(legal)})
    assert sorted(played + skipped) == list(range(16))


@some
@given(SEEDS, st.integers(0, 60), st.integers(1, 20))
def test_copying_and_playing_equals_playing(seed: int, before: int, after: int) -> None:
    generator = random.Random(seed)
    position = GAME.start(DuelOptions(rounds=20), seed)
    for _ in range(before):
        for seat in position.to_move:
            position.play({seat: generator.choice(position.legal(seat))})
    twin = position.copy()
    for _ in range(after):
        if not position.to_move:
            break
        seat = position.to_move[0]
        assert twin.legal(seat) == position.legal(seat)
        ply = {seat: generator.choice(position.legal(seat))}
        twin.play(ply)
        position.play(ply)
        assert twin.digest() == position.digest()
        assert twin.view() == position.view()
