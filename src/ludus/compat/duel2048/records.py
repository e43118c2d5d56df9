"""The original's record files (``.txt``) as Ludus records, and back.

A file contains neither the random sequence nor the number of rounds. Reading computes a sequence
that gives the same bout; then the file is generated again from the bout and must be identical.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ludus.compat.duel2048 import layout
from ludus.errors import LudusError
from ludus.games.base import Clock
from ludus.games.duel2048 import GAME
from ludus.games.duel2048.board import Chessboard
from ludus.games.duel2048.constants import DIRECTIONS
from ludus.games.duel2048.rules import HEADINGS, DuelPosition
from ludus.lang import Text
from ludus.match import replay, verdict
from ludus.match.record import MAX_UNPACKED_BYTES, Record, RecordedBot, Times
from ludus.match.record_bytes import read_record_file
from ludus.match.verdict import SeatFault
from ludus.sandbox.bot_fault import FaultKind

ENGINE = "sessdsa.2048"
CLOCK = Clock(budget=5.0, measure="wall")
DEFAULT_ROUNDS = 500
MAX_ROUNDS = 100_000

_HEAD = re.compile(
    r"player0: (?P<number0>-?[0-9]{1,9}) from path (?P<path0>.*)\n"
    r"player1: (?P<number1>-?[0-9]{1,9}) from path (?P<path1>.*)\n"
    r"time: (?P<time>.*)\n"
)
_SNIFF = re.compile(
    rb"(?:\xef\xbb\xbf)?player0: ?-?[0-9]{1,9} from path [^\n]{0,4096}\n"
    rb"player1: ?-?[0-9]{1,9} from path "
)
_ENTRY = re.compile(r"&(d[0-9]{0,9}|p[0-9]{0,9}|e) ?: *")
_DECISION = re.compile(r"&d([0-9]{1,6}):player ([01]) set (position|direction) (.+)")
_FAULT = re.compile(r"&e:player ([01]) (time out|run time error|violate by .+)")
_NUMBER = r"(?:\w+=)?(?:np\.\w+\()?(True|False|[0-7](?:\.0)?)\)?"
_CELL = re.compile(rf"\w*\({_NUMBER}, {_NUMBER}\)")
"""``(1, 3)`` and values that are equal to it: ``(True, 3.0)``, numpy's numbers, a named tuple."""
_PAIRING = re.compile(rf"{ENGINE} player(-?[0-9]{{1,9}}) to player(-?[0-9]{{1,9}})")


def is_record(data: bytes) -> bool:
    """Whether a file's first bytes look like one of these records."""
    return _SNIFF.match(data[:10_000].replace(b"\r\n", b"\n")) is not None


def read(path: Path) -> Record:
    """A record from a file of the original."""
    return parse(read_record_file(path, MAX_UNPACKED_BYTES))


def parse(text: str | bytes) -> Record:
    """A Ludus record from a file's text; LudusError about the first wrong line."""
    lines = _normalise_lines(_decode(text) if isinstance(text, bytes) else text)
    head = _HEAD.match("\n".join([*lines[:3], ""]))
    if head is None:
        raise _not_a_record_error(
            "its first lines do not name two players and a time", "开头没有写明两名选手和时间"
        )
    decisions = list(_parse_decisions(lines))
    faults = list(_parse_faults(lines, decisions))
    blamed = decisions.pop() if any(fault.kind is FaultKind.ILLEGAL for fault in faults) else None
    record = _make_record(head, decisions, blamed, faults)
    _compare(lines, write(record).split("\n"))
    return record


def write(record: Record) -> str:
    """The original's file for any valid record of this game."""
    if record.game != GAME.name:
        raise LudusError(
            f"only records of {GAME.name} can be written in this form, not of {record.game}",
            f"只有 {GAME.name} 的录像能写成这种格式，不能是 {record.game}",
        )
    replay.verify(record)
    log: list[str] = []
    position = _replay_moves(record, log)
    log += layout.format_closing(record, position)
    paths = [re.sub(r"[\r\n]+", " ", bot.name) for bot in record.bots]
    players = list(zip(_player_numbers(record), paths, strict=True))
    return layout.format_document(
        players, _format_time(record), layout.find_ending(record), position.board, log
    )


def _format_time(record: Record) -> str:
    try:
        return datetime.fromisoformat(record.times.began).strftime(layout.TIME_FORMAT)
    except ValueError:
        raise LudusError(
            f"the record does not say when it was played: {record.times.began!r}",
            f"录像没有注明对局时间：{record.times.began!r}",
        ) from None


