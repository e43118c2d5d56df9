"""Tells IPython how records and positions of the rules look, which know nothing of HTML.

Results and positions of the public interface draw themselves (``_repr_html_``). What lies below
it, such as ``BoutResult.record`` or the position that a bot is given, is drawn by formatters that
are registered here.
"""

from __future__ import annotations

import sys
from typing import Any

from ludus.compat.notebook.pages import render_position, render_record
from ludus.games.base import Game
from ludus.match.record import Record

_scenes: dict[tuple[type, int], dict[str, Any]] = {}
"""The scene of positions of a class, by their number of cells."""


def register_formatters(game: Game, options: Any) -> None:
    """Let records, and positions of this game, be drawn; nothing happens outside IPython."""
    shell = _find_shell()
    if shell is None or game.turn_source:
        return
    scene = game.scene(options)
    kind = type(game.start(options, 0))
    _scenes[kind, scene["rows"] * scene["columns"]] = scene
    formatter = shell.display_formatter.formatters["text/html"]
    formatter.for_type(Record, render_record)
    formatter.for_type(kind, _render_bare_position)


def _find_shell() -> Any:
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None else None


def _render_bare_position(position: Any) -> str | None:
    view = position.view()
    cells = len(next(iter(view["layers"].values())))
    scene = _scenes.get((type(position), cells))
    return None if scene is None else render_position(scene, view)
