"""What is tuned, and how: everything that fixes the path of the values but the results."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludus.bots.players.create import needs_process
from ludus.bots.resolve import BotSource, resolve_bot
from ludus.bots.rival_files import refuse_rival_files
from ludus.errors import LudusError
from ludus.games.base import Clock, Game
from ludus.games.openings import Openings, OpeningSuite
from ludus.match.series import PlannedBout, plan_bouts
from ludus.tuning.parameters import TunableSource, read_tunable
from ludus.tuning.spsa import DEFAULT_RATE, SpsaSettings

DEFAULT_PAIRS = 4
"""Mirrored pairs of an iteration. One would do; several share the cost of starting two bots."""
MIN_LAG = 64
"""Iterations under way at once, at most. Many machines give the same path with the same number."""

MAX_RATE = 1.0

PLUS, MINUS, RIVAL = 0, 1, 2
"""The players of an iteration."""
VERSIONS = (PLUS, MINUS)


@dataclass(frozen=True)
class TuningPlan:
    """A tuning: the bot and its numbers, the game, and how many bouts are played."""

    bot: BotSource
    source: TunableSource
    game: Game
    options: Any
    clock: Clock
    openings: Openings
    bouts: int
    """The most bouts; as many iterations as fit are played."""
    pairs: int = DEFAULT_PAIRS
    rate: float = DEFAULT_RATE
    seed: int = 0
    rival: BotSource | None = None
    """Both versions play against this bot, not against each other."""
    isolate: bool | None = None
    """As in ``MatchSpec``."""

    def __post_init__(self) -> None:
        if len(self.game.seats) != 2:
            raise LudusError(
                f"only games of two seats can be tuned; {self.game.name} has"
                f" {len(self.game.seats)}",
                f"只有双人游戏才能调参；{self.game.name} 有 {len(self.game.seats)} 个座位",
            )
        if not 0 < self.rate <= MAX_RATE:
            raise LudusError(
                f"the rate must be above 0 and at most {MAX_RATE:g}, got {self.rate:g}",
                f"rate 必须大于 0 且不超过 {MAX_RATE:g}，得到 {self.rate:g}",
            )
        if self.iterations < 1:
            raise LudusError(
                f"one iteration takes {self.bouts_per_iteration} bouts, got --bouts {self.bouts}",
                f"一次迭代需要 {self.bouts_per_iteration} 局，得到 --bouts {self.bouts}",
            )

    @property
    def bouts_per_iteration(self) -> int:
        return 2 * self.pairs * (1 if self.rival is None else 2)

    @property
    def iterations(self) -> int:
        return self.bouts // self.bouts_per_iteration

    @property
    def plays_in_process(self) -> bool:
        return not needs_process(self.bot, self.isolate)

    def make_settings(self, lag: int) -> SpsaSettings:
        numbers = self.source.numbers
        return SpsaSettings(
            start=tuple(number.to_unit(number.start) for number in numbers),
            steps=tuple(number.step / number.range for number in numbers),
            iterations=self.iterations,
            seed=self.seed,
            rate=self.rate,
            lag=lag,
        )

    def plan_iteration(self, iteration: int) -> list[PlannedBout]:
        """The bouts of an iteration, between the players PLUS, MINUS and RIVAL."""
        count = 2 * self.pairs
        mirrored = plan_bouts(2, count, self.seed, openings=self.openings, first=iteration * count)
        if self.rival is None:
            return mirrored
        return [
            dataclasses.replace(bout, order=tuple(RIVAL if seat else player for seat in bout.order))
            for player in (PLUS, MINUS)
            for bout in mirrored
        ]

    def list_facts(self) -> dict[str, Any]:
        """Everything that decides the path of the values, as JSON."""
        return {
            "bot": self.bot.name,
            "digest": self.bot.digest,
            "numbers": {n.name: [n.start, n.low, n.high, n.step] for n in self.source.numbers},
            "game": self.game.name,
            "version": self.game.version,
            "options": self.options.as_json(),
            "clock": dataclasses.asdict(self.clock),
            "openings": _list_openings(self.openings),
            "bouts": self.iterations * self.bouts_per_iteration,
            "pairs": self.pairs,
            "rate": self.rate,
            "seed": self.seed,
            "rival": None if self.rival is None else [self.rival.name, self.rival.digest],
        }

    @property
    def key(self) -> str:
        """A name for this tuning; the same bot, game and settings give the same."""
        text = json.dumps(self.list_facts(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]


def _list_openings(openings: Openings) -> list[str]:
    """Where openings come from, and the digest of a list: a file may change."""
    if not isinstance(openings, OpeningSuite):
        return [openings.spec]
    lines = "\n".join(map(" ".join, openings.lines))
    return [openings.spec, hashlib.sha256(lines.encode()).hexdigest()]


def find_bot(spec: str, game: Game) -> tuple[BotSource, Path, TunableSource]:
    """The bot to tune, its file and what it declares. House bots are found by their names."""
    bot = resolve_bot(spec, game)
    path = bot.path
    if path is None or bot.build_spec.argument or bot.build_spec.code is None:
        raise _not_a_file_error(spec)
    if not bot.trusted and bot.named_paths != (path.resolve(),):
        raise _not_a_file_error(spec)
    return bot, path, read_tunable(path)


def _not_a_file_error(spec: str) -> LudusError:
    return LudusError(
        f"only a bot that is a Python file (.py) can be tuned, got {spec}",
        f"只能调整单个 Python 文件（.py）的 AI，得到 {spec}",
    )


def find_rival(spec: str, game: Game, bot: BotSource) -> BotSource:
    """The bot that both versions play against."""
    rival = resolve_bot(spec, game)
    refuse_rival_files([bot, rival])
    return rival
