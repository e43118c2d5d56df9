"""Players of the original platforms' tools in jails, because their files are untrusted.

The originals imported it. Here it runs in a process of its own and is asked over ludus/1, with the
original's clock: wall time, without the time in which the process was ready but had no core.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from ludus.bots.load import NoBotDefined, host_types
from ludus.bots.players.base import SeatBout, TimeLimit, TimeSpent
from ludus.bots.players.create import create_player
from ludus.bots.players.process import ProcessPlayer
from ludus.bots.resolve import resolve_bot_at
from ludus.bots.temp_folders import TempFolder
from ludus.compat.timed_calls import seconds_without_core
from ludus.errors import LudusError
from ludus.escape import escape_to_one_line, escape_unsafe
from ludus.games.base import ClockView, Game, Outcome
from ludus.games.host import Ply
from ludus.lang import tr
from ludus.sandbox import BOT_FOLDER
from ludus.sandbox.bot_fault import BotFault, FaultCause, FaultKind

MAX_SECONDS = 1e6
"""Seconds that mean no limit and that every clock can represent."""
MAX_LITERAL_CHARACTERS = 250
IN_PROCESS_FLAG = "--in-process"

T = TypeVar("T", bound=TimeSpent)


class JailedPlayer:
    """One bot, kept for all bouts of a match; its process is restarted after a fault."""

    def __init__(self, path: Path, game: Game, shown: str, no_player: LudusError) -> None:
        """Start it and load its file.

        ``shown`` is the player as the user named it. Raises ``no_player`` if the file defines none,
        and another LudusError if the file cannot be loaded.
        """
        self.__name__ = path.stem
        self.display_name = shown
        self._folder, self._game = path.parent, game
        try:
            self.process = self._create_process(path)
        except NoBotDefined:  # the original reported this only after running the whole file
            with TempFolder("player") as scratch:
                copy = Path(scratch, path.name)
                mark = host_types(game)[0].mark
                copy.write_bytes(path.read_bytes() + f"\n{mark} = None\n".encode())
                self.process = self._create_process(copy)
                self._load(no_player)
        self._load(no_player)

    def _create_process(self, path: Path) -> ProcessPlayer:
        process = create_player(resolve_bot_at(path, self._game), self._game, isolate=True)
        assert isinstance(process, ProcessPlayer)
        return process

    def _load(self, no_player: LudusError) -> None:
        try:
            self.process.load(self._game)
        except BotFault as fault:
            if fault.cause is FaultCause.NO_BOT:
                raise no_player from None
            raise LudusError(
                f"{self.display_name} cannot be imported: {fault.why['en']}",
                f"{self.display_name} 无法导入：{fault.why['zh']}",
                self.format_trace(fault),
            ) from None

    def start(self, bout: SeatBout, seconds: float, asleep: float) -> TimeSpent:
        """A bout begins. ``asleep`` are the seconds that it may sleep in the whole bout."""
        self.process.load(self._game)
        return self._measure(lambda: self.process.start(bout, _limit(seconds, asleep)))

    def turn(
        self, plies: Sequence[Ply], clock: ClockView, seconds: float, asleep: float
    ) -> tuple[str, float]:
        """Its move, and the seconds that count as its own."""
        limit = _limit(seconds, asleep)
        answer = self._measure(lambda: self.process.turn(plies, clock, limit))
        return answer.move, answer.wall

    def end(self, plies: Sequence[Ply], outcome: Outcome, seconds: float) -> TimeSpent:
        return self._measure(lambda: self.process.end(plies, outcome, _limit(seconds, seconds)))

    def _measure(self, call: Callable[[], T]) -> T:
        """Make a call, and subtract the time in which other programs had the core."""
        file = f"/proc/{self.process.pid}/schedstat"
        waited = seconds_without_core(file)
        spent = call()
        spent.wall = max(0.0, spent.wall - max(0.0, seconds_without_core(file) - waited))
        return spent

    def format_trace(self, fault: BotFault) -> str:
        """Its traceback with the paths that its author knows, or the fault's description."""
        trace = fault.trace.replace(f'"{BOT_FOLDER}/', f'"{self._folder}/')
        return trace or f"{fault.why['en']}\n"

    def print_output(self) -> None:
        """Print the player's output in this bout, each line with its name in front."""
        for name, text in self.process.output().items():
            for line in text.splitlines():
                shown = f"{escape_to_one_line(self.__name__)}| {escape_to_one_line(line)}"
                print(shown, file=getattr(sys, name), flush=True)

    def close(self) -> None:
        self.process.close()


def _limit(seconds: float, asleep: float) -> TimeLimit:
    """A limit on CPU time (so that no player loses because the machine is busy) and on sleep."""
    return TimeLimit(min(max(seconds, 0.0), MAX_SECONDS), "cpu", min(asleep, MAX_SECONDS))


def is_timeout(fault: BotFault) -> bool:
    """Whether the original would have waited for ever: a player that exits never answers.

    In the originals ``sys.exit`` ended the player's thread only, and the tool waited until its time
    was over.
    """
    left = fault.kind is FaultKind.CRASH and fault.cause is FaultCause.EXIT
    return left or fault.kind is FaultKind.TIMEOUT


def parse_value(shown: str) -> Any:
    """The value whose ``repr`` a bot answered; the text itself if it is not a plain literal."""
    if len(shown) > MAX_LITERAL_CHARACTERS:
        return shown
    try:
        return ast.literal_eval(shown)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return shown


def split_in_process_flag(words: Sequence[str]) -> tuple[list[str], bool]:
    """Command-line arguments without ``--in-process``, and whether it was given."""
    return [word for word in words if word != IN_PROCESS_FLAG], IN_PROCESS_FLAG in words


def exit_with_error(error: LudusError) -> NoReturn:
    """Print an error, which may quote a player and is escaped, and exit with code 2."""
    print(escape_to_one_line(str(error)), escape_unsafe(error.detail), sep="\n", file=sys.stderr)
    sys.exit(2)


_warned: list[str] = []


def warn_in_process() -> None:
    """Warn once that players in this process are not confined."""
    if _warned:
        return
    note = tr(
        "note: these players run in this process, without a jail, and can do whatever you can;"
        " players named by their files run in jails",
        "提示：这些选手在本进程中运行，没有沙箱，能做你能做的一切；以文件名给出的选手在沙箱中运行",
    )
    _warned.append(note)
    print(note, file=sys.stderr, flush=True)
