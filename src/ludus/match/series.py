"""A series of bouts between the same players, with seats swapped on equal seeds."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from ludus.bots.bot_seed import derive_random_seed, identify_key, load_random_key
from ludus.bots.notes import pack_player_notes
from ludus.bots.players.base import Player
from ludus.bots.players.process import ProcessPlayer
from ludus.errors import PlatformFault
from ludus.games.base import Clock, Game
from ludus.games.openings import NO_OPENINGS, Openings
from ludus.games.rules_failure import explaining_rules_failures
from ludus.lang import translate
from ludus.match.record import BoutOrigin, Record
from ludus.match.referee import BoutObserver, play
from ludus.match.verdict import SeatFault

MAX_BOUT_TRIES = 3
"""How often a bout is played when the platform itself fails."""


@dataclass(frozen=True, slots=True)
class PlannedBout:
    """One bout of a match, before it is played."""

    number: int
    seed: int
    order: tuple[int, ...]
    """Which player (in a contest: which entrant of the pairing) sits on each seat."""
    opening: tuple[str, ...] = ()
    """The first moves, which nobody chooses."""


@dataclass(frozen=True, slots=True)
class SeriesBout:
    """One bout of a series, with its record."""

    planned: PlannedBout
    record: Record
    outputs: list[dict[str, str]]
    """The stdout and stderr of each player."""
    notes: tuple[str, ...] = ()
    """What each player's bot said about its moves (``ludus.bots.notes``), packed."""

    def seat_notes(self, seat: int) -> str:
        """The packed notes of a seat; empty if its bot said nothing."""
        return self.notes[self.planned.order[seat]] if self.notes else ""

    def score(self, player: int) -> float:
        """The score of a player (not of a seat)."""
        return self.record.scores[self.planned.order.index(player)]


def collect_notes(played: SeriesBout) -> tuple[dict[str, str], ...]:
    """The notes of each seat, where one person owns all bots."""
    return tuple({"notes": played.seat_notes(seat)} for seat in range(len(played.record.bots)))


def collect_outputs(played: SeriesBout) -> tuple[dict[str, str], ...]:
    """The output and the notes of each seat, with its traceback if it failed: all that only the
    owner of its bot may see."""
    traces = {fault.seat: format_fault(fault) for fault in played.record.faults}
    return tuple(
        {
            **played.outputs[player],
            "trace": traces.get(seat, ""),
            "notes": played.seat_notes(seat),
        }
        for seat, player in enumerate(played.planned.order)
    )


def format_fault(fault: SeatFault) -> str:
    """The reason and traceback of a fault, for the bot's owner."""
    why = translate(fault.why)
    return fault.trace if why in fault.trace else f"{fault.trace}\n{why}".strip()


ObserverFactory = Callable[[PlannedBout], AbstractContextManager[BoutObserver | None]]
"""Creates the observer of each bout; the context ends when the bout's result was consumed."""


