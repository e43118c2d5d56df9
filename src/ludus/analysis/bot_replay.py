"""Asks a bot the questions of a recorded bout again.

The bot is given everything as then: its seat, the seed of its random numbers, the moves, the
clocks, and before that the bouts that its process had played already. What it answers is compared
with the record, and the bout goes on with the move of the record: so a bot whose answers depend on
nothing else goes through the same states as in the original bout.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from msgspec import UNSET

from ludus.analysis.recorded_turns import RecordedTurn, RecordedTurns, list_recorded_turns
from ludus.bots.bot_seed import derive_random_seed, identify_key, load_random_key
from ludus.bots.players.base import Player, SeatBout
from ludus.errors import LudusError
from ludus.match.record import SUFFIX, Record, load_game, read
from ludus.match.verdict import SeatFault, from_fault
from ludus.sandbox.bot_fault import BotFault

MAX_SEARCHED_RECORDS = 20_000
"""Files of a folder among which earlier bouts are looked for."""


class RandomNumbers(Enum):
    """Whether a bot gets the random numbers that it had in the bout."""

    SAME = "same"
    OTHER_KEY = "other_key"
    """The bout was played with another key, on another machine for instance."""
    UNKNOWN = "unknown"
    """The record does not say from what they followed."""


@dataclass(frozen=True, slots=True)
class RecordedSeat:
    """A seat of a record, with all that puts a bot into the state it had there."""

    turns: RecordedTurns
    random_seed: str
    random_numbers: RandomNumbers
    earlier: tuple[RecordedSeat, ...] = ()
    """The bouts that the same process had played before, first to last."""
    is_history_complete: bool = True
    """False if the record of an earlier bout was not found."""

    @property
    def record(self) -> Record:
        return self.turns.record

    @property
    def seat(self) -> int:
        return self.turns.seat


@dataclass(frozen=True, slots=True)
class ReplayedTurn:
    """What a bot answers to one question of a record."""

    turn: RecordedTurn
    answer: str | None
    """Its move; None if it failed."""
    fault: SeatFault | None = None
    error: BaseException | None = None
    """The exception of a bot in this process, with its traceback."""

    @property
    def is_same(self) -> bool:
        """Whether it did what the record says, as far as the record says it."""
        return self.turn.played is None or self.answer == self.turn.played


def open_recorded_seat(record: Record, seat: int, folders: Iterable[Path] = ()) -> RecordedSeat:
    """A seat of a record. The bouts that its bot had played before in the same process are looked
    for in the folders."""
    earlier, complete = _find_earlier(record, seat, folders)
    seats = [open_seat_alone(*each) for each in earlier]
    alone = open_seat_alone(record, seat)
    return RecordedSeat(
        alone.turns, alone.random_seed, alone.random_numbers, tuple(seats), complete
    )


def open_seat_alone(record: Record, seat: int) -> RecordedSeat:
    """A seat of a record without the bouts before."""
    random_seed, numbers = derive_recorded_seed(record, seat)
    return RecordedSeat(list_recorded_turns(record, seat), random_seed, numbers)


def group_by_process(seats: Sequence[RecordedSeat]) -> list[list[RecordedSeat]]:
    """Seats of records, grouped by the process that played them and in its order."""
    followers = {_previous_bout(each.record, each.seat): each for each in seats}
    known = {(each.record.bout_id, _player_number(each)) for each in seats}
    groups = []
    for first in seats:
        if _previous_bout(first.record, first.seat) in known:
            continue
        group, last = [first], first
        while following := followers.get((last.record.bout_id, _player_number(last))):
            group.append(following)
            last = following
        groups.append(group)
    return groups


def _player_number(seat: RecordedSeat) -> int:
    origin = seat.record.times.origin
    return -1 if origin is UNSET else origin.players[seat.seat]


def derive_recorded_seed(record: Record, seat: int) -> tuple[str, RandomNumbers]:
    """The seed of the random numbers that the seat's bot had, if it can be known here."""
    key = load_random_key()
    origin = record.times.origin
    if origin is UNSET or len(origin.players) != len(record.bots):
        return derive_random_seed(key, record.seed, seat, seat), RandomNumbers.UNKNOWN
    same = origin.key == identify_key(key)
    seed = derive_random_seed(key, record.seed, seat, origin.players[seat])
    return seed, RandomNumbers.SAME if same else RandomNumbers.OTHER_KEY


