"""A bout as one HTML file that opens anywhere, without a server."""

from __future__ import annotations

from ludus.errors import LudusError
from ludus.server.web import static
from ludus.server.web.embedding import FILM_PLACEHOLDER, embed_json, embed_vocabulary


def render_html(film: bytes) -> bytes:
    """The whole HTML file. ``film`` is the film's JSON."""
    try:
        page = static.STANDALONE_PAGE.read_text(encoding="utf-8")
    except OSError:
        raise LudusError(
            "the page is not built, so there is no HTML to write; run ./ludus --rebuild",
            "页面尚未构建，无法写出 HTML；请运行 ./ludus --rebuild",
        ) from None
    if FILM_PLACEHOLDER not in page:
        raise LudusError(
            f"{static.STANDALONE_PAGE} has no place for a film",
            f"{static.STANDALONE_PAGE} 中没有放录像的位置",
        )
    return embed_json(embed_vocabulary(page), FILM_PLACEHOLDER, film).encode()
