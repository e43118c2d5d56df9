"""A bot of Ludus as a player on another server of the challenge.

The server's states are what counts. The bot is told the moves that led from one state to the next;
a position that our rules call over while the server goes on (it may allow repetitions) is played on
without the repetition rule.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import socket
import time
from collections.abc import Callable
from typing import Any, cast

from ludus.bots.players.base import Player, SeatBout, TimeLimit
from ludus.compat.tablut_challenge.bout_states import VARIANT
from ludus.compat.tablut_challenge.wire import (
    SIDES,
    WINS,
    ChallengeState,
    FrameReader,
    decode_state,
    encode_frame,
    encode_move,
)
from ludus.errors import LudusError
from ludus.games import get
from ludus.games.base import Clock, ClockView, Outcome
from ludus.games.host import Ply
from ludus.games.tablut.rules import TablutPosition
from ludus.games.tablut.variants import TablutOptions
from ludus.match.referee import derive_random_seeds
from ludus.os_errors import describe_os_error
from ludus.sandbox.bot_fault import BotFault

MARGIN_S = 1.0
"""Seconds kept back of each move for the way to the server …"""
MARGIN_SHARE = 0.1
"""… but no more than this share of it."""
MAX_MOVES_OF_A_SEAT = 501
SCORES = {0: (1.0, 0.0), 1: (0.0, 1.0), None: (0.5, 0.5)}


class ServerConnection:
    """A connection to a server of the challenge."""

    def __init__(self, address: str, port: int, name: str, connect_seconds: float) -> None:
        """Connect and send the player's name; LudusError if no server answers in time."""
        self._socket = _connect(address, port, connect_seconds)
        self._socket.settimeout(None)
        self._reader = FrameReader()
        self.send(encode_frame(json.dumps(name)))

    def send(self, frame: bytes) -> None:
        try:
            self._socket.sendall(frame)
        except OSError:
            raise _server_left() from None

    def receive_state(self) -> ChallengeState:
        """The next state, however long it takes."""
        try:
            content = self._reader.feed(b"")
            while content is None:
                if not (data := self._socket.recv(1 << 16)):
                    raise _server_left()
                content = self._reader.feed(data)
            return decode_state(content)
        except OSError:
            raise _server_left() from None
        except (BotFault, ValueError, KeyError, TypeError, RecursionError) as error:
            raise LudusError(
                f"the server sent something that is not a state of the Tablut challenge: {error}",
                f"服务器发来的内容不是 Tablut 挑战赛的局面：{error}",
            ) from None

    def close(self) -> None:
        self._socket.close()


def _connect(address: str, port: int, seconds: float) -> socket.socket:
    """Connect as soon as a server listens there: players are often started first."""
    ends_at = time.monotonic() + seconds
    while True:
        left = ends_at - time.monotonic()
        try:
            return socket.create_connection((address, port), timeout=max(left, 0.1))
        except OSError as error:
            if left <= 0.2:
                why = describe_os_error(error)
                raise LudusError(
                    f"no server of the challenge answers at {address}:{port}: {why.en}",
                    f"{address}:{port} 上没有挑战赛服务器应答：{why.zh}",
                ) from None
            time.sleep(0.2)


def _server_left() -> LudusError:
    return LudusError(
        "the server closed the connection before the end of the game; it does so if a player takes"
        " too long",
        "对局还没结束，服务器就关闭了连接；选手超时的时候它会这样做",
    )


class JoinedBout:
    """One game on a server, with a bot of Ludus as one of its players."""

    def __init__(self, player: Player, seat: int, seconds: float) -> None:
        self.player, self.seat, self.seconds = player, seat, seconds
        self.game = get("tablut")
        self.options: Any = TablutOptions(variant=VARIANT)
        self.plies: list[Ply] = []
        self._told = 0
        """How many plies the bot knows."""
        self._start_player()

    @property
    def _move_seconds(self) -> float:
        return self.seconds - min(MARGIN_S, MARGIN_SHARE * self.seconds)

    def _start_player(self) -> None:
        """Let the bot begin a bout; it has not been told any move then."""
        self.position = cast(TablutPosition, self.game.start(self.options, 0))
        budget = self.seconds * MAX_MOVES_OF_A_SEAT
        clock = Clock(budget=budget, per_move=self._move_seconds, measure="wall")
        seed = derive_random_seeds(time.time_ns(), 2)[self.seat]
        bout = SeatBout(self.game, self.options, 0, self.seat, clock, budget, seed)
        self.player.start(bout, TimeLimit(self.seconds, "wall", 0.0))
        self._told = 0

    def follow(self, state: ChallengeState) -> None:
        """Take over a state of the server; LudusError if no move of our rules leads to it."""
        if state.cells != self.position.cells:
            self._play(self._find_move(state))
        if state.turn in SIDES and self.position.outcome is not None:
            self._play_on_without_repetition()
        if state.turn in SIDES and SIDES[self.position.to_move[0]] != state.turn:
            raise _other_rules()

    def _find_move(self, state: ChallengeState) -> str:
        if self.position.outcome is not None:
            self._play_on_without_repetition()
        seat = self.position.to_move[0]
        king = self.position.board.king
        for move in self.position.legal(seat):
            after = self.position.copy()
            after.play({seat: move})
            cells = after.cells
            if "K" not in cells:  # servers leave a captured king on the board
                cells = f"{cells[:king]}K{cells[king + 1 :]}"
            if cells == state.cells:
                return move
        raise _other_rules()

    def _play(self, move: str) -> None:
        ply = {self.position.to_move[0]: move}
        self.position.play(ply)
        self.plies.append(ply)

    def _play_on_without_repetition(self) -> None:
        """Our rules call the position a draw; the server does not."""
        outcome = self.position.outcome
        if outcome is None or outcome.reason != "repetition":
            raise _other_rules()
        self.options = dataclasses.replace(self.options, repetition="off")
        self._start_player()
        for ply in self.plies:
            self.position.play(ply)

    def choose_move(self) -> str:
        """The bot's move. Raises BotFault."""
        seconds = self._move_seconds
        left = (seconds * MAX_MOVES_OF_A_SEAT,) * 2
        plies, self._told = self.plies[self._told :], len(self.plies)
        clock = ClockView(left, self.seat, seconds)
        return self.player.turn(plies, clock, TimeLimit(seconds, "wall", 0.0)).move

    def end(self, turn: str) -> None:
        """The game is over with this ``turn``."""
        outcome = self.position.outcome or Outcome(SCORES[WINS[turn]], "server")
        self.player.end(self.plies[self._told :], outcome, TimeLimit(1.0, "wall", 0.0))


def _other_rules() -> LudusError:
    return LudusError(
        "the server's board does not follow from the last one by the rules of Ashton tablut",
        "按 Ashton tablut 规则，服务器的局面不能由上一个局面得到",
    )


def play_on_server(
    connection: ServerConnection,
    bout: JoinedBout,
    report: Callable[[str], None] = lambda move: None,
) -> str:
    """Play until the end; returns the ``turn`` of the last state.

    ``report`` is called with every move of our bot. Raises BotFault if the bot fails.
    """
    while True:
        state = connection.receive_state()
        if state.turn in WINS:
            with contextlib.suppress(LudusError):  # it is over, whatever the board is
                bout.follow(state)
            bout.end(state.turn)
            return state.turn
        bout.follow(state)
        if state.turn == SIDES[bout.seat]:
            move = bout.choose_move()
            report(move)
            connection.send(encode_move(move, state.turn))