def _find_earlier(
    record: Record, seat: int, folders: Iterable[Path]
) -> tuple[list[tuple[Record, int]], bool]:
    """The earlier bouts of a seat's process with the seat it had, and whether all were found."""
    wanted, player = _previous_bout(record, seat)
    if not wanted:
        return [], True
    known = _index_records(folders, record.game)
    found: list[tuple[Record, int]] = []
    while wanted:
        before = known.pop(wanted, None)
        seat_then = _seat_of(before, player) if before is not None else None
        if before is None or seat_then is None:
            return found[::-1], False
        found.append((before, seat_then))
        wanted, _ = _previous_bout(before, seat_then)
    return found[::-1], True


def _previous_bout(record: Record, seat: int) -> tuple[str, int]:
    """The id of the bout before, or an empty text, and the number of the seat's player."""
    origin = record.times.origin
    if origin is UNSET or origin.previous is UNSET or len(origin.previous) != len(record.bots):
        return "", -1
    return origin.previous[seat], origin.players[seat]


def _seat_of(record: Record, player: int) -> int | None:
    origin = record.times.origin
    players = [] if origin is UNSET else origin.players
    return players.index(player) if player in players else None


def _index_records(folders: Iterable[Path], game: str) -> dict[str, Record]:
    known: dict[str, Record] = {}
    for folder in dict.fromkeys(path.resolve() for path in folders):
        for path in sorted(folder.glob(f"*{SUFFIX}"))[:MAX_SEARCHED_RECORDS]:
            with contextlib.suppress(LudusError):
                record = read(path)
                if record.game == game:
                    known.setdefault(record.bout_id, record)
    return known


class BotReplay:
    """One bot, asked the questions of one seat of a record."""

    def __init__(self, player: Player, recorded: RecordedSeat) -> None:
        self.player, self.recorded = player, recorded

    def start(self, on_bout: Callable[[], None] = lambda: None) -> SeatFault | None:
        """Start the bot and let it play its earlier bouts again; its fault if it cannot.

        ``on_bout`` is called after each of the earlier bouts.
        """
        for earlier in self.recorded.earlier:
            before = BotReplay(self.player, earlier)
            if fault := before._start_bout() or before.play_on():
                return fault
            before.end()
            on_bout()
        return self._start_bout()

    def _start_bout(self) -> SeatFault | None:
        turns, record = self.recorded.turns, self.recorded.record
        game, options = load_game(record)
        bout = SeatBout(
            game,
            options,
            record.seed,
            turns.seat,
            record.clock,
            turns.budget,
            self.recorded.random_seed,
        )
        try:
            self.player.start(bout, turns.start_limit)
        except BotFault as fault:
            return from_fault(turns.seat, fault)
        return None

    def ask(self, turn: RecordedTurn) -> ReplayedTurn:
        """Ask one question; the turns before it must have been asked."""
        try:
            answer = self.player.turn(turn.plies, turn.clock, turn.limit)
        except BotFault as fault:
            described = from_fault(self.recorded.seat, fault)
            return ReplayedTurn(turn, None, described, fault.__cause__)
        return ReplayedTurn(turn, answer.move)

    def answers(self, turns: Sequence[RecordedTurn] | None = None) -> Iterator[ReplayedTurn]:
        """Ask all questions, or some of them in a row, until the bot fails."""
        for turn in self.recorded.turns.turns if turns is None else turns:
            replayed = self.ask(turn)
            yield replayed
            if replayed.fault is not None:
                return

    def play_on(self) -> SeatFault | None:
        """Ask all questions; the fault with which the bot ends, if it fails."""
        return next((each.fault for each in self.answers() if each.fault is not None), None)

    def end(self) -> None:
        """Tell the bot the outcome, as it was told then: not if it was at fault."""
        record, turns = self.recorded.record, self.recorded.turns
        if any(fault.seat == turns.seat for fault in record.faults):
            return
        self.player.end(turns.plies_after, record.outcome, turns.end_limit)
