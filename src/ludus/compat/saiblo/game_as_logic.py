"""A Ludus game as a Saiblo logic: ``python -m ludus.compat.saiblo.game_as_logic GAME``.

The Ludus referee plays the bout; its players are the seats of a judger, the original's or ours, of
any version. The bout's record is the replay. ``config`` may hold ``seed`` (or ``random_seed``),
``options`` and ``clock``; times are wall times as measured by the judger.
"""

from __future__ import annotations

import dataclasses
import json
import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ludus.bots.players.base import MoveAnswer, Player, SeatBout, TimeLimit, TimeSpent
from ludus.compat.saiblo import text_protocol
from ludus.compat.saiblo.frames import TO_JUDGER, encode_frame
from ludus.compat.saiblo.versions import AiErrorKind
from ludus.errors import LudusError
from ludus.games.base import Clock, ClockView, Game, Outcome, Position
from ludus.games.host import Ply
from ludus.games.registry import get
from ludus.match.record import Record, pack
from ludus.match.referee import play
from ludus.sandbox.bot_fault import BotFault, FaultKind

FAULT_KINDS = {
    AiErrorKind.RUN: FaultKind.CRASH,
    AiErrorKind.TIMEOUT: FaultKind.TIMEOUT,
    AiErrorKind.LENGTH: FaultKind.OUTPUT,
}
FAULT_SENTENCES = {
    AiErrorKind.RUN: ("it ended or broke the protocol", "它已退出或违反了协议"),
    AiErrorKind.TIMEOUT: ("it did not answer in time", "它没有按时回答"),
    AiErrorKind.LENGTH: ("its answer was too long", "它的回答过长"),
}
VERDICTS = {
    FaultKind.ILLEGAL: "IA",
    FaultKind.CRASH: "RE",
    FaultKind.TIMEOUT: "TLE",
    FaultKind.MEMORY: "MLE",
    FaultKind.OUTPUT: "OLE",
    FaultKind.LOAD: "RE",
}
CLOCK_FIELDS = ("budget", "increment", "per_move")
MAX_MOVE_BYTES = 1 << 16
"""Bytes of a move that this logic accepts."""


class JudgerConnection:
    """The judger at the other end of stdin and stdout."""

    def __init__(self, incoming: int = 0, outgoing: int = 1) -> None:
        self._in, self._out = incoming, outgoing
        self._state = 0
        self._time = -1.0
        self._exited_seats: set[int] = set()
        self._clocks: dict[int, float] = {}

    def receive(self) -> dict[str, Any]:
        """Wait for the next message. Exits the program if the judger is gone."""
        size = int.from_bytes(self._read(4), "big")
        message: dict[str, Any] = json.loads(self._read(size))
        return message

    def _read(self, size: int) -> bytes:
        got = b""
        while len(got) < size:
            more = os.read(self._in, size - len(got))
            if not more:
                sys.exit(1)  # the judger is gone
            got += more
        return got

    def send(self, message: Mapping[str, Any]) -> None:
        self._write(TO_JUDGER, json.dumps(message).encode())

    def send_to_seat(self, seat: int, line: text_protocol.TextMessage) -> None:
        """Send a seat something that needs no answer."""
        self._write(seat, text_protocol.encode_line(line).encode())

    def _write(self, target: int, body: bytes) -> None:
        data = encode_frame(body)[:4] + target.to_bytes(4, "big", signed=True) + body
        while data:
            data = data[os.write(self._out, data) :]

    def ask(self, seat: int, turn: text_protocol.TurnMessage) -> tuple[str, float]:
        """A seat's answer and the seconds it took. Raises BotFault if there is none."""
        if turn.limit != self._time:
            self._time = turn.limit
            self.send({"state": 0, "time": turn.limit, "length": MAX_MOVE_BYTES})
        self._state += 1
        content = text_protocol.encode_line(turn)
        self.send({"state": self._state, "listen": [seat], "player": [seat], "content": [content]})
        while seat not in self._exited_seats:
            message = self.receive()
            if message["player"] == seat:
                return message["content"], message.get("time", 0) / 1000
            if message["player"] == -1:
                self._handle_error(seat, json.loads(message["content"]))
        raise make_fault(AiErrorKind.RUN)

    def _handle_error(self, seat: int, report: Mapping[str, Any]) -> None:
        """A run error may come at any time and is remembered; the others are about one round."""
        error = AiErrorKind(report["error"])
        if error is AiErrorKind.RUN:
            self._exited_seats.add(report["player"])
        elif report.get("state", self._state) == self._state:  # else it is about an earlier round
            raise make_fault(error)


