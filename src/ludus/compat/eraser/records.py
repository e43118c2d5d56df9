"""The original's replay files (``.json``) as Ludus records, and back.

A file shows only the two lowest rows of the reserve, so a record made from it has the colours of
the pieces that became visible, which are all that matter. After reading, every frame is generated
again from the record and must be identical.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from ludus.compat.eraser import errors, layout, reading
from ludus.compat.eraser.reading import Replay, ReplayScan, verification_error
from ludus.errors import LudusError
from ludus.games.base import Clock
from ludus.games.eraser import GAME, EraserOptions
from ludus.games.eraser.board import COLUMNS
from ludus.games.eraser.rules import HOLES, EraserPosition
from ludus.lang import Text
from ludus.match import replay, verdict
from ludus.match.record import Record, RecordedBot, Times, load_game
from ludus.match.record_bytes import read_record_file
from ludus.match.verdict import SeatFault
from ludus.sandbox.bot_fault import FaultKind

ENGINE = "pkudsa.eraser"
CLOCK = Clock(budget=60.0, measure="wall")
DEFAULT_TURNS = 200
MAX_SECONDS = 1e9
"""The longest thinking time in seconds."""
_ORDER = re.compile(rf"{re.escape(ENGINE)} order (-?[0-9]{{1,9}})")
_SNIFF = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"totalFrames"\s*:\s*[0-9]+\s*,\s*"totalRemains"')


def is_record(data: bytes) -> bool:
    """Whether a file's first bytes look like one of these replays."""
    return _SNIFF.match(data[:1000]) is not None


def read(path: Path) -> Record:
    """A record from a file of the original."""
    return parse(read_record_file(path, reading.MAX_FILE_BYTES))


def parse(data: bytes) -> Record:
    """A Ludus record from a file's bytes; LudusError about the first wrong value."""
    file = reading.decode(data)
    walk = ReplayScan(file)
    record = _make_record(file, walk)
    replay_data = layout.ReplayData(
        _start(record),
        record.moves,
        walk.times,
        file.players,
        file.order,
        _read_failure(file),
    )
    _compare(file, replay_data)
    return record


def write(record: Record) -> bytes:
    """The original's file for any valid record of this game."""
    if record.game != GAME.name:
        raise LudusError(
            f"only records of {GAME.name} can be written in this form, not of {record.game}",
            f"只有 {GAME.name} 的录像能写成这种格式，不能是 {record.game}",
        )
    replay.verify(record)
    _check_extra_turn(record)
    order = _ORDER.fullmatch(record.engine)
    first, second = (bot.name for bot in record.bots)
    replay_data = layout.ReplayData(
        _start(record),
        record.moves,
        _spread_times(record),
        (second, first),
        int(order[1]) if order else 0,
        _find_failure(record),
    )
    return layout.format_document(replay_data).encode()


def _check_extra_turn(record: Record) -> None:
    """After a hole the original always played one more turn: it has no file without it."""
    position: Any = replay.last_position(record)
    if position.ending == HOLES and not position.extra and not position.board.stuck():
        raise LudusError(
            "the bout ended at once when a hole appeared (hole=end); the original always plays one"
            " more turn then, so it has no file for this bout",
            "此局在出现空缺时立即结束（hole=end）；原平台此时总会再走一回合，因此没有对应的文件",
        )


def _start(record: Record) -> EraserPosition:
    game, options = load_game(record)
    position = game.start(options, record.seed)
    assert isinstance(position, EraserPosition)
    return position


# Writing.


def _spread_times(record: Record) -> list[float]:
    """The mover's total after each turn: its seconds, spread as its milliseconds are."""
    measured = 0 if record.clock.measure == "cpu" else 1
    column = (record.times.cpu, record.times.wall)[measured]
    totals: list[float] = []
    for turn in range(len(record.moves)):
        own = column[turn % 2 :: 2]
        done = turn // 2 + 1
        used = record.times.used[turn % 2][measured]
        part = sum(own[:done]) / sum(own) if sum(own) else done / len(own)
        totals.append(used if done == len(own) else used * part)
    return totals


def _find_failure(record: Record) -> layout.Failure | None:
    if not record.faults:
        return None
    fault = record.faults[0]
    side = 1 - fault.seat
    before_play = fault.kind is FaultKind.LOAD or fault.seat != len(record.moves) % 2
    counted = fault.kind is FaultKind.ILLEGAL and record.times.used[fault.seat][1] > 0
    time = record.times.used[fault.seat][1] if counted else None
    return layout.Failure(side, _make_message(fault), not before_play, time)


def _make_message(fault: SeatFault) -> str:
    """The traceback, with the original's message at its end."""
    if fault.kind is FaultKind.TIMEOUT:
        wanted = errors.TIMEOUT_LINE
    elif fault.kind is FaultKind.ILLEGAL:
        wanted = errors.INVALID_MOVE_PREFIX
    else:
        return fault.trace or fault.why["en"] + "\n"
    if wanted in errors.last_line(fault.trace):
        return fault.trace
    return (
        wanted if fault.kind is FaultKind.TIMEOUT else wanted + _invalid_move_text(fault)
    ) + "\n"


def _invalid_move_text(fault: SeatFault) -> str:
    """What the original objected to, in the order of its checks."""
    move = fault.move or ""
    if len(move) != 4 or not (move.isascii() and move.isdecimal()):
        return errors.NO_SWAP
    x1, y1, x2, y2 = map(int, move)
    return errors.OUTSIDE if abs(x1 - x2) + abs(y1 - y2) == 1 else errors.NOT_ADJACENT


# Reading.


