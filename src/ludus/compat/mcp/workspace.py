"""The one folder whose files an agent may name."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ludus.bots.engine_bots import engine_names, is_engine_level
from ludus.bots.resolve import BotSource, resolve_bot, resolve_bot_at, resolve_house_bot
from ludus.bots.rival_files import refuse_rival_files
from ludus.errors import LudusError
from ludus.escape import escape_to_one_line, refuse_undecodable
from ludus.games.base import Game
from ludus.home import refuse_irregular
from ludus.os_errors import describe_os_error

MAX_SOURCE_BYTES = 256 * 1024
RECORDS_FOLDER = "records"
MAX_NUMBER = 1_000_000
"""The highest number of a bout or a match in the folder of records."""


class OutsideWorkspace(LudusError):
    """A path leads out of the folder in which the server was started."""

    code = "outside_workspace"


class Workspace:
    """A folder. Paths lead nowhere else: links are followed before it is decided."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve(strict=True)

    def locate(self, path: str) -> Path:
        """The place that a path names, all links followed; OutsideWorkspace if it is elsewhere."""
        refuse_undecodable(path)
        if not path.strip() or "\0" in path:
            raise LudusError("a path must not be empty", "路径不能为空")
        place = Path(os.path.realpath(self.root / path))
        self.require_inside([place], path)
        return place

    def locate_existing(self, path: str) -> Path:
        """``locate`` for a file or a folder that must be there."""
        place = self.locate(path)
        if not place.exists():
            shown = escape_to_one_line(path)
            raise LudusError(f"there is no file {shown}", f"没有文件 {shown}", code="not_found")
        return place

    def require_inside(self, places: Iterable[Path], named: str) -> None:
        """OutsideWorkspace unless all these places are in the folder."""
        for place in places:
            if not place.is_relative_to(self.root):
                shown = escape_to_one_line(named)
                raise OutsideWorkspace(
                    f"{shown} is outside of {self.root}; only files in that folder can be used",
                    f"{shown} 不在 {self.root} 中；只能使用该文件夹内的文件",
                )

    def name(self, place: Path) -> str:
        """A place as the agent names it: relative to the folder."""
        return place.relative_to(self.root).as_posix()

    def find_bot(self, spec: str, game: Game) -> BotSource:
        """A house bot by its name, an engine like ``search:800``, or a bot in the folder.

        Never a command, an address or another scheme: an agent may run programs in jails only.
        """
        engine, _, argument = spec.partition(":")
        harmless = (argument.isascii() and argument.isdigit()) or is_engine_level(spec)
        if engine in engine_names() and (harmless or not argument):
            return resolve_bot(spec, game)
        if "/" not in spec and not (self.root / spec).exists():
            return resolve_house_bot(spec, game)
        source = resolve_bot_at(self.locate_existing(spec), game)
        self.require_inside([*source.named_paths, *source.extra_paths], spec)
        return source

    def find_bots(self, specs: Iterable[str], game: Game) -> list[BotSource]:
        """A bot for every seat of a game."""
        sources = [self.find_bot(spec, game) for spec in specs]
        if len(sources) != len(game.seats):
            raise LudusError(
                f"{game.name} has {len(game.seats)} seats, so name {len(game.seats)} bots;"
                f" got {len(sources)}",
                f"{game.name} 有 {len(game.seats)} 个座位，请给出 {len(game.seats)} 个 AI；"
                f"得到 {len(sources)} 个",
            )
        refuse_rival_files(sources)
        return sources

    def write_source(self, path: str, source: str, overwrite: bool) -> Path:
        """Write a text file into the folder."""
        place = self.locate(path)
        data = source.encode("utf-8", "surrogatepass")
        shown = escape_to_one_line(path)
        if len(data) > MAX_SOURCE_BYTES:
            raise LudusError(
                f"a source file has at most {MAX_SOURCE_BYTES} bytes, got {len(data)}",
                f"源文件最多 {MAX_SOURCE_BYTES} 字节，得到 {len(data)} 字节",
            )
        if place.exists() and not overwrite:
            raise LudusError(
                f"{shown} exists already; pass overwrite to replace it",
                f"{shown} 已经存在；如要替换，请传入 overwrite",
            )
        refuse_irregular(place)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        except OSError as error:
            why = describe_os_error(error)
            raise LudusError(
                f"cannot write {shown}: {why.en}", f"无法写入 {shown}：{why.zh}"
            ) from None
        return place

    def make_record_folder(self, kind: str) -> Path:
        """A new folder for records: ``records/match-0001``."""
        parent = self.locate(RECORDS_FOLDER)
        for number in range(1, MAX_NUMBER):
            place = parent / f"{kind}-{number:04}"
            try:
                place.mkdir(parents=True)
            except FileExistsError:
                if place.is_dir():
                    continue
                break
            except OSError:
                break
            return place
        raise LudusError(
            f"cannot make a folder for records in {parent}", f"无法在 {parent} 中新建录像文件夹"
        )
