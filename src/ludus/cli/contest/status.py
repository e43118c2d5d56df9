"""``ludus contest status``: where a contest stands."""

from __future__ import annotations

from ludus.cli.command import command
from ludus.cli.contest.file import ANCHOR, FILE, anchor_of, begun, contest_of
from ludus.cli.options import JSON


@command(
    en="Tables, ratings, progress and faults of a contest, also while it runs elsewhere.",
    zh="赛事的排名、等级分、进度与犯规；赛事在别处运行时也可查看。",
)
@FILE
@ANCHOR
@JSON
def COMMAND(file: str, anchor: tuple[str, str] | None, as_json: bool) -> int:
    from ludus.cli import output
    from ludus.cli.contest import tables
    from ludus.contest.report.data import as_data
    from ludus.scheduling.loading import ledger_of

    contest = contest_of(file)
    ledger = ledger_of(begun(contest))
    if as_json:
        output.print_json(as_data(ledger, anchor_of(anchor)))
    else:
        tables.show(contest.game, ledger, "modern", anchor_of(anchor))
    return 0
