"""A Saiblo game as a Ludus game: a folder with ``saiblo.toml``, which names its logic.

    name = "uno"
    players = [2, 3, 4, 5]      # the first is the default; uno:4 is for four
    logic = "logic.cpp"         # a source file, a folder, or a command

Everything else is optional: ``version``, ``title``, ``seats`` (their names), ``protocol``,
``early``, ``time``, ``length``, ``config``, ``hidden``, ``bots`` (the folder of its AIs), ``scene``
(a JSON file in the board language) or ``like`` (a Ludus game with the same board).
"""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from ludus.bots.manifest_paths import is_inside, resolve_manifest_path
from ludus.bots.source_files import compute_digest, list_bot_files
from ludus.compat.saiblo.command import find_manifest_program, find_own_files, split_command
from ludus.compat.saiblo.position import SaibloPosition
from ludus.compat.saiblo.settings import JudgerSettings
from ludus.compat.saiblo.versions import EarlyAnswerPolicy, ProtocolVersion, find_version
from ludus.errors import LudusError
from ludus.escape import UNSAFE_CHARACTERS, escape_to_one_line, truncate
from ludus.games.base import Clock, Game, Options, option
from ludus.games.board_language import check_scene
from ludus.games.registry import get_listed
from ludus.games.seat_names import numbered_seat, seat_text
from ludus.lang import Text
from ludus.sandbox import Limits, Program

MANIFEST_NAME = "saiblo.toml"
MAX_GAME_FILE_BYTES = 1 << 20
"""Bytes that a manifest or a scene may have."""
SHOWN_ERROR_CHARACTERS = 200
"""How many characters of a faulty value are shown."""
SmallCount = Annotated[int, msgspec.Meta(ge=1, le=100)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]
Bytes = Annotated[int, msgspec.Meta(ge=0, le=1 << 30)]


class SaibloManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of ``saiblo.toml``."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]*\Z")]
    logic: str
    players: SmallCount | Annotated[list[SmallCount], msgspec.Meta(min_length=1)] = 2
    version: SmallCount = 1
    title: dict[str, str] = {}
    seats: list[str | dict[str, str]] = []
    """Names, each a word or a table with ``en`` and ``zh``."""
    protocol: Literal["v1", "v1.1", "v2"] = "v2"
    early: EarlyAnswerPolicy | None = None
    freeze: bool = False
    time: Seconds = 3.0
    length: Bytes = 2048
    silence: Seconds = 30.0
    match_time: Seconds = 3600.0
    config: dict[str, Any] = {}
    hidden: bool = False
    bots: str = ""
    scene: str = ""
    like: str = ""


@dataclasses.dataclass(frozen=True)
class SaibloOptions(Options):
    """The options of every Saiblo game: one JSON object for its logic."""

    config: str = option(
        "",
        "JSON for the logic; its keys override the game's own",
        "传给逻辑的 JSON，覆盖游戏自带的配置",
    )

    def parse_config(self) -> dict[str, Any]:
        try:
            config = json.loads(self.config or "{}")
        except (ValueError, RecursionError):
            config = None
        if not isinstance(config, dict):
            shown = truncate(self.config, SHOWN_ERROR_CHARACTERS)
            raise LudusError(
                f"the config must be a JSON object, got {shown!r}",
                f"config 必须是 JSON 对象，得到 {shown!r}",
            )
        return config


