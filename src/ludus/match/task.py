"""Bouts described as plain data, to be played in any process, on any machine.

Any ``concurrent.futures.Executor`` can be given ``play_bouts`` and a ``MatchTask``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludus.bots.bot_seed import load_random_key
from ludus.bots.players.base import Player
from ludus.bots.players.create import create_player
from ludus.bots.resolve import BotSource
from ludus.errors import LudusError
from ludus.games.base import Clock, Game
from ludus.games.registry import get, open_folder
from ludus.match.series import BoutPairing, ObserverFactory, SeriesBout, play_pairings
from ludus.sandbox import Limits


@dataclass(frozen=True, slots=True)
class MatchTask:
    """Bouts between the same bots, described so that any process can play them."""

    game: str
    version: int
    """Of the game's rules: a machine with other rules refuses."""
    options: Mapping[str, Any]
    """As JSON; ``Options.parse`` reads them."""
    sources: tuple[BotSource, ...]
    pairings: tuple[BoutPairing, ...]
    clock: Clock | None = None
    time0: tuple[float, ...] | None = None
    isolate: bool | None = None
    """As for ``enter``: by default everything but the house bots."""
    level: str | None = None
    """Of the bots' jails."""
    limits: Limits | None = None
    watch: ObserverFactory | None = None
    """Called in the process that plays, so it must pickle to travel."""
    folder: Path | None = None
    """Where the game lies, if a person opened it there by its path."""
    wins_needed: tuple[int, ...] | None = None
    """Stop when a player has won so many of the bouts; by player."""
    random_key: bytes = dataclasses.field(default_factory=load_random_key, repr=False)
    """Of whoever made the task: bots draw the same wherever it is played."""

    @property
    def without_pairings(self) -> MatchTask:
        """The same without its pairings: what its players need to know."""
        return dataclasses.replace(self, pairings=())

    def split(self) -> list[MatchTask]:
        """A task for each mirrored group of bouts: both its halves are played on one core."""
        groups = itertools.groupby(self.pairings, key=lambda pairing: pairing.seed)
        return [dataclasses.replace(self, pairings=tuple(group)) for _, group in groups]


def has_won_enough(task: MatchTask, played: Iterable[SeriesBout]) -> bool:
    """Whether a task is over before its last pairing."""
    if task.wins_needed is None:
        return False
    wins = [0] * len(task.sources)
    for each in played:
        if (seat := each.record.winner) is not None:
            wins[each.pairing.order[seat]] += 1
    return any(won >= enough for won, enough in zip(wins, task.wins_needed, strict=True))


def play_bouts(task: MatchTask) -> list[SeriesBout]:
    """Play a task here and now. Bots live as long as the task."""
    return list(iterate_bouts(task))


def load_task_game(task: MatchTask) -> Game:
    """The game of a task; one in a folder is opened here, as it was where the task was made."""
    if task.folder is not None:
        open_folder(task.folder)
    return get(task.game)


def create_players(task: MatchTask) -> list[Player]:
    """Whoever plays it, not started yet."""
    game = load_task_game(task)
    return [
        create_player(source, game, isolate=task.isolate, limits=task.limits, level=task.level)
        for source in task.sources
    ]


def iterate_bouts(
    task: MatchTask, plan: Iterable[BoutPairing] | None = None
) -> Generator[SeriesBout, None, None]:
    """Play a task's pairings (or others) in this process, one bout after the other."""
    game = load_task_game(task)
    if game.version != task.version:
        raise LudusError(
            f"the task is of {task.game} version {task.version}; this Ludus plays version"
            f" {game.version}",
            f"任务使用 {task.game} 第 {task.version} 版规则；本版本 Ludus 使用第 {game.version} 版",
        )
    bouts = play_pairings(
        game,
        game.Options.parse(task.options),
        create_players(task),
        task.pairings if plan is None else plan,
        clock=task.clock,
        time0=task.time0,
        watch=task.watch,
        key=task.random_key,
    )
    return bouts if task.wins_needed is None else _stop_when_won(task, bouts)


def _stop_when_won(
    task: MatchTask, bouts: Generator[SeriesBout, None, None]
) -> Generator[SeriesBout, None, None]:
    seen: list[SeriesBout] = []
    with contextlib.closing(bouts):
        for played in bouts:
            seen.append(played)
            yield played
            if has_won_enough(task, seen):
                return
