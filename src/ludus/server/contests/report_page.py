"""A contest's report as one HTML file that opens anywhere: for a browser, a mail, a printer.

The file is a build of the page (``web/report.html``) with the report's data in it, so a browser
draws it with the components of the contest's page. Where scripts do not run (a mail preview) or the
page has not been built, the file shows the report as text.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from html import escape
from typing import Any, Literal

import msgspec

from ludus.contest.ledger import Ledger
from ludus.contest.report import texts
from ludus.lang import Text
from ludus.server.contests.contest_report import describe_report
from ludus.server.contests.contest_results import Films
from ludus.server.contests.report_schemas import ReportSite
from ludus.server.web import static
from ludus.server.web.embedding import (
    REPORT_PLACEHOLDER,
    VOCABULARY_PLACEHOLDER,
    encode_vocabulary,
    escape_for_script,
    fill_placeholders,
)

SCRIPT = re.compile(r'<script type="module">(.*?)</script>', re.DOTALL)
NO_SCRIPT_POLICY = "default-src 'none'; base-uri 'none'; style-src 'unsafe-inline'"
NOT_BUILT = Text(
    "The page of Ludus was not built where this report was written, so it has only text."
    " Run ./ludus --rebuild there and write it again for tables, bracket and charts.",
    "写出本报告时弈场的网页尚未构建，因此只有文字。运行 ./ludus --rebuild 后重新写出，"
    "即有表格、对阵图与图表。",
)
NO_SCRIPTS = Text(
    "Open this file in a browser with JavaScript for tables, bracket and charts.",
    "在启用 JavaScript 的浏览器中打开本文件，可看到表格、对阵图与图表。",
)
PLAIN_PAGE = """<!doctype html>
<html lang="__LANGUAGE__">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="__POLICY__">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>__TITLE__</title>
<style>body{max-width:60rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}
pre{overflow-x:auto}</style>
</head>
<body>
<p>__NOTE__</p>
<pre>__TEXT__</pre>
</body>
</html>
"""


def is_drawn() -> bool:
    """Whether reports are drawn by the page; if it has not been built, they are only text."""
    return static.REPORT_PAGE.is_file()


def render_report(
    ledger: Ledger,
    data: Mapping[str, Any],
    language: str,
    *,
    records: bool = True,
    people: dict[str, str] | None = None,
    site: ReportSite | None = None,
    films: Films | None = None,
) -> str:
    """The whole file. ``data`` is from ``build_report_data``; ``records``: link to the records of
    the bouts, which lie beside it; ``people``: who is behind each entrant; ``site`` and ``films``:
    link to the pages of the bouts on a server."""
    spoken: Literal["en", "zh"] = "zh" if language == "zh" else "en"
    template = _read_template()
    values = {
        "__LANGUAGE__": "zh-Hans" if spoken == "zh" else "en",
        "__POLICY__": make_policy(),
        "__TITLE__": escape(data["name"]),
        "__NOTE__": escape((NO_SCRIPTS if template else NOT_BUILT)[spoken]),
        "__TEXT__": escape(texts.format_markdown(dict(data), spoken)),
    }
    if template is None:
        return fill_placeholders(PLAIN_PAGE, values)
    report = describe_report(
        ledger, data, spoken, records=records, people=people, site=site, films=films
    )
    values[REPORT_PLACEHOLDER] = escape_for_script(msgspec.json.encode(report))
    values[VOCABULARY_PLACEHOLDER] = encode_vocabulary()
    return fill_placeholders(template, values)


def make_policy() -> str:
    """The content security policy of a report: nothing is loaded, and no script runs but its own,
    whatever names and texts of strangers say."""
    found = SCRIPT.search(_read_template() or "")
    if found is None:
        return NO_SCRIPT_POLICY
    digest = base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()
    return f"{NO_SCRIPT_POLICY}; script-src 'sha256-{digest}'"


def _read_template() -> str | None:
    """None: the page has not been built."""
    try:
        return static.REPORT_PAGE.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
