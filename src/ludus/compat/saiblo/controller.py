"""The judger controlled by another program: commands as 4+n JSON frames, as in the original."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ludus.compat.saiblo.command_reader import CommandReader
from ludus.compat.saiblo.lobby import Lobby, WriteBytes
from ludus.compat.saiblo.settings import JudgerSettings
from ludus.errors import LudusError

START_AI, START_PERSON, REMOVE_AI, REMOVE_PERSON, PLAY, QUIT = range(6)


class ControllerCommand(msgspec.Struct):
    """A command of the controlling program."""

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
    """One session: reads commands and replies to them until told to quit."""

    def __init__(self, settings: JudgerSettings, folder: Path, out: WriteBytes) -> None:
        self.lobby = Lobby(settings, folder, out)
        self._out = out

    def run(self, reader: CommandReader) -> None:
        try:
            while (body := reader.read_frame(self.lobby.loop)) is not None:
                command = _decode_command(body)
                if command.type == QUIT:
                    return
                self._handle_command(command)
        finally:
            self.lobby.close()

    def _handle_command(self, command: ControllerCommand) -> None:
        try:
            success = self._execute(command)
        except (ValueError, LudusError):
            success = False
        if success is not None:
            replies = self.lobby.replies
            seat = -1 if command.type == PLAY else command.index
            self._out(
                replies.encode_success(command.type, seat)
                if success
                else replies.encode_failure(command.type)
            )
        if command.type == PLAY and success:
            report = self.lobby.play(command.command, command.config, command.replay)
            self._out(self.lobby.replies.encode_end(report))

    def _execute(self, command: ControllerCommand) -> bool | None:
        """Whether it was possible; None if that is reported later, when the person connects."""
        if command.type == START_AI:
            taken = command.index in self.lobby.seats
            return not taken and self.lobby.add_ai(command.index, command.command)
        if command.type == START_PERSON:
            self.lobby.add_person(
                command.index, command.ip, int(command.port), str(command.room_id)
            )
            return None
        if command.type in (REMOVE_AI, REMOVE_PERSON):
            return self.lobby.remove(command.index)
        return self.lobby.is_complete
