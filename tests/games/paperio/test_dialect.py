"""Bots of the original see exactly what it showed them, in less memory."""

import itertools
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from ludus.bots.build import python_bot
from ludus.bots.load import load_bot
from ludus.bots.players.local import LocalPlayer
from ludus.bots.players.process import ProcessPlayer
from ludus.bots.resolve import resolve_bot
from ludus.games.base import ClockView, Outcome
from ludus.games.host import Host
from ludus.games.paperio import GAME
from ludus.games.paperio.dialect import PlayHost, original_result, to_move_letter
from ludus.match.referee import play
from ludus.match.series import series
from ludus.sandbox.bot_fault import FaultKind

SMALL = {"k": 9, "h": 17, "turns": 12}


def host(**functions: Any) -> PlayHost:
    made = PlayHost(GAME, functions["play"])
    made.namespace = functions
    return made


def local(name: str, **functions: Any) -> LocalPlayer:
    return LocalPlayer(name, lambda: host(**functions))


def circle(stat: Any, storage: Any) -> str:
    return "L"


def bout(first: LocalPlayer, second: LocalPlayer, **options: Any) -> Any:
    return play(GAME, GAME.Options(**SMALL | options), 5, [first, second])


@pytest.mark.parametrize(
    ("answer", "move"),
    [
        *[("L", "L"), ("l", "L"), ("left", "L"), ("R", "R"), ("right", "R"), ("Robust", "R")],
        *[("S", "S"), ("", "S"), (None, "S"), (" L", "S"), ("ｌ", "S"), ("Ł", "S"), (b"L", "S")],
        *[(1, "S"), (["L"], "S"), (object, "S"), ("\nR", "S"), ("ℝ", "S"), ("ʀ", "S")],
    ],
)
def test_only_a_text_that_begins_with_l_or_r_turns(answer: Any, move: str) -> None:
    assert to_move_letter(answer) == move


def test_stat_is_one_dict_of_plain_things() -> None:
    seen: list[Any] = []

    def look(stat: Any, storage: Any) -> str:
        seen.append((stat, stat["log"], stat["now"], len(stat["log"])))
        stat["mine"] = stat.get("mine", 0) + 1
        return "L"

    bout(local("a", play=look), local("b", play=circle))
    assert len(seen) == 12
    stats, logs, frames, lengths = zip(*seen, strict=True)
    assert all(stat is stats[0] for stat in stats) and type(stats[0]) is dict
    assert all(log is logs[0] for log in logs) and type(logs[0]) is list
    assert lengths == tuple(range(1, 25, 2))
    assert stats[0]["size"] == (18, 17) and type(stats[0]["size"]) is tuple
    assert stats[0]["mine"] == 12
    assert stats[0]["now"] is logs[0][-1]
    assert len(logs[0]) == 25
    for frame in frames:
        assert any(frame is kept for kept in logs[0])
        assert type(frame) is dict


@pytest.mark.parametrize("seat", [0, 1])
def test_a_frame_shows_both_players_in_the_order_of_seats(seat: int) -> None:
    frames: list[Any] = []

    def look(stat: Any, storage: Any) -> str:
        frames.append(stat["now"])
        return "L"

    players = [local("a", play=circle), local("b", play=circle)]
    players[seat] = local("me", play=look)
    bout(*players)
    for number, frame in enumerate(frames):
        assert set(frame) == {
            *("turnleft", "timeleft", "fields", "bands"),
            *("players", "me", "enemy"),
        }
        assert [player["id"] for player in frame["players"]] == [1, 2]
        assert frame["me"] is frame["players"][seat]
        assert frame["enemy"] is frame["players"][1 - seat]
        assert set(frame["me"]) == {"id", "x", "y", "direction"}
        assert frame["turnleft"] == (12 - number - seat, 12 - number)
        assert type(frame["turnleft"]) is tuple and type(frame["timeleft"]) is tuple
        for grid in (frame["fields"], frame["bands"]):
            assert type(grid) is tuple and len(grid) == 18
            assert {type(column) for column in grid} == {tuple}
            assert {len(column) for column in grid} == {17}
        x, y = frame["me"]["x"], frame["me"]["y"]
        assert frame["fields"][x][y] == frame["me"]["id"]


def test_unchanged_columns_are_the_same_objects_from_frame_to_frame() -> None:
    logs: list[Any] = []
    straight = {"n": 0}

    def walk(stat: Any, storage: Any) -> str:
        logs.append(stat["log"])
        straight["n"] += 1
        return "S" if straight["n"] < 4 else "L"

    bout(local("a", play=walk), local("b", play=circle))
    log = logs[0]
    for before, after in itertools.pairwise(log):
        for grid in ("fields", "bands"):
            for old, new in zip(before[grid], after[grid], strict=True):
                assert (old is new) == (old == new)
        if before["fields"] == after["fields"]:
            assert before["fields"] is after["fields"]
        assert before["players"] is not after["players"]


def test_the_first_frame_shows_the_full_time_and_later_ones_what_is_left() -> None:
    made = host(play=circle)
    made.start(0, GAME.Options(**SMALL), 5, 30.0)
    made.turn([], ClockView((29.0, 0.0), 0, 29.0))
    assert made.stat["log"][0]["timeleft"] == (30.0, 30.0)
    made.turn([{0: "L"}, {1: "L"}], ClockView((28.0, 27.0), 0, 28.0))
    assert [frame["timeleft"] for frame in made.stat["log"][1:]] == [(28.0, 27.0)] * 2


