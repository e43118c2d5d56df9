"""The findings of a check: first what is wrong and why, then everything else.

The default options decide: a fault that occurs only with odd options is ``odd``, not ``wrong``.
Every fault is listed once, with its bouts; the findings about seats, options and opponents say in
which situations it occurs.
"""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Iterable, Iterator, Sequence

from ludus.findings import Evidence, Finding, Severity, fine, note, odd, wrong
from ludus.games.base import Game
from ludus.lang import Text
from ludus.match.bot_check.trials import (
    TRIAL_NAMES,
    BotCheckReport,
    Trial,
    TrialBout,
    iter_faults,
)
from ludus.match.replay import seems_endless
from ludus.match.verdict import FAULT_NAMES, SeatFault
from ludus.sandbox import Limits
from ludus.sandbox.bot_fault import FaultKind

HIGH_CLOCK_SHARE = 0.5
"""A share of the clock that leaves little room on a slower machine."""
SLOW_LOADING_S = 3.0
HIGH_OUTPUT_SHARE = 0.5
"""A share of what may be printed in a bout that leaves little room in a longer one."""
LEFT_OUT = re.compile(r"^… (\d+) bytes left out …$", re.MULTILINE)
"""What stands for the middle of a long output; see ``OutputTail``."""
SHOWN_OUTPUT_LINES = 3
SHOWN_LINE_CHARS = 100
ENDLESS_HINT = Text(
    "nearly all of its time went into this one answer: perhaps a loop that never ends",
    "时间几乎全用在这一次回答上：也许是死循环",
)
NORMAL_BOUTS = (Trial.SEATS, Trial.ODD_OPTIONS)
"""Trials in which only the options may be unusual."""


class BotFindingCode(enum.StrEnum):
    """Every fact that the check of a bot may establish."""

    FAULT = "fault"
    LOADING = "loading"
    OPTIONS = "options"
    SEATS = "seats"
    SELF_PLAY = "self-play"
    ILLEGAL_MOVES = "illegal-moves"
    TIME = "time"
    SHORT_CLOCK = "short-clock"
    OUTPUT = "output"
    LEFTOVERS = "leftovers"
    OPPONENT_CRASH = "opponent-crash"
    REPEAT = "repeat"
    LEFT_OUT = "left-out"


Code = BotFindingCode


def make_findings(game: Game, report: BotCheckReport) -> list[Finding]:
    """All findings of a report, in the order in which people should read them.

    For a bot that cannot be loaded this is the only finding: it has not played.
    """
    if report.load_fault:
        return list(_fault_findings(report))
    if game.turn_source:
        return [*_fault_findings(report), _own_referee_finding(report), *_output_findings(report)]
    return [
        *_fault_findings(report),
        *_loading_findings(report),
        *_option_findings(game, report),
        *_seat_findings(game, report),
        *_legality_findings(report),
        _time_finding(report),
        *_short_clock_findings(report),
        *_output_findings(report),
        *_leftover_findings(report),
        *_opponent_crash_findings(report),
        *_repeat_findings(report),
        *_left_out_findings(report),
    ]


def _numbers(bouts: Iterable[TrialBout]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(bout.number for bout in bouts))


def _fault_findings(report: BotCheckReport) -> Iterator[Finding]:
    """Each fault once, with the bouts in which it happened.

    Faults under a short clock are left to the finding about that clock.
    """
    where: dict[str, list[TrialBout]] = {}
    first: dict[str, SeatFault] = {}
    for bout, fault in iter_faults(b for b in report.bouts if b.trial is not Trial.SHORT_CLOCK):
        same = f"{fault.kind} {fault.why['en']}"
        where.setdefault(same, []).append(bout)
        first.setdefault(same, fault)
    for same, bouts in where.items():
        fault = first[same]
        only_odd = all(bout.trial is Trial.ODD_OPTIONS for bout in bouts)
        hint = ENDLESS_HINT if seems_endless(bouts[0].record, fault) else None
        evidence = Evidence(hint, output=fault.trace, bouts=_numbers(bouts))
        severity = Severity.ODD if only_odd else Severity.WRONG
        yield Finding(Code.FAULT, severity, describe_fault(fault), evidence)


def describe_fault(fault: SeatFault) -> Text:
    """The kind of the fault, and why."""
    kind = FAULT_NAMES[fault.kind]
    return Text(f"{kind['en']}: {fault.why['en']}", f"{kind['zh']}：{fault.why['zh']}")


def _own_referee_finding(report: BotCheckReport) -> Finding:
    """The finding for a game with its own referee, which does not report faults."""
    return note(
        Code.SEATS,
        "every seat was played; the game's own referee decides what a fault is, so look at the"
        " bouts and at what the bot printed",
        "各座位均已对局；该游戏由自己的逻辑程序裁判，请查看对局与 AI 的输出",
        Evidence(bouts=_numbers(report.bouts)),
    )


