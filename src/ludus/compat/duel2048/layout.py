"""The original's log entries and record files, byte for byte."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from ludus.games.duel2048.board import Chessboard
from ludus.games.duel2048.constants import PLAYERS
from ludus.games.duel2048.rules import CELLS, HEADINGS, TOP_LEVEL, DuelPosition
from ludus.match.record import Record
from ludus.match.verdict import SeatFault
from ludus.sandbox.bot_fault import FaultKind

UNKNOWN = "unknown"
"""The decision of a phase without a decision."""
TIME_FORMAT = "%Y-%m-%d %H:%M:%S"

AffectedPlayer = bool | Literal["both"] | None
"""True is the first player, False the second."""


@dataclasses.dataclass(slots=True)
class BoutEnding:
    """Why a bout ended, in the original's terms."""

    timeout: AffectedPlayer = None
    violator: AffectedPlayer = None
    error: AffectedPlayer = None
    winner: AffectedPlayer = None


def find_ending(record: Record) -> BoutEnding:
    """The ending of a bout; a fault that is neither a timeout nor an illegal move is an error."""
    ending = BoutEnding()
    for fault in record.faults:
        name = {FaultKind.TIMEOUT: "timeout", FaultKind.ILLEGAL: "violator"}.get(
            fault.kind, "error"
        )
        both = getattr(ending, name) is not None
        setattr(ending, name, "both" if both else fault.seat == 0)
    if record.winner is not None:
        ending.winner = record.winner == 0
    return ending


def format_decision(currentRound: int, first: bool, merging: bool, text: str) -> str:
    what = "direction" if merging else "position"
    return f"&d{currentRound}:{PLAYERS[first]} set {what} {text}"


def move_text(move: str, merging: bool) -> str:
    """A move of Ludus as the original writes the decision."""
    if merging:
        return move if move in HEADINGS else UNKNOWN
    return str(divmod(CELLS[move], 8)) if move in CELLS else UNKNOWN


def board_entry(currentRound: int, board: Chessboard) -> str:
    return f"&p{currentRound}:\n{board!r}"


def format_closing(record: Record, position: DuelPosition) -> Iterator[str]:
    """The events at the end of a bout."""
    for fault in record.faults:
        yield f"&e:{PLAYERS[fault.seat == 0]} {_format_fault(fault, position.merging)}"
    if record.faults and record.winner is not None:
        yield f"&e:{PLAYERS[record.winner == 0]} win"
    else:
        yield from _scoring(position.board.getScore(True), position.board.getScore(False))


def _format_fault(fault: SeatFault, merging: bool) -> str:
    if fault.kind is FaultKind.TIMEOUT:
        return "time out"
    if fault.kind is not FaultKind.ILLEGAL:
        return "run time error"
    unknown = move_text(fault.move or "", merging) == UNKNOWN
    how = "illegal output of" if unknown else "not achievable"
    return f"violate by {how} {'direction' if merging else 'position'}"


def _scoring(first: list[int], second: list[int]) -> Iterator[str]:
    for level in range(TOP_LEVEL, 0, -1):
        yield f"&e:check level {level}"
        a, b = first.count(level), second.count(level)
        if a != b:
            yield f"&e:{PLAYERS[a > b]} win by level {level} ({a} to {b})"
            return
        yield f"&e:level {level} tied by {a}"
    yield "&e:tied"


def format_document(
    players: Sequence[tuple[int, Any]],
    time: str,
    ending: BoutEnding,
    board: Chessboard,
    log: Sequence[str],
) -> str:
    """A record file. ``players`` are the number and the path of the first and of the second."""
    lines = [
        f"player{seat}: {number} from path {path}" for seat, (number, path) in enumerate(players)
    ]
    lines += [f"time: {time}", f"{'basic record':*^45}", *_verdict_table(ending)]
    lines += [*_level_table(board), f"{'complete record':*^45}", *log]
    return "".join(f"{line}\n" for line in lines)


def _verdict_table(ending: BoutEnding) -> list[str]:
    facts = dataclasses.asdict(ending)
    cells = [PLAYERS[who] if isinstance(who, bool) else str(who) for who in facts.values()]
    return ["=" * 45, _row(list(facts), 10), "-" * 45, _row(cells, 10), "=" * 45]


def _row(cells: list[str], width: int) -> str:
    return "".join(f"|{cell:^{width}}" for cell in cells) + "|"


def _level_table(board: Chessboard) -> list[str]:
    levels = range(1, TOP_LEVEL + 1)
    rows = ["".join(["|player", *(f"|{level:>3}" for level in levels), "|"])]
    for number, first in enumerate((True, False)):
        owned = board.getScore(first)
        counts = "".join(f"|{owned.count(level):>3}" for level in levels)
        rows.append(f"|{number:>6}{counts}|")
    return ["=" * 60, rows[0], "-" * 60, rows[1], "-" * 60, rows[2], "=" * 60]
