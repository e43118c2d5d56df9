"""What lies in the folder of a version. Imports little, for limited processes begin with it."""

from __future__ import annotations

from pathlib import Path

from ludus.bots.manifest import NAME as MANIFEST
from ludus.bots.resolve import ZIP, Source, find_at
from ludus.bots.source_files import files_of
from ludus.errors import LudusError
from ludus.games.registry import listed


def find_in(folder: str, game: str) -> Source:
    """The bot in a folder: the folder, or the only file in it; called in a limited process."""
    place, files = Path(folder), files_of(Path(folder))
    if len(files) == 1 and MANIFEST not in files:
        place = next(iter(files.values()))
        if place.suffix.lower() == ZIP:
            raise LudusError(
                "a zip in a zip is not a bot; upload its files",
                "zip 中的 zip 不是 AI；请直接上传文件",
            )
    return find_at(place, listed(game), kept=True)
