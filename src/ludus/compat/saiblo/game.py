"""A Saiblo game as a Ludus game: a folder with ``saiblo.toml``, which names its logic.

    name = "uno"
    players = [2, 3, 4, 5]      # the first is the default; uno:4 is for four
    logic = "logic.cpp"         # a source file, a folder, or a command

Everything else may be left out: ``version``, ``title``, ``seats`` (their names), ``protocol``,
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
from ludus.compat.saiblo.match import JudgerSettings
from ludus.compat.saiblo.position import SaibloPosition
from ludus.compat.saiblo.protocol import EarlyAnswerPolicy, ProtocolVersion, find_version
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
"""Bytes of a manifest, and of a scene."""
SHOWN_ERROR_CHARACTERS = 200
"""Characters shown of what is wrong."""
SmallCount = Annotated[int, msgspec.Meta(ge=1, le=100)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]
Bytes = Annotated[int, msgspec.Meta(ge=0, le=1 << 30)]


class SaibloManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is in ``saiblo.toml``."""

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
    """What a logic can be told: one JSON object."""

    config: str = option("", "JSON for the logic, over the game's own", "传给逻辑的 JSON")

    def parse_config(self) -> dict[str, Any]:
        try:
            said = json.loads(self.config or "{}")
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict):
            shown = truncate(self.config, SHOWN_ERROR_CHARACTERS)
            raise LudusError(
                f"the config must be a JSON object, got {shown!r}",
                f"config 必须是 JSON 对象，得到 {shown!r}",
            )
        return said


class SaibloGame(Game):
    """The game in a folder."""

    Options = SaibloOptions
    speaks = "saiblo"
    table = "ludus.compat.saiblo.referee:play"
    finds = "ludus.compat.saiblo.programs:find_bot"
    reasons: ClassVar[dict[str, Text]] = {
        "ended": {"en": "the game's logic ended the bout", "zh": "游戏逻辑结束了对局"}
    }

    name: str  # type: ignore[misc]
    version: int  # type: ignore[misc]
    title: Text  # type: ignore[misc]
    seats: tuple[Text, ...]  # type: ignore[misc]
    clock: Clock  # type: ignore[misc]
    hidden: bool  # type: ignore[misc]
    house: Path | None  # type: ignore[misc]

    def __init__(self, folder: Path, said: SaibloManifest, players: int) -> None:
        usual = player_counts(said)[0]
        self.folder, self.manifest = folder, said
        self.name = said.name if players == usual else f"{said.name}:{players}"
        self.version = said.version
        self.title = {"en": said.name, "zh": said.name, **said.title}
        names = [seat_text(name) for name in said.seats[:players]]
        self.seats = (*names, *map(numbered_seat, range(len(names), players)))
        self.clock = Clock(budget=said.match_time, per_move=said.time, measure="wall")
        self.hidden = said.hidden
        self.house = (
            resolve_manifest_path(self.manifest_path, "bots", said.bots) if said.bots else None
        )
        self.protocol: ProtocolVersion = find_version(said.protocol)

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
        nothing = {"glyph": " ", "label": {"en": "words", "zh": "文字"}, "owner": None}
        return {
            "rows": 1,
            "columns": 1,
            "layers": ["table"],
            "tokens": {"table": {"text": nothing}},
            "words": True,
        }

    def _find_board_lender(self, name: str) -> Game:
        """The game whose board it has; one that borrows its own board could lend it in a circle."""
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
        """Whether it shows one, or is nothing but words."""
        return bool(self.manifest.scene or self.manifest.like)

    @cached_property
    def empty_board(self) -> dict[str, Any]:
        """The board before the logic has shown one."""
        scene = self.scene(self.Options())
        cells = scene["rows"] * scene["columns"]
        zeros = {
            entry["key"]: [0] * len(self.seats) if entry.get("per") == "seat" else 0
            for entry in scene.get("counters", [])
        }
        return {"layers": {name: [""] * cells for name in scene["layers"]}, "counters": zeros}

    def accepts_board(self, board: Mapping[str, Any]) -> bool:
        """Whether a board that the logic sent can be shown in the game's scene."""
        wanted, given = self.empty_board["layers"], board["layers"]
        return set(wanted) == set(given) and all(
            isinstance(cells, list)
            and len(cells) == len(wanted[name])
            and all(isinstance(token, str) for token in cells)
            for name, cells in given.items()
        )

    def bots(self) -> dict[str, Path]:
        """The AIs that come with the game: files, or folders with a ludus.toml."""
        if self.house is None or not self.house.is_dir():
            return {}
        found = sorted(path for path in self.house.iterdir() if path.name[0] not in "._")
        for path in found:
            if not is_inside(path, self.folder):
                raise LudusError(
                    f"{path} is a link out of the game's folder, or neither a file nor a folder",
                    f"{path} 是指向游戏文件夹之外的链接，或既不是文件也不是文件夹",
                )
        return {path.stem: path for path in found}

    def logic_program(self, limits: Limits, level: str | None = None) -> Program:
        """The program of the rules, compiled if need be."""
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
        """SHA-256 of everything in the folder."""
        return compute_digest(list_bot_files(self.folder))

    def judger_settings(self, options: SaibloOptions, seed: int, clock: Clock) -> JudgerSettings:
        """What a bout is judged by; the seed is in the config, where logics look for it."""
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


