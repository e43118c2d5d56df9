"""Where bots answer otherwise: two versions over records, or one version and what it once played.

The bots play in jails, like in any bout, so every kind of bot can be compared. Each is asked all
questions of a record in order, and the bout goes on with the move of the record.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ludus.analysis.bot_replay import (
    BotReplay,
    RecordedSeat,
    ReplayedTurn,
    group_by_process,
)
from ludus.analysis.recorded_turns import RecordedTurn, has_failed_to_start
from ludus.analysis.test_positions import BotTestPosition, BuiltPosition
from ludus.bots.bot_seed import derive_random_seed, load_random_key
from ludus.bots.players.base import Player, SeatBout
from ludus.bots.players.create import create_player
from ludus.bots.resolve import BotSource
from ludus.games.base import ClockView, Game
from ludus.match.clock import SeatClock
from ludus.match.series import pin_to_one_core
from ludus.match.verdict import SeatFault, from_fault
from ludus.sandbox.bot_fault import BotFault, FaultKind


@dataclass(frozen=True, slots=True)
class TurnAnswer:
    """What a bot does at one question: a move, or a fault."""

    move: str | None
    fault: SeatFault | None = None
    is_legal: bool = True


@dataclass(frozen=True, slots=True)
class TurnDifference:
    """A question to which two bots, or a bot and a record, answer differently."""

    step: int
    played: str | None
    """The move of the record."""
    answers: tuple[TurnAnswer | None, ...]
    """By bot; None if it had failed before."""


@dataclass(frozen=True, slots=True)
class SeatAnswers:
    """All answers of one bot over one seat of a record."""

    start_fault: SeatFault | None
    answers: dict[int, TurnAnswer]
    """By step."""

    @property
    def has_failed(self) -> bool:
        """Whether the bot is gone: after a fault it gets a new process."""
        faults = (answer.fault for answer in self.answers.values())
        return self.start_fault is not None or any(fault is not None for fault in faults)


@dataclass(frozen=True, slots=True)
class PositionResult:
    """What a bot answers in a test position."""

    test: BotTestPosition
    answer: TurnAnswer

    @property
    def is_passed(self) -> bool:
        move = self.answer.move
        return move is not None and self.answer.is_legal and self.test.accepts(move)


def answer_records(
    source: BotSource, game: Game, seats: Sequence[RecordedSeat], *, jail: str | None = None
) -> Iterator[tuple[RecordedSeat, SeatAnswers]]:
    """Ask a bot, in a jail, all questions of seats of records, each until it fails.

    Bouts that one process played are asked of one process again, in its order.
    """
    for group in group_by_process(seats):
        player = create_player(source, game, isolate=True, jail=jail)
        with contextlib.closing(player):
            for recorded in group:
                with pin_to_one_core():
                    answers = _collect_answers(BotReplay(player, recorded), game)
                yield recorded, answers
                if answers.has_failed:
                    player.close()


def _collect_answers(replay: BotReplay, game: Game) -> SeatAnswers:
    if fault := replay.start():
        return SeatAnswers(fault, {})
    answers: dict[int, TurnAnswer] = {}
    if has_failed_to_start(replay.recorded.record):
        return SeatAnswers(None, answers)
    position = _Follower(replay.recorded, game)
    for replayed in replay.answers():
        answers[replayed.turn.step] = position.judge(replayed)
        if replayed.fault is not None:
            return SeatAnswers(None, answers)
    replay.end()
    return SeatAnswers(None, answers)


class _Follower:
    """The position of the questions, to see whether an answer is legal."""

    def __init__(self, recorded: RecordedSeat, game: Game) -> None:
        record = recorded.record
        self.seat = recorded.seat
        self.position = game.start(game.Options.parse(record.options), record.seed)

    def judge(self, replayed: ReplayedTurn) -> TurnAnswer:
        for ply in replayed.turn.plies:
            self.position.play(ply)
        move = replayed.answer
        legal = move is None or move == replayed.turn.played
        legal = legal or move in self.position.legal(self.seat)
        return TurnAnswer(move, replayed.fault, legal)


def list_differences(
    turns: Sequence[RecordedTurn], answers: Sequence[SeatAnswers]
) -> Iterator[TurnDifference]:
    """The questions at which bots do not all do the same; with one bot: not what was played."""
    for turn in turns:
        given = tuple(each.answers.get(turn.step) for each in answers)
        moves = {_compared_move(each) for each in given if each is not None}
        if len(given) == 1 and turn.played is not None:
            moves.add(turn.played)
        if len(moves) > 1 or (len(given) == 1 and any(each and each.fault for each in given)):
            yield TurnDifference(turn.step, turn.played, given)


def _compared_move(answer: TurnAnswer) -> str:
    """A text that is equal for equal answers; a fault is unlike every move."""
    if answer.fault is not None:
        return f"\0{answer.fault.kind}"
    return answer.move or ""


def answer_test_position(
    source: BotSource, test: BotTestPosition, built: BuiltPosition, *, jail: str | None = None
) -> PositionResult:
    """Ask a bot, in a jail, for its move in a test position; the moves before count as an opening,
    and its clock is that of the game."""
    player = create_player(source, built.game, isolate=True, jail=jail)
    with pin_to_one_core():
        try:
            return PositionResult(test, _ask_once(player, test, built))
        finally:
            player.close()


def _ask_once(player: Player, test: BotTestPosition, built: BuiltPosition) -> TurnAnswer:
    game, seat = built.game, test.seat
    clock = SeatClock(game.clock)
    random_seed = derive_random_seed(load_random_key(), test.seed, seat, seat)
    bout = SeatBout(game, built.options, test.seed, seat, game.clock, clock.left, random_seed)
    try:
        limit = clock.limit()
        clock.charge(player.start(bout, limit), limit.seconds)
        left = [0.0] * len(game.seats)
        left[seat] = clock.left
        limit = clock.limit()
        answer = player.turn(built.plies, ClockView(tuple(left), seat, limit.seconds), limit)
    except BotFault as fault:
        return TurnAnswer(None, from_fault(seat, fault))
    if not clock.charge(answer, limit.seconds):
        late = BotFault(FaultKind.TIMEOUT, "it took too long", "用时过长")
        return TurnAnswer(None, from_fault(seat, late))
    return TurnAnswer(answer.move, None, answer.move in built.position.legal(seat))