def _loading_findings(report: BotCheckReport) -> Iterator[Finding]:
    seconds = report.loading_s
    if seconds is None:
        return
    if seconds > SLOW_LOADING_S:
        yield odd(Code.LOADING, f"loads slowly: {seconds:.2f} s", f"载入较慢：{seconds:.2f} 秒")
    else:
        yield fine(Code.LOADING, f"loads ({seconds:.2f} s)", f"可以载入（{seconds:.2f} 秒）")


def _option_findings(game: Game, report: BotCheckReport) -> Iterator[Finding]:
    by_options: dict[str, list[TrialBout]] = {}
    for bout in report.bouts_of(*NORMAL_BOUTS):
        by_options.setdefault(json.dumps(dict(bout.options)), []).append(bout)
    for bouts in by_options.values():
        given = bouts[0].options
        words = game.Options.describe_values(given)
        en, zh = (words.en, f"{words.zh} ") if given else ("the default options", "默认选项")
        if not any(bout.faults for bout in bouts):
            yield fine(Code.OPTIONS, f"works with {en}", f"{zh}下正常")
        elif not given:
            yield wrong(Code.OPTIONS, f"fails with {en}", f"{zh}下出错")
        else:
            yield odd(
                Code.OPTIONS,
                f"fails with {en}; this matters only where these options are played",
                f"{zh}下出错；只有使用这些选项的比赛才受影响",
            )


def _seat_findings(game: Game, report: BotCheckReport) -> Iterator[Finding]:
    bouts, with_itself = report.bouts_of(Trial.SEATS), report.bouts_of(Trial.SELF_PLAY)
    bad_with_itself = any(bout.faults for bout in with_itself)
    bad = [game.seats[bout.seats[0]] for bout in bouts if bout.faults]
    if not bad and not bad_with_itself:
        seen = Evidence(bouts=_numbers([*bouts, *with_itself]))
        if with_itself:
            en, zh = "plays every seat, and against itself", "各座位均可对局，也可与自己对局"
        else:
            en, zh = "plays every seat", "各座位均可对局"
        yield fine(Code.SEATS, en, zh, seen)
    for seat in bad:
        yield wrong(Code.SEATS, f"fails as {seat['en']}", f"作为{seat['zh']}时出错")
    if bad_with_itself:
        yield wrong(Code.SELF_PLAY, "fails against itself", "与自己对局时出错")


def _legality_findings(report: BotCheckReport) -> Iterator[Finding]:
    """Nothing is said of a bot that failed in every bout, perhaps before its first move."""
    illegal = [b for b, fault in iter_faults(report.bouts) if fault.kind is FaultKind.ILLEGAL]
    usual = [bout for bout in illegal if bout.trial is not Trial.ODD_OPTIONS]
    if usual:
        yield wrong(
            Code.ILLEGAL_MOVES,
            f"answers illegal moves in {len(usual)} bouts",
            f"{len(usual)} 局中有违规着法",
        )
    elif illegal:
        yield odd(
            Code.ILLEGAL_MOVES,
            f"answers illegal moves in {len(illegal)} bouts with odd options",
            f"特殊选项下 {len(illegal)} 局中有违规着法",
        )
    elif not all(bout.faults for bout in report.bouts):
        yield fine(Code.ILLEGAL_MOVES, "only legal moves", "着法全部合法")


def _time_finding(report: BotCheckReport) -> Finding:
    slowest = max(report.bouts_of(Trial.SEATS), key=lambda bout: bout.seconds_used)
    used, budget = slowest.seconds_used, slowest.clock.budget
    en = f"at most {used:.2f} s of {budget:g} s in a bout ({used / budget:.0%})"
    zh = f"每局最多用时 {used:.2f} 秒，限时 {budget:g} 秒（{used / budget:.0%}）"
    if used / budget <= HIGH_CLOCK_SHARE:
        return fine(Code.TIME, en, zh)
    hint = Text("a slower machine may time it out", "在较慢的机器上可能超时")
    return odd(Code.TIME, en, zh, Evidence(hint, bouts=_numbers([slowest])))


def _short_clock_findings(report: BotCheckReport) -> Iterator[Finding]:
    for bout in report.bouts_of(Trial.SHORT_CLOCK):
        late = [fault for fault in bout.faults if fault.kind is FaultKind.TIMEOUT]
        budget = f"{bout.clock.budget:g}"
        if late:
            yield odd(
                Code.SHORT_CLOCK,
                f"does not adapt to a short clock ({budget} s)",
                f"不能适应短时限（{budget} 秒）",
                Evidence(Text.of(late[0].why), bouts=_numbers([bout])),
            )
        elif not bout.faults:
            yield fine(
                Code.SHORT_CLOCK,
                f"adapts to a short clock ({budget} s)",
                f"能适应短时限（{budget} 秒）",
            )


