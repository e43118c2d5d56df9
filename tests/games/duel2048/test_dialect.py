"""Bots written for the original: called as the original calls them, whatever they answer."""

import ast
import builtins
import decimal
import time
from pathlib import Path
from typing import Any

import numpy
import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games import ClockView
from ludus.games.duel2048 import GAME, DuelOptions
from ludus.games.duel2048.board import Chessboard
from ludus.games.duel2048.dialect import PlayerHost, to_cell_move, to_direction_move
from ludus.match.series import series
from tests.support import duel2048_scripts
from tests.support.compiled import COMPILED

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "duel2048"
EMPTY = repr(Chessboard(()))


def golden_games() -> list[dict[str, Any]]:
    """Recorded games in which only moves and exceptions matter, not time."""
    return [
        game
        for game in duel2048_scripts.golden_games()
        if game["steps"] and game["attrs"]["timeout"] is None and game["prefill"] is None
        if COMPILED or game["rounds"] < 100 or game["id"] % 8 == 0
    ]


def answer(decision: Any) -> Any:
    """Do what the recorded player did."""
    match decision:
        case {"raise": name, "msg": message}:
            raise getattr(builtins, name)(message)
        case {"py": text}:
            return ast.literal_eval(text)
        case {"sleep": _, "then": value}:
            return answer(value)
        case list():
            return tuple(decision)
    return decision


class Script:
    """Makes players that follow a recorded game and note how they are called."""

    def __init__(self, steps: list[list[Any]]) -> None:
        self.steps = iter(steps)
        self.calls: list[list[Any]] = []
        self.made: list[tuple[Any, Any]] = []

    def __call__(self, is_first: bool, array: Any) -> "Script":
        self.made.append((is_first, array))
        return self

    def output(self, current_round: int, board: Any, mode: str) -> Any:
        self.calls.append([current_round, mode, repr(board)])
        decision = next(self.steps)[3]
        board.add(True, (0, 0), 9)  # what a bot does to its board is its own affair
        return answer(decision)


class Table:
    """Two hosts and a position: the referee, without clocks and verdicts."""

    def __init__(self, makers: list[Any], options: DuelOptions, seed: int = 0) -> None:
        self.position = GAME.start(options, seed)
        self.hosts = [PlayerHost(GAME, make) for make in makers]
        self.plies: list[dict[int, str]] = []
        self.seen = [0, 0]
        self.left = [0.0, 0.0]
        for seat, host in enumerate(self.hosts):
            host.start(seat, options, seed, 5.0)

    def ask(self, left: float = 5.0) -> str:
        """The answer of the seat to move."""
        seat = self.position.to_move[0]
        self.left[seat] = left
        news, self.seen[seat] = self.plies[self.seen[seat] :], len(self.plies)
        return self.hosts[seat].turn(news, ClockView(tuple(self.left), seat, left))

    def step(self, left: float = 5.0) -> None:
        """Ask and play."""
        ply = {self.position.to_move[0]: self.ask(left)}
        self.position.play(ply)
        self.plies.append(ply)

    def end(self) -> None:
        for seat, host in enumerate(self.hosts):
            assert self.position.outcome is not None
            host.end(self.plies[self.seen[seat] :], self.position.outcome)


def expected_calls(game: dict[str, Any], seat: int) -> list[list[Any]]:
    """Round, mode and board of every call that the original made to one player."""
    boards = iter([entry.split("\n", 1)[1] for entry in game["log"] if entry.startswith("&p")])
    now, calls = EMPTY, []
    for number, mover, mode, _ in game["steps"]:
        if mover == seat:
            calls.append([number, mode, now])
        if not mode.startswith("_"):
            now = next(boards, now)
    return calls


@pytest.mark.parametrize("game", golden_games(), ids=lambda game: str(game["id"]))
def test_players_are_called_as_the_original_called_them(game: dict[str, Any]) -> None:
    scripts = [Script([s for s in game["steps"] if s[1] == seat]) for seat in (0, 1)]
    options = DuelOptions(rounds=game["rounds"], array=tuple(game["array"]))
    table = Table(scripts, options)
    error, violator = game["attrs"]["error"], game["attrs"]["violator"]
    if error is None and violator is None and game["platform_crash"] is None:
        while table.position.to_move:
            table.step()
        table.end()
        assert str(table.position) == game["final"]
    else:
        with pytest.raises(Exception) as fault:
            while table.position.to_move:
                table.step()
        assert type(fault.value).__name__ == fault_of(game)
        assert table.position.to_move == (game["steps"][-1][1],)
    for seat, script in enumerate(scripts):
        assert script.calls == expected_calls(game, seat)
        assert script.made == [(seat == 0, options.array)]


