"""``ludus contest report``: writes a report of a contest."""

from __future__ import annotations

import sys
from pathlib import Path

from ludus.cli.command import command, option
from ludus.cli.contest.file import (
    ANCHOR_OPTION,
    FILE_ARGUMENT,
    open_begun_store,
    open_contest,
    parse_anchor,
)
from ludus.cli.param_types import ChoiceParam, FolderParam, SecondsParam
from ludus.errors import LudusError
from ludus.lang import encode_text, tr
from ludus.lang import language as reader


@command(
    en="Write a report: one HTML file that needs nothing else, tables as CSV, JSON and Markdown,"
    " and the records of all bouts.",
    zh="写出报告：一个独立的 HTML 文件，CSV、JSON、Markdown 表格，以及全部录像。",
)
@FILE_ARGUMENT
@option(
    "--out",
    type=FolderParam(),
    default="report",
    en="The folder to write to (report).",
    zh="写入的文件夹（report）。",
)
@option("--lang", type=ChoiceParam(("en", "zh")), en="Its language.", zh="报告语言。")
@ANCHOR_OPTION
@option("--no-records", is_flag=True, en="Without the records.", zh="不含录像。")
@option(
    "--notes",
    is_flag=True,
    en="With what the bots said about their moves, in a file beside each record; not for a report"
    " that their rivals read.",
    zh="附上 AI 的注记，存为每个录像旁边的文件；要给对手看的报告请勿使用。",
)
@option(
    "--turning-points",
    type=SecondsParam(),
    is_flag=False,
    flag_value=60.0,
    en="Judge bouts, those between the best entrants first, and name the biggest turning points;"
    " so many CPU seconds at most, 60 if no number is given.",
    zh="评判对局（先看名次靠前者之间的），写出最大的转折点；最多用这么多 CPU 秒，默认 60。",
)
def COMMAND(
    file: str,
    out: str,
    lang: str | None,
    anchor: tuple[str, str] | None,
    no_records: bool,
    notes: bool,
    turning_points: float | None,
) -> int:
    import json

    from ludus.contest.report import texts
    from ludus.contest.report.data import build_report_data, record_file_name
    from ludus.match.note_files import notes_path, save_notes
    from ludus.match.record import unpack, write_atomically
    from ludus.scheduling.contest_loading import load_ledger
    from ludus.server.contests import report_page
    from ludus.timestamps import now

    if notes and no_records:
        raise LudusError(
            "--notes belong to the records; leave out --no-records",
            "注记存放在录像旁边；--notes 不能与 --no-records 合用",
        )
    store = open_begun_store(open_contest(file))
    ledger = load_ledger(store)
    data = build_report_data(ledger, parse_anchor(anchor), made=now())
    if turning_points is not None:
        from ludus.cli.contest.turning_points import find_turning_points

        found = find_turning_points(store, data, turning_points)
        data = build_report_data(ledger, parse_anchor(anchor), turning_points=found, made=now())
    language = lang or reader()
    folder = Path(out).expanduser()
    files = {
        "report.html": report_page.render_report(ledger, data, language, records=not no_records),
        "report.json": json.dumps(data, ensure_ascii=False, indent=1, default=encode_text),
        "standings.csv": texts.format_standings_csv(data),
        "matches.csv": texts.format_matches_csv(data),
        "bouts.csv": texts.format_bouts_csv(data),
        "report.md": texts.format_markdown(data, language, None),
    }
    for name, text in files.items():
        write_atomically(folder / name, text.encode())
    if not no_records:
        for match, number, packed in store.iterate_records():
            path = folder / record_file_name(match, number)
            write_atomically(path, packed, durable=False)
            notes_path(path).unlink(missing_ok=True)  # of an earlier report
            if notes:
                record = unpack(packed, str(path))
                save_notes(record, path, store.load_notes(match, number, len(record.bots)))
    print(tr(f"written: {folder / 'report.html'}", f"已写出：{folder / 'report.html'}"))
    if not report_page.is_drawn():
        print(
            tr(
                "The page of Ludus is not built, so report.html has only text; for tables, bracket"
                " and charts run ./ludus --rebuild, then this command again.",
                "弈场的网页尚未构建，report.html 只有文字；如需表格、对阵图与图表，请运行"
                " ./ludus --rebuild，再重新运行本命令。",
            ),
            file=sys.stderr,
        )
    return 0
