"""Players of the challenge as the referee asks them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from typing import Protocol

from ludus.bots.notes import NoteBook
from ludus.bots.players.base import MoveAnswer, SeatBout, TimeLimit, TimeSpent
from ludus.compat.tablut_challenge.bout_states import BoutStates
from ludus.compat.tablut_challenge.connection import EXIT_TIMEOUT_S, PlayerConnection
from ludus.compat.tablut_challenge.wire import decode_move
from ludus.games.base import ClockView, Outcome
from ludus.games.host import Ply
from ludus.sandbox.bot_fault import BotFault

WHITE_SEAT = 0


class ConnectPlayer(Protocol):
    """Gives the connection for a bout: one that is there already, or that of a new program."""

    def __call__(self, bout: SeatBout) -> PlayerConnection: ...


class ChallengePlayer:
    """A player of the challenge on a seat.

    Players of the challenge play one game and exit, so every bout has a connection of its own. It
    receives a state at the beginning and after every move, its own too. Given first moves (an
    opening) are not shown: the bout begins for it with the state after them.
    """

    def __init__(
        self,
        name: str,
        digest: str,
        isolation: str,
        connect: ConnectPlayer,
        *,
        shows_start: bool = False,
    ) -> None:
        """``shows_start``: there is no opening, so the first state is sent at once."""
        self._shows_start = shows_start
        self.name, self.digest, self.isolation = name, digest, isolation
        self._connect = connect
        self._connection: PlayerConnection | None = None
        self._output: dict[str, str] = {}
        self.notes = NoteBook()
        """What its program printed while it was asked for each move."""

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        self.close()
        self.notes.begin_bout(bout)
        self._output = {}
        self._seat = bout.seat
        self._states = BoutStates(bout)
        self._has_state = False
        self._connection = self._connect(bout)
        self._may_answer = False
        if self._shows_start:
            self._connection.send(self._states.frame())
            self._has_state = True
            self._may_answer = self._states.position.to_move == (bout.seat,)
        return TimeSpent(0.0, 0.0)  # its clock does not run while it loads

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        connection = self._connection
        assert connection is not None
        if not self._may_answer:
            connection.refuse_unasked()
        self._may_answer = False
        self.notes.follow(len(plies))
        self._take_printed(connection)
        self._send_states(connection, plies)
        began, cpu = time.perf_counter(), _cpu_seconds(connection)
        patience = limit.asleep if limit.measure == "cpu" else 0.0
        try:
            move = decode_move(connection.receive(limit.seconds + patience))
        except BotFault as fault:
            fault.wall = time.perf_counter() - began
            fault.cpu = _cpu_seconds(connection) - cpu
            self._send_loss(connection)
            raise
        spent = TimeSpent(_cpu_seconds(connection) - cpu, time.perf_counter() - began)
        self.notes.add(self._take_printed(connection))
        if self._states.allows(self._seat, move):
            self._states.play([{self._seat: move}])
            self._own_ply_played = True
            connection.send(self._states.frame())
        else:
            self._send_loss(connection)
        return MoveAnswer(spent.cpu, spent.wall, move)

    def _take_printed(self, connection: PlayerConnection) -> str:
        return connection.program.take_recent() if connection.program is not None else ""

    def _send_loss(self, connection: PlayerConnection) -> None:
        """The player is at fault: send it the state with the other side as the winner."""
        scores = (0.0, 1.0) if self._seat == WHITE_SEAT else (1.0, 0.0)
        with contextlib.suppress(BotFault):
            connection.send(self._states.frame(Outcome(scores, "fault")))

    _own_ply_played = False
    """Whether the first of the next plies is the player's own move, which is played already."""

    def _send_states(self, connection: PlayerConnection, plies: Sequence[Ply]) -> None:
        """Send the states that the plies since the last turn led to, the first time only the last.

        Black then gets the state before it, too: programs that expect White to open skip one.
        """
        new = self._skip_own(plies)
        if not self._has_state and self._seat != WHITE_SEAT and new:
            self._states.play(new[:-1])
            connection.send(self._states.frame())
            new = new[-1:]
        self._states.play(new)
        if new or not self._has_state:
            connection.send(self._states.frame())
        self._has_state = True

    def _skip_own(self, plies: Sequence[Ply]) -> Sequence[Ply]:
        played, self._own_ply_played = self._own_ply_played, False
        return plies[1:] if played else plies

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        if self._connection is not None:
            new = self._skip_own(plies)
            self._states.play(new)
            if new or self._states.position.outcome is None:
                self._connection.send(self._states.frame(outcome))
            self._close_connection(grace=True)
        return TimeSpent(0.0, 0.0)

    def output(self) -> dict[str, str]:
        if self._connection is not None and self._connection.program is not None:
            return self._connection.program.texts()
        return self._output or {"stdout": "", "stderr": ""}

    def close(self) -> None:
        self._close_connection(grace=False)

    def _close_connection(self, grace: bool) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        connection.close()
        self._own_ply_played = False
        if connection.program is not None:
            connection.program.wait(EXIT_TIMEOUT_S if grace else 0.0)
            self._output = connection.program.texts()
            connection.program.kill()


def _cpu_seconds(connection: PlayerConnection) -> float:
    return connection.program.cpu_seconds() if connection.program else 0.0
