"""A game in a folder whose rules are a program: what such games have in common.

A manifest in the folder names the program. ``ludus.compat.saiblo.game`` and
``ludus.compat.botzone.game`` say how their programs are talked with.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, TypeVar

import msgspec

from ludus.bots.manifest_paths import is_inside, resolve_manifest_path
from ludus.bots.source_files import compute_digest, list_bot_files
from ludus.compat.saiblo.command import find_manifest_program, find_own_files, split_command
from ludus.errors import LudusError
from ludus.escape import UNSAFE_CHARACTERS, escape_to_one_line, truncate
from ludus.games.base import BotLevel, Clock, Game
from ludus.games.seat_names import numbered_seat, seat_text
from ludus.lang import Text
from ludus.os_errors import describe_os_error
from ludus.sandbox import Limits, Program

MAX_GAME_FILE_BYTES = 1 << 20
"""Bytes that a manifest or a scene may have."""
SHOWN_ERROR_CHARACTERS = 200
"""How many characters of a faulty value are shown."""
SmallCount = Annotated[int, msgspec.Meta(ge=1, le=100)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]
Bytes = Annotated[int, msgspec.Meta(ge=0, le=1 << 30)]


class ProgramGameManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings that every manifest of such a game may have."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]*\Z")]
    players: SmallCount | Annotated[list[SmallCount], msgspec.Meta(min_length=1)] = 2
    version: SmallCount = 1
    title: dict[str, str] = {}
    seats: list[str | dict[str, str]] = []
    """Names, each a word or a table with ``en`` and ``zh``."""
    hidden: bool = False
    bots: str = ""
    levels: dict[str, BotLevel] = {}
    """How strong its bots are: ``beginner``, ``normal``, ``hard`` or ``master``."""

    @property
    def player_counts(self) -> list[int]:
        """The numbers of players the game is for; the first is the default."""
        return [self.players] if isinstance(self.players, int) else list(self.players)


class ProgramGame(Game):
    """The game in a folder, for one number of players."""

    manifest_name: ClassVar[str]
    program_key: ClassVar[str]
    """The key of the manifest that names the program: ``logic`` or ``judge``."""
    manifest: Any

    name: str  # type: ignore[misc]
    version: int  # type: ignore[misc]
    title: Text  # type: ignore[misc]
    seats: tuple[Text, ...]  # type: ignore[misc]
    clock: Clock  # type: ignore[misc]
    hidden: bool  # type: ignore[misc]
    house: Path | None  # type: ignore[misc]
    guide_folder: Path | None  # type: ignore[misc]
    levels: Mapping[str, BotLevel]  # type: ignore[misc]

    def __init__(self, folder: Path, manifest: ProgramGameManifest, players: int) -> None:
        default_players = manifest.player_counts[0]
        self.folder, self.manifest = folder, manifest
        self.name = manifest.name if players == default_players else f"{manifest.name}:{players}"
        self.version = manifest.version
        title = manifest.title
        self.title = Text(title.get("en", manifest.name), title.get("zh", manifest.name))
        names = [seat_text(name) for name in manifest.seats[:players]]
        self.seats = (*names, *map(numbered_seat, range(len(names), players)))
        self.hidden = manifest.hidden
        self.levels = manifest.levels
        self.house = (
            resolve_manifest_path(self.manifest_path, "bots", manifest.bots)
            if manifest.bots
            else None
        )
        self.guide_folder = _find_guide(folder)

    @property
    def manifest_path(self) -> Path:
        return self.folder / self.manifest_name

    def for_players(self, count: int) -> Self:
        if count in self.manifest.player_counts:
            return type(self)(self.folder, self.manifest, count)
        known = ", ".join(map(str, self.manifest.player_counts))
        raise LudusError(
            f"{self.manifest.name} is for {known} players, not for {count}",
            f"{self.manifest.name} 可供 {known} 人玩，不能 {count} 人",
        )

    @property
    def players(self) -> tuple[int, ...]:
        return tuple(sorted(self.manifest.player_counts))

    def rules_text(self, options: Any, language: str = "en") -> str:
        """The rules of the guide; without a guide the README of the folder."""
        return super().rules_text(options, language) or _read_readme(self.folder, language)

    def spoken(self, move: str) -> str:
        return move.partition("\n")[0]

    def bots(self) -> dict[str, Path]:
        """The bots that come with the game: files, or folders with a ludus.toml."""
        if self.house is None or not self.house.is_dir():
            return {}
        paths = sorted(path for path in self.house.iterdir() if path.name[0] not in "._")
        for path in paths:
            if not is_inside(path, self.folder):
                raise LudusError(
                    f"{path} is a link out of the game's folder, or neither a file nor a folder",
                    f"{path} 是指向游戏文件夹之外的链接，或既不是文件也不是文件夹",
                )
        return {path.stem: path for path in paths}

    def rules_program(self, limits: Limits, level: str | None = None) -> Program:
        """The program with the rules, compiled if it is in a compiled language."""
        key, command = self.program_key, getattr(self.manifest, self.program_key)
        program = find_manifest_program(self.manifest_path, key, command, limits, level)
        if program is None:
            raise LudusError(
                f"the {key} of {self.name}, {command!r}, is not in {self.folder}",
                f"{self.folder} 中没有 {self.name} 的 {key} 程序 {command!r}",
            )
        return program

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all files in the folder."""
        return compute_digest(list_bot_files(self.folder))