class SaibloGame(Game):
    """The game in a folder, for one number of players."""

    Options = SaibloOptions
    speaks = "saiblo"
    turn_source = "ludus.compat.saiblo.turn_source:LogicTurns"
    finds = "ludus.compat.saiblo.programs:find_bot"
    reasons: ClassVar[dict[str, Text]] = {
        "ended": Text("the game's logic ended the bout", "游戏逻辑结束了对局")
    }

    name: str  # type: ignore[misc]
    version: int  # type: ignore[misc]
    title: Text  # type: ignore[misc]
    seats: tuple[Text, ...]  # type: ignore[misc]
    clock: Clock  # type: ignore[misc]
    hidden: bool  # type: ignore[misc]
    house: Path | None  # type: ignore[misc]

    def __init__(self, folder: Path, manifest: SaibloManifest, players: int) -> None:
        default_players = player_counts(manifest)[0]
        self.folder, self.manifest = folder, manifest
        self.name = manifest.name if players == default_players else f"{manifest.name}:{players}"
        self.version = manifest.version
        title = manifest.title
        self.title = Text(title.get("en", manifest.name), title.get("zh", manifest.name))
        names = [seat_text(name) for name in manifest.seats[:players]]
        self.seats = (*names, *map(numbered_seat, range(len(names), players)))
        self.clock = Clock(budget=manifest.match_time, per_move=manifest.time, measure="wall")
        self.hidden = manifest.hidden
        self.house = (
            resolve_manifest_path(self.manifest_path, "bots", manifest.bots)
            if manifest.bots
            else None
        )
        self.protocol: ProtocolVersion = find_version(manifest.protocol)

    @property
    def manifest_path(self) -> Path:
        return self.folder / MANIFEST_NAME

    def for_players(self, count: int) -> SaibloGame:
        if count in player_counts(self.manifest):
            return SaibloGame(self.folder, self.manifest, count)
        known = ", ".join(map(str, player_counts(self.manifest)))
        raise LudusError(
            f"{self.manifest.name} is for {known} players, not for {count}",
            f"{self.manifest.name} 可供 {known} 人玩，不能 {count} 人",
        )

    @property
    def players(self) -> tuple[int, ...]:
        return tuple(sorted(player_counts(self.manifest)))

    def spoken(self, move: str) -> str:
        return move.partition("\n")[0]

    def start(self, options: Any, seed: int) -> SaibloPosition:
        return SaibloPosition(self)

    def scene(self, options: Any) -> dict[str, Any]:
        if self.manifest.scene:
            return self._read_scene(
                resolve_manifest_path(self.manifest_path, "scene", self.manifest.scene)
            )
        if self.manifest.like:
            like = self._find_board_lender(self.manifest.like)
            return like.scene(like.Options())
        empty = {"glyph": " ", "label": Text("words", "文字"), "owner": None}
        return {
            "rows": 1,
            "columns": 1,
            "layers": ["table"],
            "tokens": {"table": {"text": empty}},
            "words": True,
        }

    def _find_board_lender(self, name: str) -> Game:
        """The game whose board it borrows, which must have its own: else two games could borrow
        from each other."""
        like = get_listed(name)
        if isinstance(like, SaibloGame) and like.manifest.like:
            raise LudusError(
                f"{self.manifest_path}: like = {name!r} has no board of its own",
                f"{self.manifest_path}：like = {name!r} 没有自己的棋盘",
            )
        return like

    def _read_scene(self, path: Path) -> dict[str, Any]:
        try:
            scene = json.loads(_read_text(path))
            check_scene(scene, self)
        except (OSError, ValueError, LookupError, TypeError, AssertionError, RecursionError):
            raise LudusError(
                f"{path} is not a scene in the board language", f"{path} 不是棋盘语言的场景"
            ) from None
        return dict(scene)

    @property
    def has_board(self) -> bool:
        """Whether it has a board, or shows texts only."""
        return bool(self.manifest.scene or self.manifest.like)

    @cached_property
    def empty_board(self) -> dict[str, Any]:
        """The board before the logic has sent one."""
        scene = self.scene(self.Options())
        cells = scene["rows"] * scene["columns"]
        zeros = {
            entry["key"]: [0] * len(self.seats) if entry.get("per") == "seat" else 0
            for entry in scene.get("counters", [])
        }
        return {"layers": {name: [""] * cells for name in scene["layers"]}, "counters": zeros}

    def accepts_board(self, board: Mapping[str, Any]) -> bool:
        """Whether a board that the logic sent can be shown in the game's scene."""
        expected, given = self.empty_board["layers"], board["layers"]
        return set(expected) == set(given) and all(
            isinstance(cells, list)
            and len(cells) == len(expected[name])
            and all(isinstance(token, str) for token in cells)
            for name, cells in given.items()
        )

    def bots(self) -> dict[str, Path]:
        """The AIs that come with the game: files, or folders with a ludus.toml."""
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

    def logic_program(self, limits: Limits, level: str | None = None) -> Program:
        """The logic, compiled if it is in a compiled language."""
        program = find_manifest_program(
            self.manifest_path, "logic", self.manifest.logic, limits, level
        )
        if program is None:
            raise LudusError(
                f"the logic of {self.name}, {self.manifest.logic!r}, is not in {self.folder}",
                f"{self.folder} 中没有 {self.name} 的逻辑 {self.manifest.logic!r}",
            )
        return program

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all files in the folder."""
        return compute_digest(list_bot_files(self.folder))

    def judger_settings(self, options: SaibloOptions, seed: int, clock: Clock) -> JudgerSettings:
        """The judger's settings for a bout. The config holds the seed as ``random_seed``."""
        config = {"random_seed": seed, **self.manifest.config, **options.parse_config()}
        return JudgerSettings(
            version=self.protocol,
            early=self.manifest.early,
            freeze=self.manifest.freeze,
            time=clock.per_move or self.manifest.time,
            length=self.manifest.length,
            config=config,
            silence=self.manifest.silence,
            match_time=min(self.manifest.match_time, clock.budget),
        )


