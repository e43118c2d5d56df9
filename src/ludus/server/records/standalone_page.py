"""A bout as one HTML file that opens anywhere, without a server."""

from __future__ import annotations

from ludus.errors import LudusError
from ludus.server.web import static
from ludus.server.web.embedding import (
    FILM_PLACEHOLDER,
    embed_vocabulary,
    escape_for_script,
    fill_placeholders,
)


def render_html(film: bytes) -> bytes:
    """The whole HTML file. ``film`` is the film's JSON."""
    try:
        page = static.STANDALONE_PAGE.read_text(encoding="utf-8")
    except OSError:
        raise LudusError(
            "the page is not built, so there is no HTML to write; run ./ludus --rebuild",
            "页面尚未构建，无法写出 HTML；请运行 ./ludus --rebuild",
        ) from None
    values = {FILM_PLACEHOLDER: escape_for_script(film)}
    return fill_placeholders(embed_vocabulary(page), values).encode()
