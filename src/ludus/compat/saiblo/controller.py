"""The judger under a program's control: commands as 4+n JSON frames, as the original had them."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ludus.compat.saiblo.command_reader import Intake
from ludus.compat.saiblo.lobby import Desk, Out
from ludus.compat.saiblo.match import Terms
from ludus.errors import LudusError

START_AI, START_PERSON, REMOVE_AI, REMOVE_PERSON, PLAY, QUIT = range(6)


class Order(msgspec.Struct):
    """What a controller sends."""

    type: int
    index: int = 0
    command: str = ""
    ip: str = ""
    port: int | str = 0
    room_id: int | str = ""
    config: str = ""
    replay: str = "replay.json"


_read = msgspec.json.Decoder(Order).decode


class Controller:
    """One session: orders in, replies out, until told to quit."""

    def __init__(self, terms: Terms, folder: Path, out: Out) -> None:
        self.desk = Desk(terms, folder, out)
        self._out = out

    def run(self, intake: Intake) -> None:
        try:
            while (body := intake.frame(self.desk.loop)) is not None:
                order = _read(body)
                if order.type == QUIT:
                    return
                self._obey(order)
        finally:
            self.desk.close()

    def _obey(self, order: Order) -> None:
        try:
            done = self._do(order)
        except (ValueError, LudusError):
            done = False
        if done is not None:
            replies = self.desk.replies
            seat = -1 if order.type == PLAY else order.index
            self._out(replies.done(order.type, seat) if done else replies.failed(order.type))
        if order.type == PLAY and done:
            report = self.desk.play(order.command, order.config, order.replay)
            self._out(self.desk.replies.end(report))

    def _do(self, order: Order) -> bool | None:
        """Whether it could be done; None if that shows later."""
        if order.type == START_AI:
            taken = order.index in self.desk.seats
            return not taken and self.desk.seat_ai(order.index, order.command)
        if order.type == START_PERSON:
            self.desk.seat_person(order.index, order.ip, int(order.port), str(order.room_id))
            return None
        if order.type in (REMOVE_AI, REMOVE_PERSON):
            return self.desk.remove(order.index)
        return self.desk.complete
