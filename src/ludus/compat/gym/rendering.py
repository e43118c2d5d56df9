"""Pictures of a bout for ``render``."""

from __future__ import annotations

from typing import Any

from ludus.compat.gym.numbered_bout import NumberedBout
from ludus.compat.notebook.board_pixels import draw_pixels
from ludus.compat.notebook.board_text import draw_text
from ludus.errors import LudusError

RENDER_MODES = ("ansi", "rgb_array")
RENDER_FPS = 4


def check_render_mode(mode: str | None) -> str | None:
    """The mode, if there is such a one."""
    if mode is not None and mode not in RENDER_MODES:
        raise LudusError(
            f"render_mode must be one of {', '.join(RENDER_MODES)}, got {mode!r}",
            f"render_mode 只能是 {'、'.join(RENDER_MODES)} 之一，得到 {mode!r}",
        )
    return mode


def render_bout(bout: NumberedBout, mode: str | None) -> Any:
    """The board as text or as an array of pixels; None without a mode."""
    if mode is None:
        return None
    draw: Any = draw_text if mode == "ansi" else draw_pixels
    return draw(bout.scene, bout.position.view())