def player_counts(manifest: SaibloManifest) -> list[int]:
    """The numbers of players the game is for; the first is the default."""
    players = manifest.players
    return [players] if isinstance(players, int) else list(players)


def open_game(folder: Path) -> SaibloGame:
    """Open the game in a folder. Raises LudusError if its manifest is faulty."""
    path = folder.resolve() / MANIFEST_NAME
    if not is_inside(path, path.parent):
        raise LudusError(
            f"{path} is a link that leads out of the game's folder",
            f"{path} 是指向游戏文件夹之外的链接",
        )
    manifest = _read_manifest(path)
    _refuse_outside(path, manifest)
    return SaibloGame(path.parent, manifest, player_counts(manifest)[0])


def _read_manifest(path: Path) -> SaibloManifest:
    """Read a manifest; its config must fit into JSON, and its names into one line each."""
    try:
        manifest = msgspec.convert(tomllib.loads(_read_text(path)), SaibloManifest)
        json.dumps(manifest.config, allow_nan=False)
    except (RecursionError, MemoryError):
        raise LudusError(f"{path} is nested too deeply", f"{path} 嵌套过深") from None
    except (OSError, ValueError, TypeError, OverflowError) as error:
        why = truncate(str(error), SHOWN_ERROR_CHARACTERS)
        raise LudusError(f"{path}: {why}", f"{path}：{why}") from None
    seats = [text for seat in manifest.seats for text in seat_text(seat).values()]
    for text in (*manifest.title, *manifest.title.values(), *seats):
        if UNSAFE_CHARACTERS.search(text) or "\n" in text or "\t" in text:
            shown = truncate(escape_to_one_line(text), SHOWN_ERROR_CHARACTERS)
            raise LudusError(
                f"{path}: the title or seat {shown} cannot be shown in one line",
                f"{path}：标题或座位名 {shown} 无法在一行中显示",
            )
    return manifest


class GameFileTooLong(LudusError):
    """A file of a game is longer than ``MAX_GAME_FILE_BYTES``."""

    code = "game_file_too_long"

    def __init__(self, path: Path) -> None:
        limit = MAX_GAME_FILE_BYTES >> 10
        super().__init__(f"{path} is too long: at most {limit} kB", f"{path} 过长：最多 {limit} kB")


def _read_text(path: Path) -> str:
    """Read a file of the game's folder. Raises GameFileTooLong."""
    with path.open("rb") as file:
        data = file.read(MAX_GAME_FILE_BYTES + 1)
    if len(data) > MAX_GAME_FILE_BYTES:
        raise GameFileTooLong(path)
    return data.decode()


def _refuse_outside(path: Path, manifest: SaibloManifest) -> None:
    """Raise LudusError if the manifest names a file outside its folder."""
    for key in ("bots", "scene"):
        resolve_manifest_path(path, key, getattr(manifest, key))
    for _ in find_own_files(path, "logic", split_command(manifest.logic)):
        pass
