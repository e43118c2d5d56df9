"""Runs a Python bot of Botzone in this process, where a debugger can look into it.

The bot's file runs in a thread of its own, with streams of its own: it is started for every turn,
or goes on from its next ``input()`` if it asked to be kept running, exactly as its process would.
Nothing limits it.
"""

from __future__ import annotations

import io
import runpy
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from ludus.bots.players.base import TimeLimit, TimeSpent
from ludus.bots.players.bot_process import OutputTail
from ludus.bots.players.local import fault_from_exception, seed_generators
from ludus.compat.botzone.adapters.adapter import BotzoneAdapter
from ludus.compat.botzone.bot_formats import MessageFormat
from ludus.compat.botzone.bot_output import TurnOutput, TurnOutputReader
from ludus.compat.botzone.bot_player import BotzonePlayer, derive_turn_seed
from ludus.compat.botzone.bot_program import BotzoneProgram, may_keep_running
from ludus.compat.botzone.verdicts import name_verdict
from ludus.sandbox import Limits, Program
from ludus.sandbox.bot_fault import FaultKind

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    from ludus.bots.resolve import BotSource


class BotzoneDebugPlayer(BotzonePlayer):
    """A Python bot of Botzone whose file runs in this process."""

    def __init__(
        self,
        source: BotSource,
        adapter: BotzoneAdapter,
        messages: MessageFormat,
        main: Path,
        enter_thread: Callable[[], None],
    ) -> None:
        keeps = may_keep_running(source.build_spec.files.values())
        self._main, self._enter_thread = main, enter_thread
        super().__init__(
            source.name,
            BotzoneProgram(Program(), "python", keeps),
            adapter,
            messages,
            digest=source.digest,
            limits=Limits(),
            level=None,
            interrupt=None,
        )
        self.isolation = "in-process"

    def _start_process(self, random_seed: str, turn: int) -> BotThread:
        seed = derive_turn_seed(random_seed, turn) if random_seed else ""
        return BotThread(self._main, seed, self._enter_thread, self._program.may_keep_running)


class BotThread:
    """A bot's file that runs in a thread; the part of ``BotzoneProcess`` that a session needs."""

    pid = None
    slept = 0.0

    def __init__(
        self, main: Path, seed: str, enter_thread: Callable[[], None], may_keep_running: bool
    ) -> None:
        self.stderr = OutputTail()
        self.spent = TimeSpent(0.0, 0.0)
        self._main, self._seed, self._enter_thread = main, seed, enter_thread
        self._may_keep_running = may_keep_running
        self._done: SimpleQueue[TurnOutput | BaseException] = SimpleQueue()
        self._output = _BotOutput()
        self._input = _BotInput(enter_thread, self._deliver_turns)
        stdin = io.TextIOWrapper(io.BufferedReader(self._input), encoding="utf-8")
        stdout = io.TextIOWrapper(
            io.BufferedWriter(self._output), encoding="utf-8", line_buffering=True
        )
        self._streams: tuple[Any, Any] = (stdin, stdout)
        self._thread: threading.Thread | None = None

    def ask(self, message: bytes, limit: TimeLimit) -> TurnOutput:
        """The output of one turn; BotFault if the bot fails. It may take any time."""
        before, trace = (sys.stdin, sys.stdout), sys.gettrace()
        sys.stdin, sys.stdout = self._streams
        sys.settrace(None)  # a debugger follows the bot's thread, not the one that waits for it
        try:
            # only now: a bot that waits for the message prints its answer at once
            self._input.add(message, is_last=not self._may_keep_running)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()
            done = self._done.get()
        finally:
            sys.settrace(trace)
            sys.stdin, sys.stdout = before
        if isinstance(done, TurnOutput):
            return done
        if isinstance(done, Exception):
            fault = name_verdict(fault_from_exception(FaultKind.CRASH, done))
            lines = traceback.format_exception(done)
            self.stderr.add("".join(lines).encode())
            raise fault from done
        raise done

    def _deliver_turns(self) -> None:
        """Hand over the turns that the bot has answered: when it reads again, or has ended.

        Not when it prints, for until it waits the process's streams must be its own.
        """
        for turn in self._output.take_turns():
            self._done.put(turn)

    def _run(self) -> None:
        """Run the bot's file to its end; in the bot's thread."""
        seed_generators(self._seed)
        self._enter_thread()
        folder = str(self._main.parent)
        if folder not in sys.path:
            sys.path.insert(0, folder)
        try:
            runpy.run_path(str(self._main), run_name="__main__")
        except SystemExit as error:
            if error.code not in (None, 0):
                self._deliver_turns()
                self._done.put(RuntimeError(f"sys.exit({error.code!r})"))
                return
        except BotThreadKilled:
            return
        except BaseException as error:
            self._deliver_turns()
            self._done.put(error)
            return
        self._streams[1].flush()
        self._deliver_turns()
        self._done.put(self._output.finish())

    def has_ended(self) -> bool:
        return self._thread is None or not self._thread.is_alive()

    def kill(self) -> None:
        self._input.kill()
        if self._thread is not None:
            self._thread.join(0.2)  # it may be in the debugger's hands

    def replace_outside_paths(self, text: str) -> str:
        return text


class BotThreadKilled(BaseException):
    """Ends a bot that waits for its next request, which will not come."""


class _BotInput(io.RawIOBase):
    """What a bot reads: blocks until there is something."""

    def __init__(self, enter_thread: Callable[[], None], on_read: Callable[[], None]) -> None:
        super().__init__()
        self._enter_thread, self._on_read = enter_thread, on_read
        self._arriving: SimpleQueue[bytes | None] = SimpleQueue()
        self._held = b""

    def add(self, data: bytes, *, is_last: bool) -> None:
        self._arriving.put(data)
        if is_last:
            self._arriving.put(b"")

    def kill(self) -> None:
        self._arriving.put(None)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        if not self._held:
            self._on_read()
            arrived = self._arriving.get()
            if arrived is None:
                raise BotThreadKilled
            self._held = arrived
            if arrived:
                self._enter_thread()
        view = memoryview(buffer).cast("B")
        size = min(len(view), len(self._held))
        view[:size], self._held = self._held[:size], self._held[size:]
        return size


class _BotOutput(io.RawIOBase):
    """What a bot prints, turn by turn."""

    def __init__(self) -> None:
        super().__init__()
        self._reader = TurnOutputReader()
        self._turns: list[TurnOutput] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        if output := self._reader.feed(bytes(data)):
            self._turns.append(output)
        return len(data)

    def take_turns(self) -> list[TurnOutput]:
        """The turns that were answered since the last call."""
        turns, self._turns = self._turns, []
        return turns

    def finish(self) -> TurnOutput:
        return self._reader.finish()
