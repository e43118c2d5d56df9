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
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from ludus.bots.manifest_paths import resolve_manifest_path
from ludus.compat.program_game import (
    SHOWN_ERROR_CHARACTERS,
    Bytes,
    ProgramGame,
    ProgramGameManifest,
    Seconds,
    read_game_file,
    read_manifest,
    refuse_outside_program,
    words_scene,
)
from ludus.compat.saiblo.position import SaibloPosition, late_seats, parse_step
from ludus.compat.saiblo.settings import JudgerSettings
from ludus.compat.saiblo.versions import EarlyAnswerPolicy, ProtocolVersion, find_version
from ludus.errors import LudusError
from ludus.escape import truncate
from ludus.games.base import Clock, Game, Options, Outcome, option
from ludus.games.board_language import check_scene
from ludus.games.registry import get_listed
from ludus.lang import Text

MANIFEST_NAME = "saiblo.toml"


class SaibloManifest(ProgramGameManifest, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of ``saiblo.toml``."""

    logic: str
    protocol: Literal["v1", "v1.1", "v2"] = "v2"
    early: EarlyAnswerPolicy | None = None
    freeze: bool = False
    time: Seconds = 3.0
    length: Bytes = 2048
    silence: Seconds = 30.0
    match_time: Seconds = 3600.0
    config: dict[str, Any] = {}
    scene: str = ""
    like: str = ""


@dataclasses.dataclass(frozen=True)
class SaibloOptions(Options):
    """The options of every Saiblo game: one JSON object for its logic."""

    config: str = option(
        "",
        "for authors of the game: JSON for its program; left empty to play as usual",
        "供游戏作者使用：写给游戏程序的 JSON；平时留空即可",
        title=Text("Settings of its program", "游戏程序的设置"),
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


class SaibloGame(ProgramGame):
    """The game in a folder, for one number of players."""

    Options = SaibloOptions
    speaks = "saiblo"
    turn_source = "ludus.compat.saiblo.turn_source:LogicTurns"
    finds = "ludus.compat.saiblo.programs:find_bot"
    reasons: ClassVar[dict[str, Text]] = {
        "ended": Text("the game's logic ended the bout", "游戏逻辑结束了对局")
    }
    manifest_name = MANIFEST_NAME
    program_key = "logic"
    manifest: SaibloManifest

    def __init__(self, folder: Path, manifest: SaibloManifest, players: int) -> None:
        super().__init__(folder, manifest, players)
        self.clock = Clock(budget=manifest.match_time, per_move=manifest.time, measure="wall")
        self.protocol: ProtocolVersion = find_version(manifest.protocol)

    def explain_bout(
        self, outcome: Outcome, moves: Sequence[str], names: Sequence[Text] = ()
    ) -> Text:
        last = next((move for move in reversed(moves) if "\n" in move), "")
        late = late_seats(parse_step(last)) if last else []
        if not late:
            return self.explain(outcome, names)
        name = (names or self.seats)[late[-1]]
        return Text(f"{name['en']} ran out of time", f"{name['zh']} 超时")

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
        return words_scene()

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
            scene = json.loads(read_game_file(path))
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


def open_game(folder: Path) -> SaibloGame:
    """Open the game in a folder. Raises LudusError if its manifest is faulty."""
    path = folder.resolve() / MANIFEST_NAME
    manifest = read_manifest(path, SaibloManifest)
    try:
        json.dumps(manifest.config, allow_nan=False)
    except (ValueError, TypeError) as error:  # dates, infinities
        why = truncate(str(error), SHOWN_ERROR_CHARACTERS)
        raise LudusError(f"{path}: {why}", f"{path}：{why}") from None
    resolve_manifest_path(path, "scene", manifest.scene)
    refuse_outside_program(path, "logic", manifest.logic)
    return SaibloGame(path.parent, manifest, manifest.player_counts[0])
