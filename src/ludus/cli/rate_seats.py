"""Measures players that play bouts one by one: bots in files, engines and language models."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.errors import LudusError

if TYPE_CHECKING:
    from ludus.games.base import Game
    from ludus.games.openings import Openings
    from ludus.learn.evaluation import Measurement
    from ludus.match.record import Record


LOCKSTEP_KINDS = ("depth", "seconds", "nodes", "policy")
"""Players that only ``ludus rate`` knows, which answer for many bouts at once."""


def is_seat(spec: str, game: Game) -> bool:
    """Whether what the user wrote is a bot's file, a program or a service: these play bouts one by
    one."""
    from ludus.bots.resolve import COMMAND_PREFIX, NET_SUFFIX, list_house_bots
    from ludus.bots.seat_schemes import has_scheme

    if spec.startswith(COMMAND_PREFIX) or has_scheme(spec):
        return True
    if spec in list_house_bots(game) or spec.endswith(NET_SUFFIX):
        return False
    return Path(spec).expanduser().exists()


def is_lockstep(spec: str) -> bool:
    """Whether only ``ludus rate`` knows such a player, so that it cannot play a seat's bouts."""
    kind, colon, _ = spec.partition(":")
    return bool(colon) and kind in LOCKSTEP_KINDS


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

    for bot in filter(is_lockstep, bots):
        raise LudusError(
            f"{bot} cannot play against a file or a program; name house bots, search:N or"
            " learned:FILE",
            f"{bot} 不能与文件或程序对局；请给出自带 AI、search:N 或 learned:文件",
        )
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
