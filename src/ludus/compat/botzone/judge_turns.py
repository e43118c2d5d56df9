"""The turns of a judged game: the judge asks, the seats answer, and both are one step."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

from ludus.bots.players.base import Player, SeatBout, TimeLimit, TimeSpent
from ludus.bots.players.opening import OpeningPlayer
from ludus.compat.botzone.game import BotzoneGame
from ludus.compat.botzone.judge_output import JudgeOutput
from ludus.compat.botzone.judge_process import JudgeSession
from ludus.compat.botzone.position import (
    BotResponse,
    read_typed_response,
    write_step,
)
from ludus.compat.botzone.seat_questions import ask_at_once
from ludus.compat.botzone.verdicts import BotzoneVerdict, find_verdict
from ludus.errors import GameProgramFault, LudusError
from ludus.games.base import ClockView, Outcome
from ludus.match.clock import SeatClock
from ludus.match.referee import BoutReferee
from ludus.sandbox import JailLevel, choose_level
from ludus.sandbox.bot_fault import BotFault

MAX_BOUT_CHARACTERS = 32 << 20
"""Characters of all answers and outputs of a bout, so that its record can be read again."""


@dataclass(frozen=True, slots=True)
class _SeatAnswer:
    """What a seat answered, and the time it took."""

    said: BotResponse
    spent: TimeSpent


class JudgeTurns:
    """The ``TurnSource`` of one bout of a judged game.

    Only the judge decides what a bot's answer, or its failure, means: no seat is ever at fault
    here, and a bot that fails is a verdict in the judge's log. A judge that fails voids the bout
    (GameProgramFault). Seats that are asked together are asked at the same time.
    """

    def __init__(self, bout: BoutReferee, time0: Sequence[float] | None) -> None:
        assert isinstance(bout.game, BotzoneGame)
        self.bout, self.game = bout, bout.game
        self.players = [_unwrap_player(player) for player in bout.players]
        self.time0: Sequence[float] = time0 or [0.0] * len(self.players)
        self.engine_suffix = f", judge {self.game.digest[:16]}"
        self._clocks = [SeatClock(bout.clock, start) for start in self.time0]
        self._seen_plies = [0] * len(self.players)
        """How many plies each player has received."""
        self._start_faults: dict[int, BotFault] = {}
        """Players that could not be started; they fail whenever they are asked."""
        self._characters = 0

    def run(self) -> None:
        initdata = self.game.make_initdata(self.bout.options, self.bout.seed)
        judge = JudgeSession(self.game, initdata, self._choose_level())
        with contextlib.closing(judge):
            for seat, player in enumerate(self.players):
                self._start_player(seat, player)
            responses: dict[int, BotResponse] = {}
            spent = {0: TimeSpent(0.0, 0.0)}
            for _ in range(self.game.manifest.turns + 1):
                output = judge.ask(responses)
                self._play_step(responses, output, spent)
                if output.scores is not None:
                    return
                answers = self._ask_seats(list(output.requests))
                responses = {seat: answer.said for seat, answer in answers.items()}
                spent = {seat: answer.spent for seat, answer in answers.items()}
        turns = self.game.manifest.turns
        raise GameProgramFault(
            f"the judge of {self.game.name} did not end the bout in {turns} turns",
            f"{self.game.name} 的裁判程序在 {turns} 回合内没有结束对局",
        )

    def _choose_level(self) -> JailLevel:
        """The judge is confined as the players are."""
        levels = {level.value: level for level in JailLevel}
        known = (levels.get(player.isolation) for player in self.players)
        return next((level for level in known if level is not None), None) or choose_level()

    def _start_player(self, seat: int, player: Player) -> None:
        bout, clock = self.bout, self._clocks[seat]
        limit = clock.limit()
        own = bout.random_seeds[seat]
        seat_bout = SeatBout(bout.game, bout.options, bout.seed, seat, bout.clock, clock.left, own)
        try:
            clock.charge(player.start(seat_bout, limit), limit.seconds)
        except BotFault as fault:
            self._start_faults[seat] = fault

    def _play_step(
        self,
        responses: dict[int, BotResponse],
        output: JudgeOutput,
        spent: dict[int, TimeSpent],
    ) -> None:
        moves = write_step(responses, output)
        self._characters += sum(map(len, moves.values()))
        if self._characters > MAX_BOUT_CHARACTERS:
            raise GameProgramFault(
                f"the bout of {self.game.name} is too long for a record: more than"
                f" {MAX_BOUT_CHARACTERS >> 20} MB of messages",
                f"{self.game.name} 的对局太长，无法存为录像：消息超过"
                f" {MAX_BOUT_CHARACTERS >> 20} MB",
            )
        self.bout.play_step(moves, spent)

    def _ask_seats(self, seats: Sequence[int]) -> dict[int, _SeatAnswer]:
        return ask_at_once({seat: self.players[seat] for seat in seats}, self._ask_player)

    def _ask_player(self, seat: int, player: Player) -> _SeatAnswer:
        """Ask one player. What it does wrong is a verdict, and it may be asked again later."""
        clock = self._clocks[seat]
        limit = self._turn_limit(clock, player)
        left = tuple(each.left for each in self._clocks)
        plies = self.bout.plies[self._seen_plies[seat] :]
        self._seen_plies[seat] = len(self.bout.plies)
        try:
            if fault := self._start_faults.get(seat):
                raise fault
            answer = player.turn(plies, ClockView(left, seat, limit.seconds), limit)
        except BotFault as fault:
            spent = TimeSpent(fault.cpu, fault.wall)
            clock.charge(spent, limit.seconds)
            return _SeatAnswer(BotResponse(_choose_verdict(fault)), spent)
        spent = TimeSpent(answer.cpu, answer.wall)
        if not clock.charge(spent, limit.seconds):
            return _SeatAnswer(BotResponse(BotzoneVerdict.TLE), spent)
        return _SeatAnswer(read_typed_response(answer.move), spent)

    def _turn_limit(self, clock: SeatClock, player: Player) -> TimeLimit:
        """A bot's limit for its next turn, with the factor that Botzone gives its language."""
        limit = clock.limit()
        if self.bout.clock.per_move is not None:
            factor: float = getattr(player, "turn_factor", 1.0)
            limit.seconds = min(clock.left, factor * self.bout.clock.per_move)
        return limit

    def end(self, outcome: Outcome) -> None:
        for seat, player in enumerate(self.players):
            if seat in self._start_faults:
                player.close()
                continue
            limit = self._clocks[seat].limit()
            spent = player.end(self.bout.plies[self._seen_plies[seat] :], outcome, limit)
            self._clocks[seat].charge(spent, limit.seconds)

    def time_used(self) -> list[list[float]]:
        return [[round(clock.cpu, 6), round(clock.wall, 6)] for clock in self._clocks]


def _choose_verdict(fault: BotFault) -> BotzoneVerdict:
    """What the judge is told of a player's fault."""
    return find_verdict(fault) or BotzoneVerdict.RE


def _unwrap_player(player: Player) -> Player:
    """Refuse a player whose first moves are given: the judge cannot be made to play them."""
    if isinstance(player, OpeningPlayer):
        if player.plies:
            raise LudusError(
                "a game with a judge cannot be continued from the middle of a bout",
                "由裁判程序主持的游戏不能从对局中途继续",
            )
        return player.player
    return player
