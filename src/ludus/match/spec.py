"""The description of a match as plain data, which any process on any machine can play.

``MatchSpec`` is the one description of what is to be played, from the command line, a contest's
scheduler, the check of an upload or the page down to the referee. Which bouts are played is decided
elsewhere (``plan_bouts`` of ``series``, the match rules of a contest in ``contest.match_bouts``);
a spec only lists them as ``PlannedBout``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludus.bots.bot_seed import load_random_key
from ludus.bots.players.create import create_player, needs_process
from ludus.bots.resolve import BotSource
from ludus.errors import LudusError
from ludus.games.base import Clock, Game
from ludus.games.registry import find_opened_folder, get, open_folder
from ludus.lang import Text
from ludus.match.series import ObserverFactory, PlannedBout, SeriesBout, play_bouts
from ludus.sandbox import Limits


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """Bouts between the same bots, described so that any process can play them.

    It is also a ``TaskSetup`` of the worker pool: without its bouts it says how to play, and the
    bouts are the items.
    """

    game: str
    version: int
    """The version of the rules: a machine with another version refuses the match."""
    options: Mapping[str, Any]
    """The game's options as JSON, for ``Options.parse``."""
    sources: tuple[BotSource, ...]
    """The programs by player; ``PlannedBout.order`` says which player sits on which seat."""
    bouts: tuple[PlannedBout, ...]
    clock: Clock | None = None
    """None: the game's own."""
    time0: tuple[float, ...] | None = None
    """Seconds already used when a bout begins, by player."""
    isolate: bool | None = None
    """As for ``create_player``: by default everything but the house bots."""
    jail: str | None = None
    """The level of the bots' jails; None: the best level of the machine that plays."""
    limits: Limits | None = None
    watch: ObserverFactory | None = None
    """Called in the process that plays, so it must be picklable."""
    folder: Path | None = None
    """The game's folder, if the user opened the game by its path."""
    wins_needed: tuple[int, ...] | None = None
    """The match stops when a player has this many wins; by player."""
    random_key: bytes = dataclasses.field(default_factory=load_random_key, repr=False)
    """The key of the user who made the spec: bots get the same random seeds on every machine."""

    @classmethod
    def for_game(
        cls,
        game: Game,
        options: Mapping[str, Any],
        sources: Iterable[BotSource],
        bouts: Iterable[PlannedBout],
        **more: Any,
    ) -> MatchSpec:
        """A match of a game that is known in this process."""
        return cls(
            game=game.name,
            version=game.version,
            folder=find_opened_folder(game.name),
            options=options,
            sources=tuple(sources),
            bouts=tuple(bouts),
            **more,
        )

    @property
    def without_bouts(self) -> MatchSpec:
        """The same spec without bouts: how to play, but not what."""
        return dataclasses.replace(self, bouts=())

    def split(self) -> list[MatchSpec]:
        """A spec for each mirrored group of bouts: both its halves are played on one core."""
        groups = itertools.groupby(self.bouts, key=lambda bout: bout.seed)
        return [dataclasses.replace(self, bouts=tuple(group)) for _, group in groups]

    def run(self, items: Iterable[PlannedBout]) -> Generator[SeriesBout, None, None]:
        """Play bouts with the same bots, as they arrive."""
        return iterate_match(self, items)

    def describe_items(self, items: Sequence[PlannedBout]) -> Text:
        first, last = items[0].number + 1, items[-1].number + 1
        if first == last:
            return Text(f"bout {first}", f"第 {first} 局")
        return Text(f"one of bouts {first}–{last}", f"第 {first}–{last} 局中的一局")


def play_match(spec: MatchSpec) -> list[SeriesBout]:
    """Play a match in this process. The bots live as long as the match."""
    return list(iterate_match(spec))


def load_spec_game(spec: MatchSpec) -> Game:
    """The game of a match; a game that was opened from a folder is opened here too."""
    if spec.folder is not None:
        open_folder(spec.folder)
    game = get(spec.game)
    if game.version != spec.version:
        raise LudusError(
            f"the match uses rules version {spec.version} of {spec.game}; this Ludus has version"
            f" {game.version}",
            f"比赛使用 {spec.game} 第 {spec.version} 版规则；本版本 Ludus 使用第 {game.version} 版",
        )
    return game


def list_jailed(spec: MatchSpec) -> list[BotSource]:
    """The bots that play in jails."""
    return [
        source
        for source in spec.sources
        if source.has_program and not source.unjailed and needs_process(source, spec.isolate)
    ]


def iterate_match(
    spec: MatchSpec, bouts: Iterable[PlannedBout] | None = None
) -> Generator[SeriesBout, None, None]:
    """Play a match's bouts (or others) in this process, one after the other."""
    game = load_spec_game(spec)
    played = play_bouts(
        game,
        game.Options.parse(spec.options),
        [
            create_player(source, game, isolate=spec.isolate, limits=spec.limits, jail=spec.jail)
            for source in spec.sources
        ],
        spec.bouts if bouts is None else bouts,
        clock=spec.clock,
        time0=spec.time0,
        watch=spec.watch,
        key=spec.random_key,
    )
    return played if spec.wins_needed is None else _stop_when_won(spec.wins_needed, played)


def _stop_when_won(
    wins_needed: Sequence[int], bouts: Generator[SeriesBout, None, None]
) -> Generator[SeriesBout, None, None]:
    wins = [0] * len(wins_needed)
    with contextlib.closing(bouts):
        for played in bouts:
            if (seat := played.record.winner) is not None:
                wins[played.planned.order[seat]] += 1
            yield played
            if any(won >= enough for won, enough in zip(wins, wins_needed, strict=True)):
                return
