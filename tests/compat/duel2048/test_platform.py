"""The original's Platform, against games recorded with the original."""

from __future__ import annotations

import collections
import queue
import threading
import time
from pathlib import Path
from typing import Any

import numpy
import pytest

import ludus.compat.duel2048
from ludus.compat.duel2048 import constants, plat
from ludus.errors import LudusError
from tests.support.duel2048_scripts import (
    RECORDS,
    Steady,
    bout,
    golden_games,
    platform_of,
    scripted,
    states,
)

GAMES = {game["id"]: game for game in golden_games()}
FLOAT_DIRECTION = 68
SOFT_TIMEOUT = 82


PLAYED = [
    number
    for number, game in GAMES.items()
    if number != FLOAT_DIRECTION and (game["tags"] != ["full"] or number % 3 == 2)
]
"""All kinds; of the whole bouts between two players only some."""


@pytest.mark.parametrize("number", PLAYED)
def test_a_golden_game_is_played_as_the_original_played_it(number: int) -> None:
    game = GAMES[number]
    player = scripted(game["steps"], game["init"])
    platform = platform_of(game, player)

    result = platform.play()

    assert list(platform.board.array) == game["array"]
    assert player.calls == game["steps"]
    assert platform.log == game["log"]
    assert repr(platform.board) == game["final"]
    assert [platform.board.getScore(side) for side in (True, False)] == game["scores"]
    for side, wanted in zip((True, False), game["decision"], strict=True):
        last = platform.board.getDecision(side)
        assert (repr(last) if isinstance(wanted, str) else list(last)) == wanted
    found = {name: getattr(platform, name) for name in game["attrs"]}
    assert found | {"next": list(found["next"])} == game["attrs"]
    assert comparable(result) == {**game["result"], "rounds": result["rounds"]} | {
        side: last_line(game["result"][side]) for side in ("first", "second")
    }
    if number != SOFT_TIMEOUT:  # there a busy machine may turn the one into the other
        used = [platform.states[side]["time"] for side in (True, False)]
        assert [seconds == 1.1 * game["maxtime"] for seconds in used] == game["hard_timeout"]


def comparable(result: dict[Any, Any]) -> dict[str, Any]:
    sides = {"first": last_line(result[True]), "second": last_line(result[False])}
    for side in sides.values():
        del side["time"]
        side["index"] = list(side["index"])
    return {**sides, "rounds": result["rounds"]}


def last_line(side: dict[str, Any]) -> dict[str, Any]:
    text = side["exception"]
    return {**side, "exception": text and text.splitlines()[-1]}


def test_a_float_direction_is_a_violation_where_the_original_crashed() -> None:
    game = GAMES[FLOAT_DIRECTION]
    platform = platform_of(game, scripted(game["steps"]))

    result = platform.play()

    assert platform.log == [
        *game["log"],
        "&d3:player 0 set direction unknown",
        "&e:player 0 violate by illegal output of direction",
        "&e:player 1 win",
    ]
    assert (platform.violator, platform.winner, platform.currentRound) == (True, False, 4)
    assert result[True]["violate"] and result[False]["win"]


def test_before_play_the_attributes_are_as_documented() -> None:
    accounts = states(Steady, Steady)
    platform = plat.Platform(accounts, "folder", None, True, 5, 40)
    assert platform.states is accounts
    assert (platform.match, platform.livequeue, platform.toSave) == ("folder", None, True)
    assert (platform.maxtime, platform.rounds, platform.currentRound) == (5, 40, 0)
    assert [platform.winner, platform.violator, platform.timeout, platform.error] == [None] * 4
    assert platform.next == (None, None)
    assert platform.exception == {True: None, False: None}
    assert isinstance(platform.log, list) and platform.log == []
    assert platform.board.array == constants.ARRAY
    assert len(constants.ARRAY) == 40


def test_the_constants_are_one_module_under_every_name() -> None:
    import ludus.compat.duel2048.constants as theirs
    import ludus.games.duel2048.constants as ours

    assert ours is theirs is constants is ludus.compat.duel2048.constants


def test_players_get_the_newest_sequence_and_the_board_keeps_its_own() -> None:
    seen = []

    class Player(Steady):
        def __init__(self, isFirst: bool, array: tuple[int, ...]) -> None:
            super().__init__(isFirst, array)
            seen.append(array)

    older = plat.Platform(states(Player, Player), "", None, False, 5, 2)
    newer = plat.Platform(states(Player, Player), "", None, False, 5, 2)
    older.play()
    assert seen == [newer.board.array] * 2
    assert older.board.array != newer.board.array


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda cell: (float(cell[0]), cell[1]), "({}, {})"),
        (lambda cell: (numpy.int64(cell[0]), numpy.int64(cell[1])), "(np.int64({}), np.int64({}))"),
        (collections.namedtuple("Cell", "row column")._make, "Cell(row={}, column={})"),
    ],
)
def test_an_odd_but_legal_position_is_logged_in_its_own_words(make: Any, text: str) -> None:
    given = []

    def answer(now: int, board: Any, mode: str) -> Any:
        if mode != "position":
            return None
        given.append(make(board.getNext(True, now)))
        return given[-1]

    platform = bout(answer, rounds=1)
    platform.play()
    assert platform.log[0] == f"&d0:player 0 set position {text.format(*given[0])}"
    assert platform.violator is None


