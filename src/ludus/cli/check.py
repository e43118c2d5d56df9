"""``ludus check``: what is wrong with a bot."""

from __future__ import annotations

import contextlib
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ludus.cli import findings
from ludus.cli import output as screen
from ludus.cli.command import argument, command, option
from ludus.cli.findings import Finding, Severity, fine, note, odd, wrong
from ludus.cli.options import JSON_OPTION
from ludus.cli.param_types import BotParam, GameParam
from ludus.errors import LudusError
from ludus.lang import tr, translate

if TYPE_CHECKING:
    from ludus.cli.trials import ComplianceBout, ComplianceReport
    from ludus.games.base import Game
    from ludus.match.verdict import SeatFault

HIGH_CLOCK_SHARE = 0.5
"""A share of the clock that leaves little room on a slower machine."""
SLOW_LOADING_S = 3.0
KEPT_OUTPUT_CHARS = 64 * 1024
"""What is kept of a bot's output in one bout; more is cut."""


@command(
    en="Play a bot in odd situations and say what it does wrong. Exit code 0: usable; 1: it has"
    " faults; 2: it is not a bot.",
    zh="在各种特殊情况下试一个 AI 并指出问题。退出码 0：可用；1：有犯规；2：不是 AI。",
)
@argument(
    "bot",
    type=BotParam(),
    en="A file, a folder or zip with a ludus.toml, or cmd:PROGRAM.",
    zh="文件、带 ludus.toml 的文件夹或 zip，或 cmd:程序。",
)
@option("--game", type=GameParam(), required=True, en="What it plays.", zh="它玩的游戏。")
@JSON_OPTION
def COMMAND(bot: str, game: str, as_json: bool) -> int:
    from ludus.bots.resolve import resolve_bot
    from ludus.cli.trials import ComplianceCheck
    from ludus.games.registry import open_game

    rules = open_game(game)
    if rules.turn_source:
        raise LudusError(
            f"bots of {rules.name} talk with its own logic, which says what is wrong with them;"
            f" try: ludus play {game} {bot} …",
            f"{rules.name} 的 AI 由它自己的逻辑程序检查；请用：ludus play {game} {bot} …",
        )
    source = resolve_bot(bot, rules)
    with _show_status() as tell:
        report = ComplianceCheck(source, rules, tell).run()
    refuse_unloadable(source.name, report)
    found = list(make_findings(rules, report))
    usable = all(finding.level is not Severity.WRONG for finding in found)
    if as_json:
        screen.print_json(
            {
                "bot": source.name,
                "digest": source.digest,
                "game": game,
                "usable": usable,
                "findings": [finding.as_json() for finding in found],
            }
        )
    else:
        console = screen.stdout_console()
        for line in findings.render_findings(found):
            console.print(line)
        console.print()
        said = tr("usable", "可用") if usable else tr("it has faults", "有犯规")
        console.print(f"{source.name}{tr(': ', '：')}{said}", style="green" if usable else "red")
    return 0 if usable else 1


@contextlib.contextmanager
def _show_status() -> Iterator[Callable[[str], None]]:
    """Say on a terminal which bout is being played."""
    if not sys.stderr.isatty():
        yield lambda title: None
        return
    with screen.stderr_console().status("") as status:
        yield lambda title: status.update(title)


def refuse_unloadable(name: str, report: ComplianceReport) -> None:
    """A file that cannot be loaded is no bot."""
    from ludus.cli.trials import iter_faults
    from ludus.sandbox.fault import FaultKind

    for _, fault in iter_faults(report.default_option_bouts):
        if fault.kind is FaultKind.LOAD:
            raise LudusError(
                f"{name}: {fault.why['en']}",
                f"{name}：{fault.why['zh']}",
                textwrap.indent(screen.escape_unsafe(fault.trace), "    "),
            )


def make_findings(game: Game, report: ComplianceReport) -> Iterator[Finding]:
    """The report in sentences: first what is wrong and why, then what follows from it.

    The usual options decide; what fails only under odd ones is odd, not wrong.
    """
    yield from _fault_findings(report)
    yield from _loading_findings(report)
    yield from _option_findings(report)
    yield from _seat_findings(game, report)
    yield _legality_finding(report)
    yield _time_finding(report)
    yield from _short_clock_findings(report)
    yield from _output_findings(report)
    yield from _leftover_findings(report)
    yield from _opponent_crash_findings(report)
    yield from _determinism_findings(report)


