"""The process of a bot of Botzone: started for one turn, stopped between turns if it is kept."""

from __future__ import annotations

import contextlib
import os

from ludus.bots.players.base import TimeLimit
from ludus.bots.players.bot_process import BotProcess
from ludus.bots.players.interrupt import Interrupt
from ludus.compat.botzone.bot_output import TurnOutput, TurnOutputReader
from ludus.compat.botzone.verdicts import BotzoneVerdict, VerdictFault, name_verdict
from ludus.sandbox import JailLevel, Limits, Program
from ludus.sandbox.bot_fault import BotFault, FaultKind


class BotzoneProcess(BotProcess[TurnOutput]):
    """A process that answers one turn, or, if it asks for that, several."""

    def __init__(
        self,
        program: Program,
        limits: Limits,
        level: JailLevel | None,
        interrupt: Interrupt | None,
        *,
        may_keep_running: bool,
    ) -> None:
        """Without ``may_keep_running`` its input ends after the first message, as many programs
        expect that read all of it."""
        self._output_reader = TurnOutputReader()
        super().__init__(program, limits, level, "", self._output_reader, interrupt)
        self._may_keep_running = may_keep_running
        self._cpu_mark = self._cpu_seconds()  # what its jail cost is not the bot's

    def ask(self, message: bytes, limit: TimeLimit) -> TurnOutput:
        """The output of one turn; BotFault with the name of Botzone's verdict."""
        try:
            output = self.call(message, limit)
        except BotFault as fault:
            raise self._explain(fault) from None
        if output.keeps_running:
            self._freeze(True)
        return output

    @property
    def slept(self) -> float:
        """Seconds that it slept in the bout."""
        return self.sleep_meter.slept

    def has_ended(self) -> bool:
        """Whether a process that was kept has ended by itself."""
        return self._ends_within(0.0)

    def _send(self, data: bytes) -> bytes:
        rest = super()._send(data)
        if not rest and not self._may_keep_running:
            self._jailed.close_stdin()
        return rest

    def _receive(self) -> TurnOutput | None:
        try:
            data = os.read(self._from, 1 << 16)
        except BlockingIOError:
            return None
        if not data:  # its end decides whether this is an answer
            self._poll.unregister(self._from)
        return self._output_reader.feed(data)

    def _read_until_exit(self) -> TurnOutput:
        fault = self._exit_fault()
        self._read_rest()
        if fault.kind is FaultKind.CRASH and self._exit_code() == 0:
            return self._output_reader.finish()
        raise fault

    def _read_rest(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self._from, 1 << 16):
                self._output_reader.feed(data)

    def _exit_code(self) -> int | None:
        ending = self._jailed.ending
        if ending is None or isinstance(ending, BotFault):
            return None
        return os.waitstatus_to_exitcode(ending.status)

    def _explain(self, fault: BotFault) -> BotFault:
        """The fault with Botzone's name, and with what a bot forgot that has printed an answer but
        goes on running."""
        shown = self._output_reader.held.strip()[:80]
        if fault.kind is not FaultKind.TIMEOUT or not shown:
            return name_verdict(fault)
        return VerdictFault(
            BotzoneVerdict.TLE,
            f"{fault.why['en']}; it printed {shown!r} and then neither ended nor printed"
            " the line that asks to be kept running",
            f"{fault.why['zh']}；它输出了 {shown!r}，之后既没有结束，"
            "也没有输出请求长时运行的那一行",
        )