def test_get_decision_gives_the_very_object_that_was_returned() -> None:
    given: dict[str, Any] = {}
    seen = []

    class Second(Steady):
        def output(self, currentRound: int, board: Any, mode: str) -> Any:
            seen.append(board.getDecision(True))
            return super().output(currentRound, board, mode)

    def answer(now: int, board: Any, mode: str) -> Any:
        if mode == "position":
            given["cell"] = tuple(list(board.getNext(True, now)))
            return given["cell"]
        return numpy.int64(next(d for d in range(4) if board.copy().move(True, d)))

    bout(answer, rounds=1, second=Second).play()
    assert seen[0] is given["cell"]
    assert isinstance(seen[1][0], numpy.int64)


def test_a_position_with_a_hostile_text_does_not_break_the_log() -> None:
    class Cell(tuple):  # type: ignore[type-arg]
        def __str__(self) -> str:
            return "(0, 0)\n&e:player 0 win"

    platform = bout(lambda now, b, mode: Cell(b.getNext(True, now)) if mode == "position" else None)
    platform.play()
    assert all("\n" not in entry for entry in platform.log if entry.startswith("&d"))


@pytest.mark.parametrize("answer", [numpy.zeros(3), object(), [1, 3], ("a", "b"), 7])
def test_what_is_no_position_is_a_violation(answer: Any) -> None:
    platform = bout(lambda *_: answer)
    platform.play()
    assert platform.log == [
        "&d0:player 0 set position unknown",
        "&e:player 0 violate by illegal output of position",
        "&e:player 1 win",
    ]


def test_time_left_counts_down_from_maxtime_and_the_opponents_starts_at_zero() -> None:
    seen = []

    def answer(now: int, board: Any, mode: str) -> None:
        seen.append((board.getTime(True), board.getTime(False)))

    platform = bout(answer, maxtime=7)
    platform.play()
    assert 6.5 < seen[0][0] <= 7
    assert seen[0][1] == 0
    assert 6.5 < seen[1][1] <= 7
    assert [mine for mine, _ in seen] == sorted((mine for mine, _ in seen), reverse=True)


def test_time_adds_up_over_the_calls_of_a_bout() -> None:
    platform = bout(lambda *_: time.sleep(0.2), maxtime=0.5, rounds=10)
    result = platform.play()
    assert platform.timeout is True
    assert platform.log[-2:] == ["&e:player 0 time out", "&e:player 1 win"]
    assert result["rounds"] == 2
    assert 0.5 <= result[True]["time"] < 0.56


def test_an_exception_costs_no_time_and_its_traceback_starts_in_the_platform() -> None:
    def answer(now: int, board: Any, mode: str) -> None:
        time.sleep(0.1)
        raise ZeroDivisionError("on purpose")

    platform = bout(answer)
    result = platform.play()
    assert result[True]["time"] < 0.1
    lines = result[True]["exception"].splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1].endswith("in wrappedFunc") and 'plat.py"' in lines[1]
    assert lines[2] == "    result = func(*args, **kwargs)"
    assert lines[-1] == "ZeroDivisionError: on purpose"
    assert isinstance(platform.exception[True], ZeroDivisionError)
    assert platform.error is True


def test_every_call_is_made_outside_the_main_thread() -> None:
    seen = set()
    bout(lambda *_: seen.add(threading.current_thread())).play()
    assert threading.main_thread() not in seen
    assert all(thread.daemon for thread in seen)


def test_a_bot_in_an_endless_loop_is_stopped_after_the_cut() -> None:
    looping = []

    def answer(*_: Any) -> None:
        looping.append(threading.current_thread())
        while True:
            pass

    platform = bout(answer, maxtime=0.2)
    began = time.perf_counter()
    platform.play()
    assert platform.timeout is True
    assert platform.states[True]["time"] == pytest.approx(0.22)
    assert time.perf_counter() - began < 5
    looping[0].join(2)
    assert not looping[0].is_alive()


