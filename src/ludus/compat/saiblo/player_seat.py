"""Any Ludus player (a person on the page, a bot in this process) as a seat of a judger.

A Ludus player is asked and waited for; a judger's loop must never wait. So each such player has a
thread of its own. Questions go to the thread through one queue, answers come back through another,
and a byte written to a pipe wakes the judger's loop, which reads the answer in its own thread. The
judger's state is thus only ever touched by the judger's thread.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Sequence
from queue import SimpleQueue

from ludus.bots.players.base import MoveAnswer, Player, SeatBout, TimeLimit
from ludus.compat.saiblo.loop import Loop
from ludus.compat.saiblo.seat import PERSON, JudgerSeat, SeatObserver
from ludus.compat.saiblo.versions import AiErrorKind
from ludus.games.base import ClockView, Outcome
from ludus.games.host import Ply
from ludus.match.referee import BoutReferee
from ludus.sandbox.bot_fault import BotFault, FaultKind

END_TIME_S = 1.0
"""Seconds that a player has when it is told the outcome."""


class PlayerSeat(JudgerSeat):
    """A player with a thread that waits for its answers."""

    kind = PERSON
    wants_listen_notice = True

    def __init__(self, loop: Loop, player: Player, bout: BoutReferee, number: int) -> None:
        self._loop, self._player, self._bout = loop, player, bout
        self._budget = bout.clock.budget
        self._seat_bout = SeatBout(
            bout.game,
            bout.options,
            bout.seed,
            number,
            bout.clock,
            self._budget,
            bout.random_seeds[number],
        )
        self._plies_seen = 0
        self._asking = False
        """Whether the player has a question that it has not answered yet."""
        self._ask_again = False
        """Whether the logic asked once more in the meantime."""
        self._questions: SimpleQueue[tuple[Sequence[Ply], TimeLimit] | Outcome | None] = (
            SimpleQueue()
        )
        self._answers: SimpleQueue[MoveAnswer | BaseException] = SimpleQueue()
        self._wakeup_read_fd, self._wakeup_write_fd = os.pipe()
        os.set_blocking(self._wakeup_read_fd, False)
        loop.watch(self._wakeup_read_fd, self._on_wakeup)
        self._thread = threading.Thread(target=self._run_player, daemon=True)

    def join(self, number: int, judge: SeatObserver) -> None:
        super().join(number, judge)
        self._thread.start()

    def on_listened(self, seconds: float) -> None:
        if self._asking:
            self._ask_again = True
            return
        self._asking = True
        plies, self._plies_seen = self._bout.plies[self._plies_seen :], len(self._bout.plies)
        self._questions.put((plies, TimeLimit(seconds, "wall", seconds)))

    def _run_player(self) -> None:
        """The player's thread. A fault of the player is an answer like any other, and the next
        question may follow; any other exception ends the thread and is raised in the judger's."""
        player = self._player
        try:
            player.start(self._seat_bout, TimeLimit(self._budget, "wall", self._budget))
            while question := self._questions.get():
                if isinstance(question, Outcome):
                    player.end([], question, TimeLimit(END_TIME_S, "wall", END_TIME_S))
                    return
                try:
                    self._put_answer(self._ask(*question))
                except BotFault as fault:
                    self._put_answer(fault)
        except BaseException as error:
            self._put_answer(error)

    def _ask(self, plies: Sequence[Ply], limit: TimeLimit) -> MoveAnswer:
        left = (limit.seconds,) * len(self._bout.players)  # the logic gives each round its time
        clock = ClockView(left, self._seat_bout.seat, limit.seconds)
        return self._player.turn(plies, clock, limit)

    def _put_answer(self, answer: MoveAnswer | BaseException) -> None:
        self._answers.put(answer)
        with contextlib.suppress(OSError):
            os.write(self._wakeup_write_fd, b"!")

    def _on_wakeup(self, events: int) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._wakeup_read_fd, 1)
        answer = self._answers.get()
        ask_again, self._asking, self._ask_again = self._ask_again, False, False
        if isinstance(answer, MoveAnswer):
            if self.observer is not None:
                self.observer.on_answer(self.number, answer.move.encode())
        elif isinstance(answer, BotFault):
            self._report_fault(answer)
        else:
            raise answer
        # A player whose time ran out while the logic had already asked the next question is asked
        # that one now; one that answered has answered it.
        if ask_again and isinstance(answer, BotFault) and answer.kind is FaultKind.TIMEOUT:
            self.on_listened(self._bout.clock.per_move or self._budget)

    def _report_fault(self, fault: BotFault) -> None:
        """Tell the logic, except of a timeout: the judger measures the round's time itself."""
        if fault.kind is not FaultKind.TIMEOUT and self.observer is not None:
            self.observer.on_error(self.number, AiErrorKind.RUN)

    def shut_down(self) -> None:
        self._questions.put(self._bout.position.outcome)
        if self._asking and (leave := getattr(self._player, "leave", None)):
            leave()

    def close(self) -> None:
        if self._wakeup_read_fd < 0:
            return
        self._questions.put(None)
        self._loop.unwatch(self._wakeup_read_fd)
        for fd in (self._wakeup_read_fd, self._wakeup_write_fd):
            os.close(fd)
        self._wakeup_read_fd = self._wakeup_write_fd = -1
