"""zlog, clog and pkl: read without running anything in them, written so that they come back."""

import os
import pickle
import random
import subprocess
import sys
import zlib
from array import array
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.compat import reading
from ludus.compat.paperio import match_core, pickles, records
from ludus.errors import LudusError
from ludus.games.paperio import GAME
from ludus.match import replay
from ludus.match.record import Record, pack
from ludus.match.referee import play
from tests.support import paperio_games as golden
from tests.support.paperio_scripts import FakeClock, Script

HEAVY = {"g059", "g060", "g062", "g065", "g067"}
"""Four fifths of all frames. Of their size are g058 and g061 too, and g063 is as long."""
GAMES = [game for game in golden.games() if game["id"] not in HEAVY]
SMALL = {"k": 9, "h": 17, "max_turn": 20, "max_time": 5}


def recorded(game: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The match that the original would have saved."""
    clock = FakeClock()
    monkeypatch.setattr(match_core, "perf_counter", clock)
    monkeypatch.setattr(match_core, "STORAGE", [{}, {}])
    if game["seed"] is not None:
        random.seed(game["seed"])
    size = (game["k"], game["h"], game["maxturn"], game["maxtime"], game["overrides"])
    return match_core.match(Script(game, clock).bots(), tuple(game["names"]), *size)


def unshared(match: dict[str, Any], protocol: int) -> bytes:
    """As the original writes it: every frame with tuples of its own."""
    grids = ("fields", "bands")
    frames = [
        frame | {grid: tuple(tuple(list(column)) for column in frame[grid]) for grid in grids}
        for frame in match["log"]
    ]
    return records.pack_pickle(match | {"log": frames}, protocol)


def essence(record: Record) -> dict[str, Any]:
    """What two forms of a bout must agree in; ``maxtime`` 0 has no clock of ours."""
    facts = record.without_times()
    return {key: facts[key] for key in ("moves", "options", "scores", "reason", "detail", "digest")}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game["id"])
def test_a_zlog_becomes_a_record_that_verifies_and_goes_back(
    game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    match = recorded(game, monkeypatch)
    data = unshared(match, random.choice([3, 4, 5])) if game["steps"] < 200 else None
    data = data or records.pack_pickle(match)
    assert records.is_record(data)
    record = records.parse(data)
    replay.verify(record)
    assert "".join(record.moves) == game["moves"]
    assert [bot.name for bot in record.bots] == game["names"]
    back = records.write_zlog(record)
    written = pickles.load(back)
    assert records.from_match(written).without_times() == record.without_times()
    for one, other in zip(written["log"], match["log"], strict=True):
        assert one["timeleft"] == pytest.approx(other["timeleft"], abs=0.0011)
        assert one | {"timeleft": ()} == other | {"timeleft": ()}
    if game["maxtime"]:
        assert written["maxtime"] == match["maxtime"]
        assert type(written["maxtime"]) is type(match["maxtime"])
    assert written["result"][:2] == match["result"][:2]


def has_usual_land(game: dict[str, Any]) -> bool:
    """A clog does not tell how large the first land was."""
    return all(given.get("expand", 1) == 1 for given in game["overrides"] or [])


@pytest.mark.parametrize(
    "game", [game for game in GAMES[::2] if has_usual_land(game)], ids=lambda game: game["id"]
)
def test_a_clog_becomes_the_same_record(
    game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    match = recorded(game, monkeypatch)
    data = records.pack_pickle(records.make_compact(match))
    assert records.is_record(data)
    record = records.parse(data)
    assert essence(record) == essence(records.from_match(match))
    held = pickles.load(records.write_clog(record))
    assert essence(records.from_match(held)) == essence(record)
    assert list(held) == [
        *("players", "size", "maxturn", "maxtime", "result"),
        *("traces", "init", "timeleft"),
    ]
    assert [trace.typecode for trace in held["traces"]] == ["b", "b"]
    assert {len(left) for left in held["timeleft"]} == {game["steps"] + 1}


def test_a_clog_of_other_land_than_the_usual_is_refused_and_a_zlog_is_right() -> None:
    record = house_record(k=15, h=31, turns=20, first=(7, 9, 0, 3), second=(22, 9, 2, 2))
    with pytest.raises(LudusError, match="3 × 3 cells of land"):
        records.write_clog(record)
    again = records.parse(records.write_zlog(record))
    assert again.options["first"] == [7, 9, 0, 3]
    assert (again.moves, again.detail) == (record.moves, record.detail)


def test_a_pkl_holds_the_last_frame_and_nothing_to_replay() -> None:
    log = small_match()
    data = records.pack_pickle(log["log"][-1])
    assert records.is_record(data)
    assert records.last_frame(data) == log["log"][-1]
    with pytest.raises(LudusError, match="only the last frame"):
        records.parse(data)


def small_match(**changes: Any) -> dict[str, Any]:
    bot = SimpleNamespace(play=lambda stat, storage: "L")
    random.seed(5)
    return match_core.match([bot, bot], **SMALL | changes)


def house_record(seed: int = 1, **options: Any) -> Record:
    players = [create_player(resolve_bot(name, GAME), GAME) for name in ("go_round", "random")]
    return play(GAME, GAME.Options(**options), seed, players)


def test_records_of_ludus_are_written_for_the_original() -> None:
    record = house_record(k=15, h=31, turns=200)
    for write in (records.write_zlog, records.write_clog):
        again = records.parse(write(record))
        assert again.moves == record.moves
        assert (again.reason, again.detail) == (record.reason, record.detail)
        replay.verify(again)


def test_a_record_is_a_hundredth_of_the_originals_file() -> None:
    circle = SimpleNamespace(play=rectangles())
    match = match_core.match([circle, SimpleNamespace(play=rectangles())], max_turn=200)
    assert len(match["log"]) == 401
    original = len(unshared(match, 3))
    ours = len(pack(records.parse(records.pack_pickle(match))))
    assert ours * 100 <= original, f"{ours} against {original} bytes"


def rectangles() -> Any:
    steps = {"n": 0}

    def play(stat: Any, storage: Any) -> str:
        steps["n"] += 1
        return "L" if steps["n"] % 9 == 0 else "S"

    return play


def test_only_records_of_this_game_are_written() -> None:
    record = house_record(k=9, h=17, turns=10)
    record.game = "duel2048"
    with pytest.raises(LudusError, match="only records of paperio"):
        records.write_zlog(record)


# Lies.


def changed(match: dict[str, Any], key: str, value: Any, frame: int = 3) -> bytes:
    log = list(match["log"])
    log[frame] = log[frame] | {key: value}
    return records.pack_pickle(match | {"log": log})


@pytest.mark.parametrize(
    ("key", "value"),
    [("fields", ()), ("bands", None), ("turnleft", (3, 3)), ("band_route", [(1,), ()])],
)
def test_a_frame_that_the_rules_do_not_give_is_named(key: str, value: Any) -> None:
    with pytest.raises(LudusError, match=f"'{key}' of frame 3"):
        records.parse(changed(small_match(), key, value))


def test_a_reversal_is_no_move() -> None:
    match = small_match()
    players = [dict(player) for player in match["log"][3]["players"]]
    players[0]["direction"] = (match["log"][1]["players"][0]["direction"] + 2) % 4
    with pytest.raises(LudusError, match="step 3: a reversal"):
        records.parse(changed(match, "players", players))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"result": (0, -3, (9, 9))}, "by the rules"),
        ({"result": (0, 7)}, "by the rules"),
        ({"result": None}, "no result"),
        ({"size": (17, 17)}, "odd"),
        ({"size": "big"}, "size"),
        ({"size": (2_000_000, 2_000_000)}, "between"),
        ({"maxturn": 10**9}, "between"),
        ({"maxturn": 2.5}, "maxturn"),
        ({"maxtime": float("nan")}, "maxtime"),
        ({"log": []}, "no frames"),
        ({"log": [1, 2]}, "no frames"),
        ({"players": ("alone",)}, "two players"),
    ],
)
def test_a_match_that_cannot_be_is_refused_in_a_sentence(
    change: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(LudusError, match=sentence) as refusal:
        records.parse(records.pack_pickle(small_match() | change))
    assert "\n" not in str(refusal.value)
    assert refusal.value.text["zh"] != refusal.value.text["en"]


@pytest.mark.parametrize(
    "change",
    [
        {"traces": None},
        {"traces": [array("b", [0]), array("b", [0] * 9)]},
        {"traces": [array("f", [0.0]), array("f", [0.0])]},
        {"timeleft": [array("f", [1.0])] * 2},
        {"init": []},
        {"init": [{"x": 1}, {"x": 2}]},
        {"init": [{"x": 10**9, "y": 3}] * 2},
    ],
)
def test_a_clog_that_cannot_be_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(LudusError):
        records.parse(records.pack_pickle(records.make_compact(small_match()) | change))


def test_a_bout_that_does_not_end_is_cut_off() -> None:
    match = small_match()
    with pytest.raises(LudusError, match="cut off"):
        records.parse(records.pack_pickle(match | {"log": match["log"][:-2]}))


# Hostile files.


class Runs:
    """Pickles to a call."""

    def __init__(self, function: Any, *args: Any) -> None:
        self.call = function, args

    def __reduce__(self) -> Any:
        return self.call


@pytest.mark.parametrize("protocol", [3, 4, 5])
@pytest.mark.parametrize(
    ("function", "args"),
    [
        (os.system, ("touch {}",)),
        (eval, ("open('{}', 'w')",)),
        (exec, ("open('{}', 'w')",)),
        (subprocess.call, (["touch", "{}"],)),
        (print, ("{}",)),
        (pickle.loads, (b"N.",)),
    ],
)
def test_a_malicious_pickle_is_refused_and_nothing_run(
    function: Any, args: Any, protocol: int, tmp_path: Path
) -> None:
    target = str(tmp_path / "touched")
    args = eval(repr(args).replace("{}", target))
    match = small_match()
    evil = match | {"result": (0, -1, Runs(function, *args))}
    data = zlib.compress(pickle.dumps(evil, protocol))
    assert records.is_record(data)
    with pytest.raises(LudusError, match="nothing in it was run"):
        records.parse(data)
    assert list(tmp_path.iterdir()) == []


def test_a_class_of_a_bot_becomes_inert_words() -> None:
    match = small_match()
    body = pickle.dumps(match | {"result": (1, -1, "HERE")}, 3)
    thing = b"cbot_of_a_record\nSurrender\nX\x04\x00\x00\x00help\x85R"
    assert body.count(b"X\x04\x00\x00\x00HERE") == 1
    broken = match | {"log": match["log"][:7]}
    body = pickle.dumps(broken | {"result": (1, -1, "HERE")}, 3)
    body = body.replace(b"X\x04\x00\x00\x00HERE", thing)
    record = records.parse(zlib.compress(body))
    assert record.faults[0].why["en"] == "it raised Surrender: help"
    assert "bot_of_a_record" not in sys.modules
    replay.verify(record)


GOOD = records.pack_pickle(small_match())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not compressed",
        GOOD[: len(GOOD) // 2],
        GOOD[:-1],
        zlib.compress(b""),
        zlib.compress(b"\x80\x03"),
        zlib.compress(b"\x80\x09N."),
        zlib.compress(b"\x80\x03N"),
        zlib.compress(pickle.dumps(7)),
        zlib.compress(pickle.dumps({"players": 1})),
        zlib.compress(b"\x80\x03]q\x00h\x00a."),
        zlib.compress(b"\x80\x03t."),
        zlib.compress(b"\x80\x03h\x05."),
        zlib.compress(b"\x80\x03}(K\x01K\x02u."),
        zlib.compress(b"\x80\x03X\xff\xff\xff\xff" + b"a" * 100),
        zlib.compress(b"\x80\x03P0\n."),
        zlib.compress(b"\x80\x03carray\narray\nX\x01\x00\x00\x00iK\x05\x86R."),
    ],
)
def test_a_damaged_file_gives_one_sentence(data: bytes) -> None:
    with pytest.raises(LudusError) as refusal:
        records.parse(data)
    assert "\n" not in refusal.value.text["en"]
    assert refusal.value.text["zh"] != refusal.value.text["en"]


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_refused_in_a_sentence(garbage: bytes) -> None:
    for data in (garbage, zlib.compress(b"\x80\x03" + garbage), zlib.compress(garbage + b".")):
        with pytest.raises(LudusError):
            records.parse(data)


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 3000), st.integers(0, 255))
def test_a_flipped_byte_is_found_or_changes_nothing_that_matters(at: int, value: int) -> None:
    body = bytearray(zlib.decompress(GOOD))
    body[at % len(body)] = value
    try:
        record = records.parse(zlib.compress(body, 1))
    except LudusError:
        return
    replay.verify(record)


BOMBS = {
    "zeros": "bytes(1 << 20)",
    "nothings": "b'N' * (1 << 20)",
    "empty tuples": "(b'(' + b')' * 65534 + b't') * 16",
    "columns": "(b'(' + b'N' * 254 + b't') * 4096",
    "texts": "b'B\\xf0\\xff\\x0f\\x00' + bytes(0xffff0)",
    "dicts": "b'}(' + b'X\\x01\\x00\\x00\\x00aN' * 50000 + b'u'",
}
"""Pieces that are repeated 2048 times."""

EXPLODE = """
import sys, zlib
from ludus.errors import LudusError
from ludus.compat.paperio import records
pack = zlib.compressobj()
data = pack.compress(b"\\x80\\x03}}(X\\x07\\x00\\x00\\x00players") + pack.flush(zlib.Z_FULL_FLUSH)
piece = pack.compress({piece}) + pack.flush(zlib.Z_FULL_FLUSH)
data += 2048 * piece
assert records.is_record(data)
try:
    records.parse(data)
except LudusError as error:
    print(error.text["en"])
lines = open("/proc/self/status").read().splitlines()
peak = next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))
sys.exit(0 if peak <= 256 else f"{{peak}} MB")
"""


@pytest.mark.parametrize("name", BOMBS)
def test_a_file_that_unpacks_to_2_gigabytes_is_refused_within_256_mb(name: str) -> None:
    code = EXPLODE.format(piece=BOMBS[name])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("this is not a record of the original Paper.io: ")
    assert done.stdout.count("\n") == 1


def test_a_file_too_large_to_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "huge.zlog"
    with path.open("wb") as file:
        file.truncate(1 << 31)
    with pytest.raises(LudusError, match="too large"):
        records.read(path)


@pytest.mark.parametrize("suffix", [".zlog", ".clog"])
@pytest.mark.parametrize("content", [b"", b"x" * 100, zlib.compress(b"no pickle"), b"\x80\x04."])
def test_a_bad_file_is_told_as_one_of_the_original(
    suffix: str, content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / f"bad{suffix}"
    path.write_bytes(content)
    with pytest.raises(LudusError) as caught:
        reading.read(path)
    en, zh = caught.value.text["en"], caught.value.text["zh"]
    assert f"{path}: this is not a record of the original Paper.io" in en
    assert f"{path}：这不是纸带圈地原平台的比赛记录" in zh