def player_counts(said: SaibloManifest) -> list[int]:
    """How many may play."""
    return [said.players] if isinstance(said.players, int) else list(said.players)


def open_game(folder: Path) -> SaibloGame:
    """The game in a folder, or a LudusError that says what is wrong with it."""
    path = folder.resolve() / MANIFEST_NAME
    if not is_inside(path, path.parent):
        raise LudusError(
            f"{path} is a link that leads out of the game's folder",
            f"{path} 是指向游戏文件夹之外的链接",
        )
    said = _read_manifest(path)
    _refuse_outside(path, said)
    return SaibloGame(path.parent, said, player_counts(said)[0])


def _read_manifest(path: Path) -> SaibloManifest:
    """What a manifest says, if everything in it can be told to a logic as JSON, and to a person in
    one line."""
    try:
        said = msgspec.convert(tomllib.loads(_read_text(path)), SaibloManifest)
        json.dumps(said.config, allow_nan=False)
    except (RecursionError, MemoryError):
        raise LudusError(f"{path} is nested too deeply", f"{path} 嵌套过深") from None
    except (OSError, ValueError, TypeError, OverflowError) as error:
        why = truncate(str(error), SHOWN_ERROR_CHARACTERS)
        raise LudusError(f"{path}: {why}", f"{path}：{why}") from None
    seats = [text for seat in said.seats for text in seat_text(seat).values()]
    for text in (*said.title, *said.title.values(), *seats):
        if UNSAFE_CHARACTERS.search(text) or "\n" in text or "\t" in text:
            shown = truncate(escape_to_one_line(text), SHOWN_ERROR_CHARACTERS)
            raise LudusError(
                f"{path}: the title or seat {shown} cannot be shown in one line",
                f"{path}：标题或座位名 {shown} 无法在一行中显示",
            )
    return said


class GameFileTooLong(LudusError):
    """A file of a game is longer than anybody writes one."""

    def __init__(self, path: Path) -> None:
        kept = MAX_GAME_FILE_BYTES >> 10
        super().__init__(f"{path} is too long: at most {kept} kB", f"{path} 过长：最多 {kept} kB")


def _read_text(path: Path) -> str:
    """What is in a file of the game's folder, if it is not too long."""
    with path.open("rb") as file:
        data = file.read(MAX_GAME_FILE_BYTES + 1)
    if len(data) > MAX_GAME_FILE_BYTES:
        raise GameFileTooLong(path)
    return data.decode()


def _refuse_outside(path: Path, said: SaibloManifest) -> None:
    """Before anything is done with it: everything that a manifest names lies in its folder."""
    for key in ("bots", "scene"):
        resolve_manifest_path(path, key, getattr(said, key))
    for _ in find_own_files(path, "logic", split_command(said.logic)):
        pass