@pytest.mark.parametrize("leave", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_leaving_the_thread_is_a_timeout_at_once(leave: type[BaseException]) -> None:
    def answer(*_: Any) -> None:
        raise leave

    platform = bout(answer, maxtime=60)
    began = time.perf_counter()
    result = platform.play()
    assert platform.timeout is True
    assert result[True]["time"] == pytest.approx(66)
    assert time.perf_counter() - began < 5


def test_lateness_in_a_skipped_phase_counts_at_the_next_decision() -> None:
    game = GAMES[78]
    steps = [list(step) for step in game["steps"]]
    for step in steps:
        if isinstance(step[3], dict):
            step[3] = {"raise": "SystemExit", "msg": ""}
    platform = platform_of(game, scripted(steps))
    platform.play()
    assert (platform.timeout, platform.error, platform.winner) == (True, None, False)
    assert platform.log[-3:] == [game["log"][-3], "&e:player 0 time out", "&e:player 1 win"]


def test_a_skipped_call_sees_the_board_after_the_decision_was_shown() -> None:
    """The entry of a board comes before the calls of the phases that are skipped after it."""
    game = GAMES[78]
    lengths = []

    class Player(scripted(game["steps"])):  # type: ignore[misc]
        def output(self, currentRound: int, board: Any, mode: str) -> Any:
            if mode.startswith("_"):
                lengths.append(platform.log[-1][:2])
            return super().output(currentRound, board, mode)

    platform = platform_of(game, Player)
    platform.play()
    assert lengths and set(lengths) == {"&p"}


@pytest.mark.parametrize(("late", "time0"), [(True, 5), (True, 6), (False, 4)])
def test_time_zero_at_the_limit_loses_at_loading(late: bool, time0: float) -> None:
    platform = plat.Platform(states(Steady, Steady, time0=(time0, 0)), "", None, False, 5, 2)
    result = platform.play()
    assert (platform.timeout is True) is late
    assert (result["rounds"] == 0) is late


@pytest.mark.parametrize("rounds", [0, -1, 2.5, "many", None, 10**9])
def test_rounds_that_cannot_be_played_are_refused_in_a_sentence(rounds: Any) -> None:
    with pytest.raises(LudusError, match="rounds"):
        plat.Platform(states(Steady, Steady), "", None, False, 5, rounds)


@pytest.mark.parametrize("maxtime", ["5", None, float("nan")])
def test_a_time_limit_that_is_no_number_is_refused(maxtime: Any) -> None:
    with pytest.raises(LudusError, match="MAXTIME"):
        plat.Platform(states(Steady, Steady), "", None, False, maxtime, 5)


def test_an_unlimited_time_is_a_limit_too() -> None:
    assert bout(maxtime=float("inf")).play()["rounds"] == 3


def test_each_entry_puts_the_platform_on_the_live_queue_and_pauses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses = []
    monkeypatch.setattr(constants, "SLEEP", 0.25)
    monkeypatch.setattr(plat.time, "sleep", pauses.append)
    live: queue.Queue[Any] = queue.Queue()
    platform = bout(rounds=2, livequeue=live)
    platform.play()
    shown = [live.get_nowait() for _ in range(live.qsize())]
    assert shown == [platform] * len(platform.log)
    assert pauses == [0.25] * len(platform.log)


@pytest.mark.parametrize(
    "name",
    ["normal_40_rounds", "tied_1_round", "violate_occupied", "error_in_output", "timeout"],
)
def test_a_record_file_is_saved_byte_for_byte(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_saved(name, tmp_path, monkeypatch, ("ok", "ok"))


def test_the_record_of_a_failed_loading_is_saved_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = {"raise": "RuntimeError", "msg": ""}
    check_saved("error_in_init", tmp_path, monkeypatch, (broken, "ok"))


def check_saved(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, init: tuple[Any, Any]
) -> None:
    """Replay a golden record on a platform and compare the file it saves."""
    from ludus.compat.duel2048 import records

    wanted = (RECORDS / f"{name}.txt").read_bytes()
    record = records.parse(wanted)
    rounds = record.options.get("rounds", 500)
    array = record.options["array"] if "array" in record.options else [0] * rounds
    numbers = iter(array)
    monkeypatch.setattr(plat.random, "randrange", lambda _: next(numbers))
    last = {"timeout": {"raise": "SystemExit", "msg": ""}, "crash": {"raise": "OSError", "msg": ""}}
    moves: list[Any] = [*record.moves, *(fault.move or last[fault.kind] for fault in record.faults)]
    player = scripted([[0, 0, "", answer_of(move)] for move in moves], init)
    accounts = states(player, player, paths=(record.bots[0].name, record.bots[1].name))
    if name == "error_in_init":
        accounts[True]["index"], accounts[False]["index"] = (1, True), (0, False)
    platform = plat.Platform(accounts, str(tmp_path), None, True, 60, rounds)
    monkeypatch.setattr(plat.time, "strftime", lambda _: record.times.began.replace("T", " "))
    platform.play()
    assert (tmp_path / f"{platform.name}.txt").read_bytes() == wanted


def answer_of(move: Any) -> Any:
    if isinstance(move, str) and "," in move:
        return [int(part) for part in move.split(",")]
    return constants.DIRECTIONS.index(move) if isinstance(move, str) else move
