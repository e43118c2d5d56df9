"""``ludus check``: plays a bot in odd situations and reports what is wrong with it."""

from __future__ import annotations

import contextlib
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ludus.cli import findings
from ludus.cli import output as screen
from ludus.cli.command import argument, command, option
from ludus.cli.options import JSON_OPTION
from ludus.cli.param_types import BotParam, GameParam
from ludus.errors import LudusError
from ludus.findings import finding_as_json, is_passed
from ludus.lang import Text, tr, translate

if TYPE_CHECKING:
    from ludus.match.bot_check.trials import BotCheckReport


@command(
    en="Play a bot in odd situations and report what it does wrong. Exit code 0: usable; 1: it has"
    " faults; 2: it is not a bot.",
    zh="在各种特殊情况下试一个 AI 并指出问题。退出码 0：可用；1：有犯规；2：不是 AI。",
)
@argument(
    "bot",
    type=BotParam(),
    en="A file, a folder or zip with a ludus.toml, or cmd:PROGRAM.",
    zh="文件、带 ludus.toml 的文件夹或 zip，或 cmd:程序。",
)
@option("--game", type=GameParam(), required=True, en="The game it plays.", zh="它玩的游戏。")
@JSON_OPTION
def COMMAND(bot: str, game: str, as_json: bool) -> int:
    from ludus.bots.resolve import resolve_bot
    from ludus.games.registry import open_game
    from ludus.match.bot_check.findings import make_findings
    from ludus.match.bot_check.trials import BotCheck

    rules = open_game(game)
    source = resolve_bot(bot, rules)
    with _show_status() as show:
        report = BotCheck(source, rules, on_bout=show).run()
    _refuse_unloadable(source.name, report)
    facts = make_findings(rules, report)
    usable = is_passed(facts)
    titles = [bout.title for bout in report.bouts]
    if as_json:
        screen.print_json(
            {
                "bot": source.name,
                "digest": source.digest,
                "game": game,
                "usable": usable,
                "findings": [finding_as_json(finding, titles) for finding in facts],
            }
        )
    else:
        console = screen.stdout_console()
        for line in findings.render_findings(facts, titles):
            console.print(line)
        console.print()
        verdict = tr("usable", "可用") if usable else tr("it has faults", "有犯规")
        console.print(f"{source.name}{tr(': ', '：')}{verdict}", style="green" if usable else "red")
    return 0 if usable else 1


@contextlib.contextmanager
def _show_status() -> Iterator[Callable[[Text], None]]:
    """Show on a terminal which bout is being played."""
    if not sys.stderr.isatty():
        yield lambda title: None
        return
    with screen.stderr_console().status("") as status:
        yield lambda title: status.update(translate(title))


def _refuse_unloadable(name: str, report: BotCheckReport) -> None:
    """LudusError if the bot cannot be loaded."""
    if fault := report.load_fault:
        raise LudusError(
            f"{name}: {fault.why['en']}",
            f"{name}：{fault.why['zh']}",
            textwrap.indent(screen.escape_unsafe(fault.trace), "    "),
        )
