"""Measures players that are programs or services: engines and language models on seats."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from ludus.errors import LudusError

if TYPE_CHECKING:
    from ludus.games.base import Game
    from ludus.games.openings import Openings
    from ludus.learn.evaluation import Measurement
    from ludus.match.record import Record


def is_seat(spec: str) -> bool:
    """Whether what the user wrote is a program or a service, which plays bouts one by one."""
    from ludus.bots.resolve import COMMAND_PREFIX
    from ludus.bots.seat_schemes import has_scheme

    return spec.startswith(COMMAND_PREFIX) or has_scheme(spec)


def measure_seats(
    game: Game,
    options: Any,
    bots: tuple[str, str],
    bouts: int,
    seed: int,
    openings: Openings,
    trust: bool,
    budget: float | None,
) -> Measurement:
    """Play a match between the subject and a rival, each opening from both sides.

    Faults are losses, except that a subject or rival which cannot be loaded is an error.
    """
    from ludus.bots.resolve import resolve_bot
    from ludus.learn.evaluation import summarize_bouts
    from ludus.match.bout_key import compute_bout_key
    from ludus.match.series import plan_bouts
    from ludus.match.spec import MatchSpec, iterate_match

    sources = [resolve_bot(bot, game, trust=trust) for bot in bots]
    clock = game.clock if budget is None else dataclasses.replace(game.clock, budget=budget)
    plan = plan_bouts(2, bouts, seed, openings=openings)
    spec = MatchSpec.for_game(game, options.as_json(), sources, plan, clock=clock)
    played, plies = [], 0
    for each in iterate_match(spec):
        _refuse_unloadable(each.record)
        pair, seat = each.planned.number // 2, each.planned.order.index(0)
        played.append((compute_bout_key(each.record), (pair, seat, each.score(0))))
        plies += len(each.record.moves) - each.record.opening_moves
    return summarize_bouts(bots[0], bots[1], played, plies)


def _refuse_unloadable(record: Record) -> None:
    for fault in record.faults:
        if fault.kind == "load":
            name = record.bots[fault.seat].name
            raise LudusError(f"{name}: {fault.why['en']}", f"{name}：{fault.why['zh']}")
