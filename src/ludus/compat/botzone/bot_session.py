"""The conversation with one bot in one bout: its history, what it saves, the process it keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec
from msgspec import UNSET

from ludus.bots.players.base import TimeLimit, TimeSpent
from ludus.bots.players.bot_process import OutputTail
from ludus.compat.botzone.bot_formats import MessageFormat
from ludus.compat.botzone.bot_output import TurnOutput
from ludus.compat.botzone.messages import (
    MAX_DEBUG_CHARS,
    MAX_SAVED_BYTES,
    BotAnswer,
    BotInput,
    saved_size,
)
from ludus.compat.botzone.verdicts import BotzoneVerdict, VerdictFault
from ludus.sandbox.bot_fault import BotFault

MEGABYTE = 1 << 20


class TurnProcess(Protocol):
    """The program that answers a turn, and perhaps more of them."""

    stderr: OutputTail
    spent: TimeSpent

    @property
    def pid(self) -> int | None: ...

    @property
    def slept(self) -> float:
        """Seconds that it slept in the bout."""

    def ask(self, message: bytes, limit: TimeLimit) -> TurnOutput:
        """The output of one turn; BotFault if there is none."""

    def has_ended(self) -> bool:
        """Whether a program that was kept has ended by itself."""

    def kill(self) -> None: ...

    def replace_outside_paths(self, text: str) -> str: ...


class BotSession:
    """One bot in one bout.

    A process is started for every turn and gets the whole history. If it asks to be kept running,
    it is stopped until its next turn and then gets the new request only; should it have ended, the
    next turn starts a new one with the history.
    """

    def __init__(
        self,
        start_process: Callable[[int], TurnProcess],
        messages: MessageFormat,
        memory: int,
        globaldata: Any = UNSET,
    ) -> None:
        """``start_process`` gets the number of the turn, from 0; ``memory`` is in bytes."""
        self._start_process, self._messages = start_process, messages
        self._memory_mb = memory // MEGABYTE
        self._requests: list[Any] = []
        self._responses: list[Any] = []
        self._data: Any = UNSET
        self.globaldata = globaldata
        """What the bot saved for later bouts."""
        self.debug, self.stderr = OutputTail(), OutputTail()
        """What the bot shows its owner."""
        self.note: Any = None
        """The ``debug`` of its last answer."""
        self.spent = TimeSpent(0.0, 0.0)
        """The time of all calls since ``reset_spent``."""
        self.was_asked = False
        self._kept: TurnProcess | None = None
        self._slept = 0.0
        """Seconds that processes slept which have ended."""

    @property
    def pid(self) -> int | None:
        """The process that was kept running."""
        return self._kept.pid if self._kept is not None else None

    def reset_spent(self) -> None:
        self.spent = TimeSpent(0.0, 0.0)

    def add_turn(self, request: Any, value: Any) -> None:
        """A turn of this seat that the bot was not asked about."""
        self._requests.append(request)
        self._responses.append(self._messages.store_response(value))

    def replace_last_response(self, value: Any) -> None:
        """Put what was played into the history, if that is not what the bot answered: in a bout
        that is replayed."""
        if self._messages.parse_response(self._responses[-1]) != value:
            self._responses[-1] = self._messages.store_response(value)

    def ask(self, request: Any, limit: TimeLimit, time_limit_ms: int) -> Any:
        """The bot's response to a request, as JSON; BotFault if it gives none. The turn is then
        not in the history: ``add_turn`` adds it if the bout goes on.

        ``limit`` is for all calls since ``reset_spent`` together.
        """
        self.was_asked = True
        self._requests.append(request)
        try:
            return self._ask_now(request, limit, time_limit_ms)
        except BotFault:
            del self._requests[len(self._responses) :]
            raise

    def _ask_now(self, request: Any, limit: TimeLimit, time_limit_ms: int) -> Any:
        output = self._ask_kept(request, limit) or self._ask_new(limit, time_limit_ms)
        answer = self._messages.read_answer(output.data)
        self._keep_saved(answer, output)
        self._responses.append(answer.response)
        return self._messages.parse_response(answer.response)

    def _ask_kept(self, request: Any, limit: TimeLimit) -> TurnOutput | None:
        """The output of the process that was kept; None if there is none, or it has ended."""
        process = self._kept
        if process is None or process.has_ended():
            self.close()
            return None
        output = self._call(process, self._messages.write_request(request), limit)
        if not output.keeps_running and not output.data.strip():
            return None  # it preferred to end: on Botzone it is started again
        return output

    def _ask_new(self, limit: TimeLimit, time_limit_ms: int) -> TurnOutput:
        bot_input = BotInput(
            self._requests,
            self._responses,
            time_limit_ms,
            self._memory_mb,
            self._data,
            self.globaldata,
        )
        process = self._start_process(len(self._responses))
        process.stderr = self.stderr
        return self._call(process, self._messages.write_history(bot_input), limit)

    def _call(self, process: TurnProcess, message: bytes, limit: TimeLimit) -> TurnOutput:
        """One turn of a process, which is gone afterwards unless it asked to be kept."""
        self._kept = process
        left = TimeLimit(
            limit.seconds - (self.spent.cpu if limit.measure == "cpu" else self.spent.wall),
            limit.measure,
            max(0.0, limit.asleep - self._slept),
        )
        try:
            output = process.ask(message, left)
        except BotFault as fault:
            self._add_spent(process.spent)
            fault.cpu, fault.wall = self.spent.cpu, self.spent.wall
            self.close()
            fault.trace = process.replace_outside_paths(self.stderr.text()[-2000:])
            raise
        self._add_spent(process.spent)
        if not output.keeps_running:
            self.close()
        return output

    def _add_spent(self, spent: TimeSpent) -> None:
        self.spent = TimeSpent(self.spent.cpu + spent.cpu, self.spent.wall + spent.wall)

    def _keep_saved(self, answer: BotAnswer, output: TurnOutput) -> None:
        self.note = None
        if answer.debug is not UNSET and answer.debug not in ("", None):
            text = self.note = answer.debug
            if not isinstance(text, str):
                text = msgspec.json.encode(text).decode()
            self.debug.add(f"[{len(self._requests)}] {text[:MAX_DEBUG_CHARS]}\n".encode())
        if output.keeps_running:
            return  # what it saves has no effect: it has its own memory
        for name, saved in (("data", answer.data), ("globaldata", answer.globaldata)):
            if saved_size(saved) > MAX_SAVED_BYTES:
                raise _saved_too_much_fault(name, saved_size(saved))
        self._data = answer.data
        if answer.globaldata is not UNSET:
            self.globaldata = answer.globaldata

    def close(self) -> None:
        """End the process that was kept running, if there is one."""
        process, self._kept = self._kept, None
        if process is not None:
            self._slept += process.slept
            process.kill()


def _saved_too_much_fault(name: str, size: int) -> BotFault:
    return VerdictFault(
        BotzoneVerdict.OLE,
        f"it saved {size} bytes as {name}, {MAX_SAVED_BYTES} are allowed",
        f"它在 {name} 中保存了 {size} 字节，上限为 {MAX_SAVED_BYTES} 字节",
    )
