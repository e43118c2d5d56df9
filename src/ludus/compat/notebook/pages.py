"""Positions and records as HTML for the output of a notebook's cell.

A record becomes the page's own player, in a frame of its own (``srcdoc``) without access to the
notebook around it: it needs no server and no network, so a saved notebook still plays it.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from ludus.compat.notebook.board_svg import draw_svg
from ludus.errors import LudusError
from ludus.lang import tr, translate
from ludus.match.record import Record, load_game
from ludus.match.replay import last_position

MAX_PLAYER_BYTES = 3 << 20
"""The largest player that a notebook gets: notebooks keep all their outputs in one file."""
PLAYER_HEIGHT_PX = 600
PLAYER_SCALE = 0.75
"""The player is drawn smaller than on a page, so that moves and charts fit beside the board."""


def render_position(scene: Mapping[str, Any], view: Mapping[str, Any]) -> str:
    """A board with what counts in the game under it."""
    caption = escape(describe_counters(scene, view))
    board = draw_svg(scene, view)
    return f'<figure style="margin:0">{board}<figcaption>{caption}</figcaption></figure>'


def describe_counters(scene: Mapping[str, Any], view: Mapping[str, Any]) -> str:
    """Phase and counters in one line: ``white to move · discs 12 : 9``."""
    values = view.get("counters", {})
    shown = [translate(view["phase"])]
    for counter in scene.get("counters", ()):
        if counter["key"] in values:
            value = values[counter["key"]]
            text = " : ".join(map(str, value)) if isinstance(value, list) else str(value)
            shown.append(f"{translate(counter['name'])} {text}")
    return " · ".join(shown)


def render_player_page(record: Record) -> str:
    """The bout as one HTML page that plays it."""
    from ludus.server.live.film import make_film
    from ludus.server.records.standalone_page import render_html

    film = make_film(record, f"{record.game}-{record.seed}", "file")
    return render_html(film.encode()).decode()


def render_record(record: Record) -> str:
    """The player in a frame; a picture of the end where the player is too large or not built."""
    try:
        page = render_player_page(record)
    except LudusError as error:
        return _render_ending(record, str(error))
    if len(page.encode()) > MAX_PLAYER_BYTES:
        why = tr(
            f"The player of this bout takes more than {MAX_PLAYER_BYTES >> 20} MB;"
            " write it to a file with to_html(), or use ludus replay html.",
            f"这局的播放器超过 {MAX_PLAYER_BYTES >> 20} MB；请用 to_html() 写成文件，"
            "或使用 ludus replay html。",
        )
        return _render_ending(record, why)
    width, height = 100 / PLAYER_SCALE, PLAYER_HEIGHT_PX / PLAYER_SCALE
    return (
        f'<div style="height:{PLAYER_HEIGHT_PX}px;overflow:hidden">'
        f'<iframe srcdoc="{escape(page)}" sandbox="allow-scripts" loading="lazy" style="border:0;'
        f"width:{width:.2f}%;max-width:none;height:{height:.0f}px;"
        f'transform:scale({PLAYER_SCALE});transform-origin:0 0"></iframe></div>'
    )


def _render_ending(record: Record, why: str) -> str:
    game, options = load_game(record)
    board = render_position(game.scene(options), last_position(record).view())
    return f"{board}<p>{escape(why)}</p>"
