"""Plays bouts for an agent, and saves their records in its folder."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ludus.bots.players.create import create_player
from ludus.bots.players.human import BoutAborted
from ludus.bots.players.interrupt import Interrupt
from ludus.compat.mcp.texts import shorten
from ludus.compat.mcp.workspace import Workspace
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.openings import resolve_openings
from ludus.games.registry import get_listed
from ludus.match.bout_key import compute_bout_key
from ludus.match.record import SUFFIX, save
from ludus.match.series import SeriesBout, plan_bouts, play_bouts
from ludus.rating.copies import drop_copies
from ludus.rating.elo import estimate_elo, probability_better
from ludus.rating.scores import PairedScore

MAX_BOUTS = 200
MAX_CLOCK_S = 120.0
MAX_MATCH_S = 900.0


@dataclass(frozen=True)
class BoutOrder:
    """What an agent wants to be played."""

    game: str
    bots: Sequence[str]
    bouts: int = 1
    swap: bool = False
    """Whether the bots change seats from one bout to the next."""
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    seconds_per_bot: float | None = None
    """The clock of each bot for a bout; None: the game's own."""
    seconds: float = MAX_MATCH_S
    """After so much wall time no bout is begun, and the running one is aborted."""

    def __post_init__(self) -> None:
        _require_range("bouts", self.bouts, 1, MAX_BOUTS)
        _require_range("seconds", self.seconds, 1, MAX_MATCH_S)
        if self.seconds_per_bot is not None:
            _require_range("seconds_per_bot", self.seconds_per_bot, 0.01, MAX_CLOCK_S)


@dataclass(frozen=True)
class PlayedOrder:
    """The bouts that were played, and where their records are."""

    game: Game
    names: list[str]
    seed: int
    bouts: list[SeriesBout]
    folder: Path
    complete: bool
    """False if the time was up before all bouts were played."""

    def record_path(self, bout: SeriesBout) -> Path:
        return self.folder / f"bout-{bout.planned.number + 1:03}{SUFFIX}"


def _require_range(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise LudusError(
            f"{name} must be between {low:g} and {high:g}, got {value:g}",
            f"{name} 必须在 {low:g} 到 {high:g} 之间，得到 {value:g}",
        )


def play_order(order: BoutOrder, workspace: Workspace, interrupt: Interrupt) -> PlayedOrder:
    """Play the bouts one after the other, until the time is up or ``interrupt`` is set."""
    game = get_listed(order.game)
    options = game.Options.parse(order.options)
    sources = workspace.find_bots(order.bots, game)
    seed = secrets.randbelow(10**6) if order.seed is None else order.seed
    openings = resolve_openings("", game, options)
    plan = plan_bouts(len(sources), order.bouts, seed, order.swap, openings=openings)
    clock = game.clock
    if order.seconds_per_bot is not None:
        clock = replace(clock, budget=order.seconds_per_bot)
    end = time.monotonic() + order.seconds
    played: list[SeriesBout] = []
    with _interrupt_after(order.seconds, interrupt), suppress(BoutAborted):
        players = [create_player(source, game, interrupt=interrupt) for source in sources]
        with closing(play_bouts(game, options, players, plan, clock=clock)) as bouts:
            for bout in bouts:
                played.append(bout)
                if time.monotonic() > end:
                    break
    if not played:
        raise LudusError(
            f"no bout was finished within {order.seconds:g} seconds",
            f"{order.seconds:g} 秒内没有完成任何一局",
        )
    folder = workspace.make_record_folder("match" if order.swap else "play")
    names = [source.name for source in sources]
    found = PlayedOrder(game, names, seed, played, folder, len(played) == len(plan))
    for bout in played:
        save(bout.record, found.record_path(bout))
    return found


@contextmanager
def _interrupt_after(seconds: float, interrupt: Interrupt) -> Iterator[None]:
    timer = threading.Timer(seconds, interrupt.set)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def describe_outputs(found: PlayedOrder, bout: SeriesBout) -> list[dict[str, str]]:
    """What the bots printed, where they printed anything."""
    outputs = []
    for seat, player in enumerate(bout.planned.order):
        texts = {name: shorten(text) for name, text in bout.outputs[player].items() if text}
        if texts:
            who = {"bot": found.names[player], "seat": found.game.seat_keys[seat]}
            outputs.append({**who, **texts})
    return outputs


def rate_match(found: PlayedOrder) -> dict[str, Any]:
    """How much stronger the first of two bots is; copies of a bout count once."""
    keyed = [
        (compute_bout_key(bout.record).for_entrants(bout.planned.order), bout)
        for bout in found.bouts
    ]
    counting = drop_copies(keyed)
    score = PairedScore.from_bouts(
        (
            bout.planned.seed,
            bout.planned.order.index(0),
            0.5 if bout.record.winner is None else bout.score(0),
        )
        for bout in counting
    )
    elo = estimate_elo(score)
    return {
        "elo": elo.format(),
        "probability_first_is_stronger": round(probability_better(score), 4),
        "copies": len(found.bouts) - len(counting),
    }


def count_results(found: PlayedOrder) -> dict[str, int]:
    """Bouts that the first bot won, drew and lost, and those with a fault of either."""
    results = {"won": 0, "drawn": 0, "lost": 0}
    for bout in found.bouts:
        winner = bout.record.winner
        if winner is None:
            results["drawn"] += 1
        else:
            results["won" if bout.planned.order[winner] == 0 else "lost"] += 1
    return results
