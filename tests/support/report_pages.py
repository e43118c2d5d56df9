"""HTML reports of contests, as tests write and read them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ludus.server.web import static

TEMPLATE = """<html lang="__LANGUAGE__"><meta http-equiv="Content-Security-Policy"
content="__POLICY__"><title>__TITLE__</title><noscript>__NOTE__<pre>__TEXT__</pre></noscript>
<script type="application/json" id="vocabulary">"__VOCABULARY__"</script>
<script type="application/json" id="report">"__REPORT__"</script>
<script type="module">draw()</script></html>"""
"""What the page's build leaves to be filled in."""
DATA = re.compile(r'<script type="application/json" id="report">(.*?)</script>', re.DOTALL)


def use_template(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Write reports with a template of our own, whether or not the page is built."""
    file = folder / "report-template.html"
    file.write_text(TEMPLATE, encoding="utf-8")
    monkeypatch.setattr(static, "REPORT_PAGE", file)


def read_report(html: str) -> dict[str, Any]:
    """The data that an HTML report shows."""
    (found,) = DATA.findall(html)
    report: dict[str, Any] = json.loads(found)
    return report
