"""The judger under a program's control: commands as 4+n JSON frames, as the original had them."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ludus.compat.saiblo.command_reader import CommandReader
from ludus.compat.saiblo.lobby import Lobby, WriteBytes
from ludus.compat.saiblo.match import JudgerSettings
from ludus.errors import LudusError

START_AI, START_PERSON, REMOVE_AI, REMOVE_PERSON, PLAY, QUIT = range(6)


class ControllerCommand(msgspec.Struct):
    """What a controller sends."""

    type: int
    index: int = 0
    command: str = ""
    ip: str = ""
    port: int | str = 0
    room_id: int | str = ""
    config: str = ""
    replay: str = "replay.json"


_decode_command = msgspec.json.Decoder(ControllerCommand).decode


class Controller:
    """One session: orders in, replies out, until told to quit."""

    def __init__(self, terms: JudgerSettings, folder: Path, out: WriteBytes) -> None:
        self.lobby = Lobby(terms, folder, out)
        self._out = out

    def run(self, intake: CommandReader) -> None:
        try:
            while (body := intake.read_frame(self.lobby.loop)) is not None:
                order = _decode_command(body)
                if order.type == QUIT:
                    return
                self._handle_command(order)
        finally:
            self.lobby.close()

    def _handle_command(self, order: ControllerCommand) -> None:
        try:
            done = self._execute(order)
        except (ValueError, LudusError):
            done = False
        if done is not None:
            replies = self.lobby.replies
            seat = -1 if order.type == PLAY else order.index
            self._out(
                replies.encode_success(order.type, seat)
                if done
                else replies.encode_failure(order.type)
            )
        if order.type == PLAY and done:
            report = self.lobby.play(order.command, order.config, order.replay)
            self._out(self.lobby.replies.encode_end(report))

    def _execute(self, order: ControllerCommand) -> bool | None:
        """Whether it could be done; None if that shows later."""
        if order.type == START_AI:
            taken = order.index in self.lobby.seats
            return not taken and self.lobby.add_ai(order.index, order.command)
        if order.type == START_PERSON:
            self.lobby.add_person(order.index, order.ip, int(order.port), str(order.room_id))
            return None
        if order.type in (REMOVE_AI, REMOVE_PERSON):
            return self.lobby.remove(order.index)
        return self.lobby.is_complete