def _loading_findings(report: ComplianceReport) -> Iterator[Finding]:
    seconds = report.bot.loading_s
    if seconds is None:
        return
    if seconds > SLOW_LOADING_S:
        yield odd(f"loads slowly: {seconds:.2f} s", f"载入较慢：{seconds:.2f} 秒")
    else:
        yield fine(f"loads ({seconds:.2f} s)", f"可以载入（{seconds:.2f} 秒）")


def _option_findings(report: ComplianceReport) -> Iterator[Finding]:
    tried = [*report.default_option_bouts, *report.odd_option_bouts]
    bad = {_describe_options(trial) for trial in tried if trial.faults}
    for name, usual in {_describe_options(trial): not trial.options for trial in tried}.items():
        if name not in bad:
            yield fine(f"survives {name}", f"{name} 下正常")
        elif usual:
            yield wrong(f"fails with {name}", f"{name} 下出错")
        else:
            yield odd(
                f"fails with {name}; this matters only where these options are played",
                f"{name} 下出错；只有使用这些选项的比赛才受影响",
            )


def _describe_options(trial: ComplianceBout) -> str:
    given = ", ".join(f"{key}={value}" for key, value in trial.options.items())
    return given or tr("the usual options", "默认选项")


def _seat_findings(game: Game, report: ComplianceReport) -> Iterator[Finding]:
    bad = {seat for trial in report.default_option_bouts if trial.faults for seat in trial.seats}
    if not bad and not any(trial.faults for trial in report.self_play_bouts):
        yield fine("plays every seat, and against itself", "各座位均可对局，也可与自己对局")
        return
    for seat in sorted(bad):
        yield wrong(f"fails as {game.seats[seat]}", f"作为 {game.seats[seat]} 时出错")
    if any(trial.faults for trial in report.self_play_bouts):
        yield wrong("fails against itself", "与自己对局时出错")


def _legality_finding(report: ComplianceReport) -> Finding:
    from ludus.cli.trials import iter_faults
    from ludus.sandbox.fault import FaultKind

    def count(trials: list[ComplianceBout]) -> int:
        return sum(fault.kind is FaultKind.ILLEGAL for _, fault in iter_faults(trials))

    illegal = count([trial for trial in report.all_bouts if trial not in report.odd_option_bouts])
    if not illegal and (elsewhere := count(report.odd_option_bouts)):
        return odd(
            f"answers illegal moves in {elsewhere} bouts with odd options",
            f"特殊选项下 {elsewhere} 局中有违规着法",
        )
    if illegal:
        return wrong(f"answers illegal moves in {illegal} bouts", f"{illegal} 局中有违规着法")
    return fine("only legal moves", "着法全部合法")


def _time_finding(report: ComplianceReport) -> Finding:
    slowest = max(
        [*report.default_option_bouts, *report.odd_option_bouts], key=lambda trial: trial.cpu
    )
    share = slowest.cpu / slowest.clock.budget
    en = f"at most {slowest.cpu:.2f} s of {slowest.clock.budget:g} s in a bout ({share:.0%})"
    zh = f"每局最多用时 {slowest.cpu:.2f} 秒，限时 {slowest.clock.budget:g} 秒（{share:.0%}）"
    if share > HIGH_CLOCK_SHARE:
        hint = tr("a slower machine may time it out", "在较慢的机器上可能超时")
        return odd(en, zh, f"{hint}{tr(': ', '：')}{slowest.title}")
    return fine(en, zh)


def _short_clock_findings(report: ComplianceReport) -> Iterator[Finding]:
    from ludus.sandbox.fault import FaultKind

    for trial in report.short_clock_bouts:
        late = [fault for fault in trial.faults if fault.kind is FaultKind.TIMEOUT]
        budget = trial.clock.budget
        if late:
            yield odd(
                f"does not adapt to a short clock ({budget:g} s)",
                f"不能适应短时限（{budget:g} 秒）",
                translate(late[0].why),
            )
        elif not trial.faults:
            yield fine(f"adapts to a short clock ({budget:g} s)", f"能适应短时限（{budget:g} 秒）")