def derive_bout_seed(seed: int, number: int) -> int:
    """The seed of one bout (of one mirrored group of bouts) of a series."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{number}".encode()).digest()[:6], "big")


def plan_bouts(
    seats: int,
    bouts: int,
    seed: int,
    swap: bool = True,
    *,
    bout_seed: int | None = None,
    openings: Openings = NO_OPENINGS,
    first: int = 0,
) -> list[PlannedBout]:
    """The bouts of a series: with ``swap`` every seed is played once with each rotation of seats.

    The seeds of the bouts are derived from ``seed``, unless ``bout_seed`` is given for all. The
    seed of a bout fixes its opening. ``first`` is the number of the first bout, for a part of a
    longer series.
    """
    planned = []
    for number in range(first, first + bouts):
        group, turn = divmod(number, seats) if swap else (number, 0)
        order = tuple((seat + turn) % seats for seat in range(seats))
        if bout_seed is None:
            drawn = openings.choose_seed(derive_bout_seed(seed, group), str(seed), group)
        else:
            drawn = bout_seed
        planned.append(PlannedBout(number, drawn, order, openings.draw(drawn)))
    return planned


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
    watch: ObserverFactory | None = None,
    openings: Openings = NO_OPENINGS,
) -> Generator[SeriesBout, None, None]:
    """Play a series, one bout after the other; the players are closed at its end.

    ``time0`` belongs to players, not to seats.
    """
    plan = plan_bouts(len(game.seats), bouts, seed, swap, openings=openings)
    return play_bouts(game, options, players, plan, clock=clock, time0=time0, watch=watch)


def play_bouts(
    game: Game,
    options: Any,
    players: Sequence[Player],
    plan: Iterable[PlannedBout],
    *,
    clock: Clock | None = None,
    time0: Sequence[float] | None = None,
    watch: ObserverFactory | None = None,
    key: bytes | None = None,
) -> Generator[SeriesBout, None, None]:
    """Play planned bouts one after the other; the players are closed at the end.

    The bots' random seeds are derived from ``key``, by default this user's key.
    """
    key = key or load_random_key()
    last_bouts = [""] * len(players)
    """By player: the bout that its process played last; empty if it is new."""
    handicaps = list(time0 or [0.0] * len(players))
    with contextlib.ExitStack() as stack:
        for player in players:
            stack.callback(player.close)
        stack.enter_context(pin_to_one_core())
        for planned in plan:
            seated = [players[i] for i in planned.order]
            seat_time0 = [handicaps[i] for i in planned.order]
            with watch(planned) if watch else contextlib.nullcontext() as watcher:
                origin = _make_origin(key, planned, last_bouts)
                bout = functools.partial(
                    play,
                    game,
                    options,
                    planned.seed,
                    seated,
                    clock,
                    time0=seat_time0,
                    watch=watcher,
                    opening=planned.opening,
                    random_seeds=_derive_random_seeds(key, planned),
                    origin=origin,
                )
                with explaining_rules_failures(game.name):
                    record = play_again_on_platform_fault(bout, seated, origin)
                _note_last_bout(record, planned, players, last_bouts)
                outputs = [player.output() for player in players]
                notes = tuple(pack_player_notes(player) for player in players)
                yield SeriesBout(planned, record, outputs, notes)


@contextlib.contextmanager
def pin_to_one_core() -> Iterator[None]:
    """Keep this thread, and the processes it starts, on the core where it runs now.

    The referee and its bots take turns, so they never need two cores at once. Waking a process on
    another core costs several times a short turn, and under SCHED_BATCH a woken process does not
    preempt the one that woke it. And no bot has an advantage by using more cores than its opponent.
    """
    cores, policy = os.sched_getaffinity(0), os.sched_getscheduler(0)
    _set_affinity({_current_core()} & cores or cores, os.SCHED_BATCH)
    try:
        yield
    finally:
        _set_affinity(cores, policy)


def _set_affinity(cores: set[int], policy: int) -> None:
    """Set the cores and the scheduling policy of this thread, as far as permitted."""
    with contextlib.suppress(PermissionError):
        os.sched_setaffinity(0, cores)
        if os.sched_getscheduler(0) in (os.SCHED_OTHER, os.SCHED_BATCH):
            os.sched_setscheduler(0, policy, os.sched_param(0))


def _current_core() -> int:
    with open("/proc/thread-self/stat") as file:
        return int(file.read().rpartition(")")[2].split()[36])


def _derive_random_seeds(key: bytes, planned: PlannedBout) -> list[str]:
    seats = enumerate(planned.order)
    return [derive_random_seed(key, planned.seed, seat, player) for seat, player in seats]


def _make_origin(key: bytes, planned: PlannedBout, last_bouts: Sequence[str]) -> BoutOrigin:
    previous = [last_bouts[player] for player in planned.order]
    return BoutOrigin(list(planned.order), identify_key(key), previous if any(previous) else UNSET)


def _note_last_bout(
    record: Record, planned: PlannedBout, players: Sequence[Player], last_bouts: list[str]
) -> None:
    """Keep by which bout a player's process is known from now on; after a fault it is a new one."""
    guilty = {fault.seat for fault in record.faults}
    bout_id = record.bout_id
    for seat, player in enumerate(planned.order):
        process = players[player]
        ended = isinstance(process, ProcessPlayer) and process.pid is None
        last_bouts[player] = "" if seat in guilty or ended else bout_id


def play_again_on_platform_fault(
    bout: Callable[[], Record], seated: Sequence[Player], origin: BoutOrigin | None = None
) -> Record:
    """Play one bout; if the platform fails, the bout is repeated with new processes, which
    ``origin`` then says too."""
    for attempt in range(MAX_BOUT_TRIES):
        try:
            return bout()
        except PlatformFault:
            for player in seated:
                player.close()
            if origin is not None:
                origin.previous = UNSET
            if attempt == MAX_BOUT_TRIES - 1:
                raise
    raise AssertionError("unreachable")
