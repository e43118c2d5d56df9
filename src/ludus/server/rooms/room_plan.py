"""The bout that a room plays, and who sits where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ludus.bots.resolve import BotSource
from ludus.games.base import Clock, Game
from ludus.games.host import Ply
from ludus.sandbox import Limits
from ludus.server.live.messages import SeatKind

MAX_NAME_CHARS = 40


@dataclass(frozen=True, slots=True)
class SeatPlan:
    """The player of a seat: a person or a bot."""

    name: str
    bot: BotSource | None = None
    """None for a person."""
    kind: SeatKind = "human"
    """``human``, ``bot``, ``open`` (for anybody who comes) or ``remote`` (for a program)."""
    bot_id: int | None = None
    """The id of an uploaded bot, whose owners may read its notes."""


class RoomBot(NamedTuple):
    """A bot that may play in a room."""

    source: BotSource
    id: int | None = None
    """For an uploaded bot."""


@dataclass(frozen=True, slots=True)
class RoomPlan:
    """The bout that a room plays, with people on its seats.

    A match between bots is a ``MatchSpec``, which any process can play. People's bouts are bound to
    this process: they are played in one of its threads, can be paused, and can restart from any
    move.
    """

    game: Game
    options: Any
    seed: int
    seats: Sequence[SeatPlan]
    clock: Clock | None
    """None: people have no time limit, and bots the game's usual clock."""
    practice: bool
    opening: Sequence[Ply] = ()
    title: str = ""
    delay: float = 0.0
    """Seconds that are at least between the last step and a bot's: people see their own move first.
    They cost nobody time on the clock."""


def compile_bots(plan: RoomPlan) -> RoomPlan:
    """The plan with compiled bots; LudusError if one cannot be compiled."""
    for seat in plan.seats:
        if seat.bot is not None:
            seat.bot.build_spec.build_program(Limits())
    return plan