def _output_findings(report: ComplianceReport) -> Iterator[Finding]:
    most = {"stdout": "", "stderr": ""}
    for trial in report.all_bouts:
        for output in trial.outputs:
            most = {name: max(kept, output[name], key=len) for name, kept in most.items()}
    for stream, text in most.items():
        if text:
            size = "> 64 KB" if len(text) >= KEPT_OUTPUT_CHARS else f"{len(text.encode())} B"
            yield odd(
                f"prints to {stream}: {size} in a bout",
                f"向 {stream} 打印：每局 {size}",
                _first_lines(text),
            )
    if not any(most.values()):
        yield fine("prints nothing", "不打印内容")


def _first_lines(text: str) -> str:
    lines = text.splitlines()
    return "\n".join(line[:100] for line in lines[:3]) + ("\n…" if len(lines) > 3 else "")


def _leftover_findings(report: ComplianceReport) -> Iterator[Finding]:
    threads, children = report.bot.threads, report.bot.children
    if threads:
        yield odd(
            f"leaves {threads} threads running after a bout",
            f"对局结束后仍有 {threads} 个线程在运行",
        )
    if children:
        yield odd(
            f"leaves {children} processes running after a bout",
            f"对局结束后仍有 {children} 个进程在运行",
        )
    if not threads and not children:
        yield fine("leaves no threads or processes behind", "不遗留线程或进程")


def _opponent_crash_findings(report: ComplianceReport) -> Iterator[Finding]:
    if not report.quitter_bouts or any(trial.faults for trial in _bouts_without_quitter(report)):
        return
    if any(trial.faults for trial in report.quitter_bouts):
        yield wrong("fails after its opponent crashed", "对手崩溃后出错")
    elif report.process_restarted:
        yield odd(
            "its process had to be started anew after its opponent crashed; does end() fail?",
            "对手崩溃后其进程需要重启；end() 是否出错？",
        )
    else:
        yield fine("goes on after its opponent crashed", "对手崩溃后能继续")


def _bouts_without_quitter(report: ComplianceReport) -> list[ComplianceBout]:
    """The bouts that were like those with the quitter, but without one."""
    options = report.quitter_bouts[0].options
    return [
        trial
        for trial in (*report.default_option_bouts, *report.odd_option_bouts)
        if trial.options == options
    ]


def _determinism_findings(report: ComplianceReport) -> Iterator[Finding]:
    for again in report.repeated_bouts:
        same = (again.options, again.seats)
        tried = (*report.default_option_bouts, *report.odd_option_bouts)
        before = next(t for t in tried if (t.options, t.seats) == same)
        if before.record.moves == again.record.moves:
            yield note("same seed, same moves", "同样的种子，同样的着法")
        else:
            yield note(
                "same seed, other moves: it does not repeat itself",
                "同样的种子，着法不同：结果不可重复",
            )


def _fault_findings(report: ComplianceReport) -> Iterator[Finding]:
    """Each fault once, with the bouts in which it happened."""
    from ludus.cli.results import fault_name
    from ludus.cli.trials import iter_faults

    hurried = report.short_clock_bouts
    where: dict[str, list[ComplianceBout]] = {}
    first: dict[str, SeatFault] = {}
    for trial, fault in iter_faults([t for t in report.all_bouts if t not in hurried]):
        sentence = f"{fault_name(fault.kind.value)}{tr(': ', '：')}{translate(fault.why)}"
        where.setdefault(sentence, []).append(trial)
        first.setdefault(sentence, fault)
    for sentence, trials in where.items():
        listed = "\n".join(dict.fromkeys(trial.title for trial in trials))
        detail = f"{listed}\n{first[sentence].trace}".strip()
        only_odd = all(trial in report.odd_option_bouts for trial in trials)
        yield Finding(Severity.ODD if only_odd else Severity.WRONG, sentence, detail)