def _replay_moves(record: Record, log: list[str]) -> DuelPosition:
    """Simulate the moves and log them as the original does."""
    now, merging = 0, False
    position: Any
    for ply, position in replay.replay_steps(record):
        for seat, move in ply.items():
            text = layout.move_text(move, merging)
            log.append(layout.format_decision(now, seat == 0, merging, text))
            log.append(layout.board_entry(now, position.board))
        now, merging = position.round, position.merging
    for fault in record.faults:
        if fault.kind is FaultKind.ILLEGAL:
            text = layout.move_text(fault.move or "", merging)
            log.append(layout.format_decision(now, fault.seat == 0, merging, text))
    assert isinstance(position, DuelPosition)
    return position


def _player_numbers(record: Record) -> tuple[int, int]:
    """The players' numbers in their match."""
    parts = _PAIRING.fullmatch(record.engine)
    return (int(parts[1]), int(parts[2])) if parts else (0, 1)


# Reading.


def _not_a_record_error(en: str, zh: str) -> LudusError:
    return LudusError(
        f"this is not a record file of the original Duel 2048: {en}",
        f"这不是贰零肆捌原平台的比赛记录：{zh}",
    )


def _line_error(line: int, en: str, zh: str) -> LudusError:
    return LudusError(f"line {line} of the record: {en}", f"比赛记录第 {line} 行：{zh}")


def _decode(data: bytes) -> str:
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise _not_a_record_error("it is neither UTF-8 nor GBK text", "既不是 UTF-8 也不是 GBK 文本")


def _normalise_lines(text: str) -> list[str]:
    """The lines as the original writes them, without changes by editors or documents."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n").split("\n")
    for number, line in enumerate(lines[3:], 3):
        lines[number] = _ENTRY.sub(r"&\1:", line.replace("\u2212", "-").rstrip(), count=1)
    return [*lines, ""]


@dataclass(frozen=True, slots=True)
class LoggedDecision:
    """One ``&d`` entry."""

    line: int
    round: int
    seat: int
    move: str
    """The move in Ludus' notation, or ``unknown``."""

    @property
    def cell(self) -> tuple[int, int] | None:
        """The cell of the new tile."""
        row, comma, column = self.move.partition(",")
        return (int(row), int(column)) if comma else None


def _parse_decisions(lines: list[str]) -> Iterator[LoggedDecision]:
    for index, line in enumerate(lines):
        if not line.startswith("&d"):
            continue
        parts = _DECISION.fullmatch(line)
        if parts is None or int(parts[1]) >= MAX_ROUNDS:
            raise _line_error(index + 1, f"{line!r} is not a decision", f"{line!r} 不是决策")
        number, seat, kind, text = parts.groups()
        move = _move(text, kind == "direction")
        if move is None:
            raise _line_error(
                index + 1, f"{text!r} is not a valid {kind}", f"{text!r} 不是有效的决策"
            )
        if kind == "position" and text != layout.UNKNOWN:
            lines[index] = line.removesuffix(text) + layout.move_text(move, False)
        yield LoggedDecision(index + 1, int(number), int(seat), move)


def _move(text: str, merging: bool) -> str | None:
    if text == layout.UNKNOWN:
        return text
    if merging:
        return text if text in HEADINGS else None
    parts = _CELL.fullmatch(text)
    if parts is None:
        return None
    row, column = ({"True": "1", "False": "0"}.get(part, part[0]) for part in parts.groups())
    return f"{row},{column}" if row in "0123" else None


def _parse_faults(lines: Sequence[str], decisions: Sequence[LoggedDecision]) -> Iterator[SeatFault]:
    for line in lines:
        parts = _FAULT.fullmatch(line)
        if parts is None:
            continue
        seat, what = int(parts[1]), parts[2]
        if what == "time out":
            yield SeatFault(seat, FaultKind.TIMEOUT, Text("it was out of time", "超时"))
        elif what == "run time error":
            yield SeatFault(seat, FaultKind.CRASH, Text("it raised an exception", "抛出异常"))
        elif decisions:
            move = decisions[-1].move
            why = Text(f"it answered {move!r}: {what}", f"它回答了 {move!r}：{what}")
            yield SeatFault(seat, FaultKind.ILLEGAL, why, move)
        else:
            raise _not_a_record_error("a violation without a decision", "有违规而没有决策")


def _make_record(
    head: re.Match[str],
    decisions: Sequence[LoggedDecision],
    blamed: LoggedDecision | None,
    faults: list[SeatFault],
) -> Record:
    rounds, array = _infer_options(decisions, blamed, bool(faults))
    record = Record(
        game=GAME.name,
        version=GAME.version,
        options=GAME.Options.parse({"rounds": rounds, "array": array}).as_json(),
        seed=0,
        bots=[RecordedBot(head[f"path{seat}"], "", "imported") for seat in (0, 1)],
        clock=CLOCK,
        time0=[0.0, 0.0],
        engine=f"{ENGINE} player{int(head['number0'])} to player{int(head['number1'])}",
        moves=[decision.move for decision in decisions],
        scores=[],
        reason="",
        detail={},
        faults=faults,
        digest="",
        times=_make_times(head["time"], len(decisions)),
    )
    return _add_outcome(record)