def make_fault(error: AiErrorKind) -> BotFault:
    return BotFault(FAULT_KINDS[error], *FAULT_SENTENCES[error])


class JudgedPlayer:
    """A seat of the judger, as a player of the referee."""

    digest = ""
    isolation = "judged"

    def __init__(self, judge: JudgerConnection, seat: int) -> None:
        self.name = f"player {seat}"
        self._judge, self._seat = judge, seat
        self._turns = 0

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        self._game = game = bout.game
        self._position: Position = game.start(bout.options, bout.seed)
        start = text_protocol.BoutStartMessage(
            game=game.name,
            version=game.version,
            seat=self._seat,
            seats=game.seat_keys,
            options=bout.options.as_json(),
            budget=bout.budget,
            seed=None if game.hidden else bout.seed,
            random_seed=bout.random_seed,
        )
        self._judge.send_to_seat(self._seat, start)
        return TimeSpent(0.0, 0.0)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        for ply in plies:
            self._position.play(ply)
        self._turns += 1
        turn = text_protocol.TurnMessage(
            n=self._turns,
            left=clock.left,
            limit=round(limit.seconds, 3),
            legal=self._position.legal(self._seat),
            view=self._position.view(self._seat),
            moves=None if self._game.hidden else plies,
        )
        text, seconds = self._judge.ask(self._seat, turn)
        return MoveAnswer(0.0, seconds, text.strip())

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        end = text_protocol.BoutEndMessage(outcome.scores, outcome.reason, outcome.detail)
        self._judge.send_to_seat(self._seat, end)
        return TimeSpent(0.0, 0.0)

    def output(self) -> dict[str, str]:
        return {"stdout": "", "stderr": ""}

    def close(self) -> None:
        """Nothing to do: the judger ends the AIs."""


def serve(game: Game, judge: JudgerConnection) -> Record:
    """Play one bout for a judger, and write its record to the replay's path."""
    init = judge.receive()
    config = parse_config(init.get("config"))
    if init["player_num"] != len(game.seats):
        judge.send(_wrong_player_count_message(init["player_num"]))
        raise LudusError(
            f"{game.name} has {len(game.seats)} seats, the judger has {init['player_num']} players",
            f"{game.name} 有 {len(game.seats)} 个座位，裁判有 {init['player_num']} 个玩家",
        )
    options = game.Options.parse(config.get("options", {}))
    seed = config.get("seed", config.get("random_seed"))
    players: list[Player] = [JudgedPlayer(judge, seat) for seat in range(len(game.seats))]
    record = play(
        game,
        options,
        secrets.randbelow(10**6) if seed is None else int(seed),
        players,
        make_clock(game, config.get("clock", {})),
    )
    Path(init["replay"]).write_bytes(pack(record))
    judge.send(end_message(record))
    return record


def _wrong_player_count_message(players: int) -> dict[str, Any]:
    return {"state": -1, "end_info": json.dumps(dict.fromkeys(map(str, range(players)), 0))}


def parse_config(config: Any) -> dict[str, Any]:
    """The judger's config: an object, or a string that holds one as JSON; anything else is {}."""
    if isinstance(config, str):
        try:
            config = json.loads(config)
        except ValueError:
            return {}
    return config if isinstance(config, dict) else {}


def make_clock(game: Game, config: Mapping[str, Any]) -> Clock:
    """The game's clock with the fields that the config sets, measuring wall time."""
    changes = {name: float(config[name]) for name in CLOCK_FIELDS if config.get(name) is not None}
    return dataclasses.replace(game.clock, measure="wall", **changes)


def end_message(record: Record) -> dict[str, Any]:
    scores = {str(seat): score for seat, score in enumerate(record.scores)}
    states = ["OK"] * len(record.scores)
    for fault in record.faults:
        states[fault.seat] = VERDICTS[fault.kind]
    return {"state": -1, "end_info": json.dumps(scores), "end_state": json.dumps(states)}


if __name__ == "__main__":
    try:
        serve(get(sys.argv[1]), JudgerConnection())
    except LudusError as error:
        sys.exit(str(error))
