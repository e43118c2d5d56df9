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

from ludus.bots.manifest_paths import own_path, stays_in
from ludus.bots.source_files import digest_of, files_of
from ludus.compat.saiblo.command import own_words, program_in, words_of
from ludus.compat.saiblo.match import Terms
from ludus.compat.saiblo.position import SaibloPosition
from ludus.compat.saiblo.protocol import Early, Version, version_named
from ludus.errors import LudusError
from ludus.escape import UNSAFE, one_line, shortened
from ludus.games.base import Clock, Game, Options, option
from ludus.games.board_language import check_scene
from ludus.games.registry import listed
from ludus.lang import Text
from ludus.sandbox import Limits, Program

MANIFEST = "saiblo.toml"
LARGEST = 1 << 20
"""Bytes of a manifest, and of a scene."""
SHOWN = 200
"""Characters shown of what is wrong."""
Few = Annotated[int, msgspec.Meta(ge=1, le=100)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]
Bytes = Annotated[int, msgspec.Meta(ge=0, le=1 << 30)]


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is in ``saiblo.toml``."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]*\Z")]
    logic: str
    players: Few | Annotated[list[Few], msgspec.Meta(min_length=1)] = 2
    version: Few = 1
    title: dict[str, str] = {}
    seats: list[str] = []
    protocol: Literal["v1", "v1.1", "v2"] = "v2"
    early: Early | None = None
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

    def as_object(self) -> dict[str, Any]:
        try:
            said = json.loads(self.config or "{}")
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict):
            shown = shortened(self.config, SHOWN)
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
    seats: tuple[str, ...]  # type: ignore[misc]
    clock: Clock  # type: ignore[misc]
    hidden: bool  # type: ignore[misc]
    house: Path | None  # type: ignore[misc]

    def __init__(self, folder: Path, said: Manifest, players: int) -> None:
        usual = counts_of(said)[0]
        self.folder, self.said = folder, said
        self.name = said.name if players == usual else f"{said.name}:{players}"
        self.version = said.version
        self.title = {"en": said.name, "zh": said.name, **said.title}
        names = said.seats[:players]
        self.seats = (*names, *(f"player {n}" for n in range(len(names), players)))
        self.clock = Clock(budget=said.match_time, per_move=said.time, measure="wall")
        self.hidden = said.hidden
        self.house = own_path(self.manifest, "bots", said.bots) if said.bots else None
        self.protocol: Version = version_named(said.protocol)

    @property
    def manifest(self) -> Path:
        return self.folder / MANIFEST

    def for_players(self, count: int) -> SaibloGame:
        if count in counts_of(self.said):
            return SaibloGame(self.folder, self.said, count)
        known = ", ".join(map(str, counts_of(self.said)))
        raise LudusError(
            f"{self.said.name} is for {known} players, not for {count}",
            f"{self.said.name} 可供 {known} 人玩，不能 {count} 人",
        )

    @property
    def players(self) -> tuple[int, ...]:
        return tuple(sorted(counts_of(self.said)))

    def spoken(self, move: str) -> str:
        return move.partition("\n")[0]

    def start(self, options: Any, seed: int) -> SaibloPosition:
        return SaibloPosition(self)

    def scene(self, options: Any) -> dict[str, Any]:
        if self.said.scene:
            return self._own_scene(own_path(self.manifest, "scene", self.said.scene))
        if self.said.like:
            like = self._like(self.said.like)
            return like.scene(like.Options())
        nothing = {"glyph": " ", "label": {"en": "words", "zh": "文字"}, "owner": None}
        return {
            "rows": 1,
            "columns": 1,
            "layers": ["table"],
            "tokens": {"table": {"text": nothing}},
            "words": True,
        }

    def _like(self, name: str) -> Game:
        """The game whose board it has; one that borrows its own board could lend it in a circle."""
        like = listed(name)
        if isinstance(like, SaibloGame) and like.said.like:
            raise LudusError(
                f"{self.manifest}: like = {name!r} has no board of its own",
                f"{self.manifest}：like = {name!r} 没有自己的棋盘",
            )
        return like

    def _own_scene(self, path: Path) -> dict[str, Any]:
        try:
            scene = json.loads(_text(path))
            check_scene(scene, self)
        except (OSError, ValueError, LookupError, TypeError, AssertionError, RecursionError):
            raise LudusError(
                f"{path} is not a scene in the board language", f"{path} 不是棋盘语言的场景"
            ) from None
        return dict(scene)

    @property
    def has_board(self) -> bool:
        """Whether it shows one, or is nothing but words."""
        return bool(self.said.scene or self.said.like)

    @cached_property
    def blank(self) -> dict[str, Any]:
        """The board before the logic has shown one."""
        scene = self.scene(self.Options())
        cells = scene["rows"] * scene["columns"]
        zeros = {
            entry["key"]: [0] * len(self.seats) if entry.get("per") == "seat" else 0
            for entry in scene.get("counters", [])
        }
        return {"layers": {name: [""] * cells for name in scene["layers"]}, "counters": zeros}

    def fits(self, board: Mapping[str, Any]) -> bool:
        """Whether a board that the logic sent can be shown in the game's scene."""
        wanted, given = self.blank["layers"], board["layers"]
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
            if not stays_in(path, self.folder):
                raise LudusError(
                    f"{path} is a link out of the game's folder, or neither a file nor a folder",
                    f"{path} 是指向游戏文件夹之外的链接，或既不是文件也不是文件夹",
                )
        return {path.stem: path for path in found}

    def logic(self, limits: Limits, level: str | None = None) -> Program:
        """The program of the rules, compiled if need be."""
        program = program_in(self.manifest, "logic", self.said.logic, limits, level)
        if program is None:
            raise LudusError(
                f"the logic of {self.name}, {self.said.logic!r}, is not in {self.folder}",
                f"{self.folder} 中没有 {self.name} 的逻辑 {self.said.logic!r}",
            )
        return program

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything in the folder."""
        return digest_of(files_of(self.folder))

    def terms(self, options: SaibloOptions, seed: int, clock: Clock) -> Terms:
        """What a bout is judged by; the seed is in the config, where logics look for it."""
        config = {"random_seed": seed, **self.said.config, **options.as_object()}
        return Terms(
            version=self.protocol,
            early=self.said.early,
            freeze=self.said.freeze,
            time=clock.per_move or self.said.time,
            length=self.said.length,
            config=config,
            silence=self.said.silence,
            match_time=min(self.said.match_time, clock.budget),
        )


def counts_of(said: Manifest) -> list[int]:
    """How many may play."""
    return [said.players] if isinstance(said.players, int) else list(said.players)


def open_game(folder: Path) -> SaibloGame:
    """The game in a folder, or a LudusError that says what is wrong with it."""
    path = folder.resolve() / MANIFEST
    if not stays_in(path, path.parent):
        raise LudusError(
            f"{path} is a link that leads out of the game's folder",
            f"{path} 是指向游戏文件夹之外的链接",
        )
    said = _manifest(path)
    _refuse_outside(path, said)
    return SaibloGame(path.parent, said, counts_of(said)[0])


def _manifest(path: Path) -> Manifest:
    """What a manifest says, if everything in it can be told to a logic as JSON, and to a person in
    one line."""
    try:
        said = msgspec.convert(tomllib.loads(_text(path)), Manifest)
        json.dumps(said.config, allow_nan=False)
    except (RecursionError, MemoryError):
        raise LudusError(f"{path} is nested too deeply", f"{path} 嵌套过深") from None
    except (OSError, ValueError, TypeError, OverflowError) as error:
        why = shortened(str(error), SHOWN)
        raise LudusError(f"{path}: {why}", f"{path}：{why}") from None
    for text in (*said.title, *said.title.values(), *said.seats):
        if UNSAFE.search(text) or "\n" in text or "\t" in text:
            shown = shortened(one_line(text), SHOWN)
            raise LudusError(
                f"{path}: the title or seat {shown} cannot be shown in one line",
                f"{path}：标题或座位名 {shown} 无法在一行中显示",
            )
    return said


class TooLong(LudusError):
    """A file of a game is longer than anybody writes one."""

    def __init__(self, path: Path) -> None:
        kept = LARGEST >> 10
        super().__init__(f"{path} is too long: at most {kept} kB", f"{path} 过长：最多 {kept} kB")


def _text(path: Path) -> str:
    """What is in a file of the game's folder, if it is not too long."""
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise TooLong(path)
    return data.decode()


def _refuse_outside(path: Path, said: Manifest) -> None:
    """Before anything is done with it: everything that a manifest names lies in its folder."""
    for key in ("bots", "scene"):
        own_path(path, key, getattr(said, key))
    for _ in own_words(path, "logic", words_of(said.logic)):
        pass
