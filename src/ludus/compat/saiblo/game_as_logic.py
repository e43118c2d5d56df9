"""A Ludus game as a Saiblo logic: ``python -m ludus.compat.saiblo.game_as_logic GAME``.

The Ludus referee plays the bout; its players are seats behind a judger, of any make and version.
The bout's record is the replay. ``config`` may hold ``seed`` (or ``random_seed``), ``options`` and
``clock``; time is counted by the judger's wall clock.
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

from ludus.bots.players.base import Answer, Bout, Limit, Player, Spent
from ludus.compat.saiblo import text_protocol
from ludus.compat.saiblo.protocol import TO_JUDGER, Trouble, frame
from ludus.errors import LudusError
from ludus.games.base import Clock, ClockView, Game, Outcome, Position
from ludus.games.host import Ply
from ludus.games.registry import get
from ludus.match.record import Record, pack
from ludus.match.referee import play
from ludus.sandbox.fault import Fault, Kind

FAULTS = {Trouble.RUN: Kind.CRASH, Trouble.TIMEOUT: Kind.TIMEOUT, Trouble.LENGTH: Kind.OUTPUT}
WHY = {
    Trouble.RUN: ("it ended or broke the protocol", "它已退出或违反了协议"),
    Trouble.TIMEOUT: ("it did not answer in time", "它没有按时回答"),
    Trouble.LENGTH: ("its answer was too long", "它的回答过长"),
}
VERDICTS = {
    Kind.ILLEGAL: "IA",
    Kind.CRASH: "RE",
    Kind.TIMEOUT: "TLE",
    Kind.MEMORY: "MLE",
    Kind.OUTPUT: "OLE",
    Kind.LOAD: "RE",
}
TIMES = ("budget", "increment", "per_move")
LONGEST = 1 << 16
"""Bytes of a move, as far as this logic is concerned."""


class Judge:
    """The judger at the other end of stdin and stdout."""

    def __init__(self, incoming: int = 0, outgoing: int = 1) -> None:
        self._in, self._out = incoming, outgoing
        self._state = 0
        self._time = -1.0
        self._gone: set[int] = set()
        self._clocks: dict[int, float] = {}

    def hear(self) -> dict[str, Any]:
        """The next message."""
        size = int.from_bytes(self._read(4), "big")
        said: dict[str, Any] = json.loads(self._read(size))
        return said

    def _read(self, size: int) -> bytes:
        got = b""
        while len(got) < size:
            more = os.read(self._in, size - len(got))
            if not more:
                sys.exit(1)  # the judger has gone
            got += more
        return got

    def tell(self, said: Mapping[str, Any]) -> None:
        self._write(TO_JUDGER, json.dumps(said).encode())

    def pass_on(self, seat: int, line: text_protocol.Line) -> None:
        """Say something to a seat that it need not answer."""
        self._write(seat, text_protocol.write(line).encode())

    def _write(self, target: int, body: bytes) -> None:
        data = frame(body)[:4] + target.to_bytes(4, "big", signed=True) + body
        while data:
            data = data[os.write(self._out, data) :]

    def ask(self, seat: int, turn: text_protocol.Turn) -> tuple[str, float]:
        """A seat's answer and the seconds it took; a Fault if there is none."""
        if turn.limit != self._time:
            self._time = turn.limit
            self.tell({"state": 0, "time": turn.limit, "length": LONGEST})
        self._state += 1
        content = text_protocol.write(turn)
        self.tell({"state": self._state, "listen": [seat], "player": [seat], "content": [content]})
        while seat not in self._gone:
            said = self.hear()
            if said["player"] == seat:
                return said["content"], said.get("time", 0) / 1000
            if said["player"] == -1:
                self._trouble(seat, json.loads(said["content"]))
        raise fault_of(Trouble.RUN)

    def _trouble(self, seat: int, said: Mapping[str, Any]) -> None:
        trouble = Trouble(said["error"])
        if trouble is Trouble.RUN:
            self._gone.add(said["player"])
        elif said.get("state", self._state) == self._state:  # else it is about an earlier round
            raise fault_of(trouble)


def fault_of(trouble: Trouble) -> Fault:
    return Fault(FAULTS[trouble], *WHY[trouble])


class JudgedPlayer:
    """A seat behind the judger, as the referee sees it."""

    digest = ""
    isolation = "judged"

    def __init__(self, judge: Judge, seat: int) -> None:
        self.name = f"player {seat}"
        self._judge, self._seat = judge, seat
        self._turns = 0

    def start(self, bout: Bout, limit: Limit) -> Spent:
        self._game = game = bout.game
        self._position: Position = game.start(bout.options, bout.seed)
        start = text_protocol.Start(
            game=game.name,
            version=game.version,
            seat=self._seat,
            seats=list(game.seats),
            options=bout.options.as_json(),
            budget=bout.budget,
            seed=None if game.hidden else bout.seed,
            random_seed=bout.random_seed,
        )
        self._judge.pass_on(self._seat, start)
        return Spent(0.0, 0.0)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: Limit) -> Answer:
        for ply in plies:
            self._position.play(ply)
        self._turns += 1
        turn = text_protocol.Turn(
            n=self._turns,
            left=clock.left,
            limit=round(limit.seconds, 3),
            legal=self._position.legal(self._seat),
            view=self._position.view(self._seat),
            moves=None if self._game.hidden else plies,
        )
        text, seconds = self._judge.ask(self._seat, turn)
        return Answer(0.0, seconds, text.strip())

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: Limit) -> Spent:
        end = text_protocol.End(outcome.scores, outcome.reason, outcome.detail)
        self._judge.pass_on(self._seat, end)
        return Spent(0.0, 0.0)

    def output(self) -> dict[str, str]:
        return {"stdout": "", "stderr": ""}

    def close(self) -> None:
        """The judger ends the AIs."""


def serve(game: Game, judge: Judge) -> Record:
    """Play one bout behind a judger; the record is written to the replay's path."""
    init = judge.hear()
    config = config_of(init.get("config"))
    if init["player_num"] != len(game.seats):
        judge.tell(_refusal(init["player_num"]))
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
        clock_of(game, config.get("clock", {})),
    )
    Path(init["replay"]).write_bytes(pack(record))
    judge.tell(end_message(record))
    return record


def _refusal(players: int) -> dict[str, Any]:
    return {"state": -1, "end_info": json.dumps(dict.fromkeys(map(str, range(players)), 0))}


def config_of(said: Any) -> dict[str, Any]:
    """The judger's config: an object, or a text that holds one."""
    if isinstance(said, str):
        try:
            said = json.loads(said)
        except ValueError:
            return {}
    return said if isinstance(said, dict) else {}


def clock_of(game: Game, said: Mapping[str, Any]) -> Clock:
    """The game's clock, counting wall time, with the config's changes."""
    changes = {name: float(said[name]) for name in TIMES if said.get(name) is not None}
    return dataclasses.replace(game.clock, measure="wall", **changes)


def end_message(record: Record) -> dict[str, Any]:
    scores = {str(seat): score for seat, score in enumerate(record.scores)}
    states = ["OK"] * len(record.scores)
    for fault in record.faults:
        states[fault.seat] = VERDICTS[fault.kind]
    return {"state": -1, "end_info": json.dumps(scores), "end_state": json.dumps(states)}


if __name__ == "__main__":
    try:
        serve(get(sys.argv[1]), Judge())
    except LudusError as error:
        sys.exit(str(error))