def _output_findings(report: BotCheckReport) -> Iterator[Finding]:
    outputs = [output for bout in report.bouts for output in bout.outputs]
    most = {name: _longest(output[name] for output in outputs) for name in ("stdout", "stderr")}
    for stream, text in most.items():
        if text:
            size = _count_bytes(text)
            tell = odd if size >= HIGH_OUTPUT_SHARE * Limits().output else note
            yield tell(
                Code.OUTPUT,
                f"prints to {stream}: {_format_size(size)} in a bout",
                f"向 {stream} 打印：每局 {_format_size(size)}",
                Evidence(output=_first_lines(text)),
            )
    if not any(most.values()):
        yield fine(Code.OUTPUT, "prints nothing", "不打印内容")


def _longest(texts: Iterable[str]) -> str:
    return max(texts, key=_count_bytes, default="")


def _count_bytes(text: str) -> int:
    """The size of an output, with what was left out of it."""
    left_out = LEFT_OUT.search(text)
    return len(text.encode()) + (int(left_out[1]) if left_out else 0)


def _format_size(size: int) -> str:
    for unit, name in ((1 << 20, "MB"), (1 << 10, "KB")):
        if size >= unit:
            return f"{size / unit:.0f} {name}"
    return f"{size} B"


def _first_lines(text: str) -> str:
    lines = text.splitlines()
    shown = "\n".join(line[:SHOWN_LINE_CHARS] for line in lines[:SHOWN_OUTPUT_LINES])
    return shown + ("\n…" if len(lines) > SHOWN_OUTPUT_LINES else "")


def _leftover_findings(report: BotCheckReport) -> Iterator[Finding]:
    threads, processes = report.leftover_threads, report.leftover_processes
    if threads is None or processes is None:
        return
    if threads:
        yield odd(
            Code.LEFTOVERS,
            f"leaves {threads} threads running after a bout",
            f"对局结束后仍有 {threads} 个线程在运行",
        )
    if processes:
        yield odd(
            Code.LEFTOVERS,
            f"leaves {processes} processes running after a bout",
            f"对局结束后仍有 {processes} 个进程在运行",
        )
    if not threads and not processes:
        yield fine(Code.LEFTOVERS, "leaves no threads or processes behind", "不遗留线程或进程")


def _opponent_crash_findings(report: BotCheckReport) -> Iterator[Finding]:
    """Only if the bot had no faults with the same options and a normal opponent."""
    bouts = report.bouts_of(Trial.OPPONENT_CRASH)
    if not bouts:
        return
    usual = [b for b in report.bouts_of(*NORMAL_BOUTS) if b.options == bouts[0].options]
    if any(bout.faults for bout in usual):
        return
    if any(bout.faults for bout in bouts):
        yield wrong(Code.OPPONENT_CRASH, "fails after its opponent crashed", "对手崩溃后出错")
    elif report.process_restarted:
        yield odd(
            Code.OPPONENT_CRASH,
            "its process had to be restarted after its opponent crashed; does end() fail?",
            "对手崩溃后其进程需要重启；end() 是否出错？",
        )
    else:
        yield fine(Code.OPPONENT_CRASH, "continues after its opponent crashed", "对手崩溃后能继续")


def _repeat_findings(report: BotCheckReport) -> Iterator[Finding]:
    for again in report.bouts_of(Trial.REPEAT):
        before = _find_same(again, report.bouts_of(*NORMAL_BOUTS))
        if before.record.moves == again.record.moves:
            yield note(Code.REPEAT, "same seed, same moves", "种子相同则着法相同")
        else:
            yield note(
                Code.REPEAT,
                "same seed, different moves: bouts are not repeatable",
                "同样的种子，着法不同：结果不可重复",
                Evidence(bouts=_numbers([before, again])),
            )


def _find_same(again: TrialBout, bouts: Sequence[TrialBout]) -> TrialBout:
    """The bout that was played a second time."""
    return next(b for b in bouts if (b.options, b.seats) == (again.options, again.seats))


def _left_out_findings(report: BotCheckReport) -> Iterator[Finding]:
    if report.left_out:
        names = [TRIAL_NAMES[trial] for trial in report.left_out]
        yield note(
            Code.LEFT_OUT,
            f"left out, because checks are limited here: {', '.join(n['en'] for n in names)}",
            f"检查有时间和局数限制，未做：{'、'.join(n['zh'] for n in names)}",
        )
