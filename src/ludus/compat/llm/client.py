"""Requests to an OpenAI-compatible server, with the standard library alone.

No message of an error quotes what the server sent: servers repeat keys and prompts in theirs.
"""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

import ludus
from ludus.compat.llm.settings import ModelSettings
from ludus.lang import Text
from ludus.sandbox.bot_fault import FaultKind

MAX_REPLY_BYTES = 4 << 20
MAX_RETRY_AFTER_S = 120.0
BUSY_STATUSES = (408, 409, 425, 429)
"""Statuses of the 400s after which another attempt makes sense."""


class PromptMessage(msgspec.Struct):
    """A message of a conversation."""

    role: str
    content: str


class ChatReply(NamedTuple):
    """What the model answered, and what that cost."""

    text: str
    tokens_in: int
    tokens_out: int


class ChatFailure(Exception):
    """A request without an answer."""

    def __init__(
        self, kind: FaultKind, en: str, zh: str, *, final: bool = False, wait: float = 0.0
    ) -> None:
        super().__init__(en)
        self.kind = kind
        self.why = Text(en, zh)
        self.final = final
        """Another attempt would fail in the same way."""
        self.wait = wait
        """Seconds that the server asked to wait."""


class _Choice(msgspec.Struct):
    message: PromptMessage


class _Usage(msgspec.Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, which would send the key to another address."""

    def redirect_request(self, *_: object) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def complete(
    settings: ModelSettings, key: str, messages: Sequence[PromptMessage], seconds: float
) -> ChatReply:
    """Ask for the next message of a conversation. Raises ChatFailure."""
    request = urllib.request.Request(
        settings.endpoint,
        data=_encode_request(settings, messages),
        headers={
            "Content-Type": "application/json",
            "User-Agent": f"ludus/{ludus.__version__}",
            **({"Authorization": f"Bearer {key}"} if key else {}),
        },
    )
    deadline = time.monotonic() + seconds
    try:
        with _opener.open(request, timeout=seconds) as response:
            data = _read_until(response, deadline)
    except urllib.error.HTTPError as error:
        error.close()
        raise _status_failure(error.code, error.headers.get("Retry-After")) from None
    except TimeoutError:
        raise _slow_failure(seconds) from None
    except (OSError, http.client.HTTPException) as error:
        if isinstance(getattr(error, "reason", None), TimeoutError):
            raise _slow_failure(seconds) from None
        raise ChatFailure(
            FaultKind.CRASH, f"{settings.host} cannot be reached", f"无法连接 {settings.host}"
        ) from None
    return _decode_reply(data)


def _encode_request(settings: ModelSettings, messages: Sequence[PromptMessage]) -> bytes:
    body: dict[str, object] = {"model": settings.model, "messages": list(messages)}
    if settings.temperature is not None:
        body["temperature"] = settings.temperature
    if settings.max_tokens is not None:
        body["max_tokens"] = settings.max_tokens
    return msgspec.json.encode(body)


def _read_until(response: http.client.HTTPResponse, deadline: float) -> bytes:
    """The whole reply; a server that sends it drop by drop is stopped at the deadline."""
    data = bytearray()
    while piece := response.read1(1 << 16):
        data += piece
        if len(data) > MAX_REPLY_BYTES:
            raise ChatFailure(
                FaultKind.OUTPUT,
                f"the reply is longer than {MAX_REPLY_BYTES >> 20} MB",
                f"回复超过 {MAX_REPLY_BYTES >> 20} MB",
            )
        if time.monotonic() > deadline:
            raise TimeoutError
    return bytes(data)


def _decode_reply(data: bytes) -> ChatReply:
    try:
        completion = msgspec.json.decode(data, type=_Completion)
        text = completion.choices[0].message.content
    except (msgspec.MsgspecError, ValueError, IndexError, RecursionError):
        raise ChatFailure(
            FaultKind.OUTPUT,
            "the reply is not a chat completion in JSON",
            "回复不是 JSON 格式的 chat completion",
        ) from None
    usage = completion.usage or _Usage()
    return ChatReply(text, max(usage.prompt_tokens, 0), max(usage.completion_tokens, 0))


def _slow_failure(seconds: float) -> ChatFailure:
    return ChatFailure(
        FaultKind.TIMEOUT, f"no answer came within {seconds:.0f} s", f"{seconds:.0f} 秒内没有回答"
    )


def _status_failure(status: int, retry_after: str | None) -> ChatFailure:
    final = 300 <= status < 500 and status not in BUSY_STATUSES
    wait = float(retry_after) if retry_after and retry_after.isdecimal() else 0.0
    reason = http.client.responses.get(status, "")
    return ChatFailure(
        FaultKind.LOAD if final else FaultKind.CRASH,
        f"the server answered HTTP {status} {reason}".rstrip(),
        f"服务器回答 HTTP {status} {reason}".rstrip(),
        final=final,
        wait=min(wait, MAX_RETRY_AFTER_S),
    )
