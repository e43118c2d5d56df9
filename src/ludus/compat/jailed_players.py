"""Players of the originals' tools in jails: a file that somebody names is a stranger's program.

The originals imported it. Here it runs in a process of its own and is asked over ludus/1, with the
original's clock: real seconds, but for the time in which the process had no core.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from ludus.bots.load import NoBot, hosts
from ludus.bots.players.base import Bout, Limit, Spent
from ludus.bots.players.create import enter
from ludus.bots.players.process import ProcessPlayer
from ludus.bots.resolve import find_at
from ludus.bots.temp_folders import Scratch
from ludus.compat.timed_calls import without_core
from ludus.errors import LudusError
from ludus.escape import one_line, printable
from ludus.games.base import ClockView, Game, Outcome
from ludus.games.host import Ply
from ludus.lang import tr
from ludus.sandbox import BOT
from ludus.sandbox.fault import Fault, Kind

LONGEST = 1e6
"""Seconds: more is as good as no limit, and fits into every clock."""
LONGEST_LITERAL = 250
FLAG = "--in-process"
RAISED = {"en": "its file raised ", "zh": "载入时抛出 "}
NO_BOT, LEFT = " holds no bot for ", "it raised sys.exit("

T = TypeVar("T", bound=Spent)


class JailedPlayer:
    """One bot, kept over the bouts of a match; its process is started anew after a fault."""

    def __init__(self, path: Path, game: Game, shown: str, no_player: LudusError) -> None:
        """Start it and read its file.

        ``shown`` is the player as somebody named it; ``no_player`` is raised if its file offers
        none. Another LudusError tells what its file raised.
        """
        self.__name__ = path.stem
        self.shown = shown
        self._folder, self._game = path.parent, game
        try:
            self.process = self._entered(path)
        except NoBot:  # the original said so only after it had run the whole file
            with Scratch("player") as scratch:
                copy = Path(scratch, path.name)
                mark = hosts(game)[0].mark
                copy.write_bytes(path.read_bytes() + f"\n{mark} = None\n".encode())
                self.process = self._entered(copy)
                self._load(no_player)
        self._load(no_player)

    def _entered(self, path: Path) -> ProcessPlayer:
        process = enter(find_at(path, self._game), self._game, isolate=True)
        assert isinstance(process, ProcessPlayer)
        return process

    def _load(self, no_player: LudusError) -> None:
        try:
            self.process.load(self._game)
        except Fault as fault:
            if fault.kind is Kind.LOAD and NO_BOT in fault.why["en"] and not fault.trace:
                raise no_player from None
            said = (fault.why[lang].removeprefix(head) for lang, head in RAISED.items())
            en, zh = (text.replace("sys.exit(", "SystemExit(", 1) for text in said)
            raise LudusError(
                f"{self.shown} cannot be imported: it raised {en}",
                f"{self.shown} 无法导入：抛出 {zh}",
                self.trace_of(fault),
            ) from None

    def start(self, bout: Bout, seconds: float, asleep: float) -> Spent:
        """A bout begins. ``asleep`` is what it may sleep in the whole bout."""
        self.process.load(self._game)
        return self._timed(lambda: self.process.start(bout, _limit(seconds, asleep)))

    def turn(
        self, plies: Sequence[Ply], clock: ClockView, seconds: float, asleep: float
    ) -> tuple[str, float]:
        """Its move, and the seconds that were its own."""
        limit = _limit(seconds, asleep)
        answer = self._timed(lambda: self.process.turn(plies, clock, limit))
        return answer.move, answer.wall

    def end(self, plies: Sequence[Ply], outcome: Outcome, seconds: float) -> Spent:
        return self._timed(lambda: self.process.end(plies, outcome, _limit(seconds, seconds)))

    def _timed(self, call: Callable[[], T]) -> T:
        """Without the time in which other programs had the core."""
        file = f"/proc/{self.process.pid}/schedstat"
        waited = without_core(file)
        spent = call()
        spent.wall = max(0.0, spent.wall - max(0.0, without_core(file) - waited))
        return spent

    def trace_of(self, fault: Fault) -> str:
        """Its traceback, with its files where their author has them; else what is known."""
        trace = fault.trace.replace(f'"{BOT}/', f'"{self._folder}/')
        return trace or f"{fault.why['en']}\n"

    def show_output(self) -> None:
        """What it printed in this bout, each line with its name before it."""
        for name, text in self.process.output().items():
            for line in text.splitlines():
                shown = f"{one_line(self.__name__)}| {one_line(line)}"
                print(shown, file=getattr(sys, name), flush=True)

    def close(self) -> None:
        self.process.close()


def _limit(seconds: float, asleep: float) -> Limit:
    """As CPU time, so that a busy machine cuts nobody off; who oversleeps is cut off as well."""
    return Limit(min(max(seconds, 0.0), LONGEST), "cpu", min(asleep, LONGEST))


def ran_out(fault: Fault) -> bool:
    """Whether it is one of those that count as late: whoever leaves never answers."""
    return fault.kind is Kind.TIMEOUT or fault.why["en"].startswith(LEFT)


def value_of(shown: str) -> Any:
    """What a bot answered, from Python's text for it; the text itself if it is no plain value."""
    if len(shown) > LONGEST_LITERAL:
        return shown
    try:
        return ast.literal_eval(shown)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return shown


def flagged(words: Sequence[str]) -> tuple[list[str], bool]:
    """The words of a command line without ``--in-process``, and whether that was among them."""
    return [word for word in words if word != FLAG], FLAG in words


def complain(error: LudusError) -> NoReturn:
    """Tell what went wrong, which may be in a player's own words, and leave."""
    print(one_line(str(error)), printable(error.detail), sep="\n", file=sys.stderr)
    sys.exit(2)


_warned: list[str] = []


def say_in_process() -> None:
    """Once: players that are objects of this process are confined by nothing."""
    if _warned:
        return
    note = tr(
        "note: these players run in this process, without a jail, and can do whatever you can;"
        " players named by their files run in jails",
        "提示：这些选手在本进程中运行，没有沙箱，能做你能做的一切；以文件名给出的选手在沙箱中运行",
    )
    _warned.append(note)
    print(note, file=sys.stderr, flush=True)
