"""The turns of a Saiblo game: its logic, a program, asks; the messages become steps.

A judger (``JudgedMatch``) carries the messages between the logic and the players. This source
listens to it, cuts the messages into steps, and gives each step to the referee the moment the logic
asks its next question: before the judger passes that question on, so that watchers and players in
this process see the step before anybody is asked again.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Sequence

from ludus.bots.bot_seed import SEED_VARIABLE
from ludus.bots.players.base import Player, SeatBout, TimeSpent
from ludus.bots.players.foreign import ForeignPlayer
from ludus.bots.players.opening import OpeningPlayer
from ludus.compat.saiblo.command import LogicWorkspace
from ludus.compat.saiblo.frames import TO_JUDGER
from ludus.compat.saiblo.game import SaibloGame
from ludus.compat.saiblo.logic_error import decode_error
from ludus.compat.saiblo.loop import Loop
from ludus.compat.saiblo.match import JudgedMatch
from ludus.compat.saiblo.player_seat import PlayerSeat
from ludus.compat.saiblo.position import Event, decode_message, ends_step, make_event, write_step
from ludus.compat.saiblo.report import JudgerReport
from ludus.compat.saiblo.seat import JudgerSeat, start_ai_seat
from ludus.compat.saiblo.settings import JudgerSettings
from ludus.errors import GameProgramFault, LudusError
from ludus.games.base import IllegalMove, Outcome
from ludus.lang import Text
from ludus.match.referee import BoutReferee

REPLAY_NAME = "replay"


class LogicTurns:
    """The ``TurnSource`` of one bout of a Saiblo game.

    AIs are started here, one process per bout, and only the logic judges them: no seat is ever at
    fault, and what an AI did wrong is an error message to the logic, which is part of a step. A
    logic that fails voids the bout (GameProgramFault). The logic gives each round its time, so the
    referee's clocks are not used and ``time0`` is ignored.
    """

    def __init__(self, bout: BoutReferee, time0: Sequence[float] | None) -> None:
        assert isinstance(bout.game, SaibloGame)
        self.bout, self.game = bout, bout.game
        self.players = [_unwrap_player(player) for player in bout.players]
        self.time0: Sequence[float] = [0.0] * len(self.players)
        self.engine_suffix = f", logic {self.game.digest[:16]}"
        self._time_used = [[0.0, 0.0] for _ in self.players]
        self._events: list[Event] = []
        """The messages since the last step."""
        self._step_began = time.monotonic()
        self._init_sent = False
        self._seats: list[JudgerSeat] = []

    def run(self) -> None:
        settings = self.game.judger_settings(self.bout.options, self.bout.seed, self.bout.clock)
        # The logic is confined as the players are.
        levels = (p.level for p in self.players if isinstance(p, ForeignPlayer))
        settings = dataclasses.replace(settings, level=next(levels, settings.level))
        with contextlib.ExitStack() as stack:
            loop = stack.enter_context(contextlib.closing(Loop()))
            seats: list[JudgerSeat] = []
            for number, player in enumerate(self.players):
                seat = self._make_seat(loop, number, player, settings)
                stack.callback(seat.close)
                seats.append(seat)
            self._seats = seats
            report = self._judge(loop, seats, settings)
        self._time_used = [[seat.cpu, report.seconds] for seat in report.seats]

    def _make_seat(
        self, loop: Loop, number: int, player: Player, settings: JudgerSettings
    ) -> JudgerSeat:
        if not isinstance(player, ForeignPlayer):
            return PlayerSeat(loop, player, self.bout, number)
        player.notes.begin_bout(self._describe_bout(number))
        limits = player.limits or settings.ai_limits
        env = {**player.program.env, SEED_VARIABLE: self.bout.random_seeds[number]}
        program = dataclasses.replace(player.program, env=env)
        return start_ai_seat(loop, program, limits, player.level, settings.version)

    def _describe_bout(self, seat: int) -> SeatBout:
        bout = self.bout
        return SeatBout(bout.game, bout.options, bout.seed, seat, bout.clock, bout.clock.budget)

    def _judge(
        self, loop: Loop, seats: Sequence[JudgerSeat], settings: JudgerSettings
    ) -> JudgerReport:
        match = JudgedMatch(loop, seats, settings, tap=self._on_message)
        workspace = LogicWorkspace(
            REPLAY_NAME, settings.jail_level, as_given=settings.version.config == "text"
        )
        with contextlib.closing(workspace):
            logic = self.game.rules_program(settings.logic_limits, settings.level)
            report = match.run(workspace.prepare_logic(logic), workspace.replay_path)
        for player, seat in zip(self.players, report.seats, strict=True):
            if isinstance(player, ForeignPlayer):
                player.stderr = seat.stderr
        self._refuse_failure(report)
        return report

    def _refuse_failure(self, report: JudgerReport) -> None:
        """Raise GameProgramFault if the logic failed, or ended the match without usable scores."""
        if report.ended and self.bout.position.outcome is not None:
            return
        why = Text("its end_info could not be read", "无法读取它的 end_info")
        if not report.ended:
            why = report.why
        raise GameProgramFault(
            f"the logic of {self.game.name} failed: {why['en']}",
            f"{self.game.name} 的逻辑出错：{why['zh']}",
            report.logic_stderr[-1000:].strip(),
        )

    def _on_message(self, direction: str, body: bytes, target: int = TO_JUDGER) -> None:
        """Collect the messages to and from the logic. The first one, ``init``, is not an event:
        it follows from the record's game, options and seed."""
        if direction == "J>L":
            if self._init_sent:
                self._events.append(["J", body.decode()])
            self._init_sent = True
        elif direction == "L>J":
            self._events.append(make_event(target, body))
            if target == TO_JUDGER and ends_step(
                decode_message(self.game, body), len(self.game.seats)
            ):
                self._finish_step()

    def _finish_step(self) -> None:
        """The logic asks again, or ends the bout: everything since its last question is one step.

        Called from inside the judger's loop, so a step that the position refuses (an ``end_info``
        without scores, say) is raised as the logic's error: the judger then ends the match.
        """
        seats = self.bout.position.to_move
        ply = write_step(seats, self._events)
        now = time.monotonic()
        seconds = now - self._step_began if self.bout.plies else 0.0  # the first is the opening
        self._events, self._step_began = [], now
        self._keep_notes(len(self.bout.plies))
        try:
            self.bout.play_step(ply, {seat: TimeSpent(0.0, seconds) for seat in seats})
        except IllegalMove as error:
            raise decode_error(error.why["en"], error.why["zh"]) from None

    def _keep_notes(self, step: int) -> None:
        """What an AI wrote to stderr during a step is its note about it."""
        for player, seat in zip(self.players, self._seats, strict=True):
            if isinstance(player, ForeignPlayer):
                player.notes.add(seat.take_recent_stderr(), step)

    def end(self, outcome: Outcome) -> None:
        """The players know it already: the judger shut them down when the logic had ended."""

    def time_used(self) -> list[list[float]]:
        return self._time_used


def _unwrap_player(player: Player) -> Player:
    """Refuse a player whose first moves are given: the logic cannot be made to play them."""
    if isinstance(player, OpeningPlayer):
        if player.plies:
            raise LudusError(
                "a Saiblo game cannot be continued from the middle of a bout",
                "Saiblo 游戏不能从对局中途继续",
            )
        return player.player
    return player
