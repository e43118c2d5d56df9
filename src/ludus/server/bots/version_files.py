"""The files of versions on disk, where the processes that play can read them."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import tempfile
import threading
from pathlib import Path

from ludus.bots import limited_calls
from ludus.bots.resolve import BotSource
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.home import make_private
from ludus.sandbox.remove_tree import remove_tree
from ludus.scheduling.schema import VersionFilesRow
from ludus.server.bots import upload
from ludus.server.bots.version_layout import find_in_folder
from ludus.server.database import Database


class VersionFiles:
    """A folder with one subfolder for each version that was needed so far."""

    def __init__(self, database: Database, folder: Path) -> None:
        self.database, self.folder = database, folder
        self._sources: dict[tuple[int, str], BotSource] = {}
        self._lock = threading.Lock()

    def source(
        self,
        version_id: int,
        name: str,
        game: Game,
        bounds: limited_calls.Bounds = limited_calls.DEFAULT_BOUNDS,
    ) -> BotSource:
        """The program of a version under a display name. It is located in a limited process, not
        run."""
        with self._lock:
            known = self._sources.get((version_id, game.name))
        if known is None:
            folder = self.ensure_folder(version_id)
            try:
                known = limited_calls.call_with_bounds(
                    bounds, find_in_folder, str(folder), game.name
                )
            except LudusError as error:
                raise strip_paths(error, folder) from None
            with self._lock:
                self._sources[version_id, game.name] = known
        return dataclasses.replace(known, name=name)

    def ensure_folder(self, version_id: int) -> Path:
        """The folder of a version; created completely or not at all."""
        place = self.folder / str(version_id)
        if not place.is_dir():
            with self.database.reading() as session:
                files = upload.unpack_files(session.get_one(VersionFilesRow, version_id).data)
            make_private(self.folder)
            aside = Path(tempfile.mkdtemp(prefix=".new-", dir=self.folder))
            try:
                upload.write_files(files, aside)
                aside.chmod(0o755)
                with contextlib.suppress(OSError):  # another process was faster
                    os.rename(aside, place)
            finally:
                remove_tree(aside)
        return place


def strip_paths(error: LudusError, folder: Path) -> LudusError:
    """The same error with paths as the bot's author knows them."""
    prefix = f"{folder}{os.sep}"
    texts = {
        lang: text.replace(prefix, "").replace(str(folder), "it")
        for lang, text in error.text.items()
    }
    return error.rephrase(texts["en"], texts["zh"], error.detail.replace(prefix, ""))