def _make_times(time: str, moves: int) -> Times:
    try:
        began = datetime.strptime(time, layout.TIME_FORMAT).isoformat()
    except ValueError:
        raise _line_error(3, f"{time!r} is not a date and time", f"{time!r} 不是日期时间") from None
    zeros = [0] * moves
    return Times(began=began, cpu=zeros, wall=zeros, used=[[0.0, 0.0]] * 2, load=[0.0, 0.0])


def _add_outcome(record: Record) -> Record:
    """The record with its outcome, computed from the moves."""
    position = replay.last_position(record)
    if record.faults:
        outcome = verdict.decide_fault_outcome(record.faults, len(record.bots))
    elif position.outcome is not None:
        outcome = position.outcome
    else:
        raise _not_a_record_error(
            "it is cut off: the bout neither ends by the rules nor by a fault",
            "不完整：对局既未按规则结束，也没有异常",
        )
    record.digest = position.digest()
    record.scores, record.reason = list(outcome.scores), outcome.reason
    record.detail = dict(outcome.detail)
    return record.with_checksum()


def _infer_options(
    decisions: Sequence[LoggedDecision], blamed: LoggedDecision | None, faulty: bool
) -> tuple[int, tuple[int, ...]]:
    """A number of rounds and a random sequence with which the decisions form a bout."""
    board = Chessboard(())
    wanted: dict[int, list[Residue]] = {}
    for decision in decisions:
        if residue := _find_residue(board, decision):
            wanted.setdefault(decision.round, []).append(residue)
        _apply(board, decision)
    if blamed is not None and (residue := _find_residue(board, blamed)):
        index, count, _ = residue
        wanted.setdefault(blamed.round, []).append((index, count, False))
    played = max((d.round + 1 for d in (*decisions, *([blamed] if blamed else []))), default=0)
    if faulty:
        rounds = max(DEFAULT_ROUNDS, played + 1)
    else:
        rounds = max(DEFAULT_ROUNDS, played) if _is_dead(board) else max(played, 1)
    numbers = {r: _solve(r, residues) for r, residues in wanted.items()}
    return rounds, tuple(numbers.get(r, 0) for r in range(rounds))


Residue = tuple[int, int, bool]
"""``(index, count, True)``: the round's number leaves that rest; with False, it does not."""


def _find_residue(board: Chessboard, decision: LoggedDecision) -> Residue | None:
    """What a tile in the own territory reveals about the round's random number."""
    first = decision.seat == 0
    if decision.cell is None or (decision.cell[1] < 4) != first:
        return None
    empty = board.getNone(first)
    if decision.cell not in empty:
        return None
    index = empty.index(decision.cell)
    return (index if first else len(empty) - 1 - index), len(empty), True


def _apply(board: Chessboard, decision: LoggedDecision) -> None:
    """Apply a decision without checking it: the rules do that afterwards."""
    if decision.cell is not None:
        board.add(decision.seat == 0, decision.cell)
    elif decision.move in HEADINGS:
        board.move(decision.seat == 0, HEADINGS[decision.move])


def _is_dead(board: Chessboard) -> bool:
    """Whether no player can move any more."""
    if board.getNone(True) or board.getNone(False):
        return False
    tries = [(side, heading) for side in (True, False) for heading in range(len(DIRECTIONS))]
    return not any(board.copy().move(side, heading) for side, heading in tries)


def _solve(number: int, residues: Sequence[Residue]) -> int:
    """The smallest number with these remainders; at most two, with divisors up to 16."""
    for candidate in range(16 * 15):
        if all((candidate % count == index) is equal for index, count, equal in residues):
            return candidate
    raise LudusError(
        f"record verification failed: no random number gives the cells of round {number}",
        f"录像校验失败：没有随机数能给出第 {number} 回合的位置",
    )


def _compare(lines: Sequence[str], wanted: Sequence[str]) -> None:
    """LudusError unless the lines are those that follow from the decisions."""
    for number, (got, want) in enumerate(zip(lines, wanted, strict=False), 1):
        if got != want:
            shown, right = _shorten(got), _shorten(want)
            raise _line_error(
                number,
                f"it is {shown}, but the decisions give {right}",
                f"写着 {shown}，但按决策应为 {right}",
            )
    if len(lines) != len(wanted):
        raise _not_a_record_error("something follows after its end", "结尾之后还有内容")


def _shorten(line: str) -> str:
    return repr(line[:80])
