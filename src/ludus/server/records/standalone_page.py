"""A bout as one HTML file that opens anywhere, without a server."""

from __future__ import annotations

from ludus.errors import LudusError
from ludus.server.web import static

FILM_PLACEHOLDER = '"__FILM__"'
"""Where the page's single-file build takes its film."""


def render_html(film: bytes) -> bytes:
    """The whole file. ``film`` is the film's JSON."""
    try:
        page = static.STANDALONE_PAGE.read_text(encoding="utf-8")
    except OSError:
        raise LudusError(
            "the page is not built, so there is no HTML to write; run ./ludus --rebuild",
            "页面尚未构建，无法写出 HTML；请运行 ./ludus --rebuild",
        ) from None
    before, place, after = page.partition(FILM_PLACEHOLDER)
    if not place:
        raise LudusError(
            f"{static.STANDALONE_PAGE} has no place for a film",
            f"{static.STANDALONE_PAGE} 中没有放录像的位置",
        )
    return f"{before}{escape_for_script(film)}{after}".encode()


def escape_for_script(json: bytes) -> str:
    """JSON that may stand in a script element: it neither ends the element nor begins another."""
    text = json.decode()
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text
