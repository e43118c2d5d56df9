"""A judge in its jail: started anew for every turn, or kept running if it asks for that."""

from __future__ import annotations

import time
from typing import Any

from ludus.compat.botzone.game import BotzoneGame
from ludus.compat.botzone.judge_output import (
    InvalidJudgeOutput,
    JudgeOutput,
    read_judge_output,
)
from ludus.compat.botzone.messages import KEEP_RUNNING_MARKER, MAX_ANSWER_BYTES, write_line
from ludus.compat.botzone.position import BotResponse
from ludus.compat.saiblo.jailed_program import PolledProcess, start_program
from ludus.compat.saiblo.loop import Loop
from ludus.errors import GameProgramFault
from ludus.escape import truncate
from ludus.lang import Text
from ludus.sandbox import JailLevel, Limits, Program
from ludus.sandbox.bot_fault import BotFault

MAX_UNREAD_BYTES = 256 << 20
"""Bytes that may wait for a judge that does not read: more than any log."""
SHOWN_STDERR_CHARACTERS = 1000
"""How many of the last characters of a judge's stderr are in the report of its failure."""
JUDGE_PROCESSES = 16


class JudgeSession:
    """The judge of one bout; ``close`` ends its process, if there is one."""

    def __init__(self, game: BotzoneGame, initdata: Any, level: JailLevel) -> None:
        manifest = game.manifest
        self._game, self._level, self._time_s = game, level, manifest.judge_time
        self._limits = Limits(memory=manifest.judge_memory << 20, processes=JUDGE_PROCESSES)
        self._program = game.build_judge(self._limits, level)
        self._opens_stdin = bool(manifest.keep_running)
        """Whether its stdin stays open for more answers. A judge may read to the end of its input,
        so that is known only once it has asked to be kept running, or the manifest says so."""
        self.initdata = initdata
        """What it was given at the start, or what its first output set instead."""
        self._log: list[Any] = []
        self._running: _JudgeProcess | None = None
        """Its process, if it asked to be kept running."""

    def ask(self, responses: dict[int, BotResponse]) -> JudgeOutput:
        """Its next output, given the answers to its last one. GameProgramFault if it
        fails."""
        answers = {str(seat): said.as_log_entry() for seat, said in responses.items()}
        if self._log:
            self._log.append(answers)
        printed = self._ask_running(answers) or self._ask_new()
        try:
            output = read_judge_output(printed, len(self._game.seats))
        except InvalidJudgeOutput as error:
            raise self._fault(error.text) from None
        if not self._log and "initdata" in output.value:
            self.initdata = output.value["initdata"]
        self._log.append({"output": output.value, "verdict": "OK", "time": 0, "memory": 0})
        return output

    def _ask_running(self, answers: dict[str, Any]) -> bytes:
        """What a judge that was kept running prints; empty if there is none, or it has ended."""
        process, self._running = self._running, None
        return b"" if process is None else self._exchange(process, write_line(answers), True)

    def _ask_new(self) -> bytes:
        """What a new process prints that is given the whole log."""
        try:
            process = _JudgeProcess(self._program, self._limits, self._level)
        except BotFault as fault:
            raise self._fault(fault.why) from None
        message = {"log": self._log, "initdata": self.initdata}
        return self._exchange(process, write_line(message), False)

    def _exchange(self, process: _JudgeProcess, message: bytes, kept: bool) -> bytes:
        try:
            printed = process.exchange(message, self._time_s, open_end=self._opens_stdin)
        except _TurnFailed as failed:
            stderr = process.close()
            if kept and failed.exited_cleanly:
                return b""
            raise self._fault(failed.why, stderr) from None
        except BaseException:
            process.close()
            raise
        if process.is_waiting and self._opens_stdin:
            process.stop()
            self._running = process
        else:
            self._opens_stdin = process.is_waiting and self._game.manifest.keep_running is None
            process.close()
        return printed

    def _fault(self, why: Text, stderr: str = "") -> GameProgramFault:
        return GameProgramFault(
            f"the judge of {self._game.name} failed: {why['en']}",
            f"{self._game.name} 的裁判程序出错：{why['zh']}",
            stderr[-SHOWN_STDERR_CHARACTERS:].strip(),
        )

    def close(self) -> None:
        """End its process and everything it has started."""
        process, self._running = self._running, None
        if process is not None:
            process.close()


