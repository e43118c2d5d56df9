"""The judger's console: the original's ``test_mode``, word for word, its spelling included."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from ludus.compat.saiblo.command_reader import CommandReader
from ludus.compat.saiblo.frames import TO_JUDGER
from ludus.compat.saiblo.lobby import SEAT_NUMBERS, Lobby, WriteBytes, reply_format_for
from ludus.compat.saiblo.settings import JudgerSettings
from ludus.compat.saiblo.versions import V1_1
from ludus.errors import LudusError

WELCOME = "You can input help to know the instrution set\n"
PROMPT = "> "
INVALID_COMMAND = "Your instrution is wrong, please check your input\n"
SEATS_INCOMPLETE = (
    "when you use this command(4), you need to make sure{wide}"
    "all AIs are started and the index is sorted from 0\n"
)
HELP = """\
For the following <index>, it's an integer belonging to [0, 100)
For the following <command>, if there is ' ' with '+' instead
    example:python3+logic.py
INSTRUCTION SET:
  state:get the AI information that has been started
    example:state
  debug_logic:negate the debug_logic state, you can input 'state' to check debug_logic state
    if your debug_logic state is True, the message from logic will be output in std_out
    example:debug_logic
  debug_ai:negate the debug_ai state, you can input 'state' to check debug_ai state
    if your debug_ai state is True, the message from ai will be output in std_out
    example:debug_ai
  0 <index> <command>:start an AI numbered <index> with <command>
    example:0 0 python3+ai.py
  1 <index> <ip> <port> <room_id>:start a human player numbered <index> connected with <ip>:<port>
    judger can only check index, then it will start a server{gap}using <ip>:<port>, you need to\
 make sure <ip>:<port> is right
    example:1 0 0.0.0.0 14285 1
  2 <index>: delete an AI numbered <index>
    example:2 0
  3 <index>: delete a huamn player numbered <index>
    example:3 0
  4 <command> <config> <replay>:start your game with <command>, the meaning of                \
<config> and <replay> can be found in Game{gap}Development Manual when the game is initialized
{lead}when you use this command(4),{gap}you need to make sure all AIs are started and the index is\
 sorted from 0
     after using this command(4) successfully,{gap}you cannot use the instrution set until your\
 game is over
     example:4 logic.py my_config replay.json
  5:quit all of the processes and threads
    if you don't use command(4) to start a game,{gap}we recommend that you exit with command(5)\
 rather than violently withdraw
    example:5
"""
SPACING = {"gap": " ", "lead": "  \t", "wide": " "}
SPACING_V1_1 = {"gap": " " * 17, "lead": " " * 5, "wide": " " * 28}
"""The second version broke its lines inside its texts."""


class Console:
    """One session: reads commands, writes texts and frames, until a match was played or 5 quits."""

    def __init__(self, settings: JudgerSettings, folder: Path, out: WriteBytes) -> None:
        self.lobby = Lobby(settings, folder, out)
        self.debug_logic = self.debug_ai = False
        self.over = False
        self._out = out
        self._spacing = SPACING_V1_1 if settings.version is V1_1 else SPACING
        self._commands: dict[str, tuple[int, Callable[..., None]]] = {
            "help": (0, self._help),
            "state": (0, self._state),
            "debug_logic": (0, self._toggle_debug_logic),
            "debug_ai": (0, self._toggle_debug_ai),
            "0": (2, self._start_ai),
            "1": (4, self._start_person),
            "2": (1, self._delete),
            "3": (1, self._delete),
            "4": (3, self._play),
            "5": (0, self._quit),
        }

    def run(self, reader: CommandReader) -> None:
        """Run the commands line by line."""
        self._write(WELCOME + PROMPT)
        try:
            while not self.over and (line := reader.read_line(self.lobby.loop)) is not None:
                self.run_command(line)
                if not self.over:
                    self._write(PROMPT)
        finally:
            self.lobby.close()

    def run_command(self, line: str) -> None:
        """Run one command: words separated by single spaces."""
        name, *words = line.split(" ")
        wanted, command = self._commands.get(name, (-1, None))
        if command is None or len(words) != wanted:
            self._write(INVALID_COMMAND)
            return
        try:
            command(*words)
        except (ValueError, LudusError):
            self._write(INVALID_COMMAND)

    def _write(self, text: str) -> None:
        self._out(text.encode())

    def _help(self) -> None:
        self._write(HELP.format(**self._spacing))

    def _state(self) -> None:
        self._write(f"debug_logic = {self.debug_logic}\ndebug_ai = {self.debug_ai}\n")
        self._write("index    AI_state\n")
        for number, seat in sorted(self.lobby.seats.items()):
            self._write(f"{number:5d}    {seat.is_running}\n")

    def _toggle_debug_logic(self) -> None:
        self.debug_logic = not self.debug_logic

    def _toggle_debug_ai(self) -> None:
        self.debug_ai = not self.debug_ai

    def _is_free(self, number: int) -> bool:
        if number in self.lobby.seats:
            self._write(f"You have started a process numbered {number}\n")
            return False
        return True

    def _start_ai(self, index: str, command: str) -> None:
        number = parse_seat_number(index)
        if self._is_free(number):
            how = "successfully" if self.lobby.add_ai(number, command) else "error"
            shown = command.replace("+", " ")
            self._write(f"start {how}! <index>: {number}, <command>: {shown}\n")

    def _start_person(self, index: str, host: str, port: str, room: str) -> None:
        number = parse_seat_number(index)
        if self._is_free(number):
            self.lobby.add_person(number, host, int(port), room)

    def _delete(self, index: str) -> None:
        number = parse_seat_number(index)
        if self.lobby.remove(number):
            self._write(f"process numberd {number} has been deleted!\n")
        else:
            self._write(f"cannot find an process numbered {number}\n")

    def _play(self, command: str, config: str, replay: str) -> None:
        if not self.lobby.is_complete:
            self._write(SEATS_INCOMPLETE.format(**self._spacing))
            return
        shown = command.replace("+", " ")
        self._write(f"start game! <command>: {shown}, <config>: {config}, <replay>: {replay}\n")
        replies = reply_format_for(self.lobby.settings.version)
        if replies.always_reports_start:
            self._out(replies.encode_success(4, -1))
        report = self.lobby.play(command, config, replay, tap=self._echo_messages)
        self._out(replies.encode_end(report))
        self.over = True

    def _echo_messages(self, direction: str, body: bytes, target: int = TO_JUDGER) -> None:
        if self.debug_logic and direction == "L>J":
            self._out(body)
        elif self.debug_ai and direction.startswith("A"):
            seat = int(direction.removeprefix("A").partition(">")[0])
            message = {"player": seat, "content": body.decode(errors="replace")}
            self._out(json.dumps(message).encode())

    def _quit(self) -> None:
        self.over = True


def parse_seat_number(text: str) -> int:
    number = int(text)
    if number not in SEAT_NUMBERS:
        raise ValueError(text)
    return number
