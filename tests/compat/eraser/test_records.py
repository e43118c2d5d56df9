"""Replay files: the original's come out as they went in; what is not true is told in a sentence."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.compat.eraser import reading, records
from ludus.errors import LudusError
from ludus.games.eraser import GAME, EraserOptions
from ludus.match import replay, series
from ludus.match.record import Record, pack
from ludus.match.verdict import SeatFault, decide_fault_outcome
from ludus.sandbox.bot_fault import FaultKind
from tests.support.eraser_scripts import GAMES, REPLAYS, without_times

SMALL = REPLAYS["error_bad_three"]
KO = REPLAYS["ko_killer_vs_rand"]


@pytest.mark.parametrize("name", REPLAYS)
def test_a_replay_becomes_a_true_record_and_the_same_file_again(name: str) -> None:
    data = REPLAYS[name]
    assert records.is_record(data)
    record = records.parse(data)
    replay.verify(record)
    again = records.write(record)
    assert without_times(again) == without_times(data)
    assert json.loads(again)["time"] == json.loads(data)["time"], "the totals survive"


def test_a_record_is_at_most_a_hundredth_of_a_full_replay() -> None:
    data = REPLAYS["full_greedy_vs_rand"]
    assert len(pack(records.parse(data))) <= len(data) / 100
    players = [create_player(resolve_bot("two_ply", GAME), GAME, isolate=False) for _ in range(2)]
    for played in series(GAME, EraserOptions(), players, 2, seed=1):
        assert len(pack(played.record)) <= len(records.write(played.record)) / 100


def test_what_is_read_says_who_played_how_it_ended_and_what_it_took() -> None:
    record = records.parse(SMALL)
    assert [bot.name for bot in record.bots] == ["Rand", "Bad"]
    assert record.engine == "pkudsa.eraser order 1"
    [fault] = record.faults
    assert (fault.seat, fault.kind, fault.move) == (1, FaultKind.ILLEGAL, "?Not a proper input.")
    assert fault.trace.startswith("Traceback")
    assert record.winner == 0
    assert record.times.used[0][1] == 4.220199980409234e-05


def test_pieces_that_no_frame_shows_are_of_unknown_colour() -> None:
    record = records.parse(KO)
    columns = record.options["columns"].split(",")
    shown = [text.rstrip("?") for text in columns]
    assert all(
        text == init[: len(text)]
        for text, init in zip(shown, GAMES["killer_rand"]["init"], strict=True)
    )
    assert {len(text) for text in columns} == {1200}
    hole = records.parse(REPLAYS["holes"]).options["columns"].split(",")
    assert [text.rstrip("?") for text in hole if len(text) < 1200]


def test_records_of_ludus_bouts_become_replays() -> None:
    players = [
        create_player(resolve_bot(name, GAME), GAME, isolate=False)
        for name in ("random", "two_ply")
    ]
    for played in series(GAME, EraserOptions(turns=30), players, 2, seed=4):
        data = records.write(played.record)
        again = records.parse(data)
        assert again.moves == played.record.moves
        assert again.scores == played.record.scores
        names = json.loads(data)["players"]
        assert names == [bot.name for bot in reversed(played.record.bots)]


def failed(kind: FaultKind, moves: int, move: str | None = None, trace: str = "") -> Record:
    """A Ludus record of a bout that a fault ended."""
    game = GAMES["rand0"]
    record = records.parse(records.write(records.parse(KO)))
    played = [turn[0] for turn in GAMES["killer_rand"]["turns"]][:moves]
    seat = moves % 2
    fault = SeatFault(seat, kind, {"en": "it failed", "zh": "失败"}, move, trace)
    outcome = decide_fault_outcome([fault], 2)
    times = msgspec.structs.replace(
        record.times, cpu=record.times.cpu[:moves], wall=record.times.wall[:moves]
    )
    record = msgspec.structs.replace(
        record,
        moves=played,
        times=times,
        faults=[fault],
        scores=list(outcome.scores),
        reason=outcome.reason,
        detail=dict(outcome.detail),
    )
    position: Any = replay.last_position(record)
    assert game and position.to_move == (seat,)
    return msgspec.structs.replace(record, digest=position.digest()).with_checksum()


@pytest.mark.parametrize(
    ("kind", "move", "trace", "line"),
    [
        (FaultKind.TIMEOUT, None, "", "exception_manager.Timeout: Time limit exceeded."),
        (FaultKind.ILLEGAL, "?None", "", "exception_manager.InvalidMove: Not a proper input."),
        (FaultKind.ILLEGAL, "0011", "", "exception_manager.InvalidMove: Not adjacent positions."),
        (FaultKind.ILLEGAL, "0506", "", "exception_manager.InvalidMove: Positions out of board."),
        (FaultKind.CRASH, None, "Traceback\nKeyError: 3\n", "KeyError: 3"),
        (FaultKind.MEMORY, None, "", "it failed"),
    ],
)
@pytest.mark.parametrize("moves", [0, 3])
def test_a_fault_is_told_in_the_original_s_words(
    kind: FaultKind, move: str | None, trace: str, line: str, moves: int
) -> None:
    data = records.write(failed(kind, moves, move, trace))
    found = json.loads(data)
    assert found["reason"] == f"An error occurred: {line}"
    assert found["errorStatus"] == 1 - moves % 2
    assert found["length"] == moves + 1
    again = records.parse(data)
    replay.verify(again)


def test_a_bout_without_the_extra_turn_after_a_hole_has_no_replay() -> None:
    players = [create_player(resolve_bot("random", GAME), GAME, isolate=False) for _ in range(2)]
    (ended,) = series(GAME, EraserOptions(rows=7, hole="end"), players, 1, seed=1)
    assert ended.record.reason == "holes"
    with pytest.raises(LudusError, match="one more turn"):
        records.write(ended.record)
    (usual,) = series(GAME, EraserOptions(rows=7), players, 1, seed=1)
    assert records.parse(records.write(usual.record)).moves == usual.record.moves
    # Where no hole decided, the option made no difference.
    (other,) = series(GAME, EraserOptions(turns=4, hole="end"), players, 1, seed=1)
    assert records.parse(records.write(other.record)).moves == other.record.moves


def test_other_games_cannot_be_written() -> None:
    record = msgspec.structs.replace(records.parse(SMALL), game="duel2048")
    with pytest.raises(LudusError, match="only records of eraser"):
        records.write(record)


def test_a_file_is_read_from_disk(tmp_path: Path) -> None:
    file = tmp_path / "replay.json"
    file.write_bytes(b"\xef\xbb\xbf" + SMALL)
    assert records.is_record(file.read_bytes())
    assert records.read(file).winner == 0
    with pytest.raises(LudusError, match="cannot read"):
        records.read(tmp_path / "missing.json")


def test_a_file_that_an_editor_has_indented_is_the_same_replay() -> None:
    data = json.dumps(json.loads(SMALL), indent=2, ensure_ascii=False).encode()
    assert records.is_record(data)
    assert records.parse(data) == records.parse(SMALL)


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[]", b'{"totalFrames": "x"', b"player0: 0", b"\x1f\x8b\x08", b"\x00" * 9]
)
def test_other_files_are_not_taken_for_replays(data: bytes) -> None:
    assert not records.is_record(data)
    with pytest.raises(LudusError, match="not a replay file of the original Eraser"):
        records.parse(data)


# What is not true.


def frame(number: int, change: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    return lambda file: change(file["frames"][number])


def first_piece_elsewhere(frame: dict[str, Any]) -> None:
    name = next(iter(frame["boardStatus"]))
    frame["boardStatus"][name] = [5, 5]


LIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "another winner": lambda file: file.update(winner=1 - file["winner"]),
    "another reason": lambda file: file.update(reason="Run out of blocks"),
    "more points": lambda file: file["scores"]["left"].append(9999),
    "another length": lambda file: file.update(length=file["length"] + 1),
    "no frames": lambda file: file.update(frames=[]),
    "one frame": lambda file: file.update(frames=file["frames"][:1]),
    "frames in another order": lambda file: file["frames"].reverse(),
    "a frame too few": lambda file: file["frames"].pop(5),
    "a frame twice": lambda file: file["frames"].insert(5, file["frames"][5]),
    "a wrong number of frames": lambda file: file.update(totalFrames=3),
    "another tag": lambda file: file.update(tag=[["无敌", "red"]]),
    "a tag that is none": lambda file: file.update(tag={"a": [[]] * 9}),
    "an error of nobody": lambda file: file.update(errorStatus=7),
    "an error that did not happen": lambda file: file.update(errorStatus=1),
    "an error of the side that was not to move": lambda file: file.update(
        errorStatus=1, winner=0, tag=[["12连消", "gray"]]
    ),
    "a huge order": lambda file: file.update(order=10**18),
    "negative time": lambda file: file.update(time=[-1.0, 0.0]),
    "endless time": lambda file: file.update(time=[1e300, 0.0]),
    "a piece elsewhere": frame(0, first_piece_elsewhere),
    "a piece elsewhere later": frame(3, first_piece_elsewhere),
    "a piece outside": frame(2, lambda f: f["boardStatus"].update(r0000c0000b0=[9, 9])),
    "a piece from nowhere": frame(2, lambda f: f["boardStatus"].update(r0300c0000b0=[0, 0])),
    "a piece of no colour": frame(2, lambda f: f["boardStatus"].update(r0000c0000b7=[0, 0])),
    "a name that is none": frame(2, lambda f: f["boardStatus"].update(hello=[0, 0])),
    "a turn skipped": frame(4, lambda f: f.update(turnNumber=99)),
    "another player": frame(4, lambda f: f.update(currentPlayer=1 - f["currentPlayer"])),
    "another reserve": frame(4, lambda f: f.update(remainedBarStatus=[1] * 6)),
    "another panel": frame(4, lambda f: f["sideBarStatus"]["left"].update(totalScores=5)),
    "an empty start": frame(0, lambda f: f.update(boardStatus={})),
    "empty boards": lambda file: [f.update(boardStatus={}) for f in file["frames"]],
    "a full board": frame(
        1, lambda f: f.update(boardStatus={f"r{i:04}c0000b0": [0, 0] for i in range(999)})
    ),
}


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("data", [SMALL, KO], ids=["error", "ko"])
def test_a_replay_that_is_not_true_is_refused_in_a_sentence(data: bytes, lie: str) -> None:
    file = json.loads(data)
    LIES[lie](file)
    with pytest.raises(LudusError) as refused:
        records.parse(json.dumps(file).encode())
    for text in refused.value.text.values():
        assert "\n" not in text and len(text) < 500


WRONG = [
    (key, value)
    for key in json.loads(KO)
    for value in (None, "x", -5, [], {}, [[[[]]]], 1e400, 10**30)
    if key != "tag" and (key, value) != ("order", -5)  # which is whatever the caller said
]


@pytest.mark.parametrize(("key", "value"), WRONG)
def test_a_part_of_the_wrong_kind_is_refused(key: str, value: Any) -> None:
    file = json.loads(SMALL)
    file[key] = value
    if value == file["errorMessage"] or (key == "errorMessage" and value == "x"):
        file["reason"] = "y"
    with pytest.raises(LudusError):
        records.parse(json.dumps(file).encode())
    del file[key]
    with pytest.raises(LudusError, match="missing required field"):
        records.parse(json.dumps(file).encode())


@pytest.mark.parametrize("part", [0.01, 0.3, 0.6, 0.99])
def test_a_file_that_is_cut_off_is_refused(part: float) -> None:
    with pytest.raises(LudusError, match="not a replay file"):
        records.parse(KO[: int(len(KO) * part)])


@settings(max_examples=60, deadline=None)
@given(place=st.integers(0, len(SMALL) - 1), byte=st.integers(0, 255))
def test_a_changed_byte_is_noticed_or_changes_nothing_but_words(place: int, byte: int) -> None:
    data = SMALL[:place] + bytes([byte]) + SMALL[place + 1 :]
    try:
        record = records.parse(data)
    except LudusError as error:
        assert "\n" not in str(error)
    else:
        replay.verify(record)


HOSTILE = {
    "deep": b'{"totalFrames": 1, "totalRemains": ' + b"[" * 2_000_000,
    "deep tag": SMALL[:-1].rpartition(b', "tag"')[0]
    + b', "tag": '
    + b"[" * 9000
    + b"]" * 9000
    + b"}",
    "many frames": b'{"totalFrames": 1, "totalRemains": 1, "frames": [' + b"0," * 8_000_000,
    "many lists": b'{"totalFrames": 1, "totalRemains": 1, "frames": [' + b"[]," * 5_000_000,
    "many scores": b'{"totalFrames": 1, "totalRemains": 1, "scores": {"left": ['
    + b"999," * 4_000_000
    + b"9]}}",
    "many unknown keys": b'{"totalFrames": 1, "totalRemains": 1, "x": [' + b"{}," * 5_000_000,
    "a long number": b'{"totalFrames": 1, "totalRemains": ' + b"9" * 16_000_000 + b"}",
    "a long text": b'{"totalFrames": 1, "totalRemains": 1, "reason": "' + b"x" * 16_000_000 + b'"}',
    "too long": b'{"totalFrames": 1, "totalRemains": 1' + b" " * (reading.MAX_FILE_BYTES + 1),
}

READ_IT = """
import sys
from ludus.errors import LudusError
from ludus.compat.eraser import records
data = sys.stdin.buffer.read()
assert records.is_record(data)
try:
    records.parse(data)
except LudusError as error:
    print(error)
    sys.exit(2)
"""


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (256 << 20, 256 << 20))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_gives_one_sentence_within_256_megabytes(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", READ_IT],
        input=HOSTILE[name],
        capture_output=True,
        preexec_fn=limited,
    )
    assert done.returncode == 2, done.stderr.decode()
    assert len(done.stdout.decode().splitlines()) == 1
