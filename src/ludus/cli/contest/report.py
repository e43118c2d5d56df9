"""``ludus contest report``: writes what a contest came to."""

from __future__ import annotations

from pathlib import Path

from ludus.cli.command import command, option
from ludus.cli.contest.file import ANCHOR, FILE, anchor_of, begun, contest_of
from ludus.cli.param_types import Folder, OneOf
from ludus.lang import language as reader
from ludus.lang import tr


@command(
    en="Write a report: one HTML file that needs nothing else, tables as CSV, JSON and Markdown,"
    " and the records of all bouts.",
    zh="写出报告：一个独立的 HTML 文件，CSV、JSON、Markdown 表格，以及全部录像。",
)
@FILE
@option(
    "--out",
    type=Folder(),
    default="report",
    en="The folder to write to (report).",
    zh="写入的文件夹（report）。",
)
@option("--lang", type=OneOf(("en", "zh")), en="Its language.", zh="报告语言。")
@ANCHOR
@option("--no-records", is_flag=True, en="Without the records.", zh="不含录像。")
def COMMAND(
    file: str, out: str, lang: str | None, anchor: tuple[str, str] | None, no_records: bool
) -> int:
    import json

    from ludus.contest.report import texts
    from ludus.contest.report.data import as_data, record_name
    from ludus.contest.report.page import page
    from ludus.match.record import write_whole
    from ludus.scheduling.loading import ledger_of

    store = begun(contest_of(file))
    ledger = ledger_of(store)
    data = as_data(ledger, anchor_of(anchor))
    language = lang or reader()
    folder = Path(out).expanduser()
    files = {
        "report.html": page(ledger, data, language, records=not no_records),
        "report.json": json.dumps(data, ensure_ascii=False, indent=1),
        "standings.csv": texts.standings_csv(data),
        "bouts.csv": texts.bouts_csv(data),
        "report.md": texts.markdown(data, language),
    }
    for name, text in files.items():
        write_whole(folder / name, text.encode())
    if not no_records:
        for match, number, record in store.records():
            write_whole(folder / record_name(match, number), record, durable=False)
    print(tr(f"written: {folder / 'report.html'}", f"已写出：{folder / 'report.html'}"))
    return 0
