"""``ludus analyse``: what the moves of a recorded bout were worth."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.called import program_name
from ludus.cli import output
from ludus.cli.command import argument, command, option
from ludus.cli.options import JSON_OPTION
from ludus.cli.param_types import FileParam, IntegerParam, SecondsParam
from ludus.cli.recorded_bot import choose_record
from ludus.errors import LudusError
from ludus.lang import tr

if TYPE_CHECKING:
    from ludus.analysis.bot_mistakes import AnalysedRecord
    from ludus.analysis.model import Analysis
    from ludus.match.record import Record


@command(
    en="Judge the moves of a record: the expected score before and after each, better moves,"
    " mistakes (?! inaccuracy, ? mistake, ?? blunder), accuracy, and the move that"
    " decided the bout. The result is kept beside the record.",
    zh="评判录像中的着法：每步前后的期望得分、更好的着法、失误"
    "（?! 欠佳，? 失误，?? 大失误）、准确率，以及决定胜负的一步。结果保存在录像旁边。",
)
@argument(
    "file",
    type=FileParam(),
    required=False,
    metavar="[RECORD|DIR]",
    en="The record, of Ludus or of an original; the one saved last if not given. With --bot:"
    " a folder of records.",
    zh="录像（Ludus 或原平台的）；默认为最近保存的。与 --bot 合用时为装有录像的文件夹。",
)
@option(
    "--seconds",
    type=SecondsParam(),
    default=None,
    en="CPU seconds that it may take (8); with --bot for each record (2).",
    zh="最多使用的 CPU 秒数（8）；与 --bot 合用时为每份录像的秒数（2）。",
)
@option(
    "--level",
    type=IntegerParam(0),
    default=None,
    en="Judge every move up to this level, however long that takes: the same result every time.",
    zh="每步都评判到这一级，不限时间；每次结果相同。",
)
@option(
    "--bot",
    default=None,
    metavar="NAME",
    en="Find the mistakes of this bot in all records of a folder: where it loses most, grouped.",
    zh="在文件夹的所有录像中找出该 AI 的失误：哪里损失最大，并分组。",
)
@option(
    "--positions",
    type=FileParam(),
    default=None,
    en="Write the positions of its mistakes to this file, for ludus check --positions.",
    zh="把失误的局面写入此文件，供 ludus check --positions 使用。",
)
@option("--all", "every", is_flag=True, en="List all moves.", zh="列出所有着法。")
@option(
    "--fresh",
    is_flag=True,
    en="Judge again, although a result is kept.",
    zh="即使已有保存的结果，也重新评判。",
)
@JSON_OPTION
def COMMAND(
    file: str | None,
    seconds: float | None,
    level: int | None,
    bot: str | None,
    positions: str | None,
    every: bool,
    fresh: bool,
    as_json: bool,
) -> int:
    from ludus.compat.reading import read_verified

    if seconds is not None and seconds <= 0:
        raise LudusError("--seconds must be above 0", "--seconds 必须大于 0")
    if bot is not None or (file and Path(file).expanduser().is_dir()):
        from ludus.cli.analyse_bot import show_bot_mistakes

        return show_bot_mistakes(file, bot, positions, seconds, level, fresh, as_json)
    path = choose_record(file)
    record = read_verified(path)
    analysis = analyse_file(path, record, seconds, level, fresh)
    print_analysis(analysis, record, every, as_json)
    if positions is not None:
        from ludus.analysis.bot_mistakes import AnalysedRecord

        write_positions(positions, [AnalysedRecord(path.name, record, analysis)], None)
    return 0


def write_positions(file: str, bouts: Sequence[AnalysedRecord], bot: str | None) -> None:
    """Write the positions of serious mistakes to a file and say so on stderr."""
    from ludus.analysis.bot_mistakes import list_test_positions
    from ludus.analysis.test_positions import write_test_positions

    tests = list_test_positions(bouts, bot)
    if not tests:
        message = tr(
            f"there are no mistakes, so {file} was not written", f"没有失误，因此没有写 {file}"
        )
    else:
        write_test_positions(Path(file).expanduser(), tests)
        message = tr(
            f"{len(tests)} positions written to {file}; ask a bot again:"
            f" {program_name()} check BOT --positions {file}",
            f"已把 {len(tests)} 个局面写入 {file}；让 AI 再走一次："
            f"{program_name()} check AI --positions {file}",
        )
    print(output.escape_unsafe(message), file=sys.stderr)


def analyse_file(
    path: Path, record: Record, seconds: float | None, level: int | None, fresh: bool
) -> Analysis:
    """The analysis of a record: the kept one, or a new one, which is then kept."""
    from ludus.analysis.cache import find_cached, keep
    from ludus.analysis.evaluate import analyse
    from ludus.analysis.judges.choice import choose_judge_for_record
    from ludus.analysis.model import DEFAULT_SECONDS

    judge = choose_judge_for_record(record)
    limit = None if level is not None else seconds or DEFAULT_SECONDS
    if not fresh and level is None:
        cached = find_cached(path, record, judge.facts, limit)
        if cached is not None:
            return cached
    analysis = _show_progress(analyse(record, seconds=limit, level=level, judge=judge))
    if level is None:
        keep(path, record, analysis)
    return analysis


def _show_progress(parts: Iterable[Analysis]) -> Analysis:
    """The last of the partial results; a terminal sees how they come."""
    if not sys.stderr.isatty():
        *_, last = parts
        return last
    from rich.progress import Progress

    with Progress(console=output.stderr_console(), transient=True) as progress:
        task = progress.add_task(tr("judging", "评判"), total=1.0)
        for last in parts:
            if last.budget.limit:
                share = last.budget.seconds / last.budget.limit
            else:
                share = len(last.moves) / max(1, last.steps)
            progress.update(task, completed=min(1.0, share))
    return last


def print_analysis(analysis: Analysis, record: Record, every: bool, as_json: bool) -> None:
    import msgspec

    if as_json:
        output.print_json(msgspec.to_builtins(analysis))
        return
    from ludus.cli.analyse_view import render_analysis
    from ludus.match.record import load_game

    shown = render_analysis(analysis, load_game(record)[0], record, every)
    output.stdout_console().print(shown)
