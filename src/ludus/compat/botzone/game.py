"""A judge of Botzone as a Ludus game: a folder with ``botzone.toml``, which names the judge.

    name = "nim"
    players = 2              # or [2, 3]: the first is the default; nim:3 is for three
    judge = "judge.cpp"      # a source file, a folder, or a command

Everything else is optional:

- ``version``, ``title``, ``seats`` (their names), ``hidden``, ``bots`` (the folder of its bots)
- ``time``: seconds of CPU time that a bot may take for a turn, before the factor of its language
- ``judge_time``, ``judge_memory``: seconds and megabytes that the judge may take for a turn
- ``turns``: how often the judge may ask before it counts as endless
- ``initdata``: what the judge is given at the start, any JSON value
- ``seed``: the key of ``initdata`` that holds the bout's seed, for judges that use random numbers
- ``keep_running``: whether the judge asks to be kept running; by default that is found out in its
  first turn, after which it is started once more
- ``simpleio``: the keys of requests and responses in simple interaction: ["x", "y"] for ``3 4``
"""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec

from ludus.bots.manifest_paths import resolve_manifest_path
from ludus.bots.resolve import is_bot, resolve_program
from ludus.compat.botzone.bot_program import build_program
from ludus.compat.botzone.position import BotzonePosition
from ludus.compat.program_game import (
    SHOWN_ERROR_CHARACTERS,
    ProgramGame,
    ProgramGameManifest,
    Seconds,
    read_manifest,
    refuse_outside_program,
    words_scene,
)
from ludus.errors import LudusError
from ludus.escape import truncate
from ludus.games.base import Clock, Options, option
from ludus.lang import Text
from ludus.sandbox import Limits, Program

MANIFEST_NAME = "botzone.toml"
BOUT_TIME_S = 3600.0
"""Seconds of CPU time that a bot has for a whole bout, besides its limit per turn."""
MAX_SEED = 2**31
"""Judges read their seeds into an ``int``."""


class BotzoneManifest(ProgramGameManifest, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of ``botzone.toml``."""

    judge: str
    time: Seconds = 1.0
    judge_time: Seconds = 10.0
    judge_memory: Annotated[int, msgspec.Meta(ge=16, le=65_536)] = 512
    turns: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = 5000
    initdata: Any = ""
    seed: str = ""
    keep_running: bool | None = None
    simpleio: list[str] = []


@dataclasses.dataclass(frozen=True)
class BotzoneOptions(Options):
    """The options of every judged game: what the judge is given at the start."""

    initdata: str = option(
        "",
        "what the judge gets at the start: JSON, or any text; replaces the game's own",
        "开始时传给裁判的内容：JSON 或任意文本，取代游戏自带的",
        title=Text("Initial data", "初始数据"),
    )


class BotzoneGame(ProgramGame):
    """The game in a folder, for one number of players."""

    Options = BotzoneOptions
    speaks = "botzone"
    turn_source = "ludus.compat.botzone.judge_turns:JudgeTurns"
    reruns = "ludus.compat.botzone.judge_rerun:rerun_record"
    reasons: ClassVar[dict[str, Text]] = {
        "finished": Text("the judge ended the bout: {points}", "裁判结束了对局：{points}")
    }
    manifest_name = MANIFEST_NAME
    program_key = "judge"
    manifest: BotzoneManifest

    def __init__(self, folder: Path, manifest: BotzoneManifest, players: int) -> None:
        super().__init__(folder, manifest, players)
        self.clock = Clock(budget=BOUT_TIME_S, per_move=manifest.time)

    def start(self, options: Any, seed: int) -> BotzonePosition:
        return BotzonePosition(self)

    def scene(self, options: Any) -> dict[str, Any]:
        return {**words_scene(), "display": True}

    def make_initdata(self, options: BotzoneOptions, seed: int) -> Any:
        """What the judge is given at the start of a bout."""
        initdata = _read_given(options.initdata) if options.initdata else self.manifest.initdata
        if not self.manifest.seed:
            return initdata
        if initdata == "":
            initdata = {}
        if not isinstance(initdata, dict):
            raise LudusError(
                "the initdata of this game must be a JSON object, which gets the seed",
                "此游戏的 initdata 应为 JSON 对象，种子将写入其中",
            )
        return {self.manifest.seed: seed % MAX_SEED, **initdata}

    def build_judge(self, limits: Limits, level: str | None) -> Program:
        """The judge, compiled as Botzone compiles it."""
        path = self.folder / self.manifest.judge
        if not (os.path.lexists(path) and is_bot(path)):
            return self.rules_program(limits, level)
        path = resolve_manifest_path(self.manifest_path, "judge", self.manifest.judge)
        return build_program(resolve_program(path), limits, level).program


def _read_given(text: str) -> Any:
    """The option as JSON, or else as the text it is."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def open_game(folder: Path) -> BotzoneGame:
    """Open the game in a folder. Raises LudusError if its manifest is faulty."""
    path = folder.resolve() / MANIFEST_NAME
    manifest = read_manifest(path, BotzoneManifest)
    try:
        json.dumps(manifest.initdata, allow_nan=False)
    except (ValueError, TypeError) as error:  # infinities, dates
        why = truncate(str(error), SHOWN_ERROR_CHARACTERS)
        raise LudusError(f"{path}: initdata: {why}", f"{path}：initdata：{why}") from None
    refuse_outside_program(path, "judge", manifest.judge)
    return BotzoneGame(path.parent, manifest, manifest.player_counts[0])
