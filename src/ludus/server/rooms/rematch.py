"""What people in a room ask of each other, and the plan of the next bout between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ludus.bots.resolve import BotSource
from ludus.server.live.messages import ProposalInfo, ProposalKind
from ludus.server.rooms.room_plan import RoomPlan, SeatPlan


@dataclass(slots=True)
class Proposal:
    """Something that happens once all other people of the room agree."""

    kind: ProposalKind
    seat: int
    swap: bool = False
    bot: str = ""
    """Of a rematch: the house bot that plays instead of the room's bots."""
    awaited: set[int] = field(default_factory=set)
    """The seats that have not agreed yet."""

    def describe(self) -> ProposalInfo:
        return ProposalInfo(self.kind, self.seat, self.swap)


def rotate_seats(count: int, swap: bool) -> list[int]:
    """For each seat of the next bout, whose seat it was in the last one."""
    return [(seat + 1) % count if swap else seat for seat in range(count)]


def plan_rematch(
    plan: RoomPlan,
    seed: int,
    *,
    names: Mapping[int, str],
    order: Sequence[int],
    bot: BotSource | None,
) -> RoomPlan:
    """The same bout once more. ``names`` are those of the people on its seats; ``bot`` replaces the
    bots. A bout that continued another one begins in the same position again."""
    seats = [_keep_seat(plan.seats[seat], names.get(seat), bot) for seat in order]
    return replace(plan, seats=seats, seed=plan.seed if plan.opening else seed)


def _keep_seat(seat: SeatPlan, name: str | None, bot: BotSource | None) -> SeatPlan:
    if seat.bot is not None:
        return SeatPlan(bot.name, bot, "bot") if bot is not None else seat
    return SeatPlan(name or seat.name, None, "remote" if seat.kind == "remote" else "human")
