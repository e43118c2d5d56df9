"""The layout of a version's folder. Has few imports, because limited processes load it."""

from __future__ import annotations

from pathlib import Path

from ludus.bots.manifest import MANIFEST_NAME as MANIFEST
from ludus.bots.resolve import ZIP_SUFFIX, BotSource, resolve_bot_at
from ludus.bots.source_files import list_bot_files
from ludus.errors import LudusError
from ludus.games.registry import get_listed


def find_in_folder(folder: str, game: str) -> BotSource:
    """The bot in a folder: the folder itself, or its only file. Called in a limited process."""
    place, files = Path(folder), list_bot_files(Path(folder))
    if len(files) == 1 and MANIFEST not in files:
        place = next(iter(files.values()))
        if place.suffix.lower() == ZIP_SUFFIX:
            raise LudusError(
                "a zip in a zip is not a bot; upload its files",
                "zip 中的 zip 不是 AI；请直接上传文件",
            )
    return resolve_bot_at(place, get_listed(game), kept=True)