class _TurnFailed(Exception):
    """A judge did not print an output."""

    def __init__(self, en: str, zh: str, exited_cleanly: bool = False) -> None:
        super().__init__(en)
        self.why = Text(en, zh)
        self.exited_cleanly = exited_cleanly


class _JudgeProcess:
    """One process of a judge. Its time is wall time: no other program of the bout runs while it
    is asked."""

    def __init__(self, program: Program, limits: Limits, level: JailLevel) -> None:
        self._loop = Loop()
        try:
            jailed = start_program(program, limits, level)
        except BaseException:
            self._loop.close()
            raise
        self._process = PolledProcess(
            self._loop, jailed, MAX_UNREAD_BYTES, self._on_output, self._on_exit
        )
        self._printed = bytearray()
        self._exited = False
        self.is_waiting = False
        """Whether it has asked to be kept running."""

    def _on_output(self, data: bytes) -> None:
        if len(self._printed) <= MAX_ANSWER_BYTES:
            self._printed += data

    def _on_exit(self) -> None:
        self._exited = True

    def exchange(self, message: bytes, seconds: float, *, open_end: bool) -> bytes:
        """Send a message, and return what it prints until it ends or asks to be kept running.

        ``open_end``: its stdin stays open, so that it can be sent another message.
        """
        self.is_waiting = False
        self._process.set_frozen(False)
        self._process.send(message)
        if not open_end:
            self._process.on_drained = self._process.close_stdin
            if not self._process.unread_bytes:
                self._process.close_stdin()
        until = time.monotonic() + seconds
        while not self._exited and (left := until - time.monotonic()) > 0:
            self._refuse_long_output()
            if (end := _find_marker(self._printed)) >= 0:
                return self._take_answer(end)
            self._loop.run_once(left)
        self._refuse_long_output()
        if (end := _find_marker(self._printed)) >= 0:
            return self._take_answer(end)
        return self._take_last_answer(seconds)

    def _take_answer(self, end: int) -> bytes:
        answer = bytes(self._printed[:end])
        del self._printed[: end + len(KEEP_RUNNING_MARKER)]
        self.is_waiting = True
        return answer

    def stop(self) -> None:
        """Let it use no time until the next message."""
        self._process.set_frozen(True)

    def _take_last_answer(self, seconds: float) -> bytes:
        """What it printed before it ended; _TurnFailed if it has not, or not as it should."""
        if not self._exited:
            shown = truncate(bytes(self._printed).decode(errors="replace").strip(), 80)
            printed_en = f"; it has printed {shown}" if shown else ""
            printed_zh = f"；已输出 {shown}" if shown else ""
            raise _TurnFailed(
                f"it did not end within {seconds:g} s{printed_en}",
                f"它在 {seconds:g} 秒内没有结束{printed_zh}",
            )
        self._process.wait_for_exit(1.0)
        if self._process.exit_code != 0:
            why = self._process.describe_exit()
            raise _TurnFailed(why["en"], why["zh"])
        if not self._printed.strip():
            raise _TurnFailed("it printed nothing", "它没有输出", exited_cleanly=True)
        return bytes(self._printed)

    def _refuse_long_output(self) -> None:
        if len(self._printed) > MAX_ANSWER_BYTES:
            limit = MAX_ANSWER_BYTES >> 10
            raise _TurnFailed(
                f"it printed more than {limit} kB in one turn",
                f"它在一回合中的输出超过 {limit} kB",
            )

    def close(self) -> str:
        """End it with everything it has started; what it wrote to stderr."""
        self._process.kill()
        self._loop.close()
        return self._process.read_stderr()


def _find_marker(printed: bytes | bytearray) -> int:
    """Where the marker's line begins; -1 if there is none."""
    if printed.startswith(KEEP_RUNNING_MARKER):
        return 0
    return printed.find(b"\n" + KEEP_RUNNING_MARKER) + 1 or -1
