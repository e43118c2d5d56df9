"""Every message of the WebSocket protocol, told apart by ``type``.

Pages and programs get ``ServerMessage``s; who sits in a room sends ``ClientMessage``s.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from ludus.lang import Text
from ludus.server.accounts.account_schemas import NoticeInfo
from ludus.server.bots.bot_schemas import VersionInfo
from ludus.server.error_schema import ErrorDetail
from ludus.server.live.board_schemas import Gesture
from ludus.server.live.film_schemas import BoutEnd, BoutSummary, FilmInfo, FilmStep

SeatKind = Literal["human", "bot", "open", "remote"]


class FilmMessage(msgspec.Struct, tag_field="type", tag="film"):
    """A bout so far."""

    film: FilmInfo


class RestartMessage(msgspec.Struct, tag_field="type", tag="restart"):
    """The bout begins again."""

    film: FilmInfo


class StepMessage(msgspec.Struct, tag_field="type", tag="step"):
    """One step more; ``n`` counts from 1."""

    n: int
    step: FilmStep


class FilmEndMessage(msgspec.Struct, tag_field="type", tag="end"):
    """The bout is over."""

    end: BoutEnd


class SavedMessage(msgspec.Struct, tag_field="type", tag="saved"):
    """The bout was saved as the film of this id."""

    id: str


class NextMessage(msgspec.Struct, tag_field="type", tag="next"):
    """The next bout of the match has begun."""

    id: str


class GoneMessage(msgspec.Struct, tag_field="type", tag="gone"):
    """Whoever played the bout has ended; it cannot go on."""


class ErrorMessage(msgspec.Struct, tag_field="type", tag="error"):
    """Something was refused, or cannot go on."""

    error: ErrorDetail


class LiveMessage(msgspec.Struct, tag_field="type", tag="live"):
    """The bouts under way."""

    items: list[BoutSummary]


class SeatMessage(msgspec.Struct, tag_field="type", tag="seat"):
    """On which seat of a room one sits; null: one looks on."""

    seat: int | None
    practice: bool


class ChatMessage(msgspec.Struct, tag_field="type", tag="said"):
    """Somebody in the room says something."""

    who: str
    text: str
    at: str


class PauseMessage(msgspec.Struct, tag_field="type", tag="pause"):
    """The bout is paused, or goes on."""

    on: bool


class AskMessage(msgspec.Struct, tag_field="type", tag="ask"):
    """A move is wanted from the person on a seat."""

    n: int
    """To be sent back with the move."""
    seat: int
    gestures: list[Gesture]
    legal: list[str] | None
    """Null: too many to be listed."""
    left: list[float]
    limit: float | None
    """Seconds for this move; null: as long as one likes."""


class IllegalMessage(msgspec.Struct, tag_field="type", tag="illegal"):
    """A move is not allowed; the question comes again."""

    move: str
    why: Text


class SeatPresence(msgspec.Struct):
    """A person's seat in a room."""

    seat: int
    kind: SeatKind
    name: str
    open: bool
    """Anybody may still take it."""
    connected: bool


class PresenceMessage(msgspec.Struct, tag_field="type", tag="presence"):
    """Who is in the room."""

    seats: list[SeatPresence]


class PongMessage(msgspec.Struct, tag_field="type", tag="pong"):
    """The answer to a ``ping``."""


class ChangedMessage(msgspec.Struct, tag_field="type", tag="changed"):
    """There is something new to read about a contest, a challenge or a ladder."""


class NoticeMessage(NoticeInfo, tag_field="type", tag="notice"):
    """A new notice."""


class VersionMessage(VersionInfo, tag_field="type", tag="version"):
    """A version of one's own has been checked."""


ServerMessage = (
    FilmMessage
    | RestartMessage
    | StepMessage
    | FilmEndMessage
    | SavedMessage
    | NextMessage
    | GoneMessage
    | ErrorMessage
    | LiveMessage
    | SeatMessage
    | ChatMessage
    | PauseMessage
    | AskMessage
    | IllegalMessage
    | PresenceMessage
    | PongMessage
    | ChangedMessage
    | NoticeMessage
    | VersionMessage
)


class ClientMessage(msgspec.Struct):
    """What a person's page sends; ``move``, ``say`` and ``pause`` have a field of their own."""

    type: str
    n: int = -1
    move: str = ""
    on: bool = True
    text: str = ""


def encode_message(message: ServerMessage) -> str:
    """One message as it is sent."""
    return msgspec.json.encode(message).decode()
