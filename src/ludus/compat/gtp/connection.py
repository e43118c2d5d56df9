"""A GTP engine in its process: commands out, answers in, on the clock of the match."""

from __future__ import annotations

import contextlib

from ludus.bots.players.base import TimeLimit, TimeSpent
from ludus.bots.players.bot_process import BotProcess, OutputTail
from ludus.bots.players.interrupt import Interrupt
from ludus.compat.gtp.answers import GtpAnswer, GtpAnswerReader
from ludus.escape import escape_to_one_line, truncate
from ludus.sandbox import JailLevel, Limits, Program
from ludus.sandbox.bot_fault import BotFault, FaultKind

LOADING_LIMIT = TimeLimit(seconds=30.0, measure="cpu", asleep=60.0)
"""The limit for starting the engine; its clock does not run then."""
QUIT_LIMIT = TimeLimit(seconds=1.0, measure="wall", asleep=1.0)
KEPT_TEXT_CHARS = 300
"""Characters kept of an engine's error message."""


class EngineConnection:
    """One engine that runs. ``spent`` adds up what its commands cost since ``begin_turn``."""

    def __init__(
        self,
        program: Program,
        limits: Limits,
        level: JailLevel | None,
        game: str,
        interrupt: Interrupt | None,
    ) -> None:
        self._reader = GtpAnswerReader()
        self._process = BotProcess(program, limits, level, game, self._reader, interrupt)
        self.spent = TimeSpent(0.0, 0.0)
        self.known_commands: frozenset[str] = frozenset()

    def begin_bout(self, stdout: OutputTail, stderr: OutputTail) -> None:
        """What the engine prints from now on goes to these."""
        self._process.stdout, self._process.stderr = stdout, stderr
        self._process.sleep_meter.begin_bout()

    def begin_turn(self) -> None:
        """Count ``spent`` from zero."""
        self.spent = TimeSpent(0.0, 0.0)

    def load_commands(self) -> None:
        """Ask which commands the engine knows; every fault is one of loading.

        A small engine may not know ``list_commands`` itself: then it gets only what it must know.
        """
        try:
            answer = self._call("list_commands", LOADING_LIMIT)
            self.known_commands = frozenset(answer.text.split() if answer.good else ())
        except BotFault as fault:
            if fault.kind is not FaultKind.MEMORY:
                fault.kind = FaultKind.LOAD
            raise

    def knows(self, command: str) -> bool:
        return command in self.known_commands

    def ask(self, command: str, limit: TimeLimit) -> str:
        """The result of a command. BotFault if the engine answers with an error, or not in time;
        ``limit`` is that of the whole turn."""
        answer = self._call(command, limit)
        if not answer.good:
            raise error_fault(FaultKind.CRASH, command, answer.text)
        return answer.text

    def offer(self, command: str, limit: TimeLimit) -> bool:
        """Send a command that the engine may refuse; whether it did not."""
        return self._call(command, limit).good

    def _call(self, command: str, limit: TimeLimit) -> GtpAnswer:
        used = self.spent.cpu if limit.measure == "cpu" else self.spent.wall
        left = TimeLimit(max(limit.seconds - used, 0.0), limit.measure, limit.asleep)
        try:
            return self._process.call(f"{command}\n".encode(), left)
        except BotFault as fault:
            raise self._explain(fault, command) from None
        finally:
            last = self._process.spent
            self.spent = TimeSpent(self.spent.cpu + last.cpu, self.spent.wall + last.wall)

    def _explain(self, fault: BotFault, command: str) -> BotFault:
        """The fault with the command, and with the half of an answer that came."""
        en, zh = f"{fault.why['en']} (asked: {command})", f"{fault.why['zh']}（命令：{command}）"
        if fault.kind is FaultKind.TIMEOUT and (half := self._reader.incomplete):
            shown = escape_to_one_line(half)
            en += f"; {shown!r} came without the empty line that ends an answer"
            zh += f"；收到了 {shown!r}，但没有结束回答的空行"
        return BotFault(fault.kind, en, zh, trace=fault.trace)

    def drain_output(self) -> None:
        self._process.drain_output()

    def replace_outside_paths(self, text: str) -> str:
        return self._process.replace_outside_paths(text)

    def quit(self) -> None:
        """Ask the engine to end; end it if it does not."""
        with contextlib.suppress(BotFault):
            self._call("quit", QUIT_LIMIT)
            self._process.shut_down()
        self.kill()

    def kill(self) -> None:
        """End the engine and close its pipes."""
        self._process.kill()


def error_fault(kind: FaultKind, command: str, message: str) -> BotFault:
    """The fault of an engine that answered a command with an error."""
    shown = escape_to_one_line(truncate(message, KEPT_TEXT_CHARS)) or "?"
    return BotFault(
        kind,
        f"it answered {command!r} with an error: {shown}",
        f"它对命令 {command!r} 报错：{shown}",
    )
