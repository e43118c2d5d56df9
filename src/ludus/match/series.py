"""A series of bouts between the same players: seats swapped on equal seeds."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from ludus.bots.bot_seed import random_key, random_seed
from ludus.bots.players.base import Player
from ludus.games.base import Clock, Game
from ludus.lang import words
from ludus.match.record import Record
from ludus.match.referee import Watch, play
from ludus.match.verdict import SeatFault
from ludus.sandbox.fault import PlatformFault

TRIES = 3
"""How often a bout is played when the platform itself fails."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """One bout of a series, before it is played."""

    number: int
    seed: int
    order: tuple[int, ...]
    """Which player sits on each seat."""


@dataclass(frozen=True, slots=True)
class Played:
    """One bout of a series, with its record."""

    pairing: Pairing
    record: Record
    outputs: list[dict[str, str]]
    """What each player printed, by player."""

    def score(self, player: int) -> float:
        """What the player got out of it."""
        return self.record.scores[self.pairing.order.index(player)]


def outputs_of(played: Played) -> tuple[dict[str, str], ...]:
    """What each seat printed, with its traceback if it failed."""
    traces = {fault.seat: told(fault) for fault in played.record.faults}
    return tuple(
        {**played.outputs[player], "trace": traces.get(seat, "")}
        for seat, player in enumerate(played.pairing.order)
    )


def told(fault: SeatFault) -> str:
    """All that is known of a fault, for the bot's owner."""
    why = words(fault.why)
    return fault.trace if why in fault.trace else f"{fault.trace}\n{why}".strip()


WatchEach = Callable[[Pairing], AbstractContextManager[Watch | None]]
"""Gives the watcher of each bout; it is left when the bout's result has been taken."""


def bout_seed(seed: int, number: int) -> int:
    """The seed of one bout (of one mirrored group of bouts) of a series."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{number}".encode()).digest()[:6], "big")


def pairings(seats: int, bouts: int, seed: int, swap: bool = True) -> list[Pairing]:
    """The bouts of a series: with ``swap`` every seed is played once by each rotation of seats."""
    found = []
    for number in range(bouts):
        group, turn = divmod(number, seats) if swap else (number, 0)
        order = tuple((seat + turn) % seats for seat in range(seats))
        found.append(Pairing(number, bout_seed(seed, group), order))
    return found


def series(
    game: Game,
    options: Any,
    players: Sequence[Player],
    bouts: int,
    seed: int,
    *,
    swap: bool = True,
    clock: Clock | None = None,
    time0: Sequence[float] | None = None,
    watch: WatchEach | None = None,
) -> Generator[Played, None, None]:
    """Play a series, one bout after the other; the players are closed at its end.

    ``time0`` belongs to players, not to seats.
    """
    plan = pairings(len(game.seats), bouts, seed, swap)
    return play_pairings(game, options, players, plan, clock=clock, time0=time0, watch=watch)


def play_pairings(
    game: Game,
    options: Any,
    players: Sequence[Player],
    plan: Iterable[Pairing],
    *,
    clock: Clock | None = None,
    time0: Sequence[float] | None = None,
    watch: WatchEach | None = None,
    key: bytes | None = None,
) -> Generator[Played, None, None]:
    """Play bouts as they come, one after the other; the players are closed at the end.

    ``key`` decides their random numbers; by default this person's.
    """
    key = key or random_key()
    handicaps = list(time0 or [0.0] * len(players))
    with contextlib.ExitStack() as stack:
        for player in players:
            stack.callback(player.close)
        stack.enter_context(one_core())
        for pairing in plan:
            seated = [players[i] for i in pairing.order]
            seat_time0 = [handicaps[i] for i in pairing.order]
            with watch(pairing) if watch else contextlib.nullcontext() as watcher:
                bout = functools.partial(
                    play,
                    game,
                    options,
                    pairing.seed,
                    seated,
                    clock,
                    time0=seat_time0,
                    watch=watcher,
                    random_seeds=_random_seeds(key, pairing),
                )
                record = _play(bout, seated)
                yield Played(pairing, record, [player.output() for player in players])


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Keep this thread, and the processes it starts, on the core where it runs now.

    A referee and its bots take turns. Waking a player on another core costs several times the
    turn itself, and under SCHED_BATCH a woken player does not push aside the one who woke it.
    Nor does a bot gain from cores that its opponent has not.
    """
    cores, policy = os.sched_getaffinity(0), os.sched_getscheduler(0)
    _settle({_current_core()} & cores or cores, os.SCHED_BATCH)
    try:
        yield
    finally:
        _settle(cores, policy)


def _settle(cores: set[int], policy: int) -> None:
    """Where and how this thread runs, if that is for us to say."""
    with contextlib.suppress(PermissionError):
        os.sched_setaffinity(0, cores)
        if os.sched_getscheduler(0) in (os.SCHED_OTHER, os.SCHED_BATCH):
            os.sched_setscheduler(0, policy, os.sched_param(0))


def _current_core() -> int:
    with open("/proc/thread-self/stat") as file:
        return int(file.read().rpartition(")")[2].split()[36])


def _random_seeds(key: bytes, pairing: Pairing) -> list[str]:
    seats = enumerate(pairing.order)
    return [random_seed(key, pairing.seed, seat, player) for seat, player in seats]


def _play(bout: Callable[[], Record], seated: Sequence[Player]) -> Record:
    """One bout; when the platform fails it is void and played again."""
    for attempt in range(TRIES):
        try:
            return bout()
        except PlatformFault:
            for player in seated:
                player.close()
            if attempt == TRIES - 1:
                raise
    raise AssertionError("unreachable")