def fault_of(game: dict[str, Any]) -> str:
    """The exception that ends a recorded game: the player's own, or our refusal of its move."""
    raised = [s[3]["raise"] for s in game["steps"] if isinstance(s[3], dict) and "raise" in s[3]]
    return raised[-1] if raised else "IllegalMove"


# One thing at a time.


class Player:
    """Plays a list of answers in its active phases; keeps everything it was given."""

    def __init__(self, answers: list[Any]) -> None:
        self.answers = iter(answers)
        self.calls: list[tuple[int, Any, str]] = []
        self.failing: set[str] = set()
        self.burning = 0.0

    def __call__(self, is_first: bool, array: Any) -> "Player":
        self.is_first, self.array = is_first, array
        return self

    def output(self, current_round: int, board: Any, mode: str) -> Any:
        self.calls.append((current_round, board, mode))
        until = time.process_time() + self.burning
        while time.process_time() < until:
            pass
        if mode in self.failing:
            raise ValueError(f"failed in {mode}")
        return None if mode.startswith("_") else next(self.answers)

    @property
    def modes(self) -> list[tuple[int, str]]:
        return [(number, mode) for number, _, mode in self.calls]


def table_of(first: list[Any], second: list[Any], rounds: int = 3) -> tuple[Table, Player, Player]:
    players = Player(first), Player(second)
    return Table(list(players), DuelOptions(rounds=rounds, array=(0,) * rounds)), *players


def test_a_player_learns_its_side_and_the_array_as_a_tuple() -> None:
    table, first, second = table_of([], [])
    assert (first.is_first, second.is_first) == (True, False)
    assert first.array == second.array == (0, 0, 0)
    assert type(first.array) is tuple
    assert table.hosts[0].position is not table.hosts[1].position


def test_a_skipped_phase_is_told_before_the_next_real_one() -> None:
    table, first, _ = table_of([(0, 4), (0, 0)], [(3, 7), 0])
    for _ in range(4):
        table.step()
    assert first.modes == [(0, "position"), (0, "_direction"), (1, "position")]
    told = first.calls[1][1]
    assert told.getValue((0, 4)) == 1 and told.getValue((3, 7)) == 1
    assert told.getDecision(True) == (0, 4)
    assert first.calls[2][1].getDecision(True) == ()


def test_an_exception_in_a_skipped_phase_counts_at_the_next_real_one() -> None:
    table, first, _ = table_of([(0, 4), (0, 0)], [(3, 7), 0])
    first.failing = {"_direction"}
    for _ in range(3):
        table.step()
    assert table.position.to_move == (0,)
    with pytest.raises(ValueError, match="failed in _direction"):
        table.ask()
    assert first.modes[-1] == (1, "position")


def test_an_exception_in_the_last_skipped_phase_is_never_punished() -> None:
    table, first, _ = table_of([(0, 4)], [(3, 7), 0], rounds=1)
    first.failing = {"_direction"}
    for _ in range(3):
        table.step()
    table.end()
    assert first.modes == [(0, "position"), (0, "_direction")]


def test_an_exception_in_a_real_phase_is_the_players_own() -> None:
    table, first, _ = table_of([], [])
    first.failing = {"position"}
    with pytest.raises(ValueError, match="failed in position"):
        table.ask()


def test_get_time_is_what_each_side_had_left_when_it_was_last_asked() -> None:
    table, first, second = table_of([(0, 0), 3], [(3, 7), 2])
    for left in (4.5, 4.25, 4.0, 3.5):
        table.step(left)
    times = [
        [(board.getTime(True), board.getTime(False)) for _, board, _ in player.calls]
        for player in (first, second)
    ]
    assert times == [[(4.5, 0), (4.0, 4.25)], [(4.5, 4.25), (4.0, 3.5)]]


def test_a_skipped_phase_shows_the_time_left_to_its_player() -> None:
    table, first, _ = table_of([(0, 4), (0, 0)], [(3, 7), 0])
    for left in (4.5, 4.25, 4.0, 3.5):
        table.step(left)
    assert first.calls[1][1].getTime(True) == 3.5


def test_skipped_phases_take_of_the_time_that_is_shown() -> None:
    """Also after the last real decision, when nobody asks the referee's clock any more."""
    table, first, _ = table_of([(0, 4), (0, 5)], [(3, 7), 0, (3, 7), 0], rounds=2)
    first.burning = 0.02
    while table.position.to_move:
        table.step(4.0)
    table.end()
    assert [mode for _, mode in first.modes] == ["position", "_direction"] * 2
    left = [board.getTime(True) for _, board, _ in first.calls]
    assert left[0] == left[1] == 4.0
    assert left[2] <= 4.0 - 0.02 and left[3] <= left[2] - 0.02


