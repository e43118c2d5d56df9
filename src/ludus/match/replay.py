"""Simulates recorded bouts, to show them and to verify them."""

from __future__ import annotations

from collections.abc import Iterator

from ludus.errors import LudusError
from ludus.games.base import IllegalMove, Outcome, Position
from ludus.games.host import Ply
from ludus.lang import Text
from ludus.match import verdict
from ludus.match.record import FORMAT, Record, compute_checksum, load_game
from ludus.match.verdict import SeatFault
from ludus.sandbox.bot_fault import FaultKind

ENDLESS_SHARE = 0.9
"""The share of its time that an answer takes which seems never to come."""


def replay_steps(record: Record) -> Iterator[tuple[Ply, Position]]:
    """The moves of each step with the position after it; first an empty step and the start.

    The position is the same object throughout: copy it to keep it.
    """
    game, options = load_game(record)
    position = game.start(options, record.seed)
    yield {}, position
    moves = iter(record.moves)
    for number, first in enumerate(moves, 1):
        seats = position.to_move
        try:
            rest = [next(moves) for _ in seats[1:]]
        except StopIteration:
            raise _mismatch_error(
                number, "the moves of some seats are missing", "缺少部分座位的着法"
            ) from None
        ply = dict(zip(seats, [first, *rest], strict=False))
        try:
            position.play(ply)
        except IllegalMove as error:
            raise _mismatch_error(number, str(error), error.why["zh"]) from None
        yield ply, position


def _mismatch_error(number: int, en: str, zh: str) -> LudusError:
    return LudusError(
        f"record verification failed: step {number}: {en}",
        f"录像校验失败：第 {number} 步：{zh}",
    )


def last_position(record: Record) -> Position:
    """The position in which the bout ended."""
    *_, (_, position) = replay_steps(record)
    return position


def seems_endless(record: Record, fault: SeatFault) -> bool:
    """Whether a bot ran out of time in one answer that took nearly all of it, the answers before
    next to none: then it would probably never have answered."""
    game, _ = load_game(record)
    if fault.kind is not FaultKind.TIMEOUT or game.turn_source:
        return False
    clock, times = record.clock, record.times
    by_cpu = clock.measure == "cpu"
    seats = [seat for ply, _ in replay_steps(record) for seat in ply]
    answers = zip(seats, times.cpu if by_cpu else times.wall, strict=True)
    before = [spent / 1000 for seat, spent in answers if seat == fault.seat]
    start = (times.start or [None] * len(record.bots))[fault.seat]
    if start is not None:
        before.append(start[0 if by_cpu else 1] / 1000)
    last = times.used[fault.seat][0 if by_cpu else 1] - sum(before)
    limit = min(clock.budget, clock.per_move or clock.budget)
    return last >= ENDLESS_SHARE * limit and max(before, default=0) <= (1 - ENDLESS_SHARE) * limit


def verify(record: Record) -> None:
    """Simulate the bout and compare; LudusError with the first mismatch."""
    for problem in _find_problems(record):
        if problem is not None:
            raise LudusError(
                f"record verification failed: {problem['en']}", f"录像校验失败：{problem['zh']}"
            )


def _find_problems(record: Record) -> Iterator[Text | None]:
    yield _problem_unless(record.format == FORMAT, f"its format is {record.format!r}", "格式不符")
    yield _problem_unless(
        record.seal == compute_checksum(record),
        "checksum mismatch",
        "校验和与内容不符",
    )
    position = last_position(record)
    yield _problem_unless(
        record.digest == position.digest(),
        "the moves lead to another position than the recorded one",
        "着法得到的局面与记录的不同",
    )
    yield from _check_columns(record)
    yield from _check_ending(record, position)


def _check_columns(record: Record) -> Iterator[Text | None]:
    times = record.times
    equal = len(record.moves) == len(times.cpu) == len(times.wall)
    yield _problem_unless(equal, "the numbers of moves and of times differ", "着法与用时的数目不同")
    opening = record.opening_moves
    yield _problem_unless(
        0 <= opening <= len(record.moves) and not any(times.cpu[:opening] + times.wall[:opening]),
        "its opening is longer than the bout, or somebody was charged for it",
        "开局比对局还长，或计入了用时",
    )
    seats = len(load_game(record)[0].seats)
    lengths = {len(record.bots), len(record.scores), len(record.time0), len(times.used)}
    yield _problem_unless(lengths == {seats}, f"it must have {seats} seats", f"应有 {seats} 个座位")


def _format_outcome(outcome: Outcome | None) -> str:
    if outcome is None:
        return "?"
    return f"{' : '.join(f'{score:g}' for score in outcome.scores)} ({outcome.reason})"


def _check_ending(record: Record, position: Position) -> Iterator[Text | None]:
    outcome = position.outcome
    if not record.faults:
        yield _problem_unless(outcome is not None, "the bout was not over yet", "对局尚未结束")
        yield _problem_unless(
            outcome is not None and outcome == record.outcome,
            f"by the rules the scores are {_format_outcome(outcome)}",
            f"按规则得分应为 {_format_outcome(outcome)}",
        )
        return
    # Bots are started even if there is nothing to play, and may fail while starting.
    before_play = len(record.moves) == record.opening_moves
    yield _problem_unless(
        outcome is None or before_play, "the bout was over before the fault", "异常之前对局已经结束"
    )
    wanted = verdict.decide_fault_outcome(record.faults, len(record.bots))
    yield _problem_unless(
        wanted == record.outcome,
        "the scores do not follow from its faults",
        "得分与异常不符",
    )
    for fault in record.faults:
        yield _problem_unless(
            0 <= fault.seat < len(record.bots),
            "a fault has an invalid seat",
            "异常所属的座位不存在",
        )
        yield _problem_unless(
            before_play or fault.kind is FaultKind.RESIGN or fault.seat in position.to_move,
            "a fault belongs to a seat that was not to move",
            "被判异常的座位当时并不该走",
        )
        if fault.kind is FaultKind.ILLEGAL:
            yield _problem_unless(
                fault.seat in position.to_move and _is_illegal(position, fault.seat, fault.move),
                f"the move {fault.move!r} was legal",
                f"着法 {fault.move!r} 是合法的",
            )


def _is_illegal(position: Position, seat: int, move: str | None) -> bool:
    """Whether an answer was no legal move; that of a foreign protocol may be no move at all."""
    return move is None or move not in position.legal(seat)


def _problem_unless(true: bool, en: str, zh: str) -> Text | None:
    return None if true else Text(en, zh)
