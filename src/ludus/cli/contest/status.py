"""``ludus contest status``: shows the tables of a contest."""

from __future__ import annotations

from ludus.cli.command import command
from ludus.cli.contest.file import (
    ANCHOR_OPTION,
    FILE_ARGUMENT,
    open_begun_store,
    open_contest,
    parse_anchor,
)
from ludus.cli.options import JSON_OPTION


@command(
    en="Tables, ratings, progress and faults of a contest, also while it runs elsewhere.",
    zh="赛事的排名、等级分、进度与异常；赛事在别处运行时也可查看。",
)
@FILE_ARGUMENT
@ANCHOR_OPTION
@JSON_OPTION
def COMMAND(file: str, anchor: tuple[str, str] | None, as_json: bool) -> int:
    from ludus.cli import output
    from ludus.cli.contest import tables
    from ludus.contest.report.data import build_report_data
    from ludus.scheduling.contest_loading import load_ledger

    contest = open_contest(file)
    ledger = load_ledger(open_begun_store(contest))
    if as_json:
        output.print_json(build_report_data(ledger, parse_anchor(anchor)))
    else:
        tables.print_tables(contest.game, ledger, "modern", parse_anchor(anchor))
    return 0
