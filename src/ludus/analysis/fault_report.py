"""Explains a loss by fault: what came, what was legal, where the code failed, how the clock ran."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ludus.analysis.recorded_turns import (
    has_failed_to_start,
    list_recorded_turns,
    list_start_times,
)
from ludus.bots.languages.registry import PYTHON, language_of
from ludus.bots.load import host_types
from ludus.bots.static_check import find_host_type
from ludus.games.base import Clock, Game
from ludus.games.host import Host
from ludus.lang import Text
from ludus.match.clock import allowed_sleep
from ludus.match.record import Record, load_game
from ludus.match.replay import last_position, replay_steps, seems_endless
from ludus.match.verdict import SeatFault, find_kind
from ludus.sandbox import Limits
from ludus.sandbox.bot_fault import FaultKind

SHOWN_TURNS = 8
"""The last turns of the clock's table."""
EXCERPT_LINES = 3
"""Lines of code before and after the one that failed."""
MIN_TIME_LEFT_S = 0.002
"""More than what clocks and records round away."""
MAX_SOURCE_BYTES = 4 << 20
TRACE_LINE = re.compile(r'^\s*File "(?P<file>[^"\n]+)", line (?P<line>\d+)', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ClockRow:
    """One turn of the clock: what it cost, and what was left after it."""

    step: int
    """The step that was decided; 0: the start of the bot."""
    move: str | None
    """What was played; None at the start, and for the answer with which the bout ended."""
    spent: float
    """Seconds on the clock that counts."""
    left: float
    """Seconds left afterwards."""


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A place in the bot's code, as a traceback names it."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class FaultReport:
    """A fault with all that explains it."""

    fault: SeatFault
    step: int
    """The step that could not be played; 0: the bot could not be started."""
    meaning: Text
    """What this kind of fault is, and what its limits are."""
    advice: Text
    legal: Sequence[str] | None
    """What it could have answered; None if that is not known, or nothing was asked."""
    kind: type[Host]
    """What kind of bot it is, as far as it is known: in its words moves are shown."""
    clock: Sequence[ClockRow]
    """The last turns, the fatal one last."""
    place: CodeLine | None
    """The last line of the bot's own in its traceback."""
    source: Path | None
    """The bot's file or folder, if it was found."""


FindSource = Callable[[int], Path | None]
"""The file or folder of the bot on a seat."""


def explain_faults(
    record: Record, find_source: FindSource = lambda seat: None
) -> list[FaultReport]:
    """One report for every fault of a bout; none if it ended by the rules."""
    game, _ = load_game(record)
    return [_explain(record, game, fault, find_source(fault.seat)) for fault in record.faults]


def _explain(record: Record, game: Game, fault: SeatFault, source: Path | None) -> FaultReport:
    kind = _find_kind(game, fault, source)
    started = not has_failed_to_start(record)
    step = sum(1 for _ in replay_steps(record)) if started else 0
    clock = _list_clock_rows(record, game, fault.seat)
    meaning, advice = _explain_kind(record, fault, kind, clock)
    return FaultReport(
        fault,
        step,
        meaning,
        advice,
        _list_legal(record, game, fault.seat) if started else None,
        kind,
        clock,
        find_code_line(fault.trace),
        source,
    )


def _find_kind(game: Game, fault: SeatFault, source: Path | None) -> type[Host]:
    """The kind that the bot's answer names, else that of its file."""
    kind = find_kind(fault.move or "", host_types(game))
    if kind is None and source is not None and language_of(source) is PYTHON:
        kind = find_host_type(source, game)
    return kind or Host


def _explain_kind(
    record: Record, fault: SeatFault, kind: type[Host], clock: Sequence[ClockRow]
) -> tuple[Text, Text]:
    """What this kind of fault is, and what to do about it."""
    meaning = MEANINGS[fault.kind]
    if fault.kind is FaultKind.ILLEGAL:
        return meaning, _advise_how_to_answer(kind)
    if fault.kind is FaultKind.TIMEOUT and _has_time_left(record.clock, clock):
        return _explain_sleep(record.clock), _advise_sleeper(record.bots[fault.seat].name)
    if seems_endless(record, fault):
        return ENDLESS_MEANING, ENDLESS_ADVICE
    return meaning, ADVICE[fault.kind]


def _advise_how_to_answer(kind: type[Host]) -> Text:
    how = kind.how_to_answer
    return Text(
        f"{how.en}; look at the position with ludus debug.",
        f"{how.zh}；用 ludus debug 查看该局面。",
    )


def _has_time_left(clock: Clock, rows: Sequence[ClockRow]) -> bool:
    """Whether a bot that was out of time had CPU time left when it was: then it slept too long."""
    if clock.measure != "cpu" or not rows:
        return False
    # The row has what is added after an answer, which a fatal one does not get any more.
    if rows[-1].left - clock.increment < MIN_TIME_LEFT_S:
        return False
    return clock.per_move is None or clock.per_move - rows[-1].spent >= MIN_TIME_LEFT_S


def _explain_sleep(clock: Clock) -> Text:
    """What a bot did wrong that slept too long, and what its limit was."""
    patience, allowed = f"{clock.patience:g}", f"{allowed_sleep(clock):g}"
    return Text(
        "It slept, or waited for something, for longer than a bot may. That does not run its"
        " clock of CPU time, so it has a limit of its own:"
        f" --patience {patience}, here {allowed} s in a bout.",
        "它休眠或等待得过久。休眠不计入 CPU 时间，因此另有上限："
        f"--patience {patience}，此局共 {allowed} 秒。",
    )


def _advise_sleeper(name: str) -> Text:
    return REMOTE_ADVICE if name.startswith(REMOTE_SCHEMES) else SLEEP_ADVICE


def _list_legal(record: Record, game: Game, seat: int) -> list[str] | None:
    position = last_position(record)
    if game.turn_source or seat not in position.to_move:
        return None
    return position.legal(seat)


def _list_clock_rows(record: Record, game: Game, seat: int) -> list[ClockRow]:
    if game.turn_source:
        return []
    clock = record.clock
    by_cpu = clock.measure == "cpu"
    start = list_start_times(record)[seat]
    used = record.times.used[seat][0 if by_cpu else 1]
    left = clock.budget - record.time0[seat]
    spent = (start.cpu if by_cpu else start.wall) if not has_failed_to_start(record) else used
    left += clock.increment - spent
    rows = [ClockRow(0, None, spent, left)]
    total = spent
    for turn in list_recorded_turns(record, seat).turns:
        if turn.spent is None:
            # The fatal answer is not in the record, but in what the seat has used altogether.
            spent = max(0.0, used - total)
        else:
            spent = turn.spent.cpu if by_cpu else turn.spent.wall
        total += spent
        left += clock.increment - spent
        rows.append(ClockRow(turn.step, turn.played, spent, left))
    return rows[-SHOWN_TURNS:]


def find_code_line(trace: str) -> CodeLine | None:
    """The last line of a traceback that is in the bot's own files; else the last at all."""
    places = [CodeLine(found["file"], int(found["line"])) for found in TRACE_LINE.finditer(trace)]
    own = [place for place in places if not _is_library(place.file)]
    chosen = own or places
    return chosen[-1] if chosen else None


def _is_library(file: str) -> bool:
    """Whether a path of a traceback is that of Python or of a package, and not of a bot."""
    parts = Path(file).parts
    return (
        file.startswith("<")
        or "site-packages" in parts
        or any(part.startswith("python3") for part in parts)
    )


def read_excerpt(place: CodeLine, source: Path) -> list[tuple[int, str]] | None:
    """The lines around a place, numbered from 1; None if the file cannot be read or is shorter.

    ``source`` is the bot's file, or its folder; the path of the place is that inside the jail.
    """
    file = _find_source(place, source)
    if file is None:
        return None
    try:
        if file.stat().st_size > MAX_SOURCE_BYTES:
            return None
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    if place.line > len(lines):
        return None
    first = max(1, place.line - EXCERPT_LINES)
    last = min(len(lines), place.line + EXCERPT_LINES)
    return [(number, lines[number - 1]) for number in range(first, last + 1)]


def _find_source(place: CodeLine, source: Path) -> Path | None:
    folder = source if source.is_dir() else source.parent
    for candidate in _suffixes(Path(place.file)):
        if (folder / candidate).is_file():
            return folder / candidate
    return None


def _suffixes(path: Path) -> Iterator[Path]:
    """``/bot/a/b.py`` as ``bot/a/b.py``, ``a/b.py``, ``b.py``."""
    parts = [part for part in path.parts if part not in ("/", "..", ".")]
    for start in range(len(parts)):
        yield Path(*parts[start:])


def _megabytes(size: int) -> int:
    return size >> 20


_LIMITS = Limits()
MEANINGS = {
    FaultKind.ILLEGAL: Text(
        "Its answer was not a legal move of the position.", "它的回答不是该局面的合法着法。"
    ),
    FaultKind.CRASH: Text(
        "Its program ended, or its code raised an exception that it did not catch.",
        "它的程序结束了，或代码抛出了未捕获的异常。",
    ),
    FaultKind.TIMEOUT: Text(
        "It used up its time. The clock runs while it starts, thinks and answers, never while its"
        " rival does.",
        "它的时间用完了。启动、思考和回答时计时，轮到对手时不计时。",
    ),
    FaultKind.MEMORY: Text(
        f"It needed more memory than a bot may use: {_megabytes(_LIMITS.memory)} MB unless the"
        " contest says otherwise, its files in /tmp included.",
        f"它使用的内存超过上限：除非赛事另有规定，为 {_megabytes(_LIMITS.memory)} MB，"
        "包括它在 /tmp 中的文件。",
    ),
    FaultKind.OUTPUT: Text(
        "What it sent was not an answer of its protocol, or it printed too much:"
        f" {_megabytes(_LIMITS.output)} MB in a bout are allowed.",
        f"它发送的内容不符合协议，或输出过多：每局最多 {_megabytes(_LIMITS.output)} MB。",
    ),
    FaultKind.LOAD: Text(
        "It could not be loaded: its file raised an exception, defines no bot, or took too long.",
        "它无法载入：文件抛出异常、没有定义 AI，或载入过久。",
    ),
    FaultKind.RESIGN: Text("It gave up the bout.", "它认输了。"),
}
"""What each kind of fault is."""
ADVICE = {
    FaultKind.CRASH: Text(
        "ludus debug stops a Python bot where it failed, with all its variables.",
        "ludus debug 可让 Python AI 停在出错处，查看所有变量。",
    ),
    FaultKind.TIMEOUT: Text(
        "Ask clock.mine and clock.limit how much time there is, and stop thinking before it is"
        " over.",
        "请用 clock.mine 和 clock.limit 查看剩余时间，并在用完之前停止思考。",
    ),
    FaultKind.MEMORY: Text(
        "Look for what grows with every move: tables, histories, copies of positions.",
        "请检查每走一步都会变大的内容：置换表、历史记录、局面的副本。",
    ),
    FaultKind.OUTPUT: Text(
        "Print less, and nothing but answers to where the protocol expects them; a Python bot"
        " may print what it likes to stdout.",
        "请减少输出，协议的通道上只写回答；Python AI 可以随意输出到 stdout。",
    ),
    FaultKind.LOAD: Text(
        "ludus check shows the same, and whether the bot is found at all.",
        "ludus check 会显示同样的问题，以及能否找到 AI。",
    ),
    FaultKind.RESIGN: Text(
        "If it should play on, look at what made it give up: ludus debug.",
        "若不应认输，请用 ludus debug 查看认输的原因。",
    ),
}
"""What to do about each kind of fault; for an illegal move each kind of bot has its own."""
ENDLESS_MEANING = Text(
    "Nearly all of its time went into this one answer, and next to none into those before: that"
    " looks like a loop that never ends.",
    "它的时间几乎全用在这一次回答上，此前几乎没有用时：像是死循环。",
)
ENDLESS_ADVICE = Text(
    "ludus debug stops a Python bot before that turn; type c to go on, then Ctrl-C: pdb shows the"
    " line where it loops. If it only thinks for too long, look at clock.mine and stop in time.",
    "ludus debug 可让 Python AI 停在这一步之前：输入 c 继续，再按 Ctrl-C，pdb 会显示循环所在的行。"
    "如果只是思考过久，请查看 clock.mine 并及时停止。",
)
SLEEP_ADVICE = Text(
    "A bot must not sleep or wait: no time.sleep, no input(), no other program or network; it"
    " answers as soon as it has its move.",
    "AI 不应休眠或等待：不要用 time.sleep、input()，不要等别的程序或网络；算出着法就立即回答。",
)
REMOTE_SCHEMES = ("llm:", "tcp:")
"""How names of seats begin whose program runs elsewhere, so that they have to wait."""
REMOTE_ADVICE = Text(
    "The program behind this seat took long to answer: allow more waiting with --patience, or"
    " count time on the wall with --measure wall.",
    "此席位背后的程序回答得慢：可用 --patience 放宽等待上限，或用 --measure wall 按实际时间计时。",
)
