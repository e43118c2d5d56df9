"""How a bout ended: by the rules, or by a fault of a seat."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from ludus.bots.players.base import TimeSpent
from ludus.games.base import Clock, IllegalMove, Outcome
from ludus.games.host import Host
from ludus.lang import Text
from ludus.sandbox.bot_fault import BotFault, FaultKind

RULES = "rules"
KEPT_TRACE_CHARS = 4000
KEPT_WHY_CHARS = 1000
KEPT_MOVE_CHARS = 200
NO_MOVE = re.compile(r"\?(?:(?P<mark>\w*):)?(?P<shown>.*)", re.DOTALL)
"""The text that stands for an answer of a Python bot that was no move; see
``ludus.games.host.illegal_move_text``. Old records have no mark in it."""
CONTROL_CHARACTERS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters, which terminals interpret, and lone surrogates, which UTF-8 cannot encode."""
FAULT_NAMES: Mapping[str, Text] = {
    "illegal": Text("illegal move", "违规"),
    "crash": Text("crash", "崩溃"),
    "timeout": Text("out of time", "超时"),
    "memory": Text("out of memory", "内存超限"),
    "output": Text("bad output", "输出异常"),
    "load": Text("cannot be loaded", "无法载入"),
    "resign": Text("resigned", "认输"),
}
"""The name of each kind of fault."""


class SeatFault(msgspec.Struct, frozen=True, omit_defaults=True):
    """A fault of one seat."""

    seat: int
    kind: FaultKind
    why: Mapping[str, str]
    """A sentence about the bot, in both languages."""
    move: str | None = None
    """The move it answered with, if that was the fault."""
    trace: str = ""
    """The traceback, or the end of stderr."""


QUOTES_BOT_OUTPUT = (FaultKind.CRASH, FaultKind.LOAD, FaultKind.MEMORY, FaultKind.OUTPUT)
"""Faults whose description quotes the bot's output."""


def redact_fault(fault: SeatFault) -> SeatFault:
    """The public version of a fault, without the bot's output."""
    if fault.kind not in QUOTES_BOT_OUTPUT:
        return msgspec.structs.replace(fault, trace="") if fault.trace else fault
    return msgspec.structs.replace(fault, trace="", why=dict(FAULT_NAMES[fault.kind]))


def escape_control_characters(text: str) -> str:
    """Escape characters of a bot's text that a terminal would interpret or UTF-8 cannot encode."""
    return CONTROL_CHARACTERS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def from_fault(seat: int, fault: BotFault) -> SeatFault:
    why = fault.why.map(lambda words: escape_control_characters(words[:KEPT_WHY_CHARS]))
    return SeatFault(
        seat, fault.kind, why, trace=escape_control_characters(fault.trace[-KEPT_TRACE_CHARS:])
    )


def from_illegal(
    error: IllegalMove, legal: Sequence[str] = (), kinds: Sequence[type[Host]] = ()
) -> SeatFault:
    """``legal``: the moves that it could have made, and ``kinds`` the kinds of bots of the game: a
    bot that answered no move is told in the words of its own kind what a move is."""
    en, zh = (
        escape_control_characters(error.why[language][:KEPT_WHY_CHARS]) for language in ("en", "zh")
    )
    move = escape_control_characters(error.move[:KEPT_MOVE_CHARS])
    in_english, in_chinese = _describe_answer(move)
    kind = find_kind(move, kinds)
    if kind is not None and legal:
        en, zh = (kind.describe_answer(legal[0])[language] for language in ("en", "zh"))
    why = Text(f"{in_english}: {en}", f"{in_chinese}：{zh}")
    return SeatFault(error.seat, FaultKind.ILLEGAL, why, move)


def show_answer(move: str) -> str | None:
    """What a bot answered that was no move of its kind, as Python shows it; None if it was one."""
    found = NO_MOVE.fullmatch(move)
    return found["shown"] if found else None


def find_kind(move: str, kinds: Sequence[type[Host]]) -> type[Host] | None:
    """The kind of a bot that answered something that was no move; None if the answer was one."""
    found = NO_MOVE.fullmatch(move)
    return next((kind for kind in kinds if found and kind.mark == found["mark"]), None)


def _describe_answer(move: str) -> tuple[str, str]:
    """A bot's answer in a sentence."""
    shown = show_answer(move)
    if shown == "None":
        return (
            "it answered None, so perhaps a return is missing",
            "它回答了 None，也许漏写了 return",
        )
    if shown is not None:
        return f"it answered {shown}", f"它回答了 {shown}"
    return f"it answered {move!r}", f"它回答了 {move!r}"


def from_clock(seat: int, spent: TimeSpent, seconds: float, clock: Clock) -> SeatFault:
    used = spent.cpu if clock.measure == "cpu" else spent.wall
    word = "CPU" if clock.measure == "cpu" else "wall"
    return SeatFault(
        seat,
        FaultKind.TIMEOUT,
        Text(
            f"it used {used:.2f} s of {word} time, {max(seconds, 0):.2f} s were left",
            f"它用了 {used:.2f} 秒（{word}），只剩 {max(seconds, 0):.2f} 秒",
        ),
    )


EXTERNAL_CLOCK_BUDGET_S = 1e6
"""A budget of so many seconds means that the caller measures the time, not our clock."""


def add_limits(fault: SeatFault, clock: Clock) -> SeatFault:
    """Add the clock's limits to the description of a timeout."""
    if fault.kind is not FaultKind.TIMEOUT or clock.budget >= EXTERNAL_CLOCK_BUDGET_S:
        return fault
    en, zh = f"a bout has {clock.budget:g} s", f"每局共 {clock.budget:g} 秒"
    if clock.increment:
        en += f", and {clock.increment:g} s more after each move"
        zh += f"，每步加 {clock.increment:g} 秒"
    if clock.per_move is not None:
        en += f", a move at most {clock.per_move:g} s"
        zh += f"，每步至多 {clock.per_move:g} 秒"
    why = Text(f"{fault.why['en']} ({en})", f"{fault.why['zh']}（{zh}）")
    return msgspec.structs.replace(fault, why=why)


def decide_fault_outcome(faults: Sequence[SeatFault], seats: int) -> Outcome:
    """Seats at fault lose to the others; if all are at fault, it is a draw."""
    guilty = {fault.seat for fault in faults}
    if len(guilty) == seats:
        scores = tuple(0.5 for _ in range(seats))
    else:
        scores = tuple(0.0 if seat in guilty else 1.0 for seat in range(seats))
    return Outcome(scores, faults[0].kind.value, {"seats": sorted(guilty)})
