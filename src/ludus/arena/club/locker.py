"""Versions laid out as files, where the processes that play can read them."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import tempfile
import threading
from pathlib import Path

from ludus.arena.club import parcel
from ludus.arena.club.database import Database
from ludus.arena.club.tables import CodeRow
from ludus.bots.find import Source, find
from ludus.bots.manifest import NAME as MANIFEST
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.home import make_private


class Locker:
    """A folder with a folder for each version that was ever needed here."""

    def __init__(self, database: Database, folder: Path) -> None:
        self.database, self.folder = database, folder
        self._sources: dict[tuple[int, str], Source] = {}
        self._lock = threading.Lock()

    def source(self, version_id: int, name: str, game: Game) -> Source:
        """The program of a version, called by a name; nothing of it is run."""
        with self._lock:
            known = self._sources.get((version_id, game.name))
        if known is None:
            known = self._found(version_id, game)
            with self._lock:
                self._sources[version_id, game.name] = known
        return dataclasses.replace(known, name=name)

    def _found(self, version_id: int, game: Game) -> Source:
        folder = self.laid_out(version_id)
        try:
            return find(str(_bot_in(folder)), game)
        except LudusError as error:
            raise without_paths(error, folder) from None

    def laid_out(self, version_id: int) -> Path:
        """The folder of a version; made whole or not at all."""
        place = self.folder / str(version_id)
        if not place.is_dir():
            with self.database.reading() as session:
                files = parcel.unpacked(session.get_one(CodeRow, version_id).data)
            make_private(self.folder)
            aside = Path(tempfile.mkdtemp(prefix=".new-", dir=self.folder))
            try:
                parcel.lay_out(files, aside)
                aside.chmod(0o755)
                with contextlib.suppress(OSError):  # somebody else was faster
                    os.rename(aside, place)
            finally:
                shutil.rmtree(aside, ignore_errors=True)
        return place


def _bot_in(folder: Path) -> Path:
    """A single file is the bot itself."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    if len(files) == 1 and files[0].name != MANIFEST:
        return files[0]
    return folder


def without_paths(error: LudusError, folder: Path) -> LudusError:
    """The same words with the names that the bot's author knows."""
    prefix = f"{folder}{os.sep}"
    text = {
        lang: said.replace(prefix, "").replace(str(folder), "it")
        for lang, said in error.text.items()
    }
    return LudusError(text["en"], text["zh"], error.detail.replace(prefix, ""))
