"""``ludus new``: creates a bot or a game."""

from __future__ import annotations

from pathlib import Path

from ludus.cli.command import LazyGroup
from ludus.cli.command_registry import make_entry
from ludus.lang import Text

ENTRIES = (
    make_entry("bot", "new_bot", "Create a bot that plays at once.", "新建一个能直接对局的 AI。"),
    make_entry("game", "new_game", "Create a game with its tests.", "新建一个带测试的游戏。"),
)
COMMAND = LazyGroup(
    "new",
    {each.name: each for each in ENTRIES},
    Text("Begin a bot or a game.", "新建 AI 或游戏。"),
)


def relative_path(path: Path) -> str:
    """A path relative to the current folder, if it is inside it."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
