"""How a Ludus game talks with Saiblo AIs: JSON, one object per line, in the words of ludus/1.

The logic sends ``start`` once, ``turn`` whenever the seat has to move, perhaps ``view`` when
something changed and it has not to, ``end`` at last. An AI answers a turn with a frame (4+n) that
holds the move as text, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ludus.games.host import Ply


class BoutStartMessage(msgspec.Struct, tag="start", omit_defaults=True):
    """A bout begins. Of a game with hidden information the seed is not told."""

    game: str
    version: int
    seat: int
    seats: list[str]
    options: dict[str, Any]
    budget: float
    seed: int | None = None
    random_seed: str = ""
    """For this seat alone: what its random numbers may begin with, hexadecimal."""


class TurnMessage(msgspec.Struct, tag="turn", omit_defaults=True):
    """It is the seat's turn, after the steps made since its last one (its own included).

    Of a game with hidden information the steps are not told: the view shows what may be seen.
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
    """A line, its end included."""
    return msgspec.json.encode(line).decode() + "\n"


def decode_line(text: bytes | str) -> TextMessage:
    """What a logic sent."""
    return _decoder.decode(text)