def test_storage_lives_for_a_match_between_init_and_summaryall() -> None:
    calls: list[Any] = []

    def note(name: str) -> Any:
        def call(*args: Any) -> None:
            calls.append((name, dict(args[-1])))
            args[-1][name] = args[-1].get(name, 0) + 1

        return call

    def count(stat: Any, storage: Any) -> str:
        storage["play"] = storage.get("play", 0) + 1
        return "L"

    names = ("init", "load", "summary", "summaryall")
    player = local("a", play=count, **{name: note(name) for name in names})
    list(series(GAME, GAME.Options(**SMALL), [player, local("b", play=circle)], 2, 1))
    assert calls == [
        ("init", {}),
        ("load", {"init": 1}),
        ("summary", {"init": 1, "load": 1, "play": 12}),
        ("load", {"init": 1, "load": 1, "play": 12, "summary": 1}),
        ("summary", {"init": 1, "load": 2, "play": 24, "summary": 1}),
        ("summaryall", {"init": 1, "load": 2, "play": 24, "summary": 2}),
    ]


def test_summary_is_told_winner_and_type_with_the_last_frame() -> None:
    told: list[Any] = []

    def summary(result: Any, stat: Any, storage: Any) -> None:
        told.append((result, len(stat["log"])))

    record = bout(local("a", play=circle, summary=summary), local("b", play=circle))
    assert told == [((None, -3), len(record.moves) + 1)]


@pytest.mark.parametrize(
    ("reason", "number"),
    [
        *[("wall", 0), ("band", 1), ("side", 2), ("face", 3), ("land", 4), ("area", -3)],
        *[("crash", -1), ("load", -1), ("memory", -1), ("timeout", -2)],
    ],
)
def test_every_reason_has_the_originals_type(reason: str, number: int) -> None:
    assert original_result(Outcome((0.0, 1.0), reason)) == (1, number)


def test_exceptions_in_load_and_play_lose_and_others_are_ignored() -> None:
    def fail(*args: Any) -> None:
        raise ValueError("no")

    others = {"init": fail, "summary": fail, "summaryall": fail}
    assert bout(local("a", play=circle, **others), local("b", play=circle)).faults == []
    for broken in ({"play": circle, "load": fail}, {"play": fail}):
        record = bout(local("a", play=circle), local("b", **broken))
        assert [(fault.seat, fault.kind) for fault in record.faults] == [(1, FaultKind.CRASH)]


def test_a_bot_that_deletes_its_log_crashes_itself() -> None:
    def vandal(stat: Any, storage: Any) -> str:
        del stat["log"]
        return "L"

    record = bout(local("a", play=vandal), local("b", play=circle))
    assert [(fault.seat, fault.kind) for fault in record.faults] == [(0, FaultKind.CRASH)]


def test_changing_a_frame_disturbs_only_oneself() -> None:
    def vandal(stat: Any, storage: Any) -> str:
        stat["now"]["enemy"]["x"] = -7
        stat["now"]["players"].clear()
        return "L"

    seen: list[Any] = []

    def look(stat: Any, storage: Any) -> str:
        seen.append(stat["now"]["me"]["x"])
        return "L"

    record = bout(local("a", play=vandal), local("b", play=look))
    assert record.faults == [] and min(seen) >= 0


READS_EVERYTHING = """
def load(stat, storage):
    stat["n"] = 0

def play(stat, storage):
    stat["n"] += 1
    log = stat["log"]
    assert log[-1] is stat["now"] and log[0]["me"]["id"] == stat["now"]["me"]["id"]
    sum(len(frame) for frame in log[-8:])
    return "L" if stat["n"] % 12 == 0 else "S"
"""


def test_a_bout_of_4000_steps_takes_less_than_60_mb(tmp_path: Path) -> None:
    path = tmp_path / "reader.py"
    path.write_text(READS_EVERYTHING)
    players = [LocalPlayer(name, lambda: load_bot(path, GAME)) for name in "ab"]
    tracemalloc.start()
    try:
        record = play(GAME, GAME.Options(), 1, players)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(record.moves) == 4000
    assert peak <= 60 << 20, f"{peak >> 20} MB"


WRITES = """
from pathlib import Path

def init(storage):
    storage["bouts"] = 0

def load(stat, storage):
    storage["bouts"] += 1

def play(stat, storage):
    return "L"

def summaryall(storage):
    print(storage)
"""


def test_in_a_process_summaryall_is_called_when_the_match_is_over(tmp_path: Path) -> None:
    path = tmp_path / "writes.py"
    path.write_text(WRITES)
    players = [ProcessPlayer("a", python_bot(path)), local("b", play=circle)]
    for played in series(GAME, GAME.Options(**SMALL), players, 3, 1):
        assert played.record.faults == []
        assert players[0].output()["stdout"] == ""
    assert players[0].output()["stdout"] == "{'bouts': 3}\n"


def test_a_summaryall_that_never_ends_holds_nobody_up(tmp_path: Path) -> None:
    path = tmp_path / "stays.py"
    path.write_text(
        WRITES.split("def summaryall")[0] + "\ndef summaryall(storage):\n    while 1: 0"
    )
    players = [ProcessPlayer("a", python_bot(path)), local("b", play=circle)]
    assert len(list(series(GAME, GAME.Options(**SMALL), players, 1, 1))) == 1


def test_a_file_with_play_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def helper(): pass\ndef play(stat, storage): return helper()\n")
    made = load_bot(resolve_bot(str(path), GAME).path, GAME)
    assert type(made) is PlayHost
    assert "helper" in made.namespace
    path.write_text("class Bot:\n    def move(self, position, clock): return 'S'\n")
    assert type(load_bot(path, GAME)) is Host
