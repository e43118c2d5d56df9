"""For AIs.

A game says what it sends to its AIs and what it wants to hear. With ``Judger`` any game can be
talked with:

    from ludus.compat.saiblo.sdk.ai import Judger

    judger = Judger()
    while judger.line():
        judger.answer("rock")

Games that talk in Ludus' words (the samples, everything that ``ludus judge --serve`` serves) take
an object with ``move``, and if it likes with ``start``, ``see`` and ``end``:

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
    """The judger at the other end of stdin and stdout. Made once, at the beginning."""

    def __init__(self) -> None:
        if os.isatty(0):
            sys.exit(
                "This is an AI and waits for a judger. Try: ludus judge LOGIC THIS_FILE … REPLAY\n"
                "这是 AI，需要由裁判程序启动，例如：ludus judge 逻辑 本文件 … 回放文件"
            )
        self._out = os.dup(1)
        os.dup2(2, 1)
        sys.stdout = sys.stderr  # which loses nothing when the judger ends the AI
        self._in = sys.stdin.buffer

    def line(self) -> str:
        """The next line that the game sends, its end included; empty when nothing more comes."""
        return self._in.readline().decode()

    def read(self, size: int) -> bytes:
        """Exactly so many bytes, for games that do not talk in lines; fewer at the very end."""
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
    """Yours."""
    seats: Sequence[str]
    """The seats' names."""
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    budget: float = 0.0
    """Seconds for the whole bout; 0 if only moves are limited."""
    seed: int | None = None
    """Not told in a game with hidden information."""


@dataclasses.dataclass(frozen=True)
class Turn:
    """It is your turn."""

    n: int
    """Your turns so far, this one included."""
    limit: float
    """Seconds that this move may take."""
    legal: Sequence[str]
    """All legal moves, if the game tells them."""
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
    """What ``run`` needs. Also called if they are there: ``start(start)``; ``see(view)`` when the
    position changed and it is not your turn; ``end(end)``."""

    def move(self, turn: Turn) -> str:
        """Answer with a move."""


def run(ai: Ai) -> None:
    """Play until nothing more comes."""
    judger = Judger()
    while line := judger.line():
        said = json.loads(line)
        kind = said["type"]
        if kind == "turn":
            judger.answer(ai.move(_filled(Turn, said)))
        elif kind == "start":
            _call(ai, "start", _filled(Start, said))
        elif kind == "view":
            _call(ai, "see", said["view"])
        elif kind == "end":
            _call(ai, "end", _filled(End, said))


def _filled(kind: type[Any], said: Mapping[str, Any]) -> Any:
    names = [field.name for field in dataclasses.fields(kind)]
    return kind(**{name: said[name] for name in names if name in said})


def _call(ai: Ai, name: str, said: Any) -> None:
    if method := getattr(ai, name, None):
        method(said)
