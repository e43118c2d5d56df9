"""The messages between a Ludus game and Saiblo AIs: one JSON object per line, similar to ludus/1.

The logic sends ``start`` once, ``turn`` whenever the seat has to move, optionally ``view`` when the
position changed and it is another seat's turn, and ``end`` at the end. An AI answers a turn with a
frame (4+n) that holds the move as text, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ludus.games.host import Ply


class BoutStartMessage(msgspec.Struct, tag="start", omit_defaults=True):
    """A bout begins. In a game with hidden information there is no seed."""

    game: str
    version: int
    seat: int
    seats: list[str]
    options: dict[str, Any]
    budget: float
    seed: int | None = None
    random_seed: str = ""
    """A seed for this seat's own random numbers, hexadecimal."""


class TurnMessage(msgspec.Struct, tag="turn", omit_defaults=True):
    """It is the seat's turn, after the steps made since its last one (its own included).

    In a game with hidden information there are no steps: the view shows what the seat may see.
    """

    n: int
    left: tuple[float, ...]
    limit: float
    legal: list[str]
    view: dict[str, Any]
    moves: Sequence[Ply] | None = None


class ViewMessage(msgspec.Struct, tag="view"):
    """The position has changed, and it is another seat's turn."""

    view: dict[str, Any]


class BoutEndMessage(msgspec.Struct, tag="end", omit_defaults=True):
    """The bout is over."""

    scores: tuple[float, ...]
    reason: str
    detail: Mapping[str, Any]
    view: dict[str, Any] | None = None


TextMessage = BoutStartMessage | TurnMessage | ViewMessage | BoutEndMessage

_decoder: msgspec.json.Decoder[TextMessage] = msgspec.json.Decoder(TextMessage)


def encode_line(line: TextMessage) -> str:
    """A message as a line, with its newline."""
    return msgspec.json.encode(line).decode() + "\n"


def decode_line(text: bytes | str) -> TextMessage:
    """Read a line of a logic."""
    return _decoder.decode(text)