def _read_failure(file: Replay) -> layout.Failure | None:
    if file.errorStatus == -1:
        return None
    side, begun = file.errorStatus, file.length > 0
    time = file.time[side] if begun else None
    return layout.Failure(side, file.errorMessage, begun, time)


def _make_record(file: Replay, walk: ReplayScan) -> Record:
    _check_numbers(file, walk)
    turns = DEFAULT_TURNS
    if file.reason == layout.REASONS["turns"] or len(walk.moves) > turns:
        turns = max(len(walk.moves), 1)
    options = EraserOptions(turns=turns, columns=_join_columns(walk))
    faults = [_make_fault(file)] if file.errorStatus != -1 else []
    return _add_outcome(
        Record(
            game=GAME.name,
            version=GAME.version,
            options=options.as_json(),
            seed=0,
            bots=[RecordedBot(name, "", "imported") for name in reversed(file.players)],
            clock=CLOCK,
            time0=[0.0, 0.0],
            engine=f"{ENGINE} order {file.order}",
            moves=walk.moves,
            scores=[],
            reason="",
            detail={},
            faults=faults,
            digest="",
            times=_make_times(file, walk),
        )
    )


def _join_columns(walk: ReplayScan) -> str:
    text = walk.columns()
    if len(text) == COLUMNS - 1:
        raise verification_error("its first frame shows no pieces", "第一帧没有棋子")
    return text


def _check_numbers(file: Replay, walk: ReplayScan) -> None:
    fits = file.errorStatus in (-1, 0, 1) and abs(file.order) < 1_000_000_000
    if not fits or len(walk.moves) > 100_000:
        raise verification_error("its numbers are out of range", "数值超出范围")
    if not all(0 <= time < MAX_SECONDS for time in (*file.time, *walk.times)):
        raise verification_error("a thinking time is out of range", "用时超出范围")


def _make_fault(file: Replay) -> SeatFault:
    line = errors.last_line(file.errorMessage)
    seat, message = 1 - file.errorStatus, file.errorMessage
    why = Text(f"it ended with {line!r}", f"以 {line!r} 结束")
    if file.length == 0:
        return SeatFault(seat, FaultKind.LOAD, why, trace=message)
    if line == errors.TIMEOUT_LINE:
        return SeatFault(seat, FaultKind.TIMEOUT, why, trace=message)
    if line.startswith(errors.INVALID_MOVE_PREFIX):
        move = "?" + line.removeprefix(errors.INVALID_MOVE_PREFIX)[:100]
        return SeatFault(seat, FaultKind.ILLEGAL, why, move, trace=message)
    return SeatFault(seat, FaultKind.CRASH, why, trace=message)


def _make_times(file: Replay, walk: ReplayScan) -> Times:
    """The file has totals; a record has milliseconds of each move."""
    wall, total = [], [0.0, 0.0]
    for turn, time in enumerate(walk.times, 1):
        wall.append(round(max(time - total[turn & 1], 0.0) * 1000))
        total[turn & 1] = time
    used = [[0.0, file.time[1]], [0.0, file.time[0]]]
    return Times(began="", cpu=[0] * len(wall), wall=wall, used=used, load=[0.0, 0.0])


def _add_outcome(record: Record) -> Record:
    """The record with the outcome and the last position, computed from the moves."""
    position: Any = replay.last_position(record)
    if record.faults:
        outcome = verdict.decide_fault_outcome(record.faults, 2)
    elif position.outcome is not None:
        outcome = position.outcome
    else:
        raise verification_error(
            "the game was not over when the file ends", "文件结束时对局尚未结束"
        )
    if record.faults and position.outcome is not None:
        raise verification_error("the game was over before the error", "出错之前对局已经结束")
    if any(f.kind is not FaultKind.LOAD and f.seat not in position.to_move for f in record.faults):
        raise verification_error("the side that failed was not to move", "出错的一方并未轮到走子")
    return msgspec.structs.replace(
        record,
        scores=list(outcome.scores),
        reason=outcome.reason,
        detail=dict(outcome.detail),
        digest=position.digest(),
    ).with_checksum()


def _compare(file: Replay, replay_data: layout.ReplayData) -> None:
    """LudusError unless the file's values are those that follow from its moves."""
    for name, wanted in layout.collect_facts(replay_data).items():
        got: Any = getattr(file, name)
        if name == "tag":
            got = _decode_tags(file)
        elif name == "scores":
            got = msgspec.to_builtins(got)
        if _tuple_to_list(got) != wanted:
            raise verification_error(
                f"{name} is {_shorten(got)}, but the moves give {_shorten(wanted)}",
                f"{name} 是 {_shorten(got)}，但按着法应为 {_shorten(wanted)}",
            )
    if file.totalFrames != len(file.frames):
        raise verification_error(
            f"it has {len(file.frames)} frames, not {file.totalFrames}",
            f"有 {len(file.frames)} 帧，而不是 {file.totalFrames}",
        )
    _compare_frames(file, replay_data)


def _compare_frames(file: Replay, replay_data: layout.ReplayData) -> None:
    frames = layout.iter_frames(replay_data)
    number = -1
    for number, got in enumerate(reading.frame_facts(file)):
        if next(frames, None) != got:
            raise verification_error(
                f"frame {number} is not what follows from the moves",
                f"第 {number} 帧与按着法得到的不同",
            )
    if next(frames, None) is not None:
        raise verification_error(f"it ends with frame {number}", f"在第 {number} 帧就结束了")


def _decode_tags(file: Replay) -> Any:
    if len(file.tag) > 4096:
        return None
    try:
        return msgspec.json.decode(file.tag)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return None


def _tuple_to_list(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _shorten(value: Any) -> str:
    return repr(value)[:80]
