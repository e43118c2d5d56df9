"""For AIs.

A game defines what it sends to its AIs and which answers it expects. ``Judger`` works with any
game:

    from ludus.compat.saiblo.sdk.ai import Judger

    judger = Judger()
    while judger.line():
        judger.answer("rock")

Games that send the messages of Ludus games (the samples, everything that ``ludus judge --serve``
serves) take an object with ``move``, and optionally ``start``, ``see`` and ``end``:

    from ludus.compat.saiblo.sdk.ai import Turn, run

    class First:
        def move(self, turn: Turn) -> str:
            return turn.legal[0]

    run(First())

What an AI prints goes to stderr.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Judger:
    """The judger at the other end of stdin and stdout. Create it once, at the beginning."""

    def __init__(self) -> None:
        if os.isatty(0):
            sys.exit(
                "This is an AI and waits for a judger. Try: ludus judge LOGIC THIS_FILE … REPLAY\n"
                "这是 AI，需要由裁判程序启动，例如：ludus judge 逻辑 本文件 … 回放文件"
            )
        self._out = os.dup(1)
        os.dup2(2, 1)
        sys.stdout = sys.stderr  # written line by line: nothing is lost when the judger ends the AI
        self._in = sys.stdin.buffer

    def line(self) -> str:
        """The next line that the game sends, with its newline; empty at the end of the input."""
        return self._in.readline().decode()

    def read(self, size: int) -> bytes:
        """Exactly this many bytes, for games that do not send lines; fewer at the input's end."""
        return self._in.read(size)

    def answer(self, text: str | bytes) -> None:
        """Send the game an answer."""
        body = text.encode() if isinstance(text, str) else text
        data = len(body).to_bytes(4, "big") + body
        while data:
            data = data[os.write(self._out, data) :]


@dataclasses.dataclass(frozen=True)
class Start:
    """A bout begins."""

    game: str
    version: int
    seat: int
    """Your seat."""
    seats: Sequence[str]
    """The seats' names."""
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    budget: float = 0.0
    """Seconds for the whole bout; 0 if only moves are limited."""
    seed: int | None = None
    """None in a game with hidden information."""


@dataclasses.dataclass(frozen=True)
class Turn:
    """It is your turn."""

    n: int
    """The number of your turns so far, including this one."""
    limit: float
    """Seconds that this move may take."""
    legal: Sequence[str]
    """All legal moves, if the game lists them."""
    view: Mapping[str, Any]
    """What you see of the position."""
    left: Sequence[float] = ()
    """Seconds left to each seat."""
    moves: Sequence[Mapping[str, str]] | None = None
    """The steps since your last turn, your own included: seat → move. None in a game with hidden
    information."""


@dataclasses.dataclass(frozen=True)
class End:
    """The bout is over."""

    scores: Sequence[float]
    reason: str
    detail: Mapping[str, Any] = dataclasses.field(default_factory=dict)


class Ai(Protocol):
    """What ``run`` needs. Also called if they exist: ``start(start)``; ``see(view)`` when the
    position changed and it is not your turn; ``end(end)``."""

    def move(self, turn: Turn) -> str:
        """Answer with a move."""


def run(ai: Ai) -> None:
    """Play until the input ends."""
    judger = Judger()
    while line := judger.line():
        message = json.loads(line)
        kind = message["type"]
        if kind == "turn":
            judger.answer(ai.move(_filled(Turn, message)))
        elif kind == "start":
            _call(ai, "start", _filled(Start, message))
        elif kind == "view":
            _call(ai, "see", message["view"])
        elif kind == "end":
            _call(ai, "end", _filled(End, message))


def _filled(kind: type[Any], message: Mapping[str, Any]) -> Any:
    names = [field.name for field in dataclasses.fields(kind)]
    return kind(**{name: message[name] for name in names if name in message})


def _call(ai: Ai, name: str, message: Any) -> None:
    if method := getattr(ai, name, None):
        method(message)
