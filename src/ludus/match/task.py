"""Bouts described as plain data, to be played in any process, on any machine.

Any ``concurrent.futures.Executor`` can be given ``play_bouts`` and a ``Task``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludus.bots.bot_seed import random_key
from ludus.bots.players.base import Player
from ludus.bots.players.create import enter
from ludus.bots.resolve import Source
from ludus.errors import LudusError
from ludus.games.base import Clock, Game
from ludus.games.registry import get, open_folder
from ludus.match.series import Pairing, Played, WatchEach, play_pairings
from ludus.sandbox import Limits


@dataclass(frozen=True, slots=True)
class Task:
    """Bouts between the same bots, described so that any process can play them."""

    game: str
    version: int
    """Of the game's rules: a machine with other rules refuses."""
    options: Mapping[str, Any]
    """As JSON; ``Options.parse`` reads them."""
    sources: tuple[Source, ...]
    pairings: tuple[Pairing, ...]
    clock: Clock | None = None
    time0: tuple[float, ...] | None = None
    isolate: bool | None = None
    """As for ``enter``: by default everything but the house bots."""
    level: str | None = None
    """Of the bots' jails."""
    limits: Limits | None = None
    watch: WatchEach | None = None
    """Called in the process that plays, so it must pickle to travel."""
    folder: Path | None = None
    """Where the game lies, if a person opened it there by its path."""
    enough: tuple[int, ...] | None = None
    """Stop when a player has won so many of the bouts; by player."""
    random_key: bytes = dataclasses.field(default_factory=random_key, repr=False)
    """Of whoever made the task: bots draw the same wherever it is played."""

    @property
    def match(self) -> Task:
        """The same without its pairings: what its players need to know."""
        return dataclasses.replace(self, pairings=())

    def split(self) -> list[Task]:
        """A task for each mirrored group of bouts: both its halves are played on one core."""
        groups = itertools.groupby(self.pairings, key=lambda pairing: pairing.seed)
        return [dataclasses.replace(self, pairings=tuple(group)) for _, group in groups]


def won_enough(task: Task, played: Iterable[Played]) -> bool:
    """Whether a task is over before its last pairing."""
    if task.enough is None:
        return False
    wins = [0] * len(task.sources)
    for each in played:
        if (seat := each.record.winner) is not None:
            wins[each.pairing.order[seat]] += 1
    return any(won >= enough for won, enough in zip(wins, task.enough, strict=True))


def play_bouts(task: Task) -> list[Played]:
    """Play a task here and now. Bots live as long as the task."""
    return list(bouts_of(task))


def game_of(task: Task) -> Game:
    """The game of a task; one in a folder is opened here, as it was where the task was made."""
    if task.folder is not None:
        open_folder(task.folder)
    return get(task.game)


def players_of(task: Task) -> list[Player]:
    """Whoever plays it, not started yet."""
    game = game_of(task)
    return [
        enter(source, game, isolate=task.isolate, limits=task.limits, level=task.level)
        for source in task.sources
    ]


def bouts_of(task: Task, plan: Iterable[Pairing] | None = None) -> Generator[Played, None, None]:
    """Play a task's pairings (or others) in this process, one bout after the other."""
    game = game_of(task)
    if game.version != task.version:
        raise LudusError(
            f"the task is of {task.game} version {task.version}; this Ludus plays version"
            f" {game.version}",
            f"任务使用 {task.game} 第 {task.version} 版规则；本版本 Ludus 使用第 {game.version} 版",
        )
    bouts = play_pairings(
        game,
        game.Options.parse(task.options),
        players_of(task),
        task.pairings if plan is None else plan,
        clock=task.clock,
        time0=task.time0,
        watch=task.watch,
        key=task.random_key,
    )
    return bouts if task.enough is None else _until_enough(task, bouts)


def _until_enough(
    task: Task, bouts: Generator[Played, None, None]
) -> Generator[Played, None, None]:
    seen: list[Played] = []
    with contextlib.closing(bouts):
        for played in bouts:
            seen.append(played)
            yield played
            if won_enough(task, seen):
                return
