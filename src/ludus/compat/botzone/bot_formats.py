"""The two forms of Botzone's messages: JSON, and the lines of simple interaction."""

from __future__ import annotations

from typing import Any, Protocol

from msgspec import UNSET

from ludus.compat.botzone.adapters.adapter import BotzoneAdapter
from ludus.compat.botzone.messages import (
    BotAnswer,
    BotInput,
    NotJson,
    read_bot_answer,
    write_line,
)
from ludus.compat.botzone.verdicts import BotzoneVerdict, VerdictFault
from ludus.sandbox.bot_fault import BotFault


class MessageFormat(Protocol):
    """How requests and responses are written. A *stored* response is kept in the history: in JSON
    it is the value, in simple interaction the very text that the bot printed."""

    def write_history(self, bot_input: BotInput) -> bytes:
        """The input of a program that was started for this turn; its responses are stored ones."""

    def write_request(self, request: Any) -> bytes:
        """The input of a program that was kept running."""

    def read_answer(self, output: bytes) -> BotAnswer:
        """A turn's output, with a stored response; BotFault if it is not an answer."""

    def store_response(self, value: Any) -> Any:
        """The stored response for a JSON value."""

    def parse_response(self, stored: Any) -> Any:
        """The JSON value of a stored response; BotFault if it has none."""


class JsonFormat:
    """One line of JSON each way."""

    def write_history(self, bot_input: BotInput) -> bytes:
        return write_line(bot_input)

    def write_request(self, request: Any) -> bytes:
        return write_line(request)

    def read_answer(self, output: bytes) -> BotAnswer:
        try:
            return read_bot_answer(output)
        except NotJson as error:
            raise _not_json_fault(output, str(error)) from None

    def store_response(self, value: Any) -> Any:
        return value

    def parse_response(self, stored: Any) -> Any:
        return stored


def _not_json_fault(output: bytes, why: str) -> BotFault:
    if not output.strip():
        return VerdictFault(
            BotzoneVerdict.NJ, "it ended without an answer", "它没有给出回答就结束了"
        )
    shown = output[:80]
    return VerdictFault(
        BotzoneVerdict.NJ,
        f"it answered {shown!r}, which is not JSON: {why}",
        f"它回答了 {shown!r}，不是 JSON：{why}",
    )


class SimpleFormat:
    """Simple interaction: the lines are as each game defines them."""

    def __init__(self, adapter: BotzoneAdapter) -> None:
        self._adapter = adapter

    def write_history(self, bot_input: BotInput) -> bytes:
        write = self._adapter.write_text
        lines = [str(len(bot_input.requests)), write(bot_input.requests[0])]
        for response, request in zip(bot_input.responses, bot_input.requests[1:], strict=True):
            lines += [str(response), write(request)]
        lines.append(_saved_text(bot_input.data).replace("\n", " "))
        lines.append(_saved_text(bot_input.globaldata))
        return "\n".join(lines).encode() + b"\n"

    def write_request(self, request: Any) -> bytes:
        return f"{self._adapter.write_text(request)}\n".encode()

    def read_answer(self, output: bytes) -> BotAnswer:
        text = output.decode(errors="replace").strip("\r\n")
        lines = text.replace("\r\n", "\n").split("\n", 3)
        if not lines[0].strip():
            raise VerdictFault(
                BotzoneVerdict.NJ, "it ended without an answer", "它没有给出回答就结束了"
            )
        fields = dict(zip(("response", "debug", "data", "globaldata"), lines, strict=False))
        return BotAnswer(**fields)

    def store_response(self, value: Any) -> Any:
        return self._adapter.write_text(value)

    def parse_response(self, stored: Any) -> Any:
        return self._adapter.read_text(stored)


def _saved_text(saved: Any) -> str:
    return "" if saved is UNSET else str(saved)
