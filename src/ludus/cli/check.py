"""``ludus check``: plays a bot in odd situations and reports what is wrong with it."""

from __future__ import annotations

import contextlib
import logging
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.called import program_name
from ludus.cli import findings
from ludus.cli import output as screen
from ludus.cli.command import argument, command, option
from ludus.cli.options import JSON_OPTION
from ludus.cli.param_types import BotParam, FileParam, GameParam
from ludus.errors import LudusError
from ludus.findings import finding_as_json, is_passed
from ludus.lang import Text, tr, translate

if TYPE_CHECKING:
    from ludus.games.base import Game
    from ludus.match.bot_check.trials import BotCheckReport

log = logging.getLogger(__name__)


@command(
    en="Play a bot in odd situations and report what it does wrong; or, with --records and"
    " --positions, ask it again what it was asked before, and report what changed. Exit code 0:"
    " usable, nothing changed, all passed; 1: it has faults, or answers otherwise; 2: it is not a"
    " bot.",
    zh="在各种特殊情况下试一个 AI 并指出问题；或者用 --records、--positions"
    " 再次提出以前问过它的问题，并指出变化。退出码 0：可用、没有变化、全部通过；"
    "1：有异常，或回答不同；2：不是 AI。",
)
@argument(
    "bot",
    type=BotParam(),
    en="A file, a folder or zip with a ludus.toml, or cmd:PROGRAM.",
    zh="文件、带 ludus.toml 的文件夹或 zip，或 cmd:程序。",
)
@option(
    "--game",
    type=GameParam(),
    en="The game it plays; records and positions name theirs.",
    zh="它玩的游戏；录像和测试局面自带游戏名。",
)
@option(
    "--records",
    type=FileParam(),
    multiple=True,
    metavar="FILE|DIR",
    en="Ask it the questions of these records again: does it still play what it played?",
    zh="再次提出这些录像中的问题：它还会走当时的着法吗？",
)
@option(
    "--as",
    "name",
    metavar="NAME",
    en="With --records: its name in them, if that is another than now.",
    zh="与 --records 合用：它在录像中的名称，若与现在不同。",
)
@option(
    "--positions",
    type=FileParam(),
    multiple=True,
    en="Ask it for its move in the test positions of this file, as ludus analyse writes them.",
    zh="让它在此文件的测试局面中走棋；文件由 ludus analyse 写出。",
)
@JSON_OPTION
def COMMAND(
    bot: str,
    game: str | None,
    records: tuple[str, ...],
    name: str | None,
    positions: tuple[str, ...],
    as_json: bool,
) -> int:
    if records or positions:
        from ludus.cli.check_again import check_again

        return check_again(bot, records, name, positions, as_json)
    if name is not None:
        raise LudusError("--as belongs to --records", "--as 需与 --records 合用")
    if game is None:
        raise LudusError(
            "--game is missing: say which game it plays, or what to ask it again, with --records or"
            " --positions",
            "缺少 --game：请指明它玩的游戏，或用 --records、--positions 指明要再次提出的问题",
        )
    return _play_in_odd_situations(bot, game, as_json)


def _play_in_odd_situations(bot: str, game: str, as_json: bool) -> int:
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
    saved = _save_first_failure(rules, report)
    if as_json:
        screen.print_json(
            {
                "bot": source.name,
                "digest": source.digest,
                "game": game,
                "usable": usable,
                "findings": [finding_as_json(finding, titles) for finding in facts],
                "record": saved and str(saved),
            }
        )
    else:
        console = screen.stdout_console()
        for line in findings.render_findings(facts, titles):
            console.print(line)
        console.print()
        verdict = tr("usable", "可用") if usable else tr("it has faults", "有异常")
        console.print(f"{source.name}{tr(': ', '：')}{verdict}", style="green" if usable else "red")
        if saved is not None:
            _show_way_on(saved, bot)
    return 0 if usable else 1


def _save_first_failure(game: Game, report: BotCheckReport) -> Path | None:
    """Save the first bout in which the bot was at fault, so that it can be explained; None if there
    is none, or if it cannot be saved."""
    from ludus.match.bot_check.trials import iter_faults
    from ludus.match.record_files import BoutFileNames, RecordStore, make_stem, records_folder

    failed = next((bout for bout, _ in iter_faults(report.bouts)), None)
    if failed is None or game.turn_source:
        return None
    stem = make_stem(game.name, [bot.name for bot in failed.record.bots])
    try:
        return RecordStore(records_folder(), BoutFileNames(stem, 1)).save(failed.record, 0)
    except (LudusError, OSError) as error:
        log.warning("%s", error)
        return None


def _show_way_on(record: Path, bot: str) -> None:
    """The commands that explain a bout."""
    from ludus.cli.why import is_debuggable

    lines = [tr("a bout in which it failed, explained:", "查看一局出错的对局：")]
    commands = ["why"]
    if Path(bot).exists() and is_debuggable(Path(bot)):
        commands.append("debug")
    lines += [f"  {program_name()} {each} {record} --bot {bot}" for each in commands]
    console = screen.stdout_console()
    for line in lines:
        console.print(line, soft_wrap=True, highlight=False, markup=False)


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