def _find_guide(folder: Path) -> Path | None:
    """The folder's guide, if it has one whose files are its own and of a sensible size."""
    guide = folder / "guide"
    if not (guide / "en.md").is_file():
        return None
    for path in guide.iterdir():
        if not is_inside(path, folder):
            raise LudusError(
                f"{path} is a link out of the game's folder",
                f"{path} 是指向游戏文件夹之外的链接",
            )
        if path.stat().st_size > MAX_GAME_FILE_BYTES:
            raise GameFileTooLong(path)
    return guide


def _read_readme(folder: Path, language: str) -> str:
    for name in (f"README.{language}.md", "README.md", "README.txt", "README"):
        path = folder / name
        if path.is_file() and is_inside(path, folder):
            return read_game_file(path)
    return ""


def words_scene() -> dict[str, Any]:
    """The scene of a game without a board, which shows texts only."""
    empty = {"glyph": " ", "label": {"en": "words", "zh": "文字"}, "owner": None}
    return {
        "rows": 1,
        "columns": 1,
        "layers": ["table"],
        "tokens": {"table": {"text": empty}},
        "words": True,
    }


class AnyText(list[str]):
    """The legal moves of a seat of which only the program knows what it may answer: any text."""

    def __contains__(self, move: object) -> bool:
        return isinstance(move, str)


class GameFileTooLong(LudusError):
    """A file of a game is longer than ``MAX_GAME_FILE_BYTES``."""

    code = "game_file_too_long"

    def __init__(self, path: Path) -> None:
        limit = MAX_GAME_FILE_BYTES >> 10
        super().__init__(f"{path} is too long: at most {limit} kB", f"{path} 过长：最多 {limit} kB")


def read_game_file(path: Path) -> str:
    """Read a file of the game's folder. Raises GameFileTooLong."""
    with path.open("rb") as file:
        data = file.read(MAX_GAME_FILE_BYTES + 1)
    if len(data) > MAX_GAME_FILE_BYTES:
        raise GameFileTooLong(path)
    return data.decode()


Manifest = TypeVar("Manifest", bound=ProgramGameManifest)


def read_manifest(path: Path, kind: type[Manifest]) -> Manifest:
    """Read a manifest, whose names must fit into one line each. Raises LudusError if it is
    faulty, a link out of its folder, or names a program outside it."""
    if not is_inside(path, path.parent):
        raise LudusError(
            f"{path} is a link that leads out of the game's folder",
            f"{path} 是指向游戏文件夹之外的链接",
        )
    try:
        manifest = msgspec.convert(tomllib.loads(read_game_file(path)), kind)
    except (RecursionError, MemoryError):
        raise LudusError(f"{path} is nested too deeply", f"{path} 嵌套过深") from None
    except (OSError, ValueError, TypeError, OverflowError) as error:
        why = describe_os_error(error).map(lambda said: truncate(said, SHOWN_ERROR_CHARACTERS))
        raise LudusError(f"{path}: {why.en}", f"{path}：{why.zh}") from None
    seats = [text for seat in manifest.seats for text in seat_text(seat).values()]
    for text in (*manifest.title, *manifest.title.values(), *seats):
        if UNSAFE_CHARACTERS.search(text) or "\n" in text or "\t" in text:
            shown = truncate(escape_to_one_line(text), SHOWN_ERROR_CHARACTERS)
            raise LudusError(
                f"{path}: the title or seat {shown} cannot be shown in one line",
                f"{path}：标题或座位名 {shown} 无法在一行中显示",
            )
    resolve_manifest_path(path, "bots", manifest.bots)
    return manifest


def refuse_outside_program(path: Path, key: str, command: str) -> None:
    """Raise LudusError if the program of a manifest is a file outside its folder."""
    for _ in find_own_files(path, key, split_command(command)):
        pass