BURNS_WHEN_SKIPPED = """
import time

class Player:
    def __init__(self, isFirst, array):
        self.first = isFirst

    def output(self, currentRound, board, mode):
        if mode == "position":
            return board.getNone(False)[0] if self.first else board.getNext(False, currentRound)
        if mode == "_direction":
            until = time.process_time() + 0.1
            while time.process_time() < until:
                pass
        return next((d for d in range(4) if board.copy().move(self.first, d)), None)
"""


@pytest.mark.parametrize("isolate", [True, False], ids=["jailed", "in-process"])
def test_what_skipped_phases_at_the_end_take_is_in_the_record(
    isolate: bool, tmp_path: Path
) -> None:
    path = tmp_path / "burner.py"
    path.write_text(BURNS_WHEN_SKIPPED)
    players = [create_player(resolve_bot(str(path), GAME), GAME, isolate=isolate) for _ in range(2)]
    (played,) = series(GAME, DuelOptions(rounds=1), players, 1, 5)
    record = played.record
    assert (record.verdict, len(record.moves)) == ("rules", 3), record.faults
    assert record.times.used[0][0] >= 0.09, "a tenth of a second, but for rounding"


def test_the_decision_shown_is_the_very_object_the_player_returned() -> None:
    own = (numpy.int64(0), 0.0)
    table, first, _ = table_of([own, 3], [(3, 7)])
    for _ in range(3):
        table.step()
    assert first.calls[1][1].getDecision(True) is own
    assert first.calls[1][1].getDecision(False) == (3, 7)


def test_a_direction_is_shown_as_a_tuple_of_one() -> None:
    table, _, second = table_of([(0, 0), numpy.int64(3)], [(3, 7), 2])
    for _ in range(4):
        table.step()
    assert second.calls[1][1].getDecision(True) == (3,)


def test_the_board_is_a_copy_of_the_players_own() -> None:
    table, first, second = table_of([(0, 0), 3], [(3, 7), 2])
    table.step()
    first.calls[0][1].add(True, (2, 2), 9)
    table.step()
    table.step()
    assert first.calls[1][1].getValue((2, 2)) == 0
    assert second.calls[0][1].getValue((2, 2)) == 0


def test_constants_can_be_imported_by_the_originals_name() -> None:
    from ludus.games.duel2048 import constants

    assert PlayerHost.modules == {"constants": constants.__name__}
    assert constants.Chessboard is Chessboard
    assert (constants.ROWS, constants.COLUMNS, constants.ROUNDS) == (4, 8, 500)
    assert constants.NAMES[0] == "0000" and constants.NAMES[13] == "8192"
    assert constants.DIRECTIONS[2] == "left" and constants.DIRECTIONS[7] == "unknown"
    assert constants.POSITIONS((1, 3)) == "(1, 3)" and constants.POSITIONS([1, 3]) == "unknown"


class Odd:
    """Compares and prints itself by raising."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    def __index__(self) -> int:
        raise RuntimeError("no index")

    def __repr__(self) -> str:
        raise RuntimeError("no text")

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("three", [3, numpy.int64(3), numpy.uint8(3)])
def test_integers_of_every_kind_are_directions(three: Any) -> None:
    assert to_direction_move(three) == "right"
    assert to_direction_move(True) == "down" and to_direction_move(False) == "up"


@pytest.mark.parametrize(
    "other",
    [
        None,
        4,
        -1,
        2.0,
        numpy.float64(2),
        numpy.float32(2),
        decimal.Decimal(2),
        "up",
        "2",
        (2,),
        [2],
        numpy.array([1, 2]),
        2 + 0j,
        2**70,
        Odd(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_everything_else_is_no_direction(other: Any) -> None:
    assert to_direction_move(other).startswith("?")


@pytest.mark.parametrize(
    "place",
    [(1, 3), (1.0, 3), (True, 3), (numpy.int64(1), numpy.int32(3)), (numpy.float64(1), 3.0)],
    ids=repr,
)
def test_a_tuple_of_two_numbers_on_the_board_is_a_cell(place: Any) -> None:
    assert to_cell_move(place) == "1,3"


@pytest.mark.parametrize(
    "other",
    [
        *(None, 1, "13", [1, 3], (), (1,), (1, 3, 0)),
        *((4, 0), (0, 8), (-1, 0), (0.5, 1), ("1", "3"), (None, None)),
        *(Odd(), (Odd(), 1), numpy.array([1, 3])),
    ],
    ids=lambda value: type(value).__name__,
)
def test_everything_else_is_no_cell(other: Any) -> None:
    assert to_cell_move(other).startswith("?")


def test_a_strange_answer_is_shown_to_its_author() -> None:
    assert to_direction_move(None) == "?Player:None"
    assert to_cell_move([1, 3]) == "?Player:[1, 3]"
    assert to_direction_move("x" * 1000) == "?Player:'" + "x" * 199
    assert "whose repr raises RuntimeError" in to_direction_move(Odd())
