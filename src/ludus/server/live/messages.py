"""Every message of the WebSocket protocol, distinguished by ``type``.

Pages and programs receive ``ServerMessage``s; people and programs in a room send
``ClientMessage``s.
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
from ludus.server.seminars.seminar_schemas import SeminarView

SeatKind = Literal["human", "bot", "open", "remote"]
ProposalKind = Literal["undo", "restart", "rematch"]


class FilmMessage(msgspec.Struct, tag_field="type", tag="film"):
    """A bout so far."""

    film: FilmInfo


class RestartMessage(msgspec.Struct, tag_field="type", tag="restart"):
    """The bout begins again."""

    film: FilmInfo


class StepMessage(msgspec.Struct, tag_field="type", tag="step"):
    """One more step; ``n`` counts from 1."""

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
    """The program that played the bout has ended; the bout cannot continue."""


class ErrorMessage(msgspec.Struct, tag_field="type", tag="error"):
    """A request was refused, or the connection cannot continue."""

    error: ErrorDetail
    stopped: bool = False
    """The bout cannot go on because its rules or Ludus failed, unless it is played again."""


class LiveMessage(msgspec.Struct, tag_field="type", tag="live"):
    """The bouts under way."""

    items: list[BoutSummary]


class SeatMessage(msgspec.Struct, tag_field="type", tag="seat"):
    """The seat of a room that the receiver has; null: it is a spectator."""

    seat: int | None
    practice: bool


class ChatMessage(msgspec.Struct, tag_field="type", tag="said"):
    """A chat message in the room."""

    who: str
    text: str
    at: str


class PauseMessage(msgspec.Struct, tag_field="type", tag="pause"):
    """The bout is paused, or goes on."""

    on: bool


class AskMessage(msgspec.Struct, tag_field="type", tag="ask"):
    """A person is asked for a move."""

    n: int
    """Must be sent back with the move."""
    seat: int
    gestures: list[Gesture]
    legal: list[str] | None
    """Null: too many to be listed."""
    left: list[float]
    limit: float | None
    """Seconds for this move; null: no limit."""


class PreviewMessage(msgspec.Struct, tag_field="type", tag="preview"):
    """What each legal move of a question leads to, so that a page can draw it at once.

    Not every move need be there; games with hidden information have none.
    """

    n: int
    """The question's number."""
    steps: dict[str, FilmStep]
    """By move, without times."""


class ProposalMessage(msgspec.Struct, tag_field="type", tag="proposal"):
    """Somebody asks the others to agree to something; null: nothing is asked any more."""

    proposal: ProposalInfo | None
    declined: bool = False
    """Whether the last proposal was declined."""


class RematchMessage(msgspec.Struct, tag_field="type", tag="rematch"):
    """The same people play again in another room; the tokens of their seats are the same."""

    room: str
    earlier: bool = False
    """Whether it began before this connection: nobody is to be taken there."""


class RoomClosedMessage(msgspec.Struct, tag_field="type", tag="closed"):
    """The room is not there, or not any more."""

    reason: Literal["deserted", "over", "unknown"]
    """``over``: its bout had ended; ``unknown``: never opened, forgotten, or opened before the
    server was restarted."""
    game: str | None = None
    film: str | None = None
    """The record of its bout, if one was saved."""
    rematch: str | None = None
    """The room in which the same people play again, if it is there."""


class IllegalMessage(msgspec.Struct, tag_field="type", tag="illegal"):
    """A move was refused; the question is repeated."""

    move: str
    why: Text


class ProposalInfo(msgspec.Struct):
    """What somebody on a seat proposes."""

    kind: ProposalKind
    seat: int
    swap: bool = False
    """Of a rematch: on the other side."""


class SeatPresence(msgspec.Struct):
    """A person's seat in a room."""

    seat: int
    kind: SeatKind
    name: str
    open: bool
    """Whether anybody may still take it."""
    connected: bool
    arrived: bool
    """Whether its person has been here at some time."""


class PresenceMessage(msgspec.Struct, tag_field="type", tag="presence"):
    """Who is in the room."""

    seats: list[SeatPresence]


class SeminarMessage(msgspec.Struct, tag_field="type", tag="seminar"):
    """What the leader of a seminar shows now."""

    view: SeminarView
    followers: int
    """How many are connected besides the leader."""
    led: bool
    """Whether the leader is connected."""


class PongMessage(msgspec.Struct, tag_field="type", tag="pong"):
    """The answer to a ``ping``."""


class ChangedMessage(msgspec.Struct, tag_field="type", tag="changed"):
    """A contest, a challenge or a ladder has changed and can be read again."""


class NoticeMessage(NoticeInfo, tag_field="type", tag="notice"):
    """A new notice."""


class VersionMessage(VersionInfo, tag_field="type", tag="version"):
    """The check of one of the receiver's versions has ended."""


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
    | PreviewMessage
    | ProposalMessage
    | RematchMessage
    | RoomClosedMessage
    | IllegalMessage
    | PresenceMessage
    | SeminarMessage
    | PongMessage
    | ChangedMessage
    | NoticeMessage
    | VersionMessage
)


class ClientMessage(msgspec.Struct):
    """A message from a person's page; ``move``, ``say``, ``pause`` and ``rematch`` have fields of
    their own."""

    type: str
    n: int = -1
    move: str = ""
    on: bool = True
    text: str = ""
    swap: bool = False
    """Of a rematch: sides are swapped."""
    bot: str = ""
    """Of a rematch: the house bot that plays in place of the others."""


def encode_message(message: ServerMessage) -> str:
    """One message as it is sent."""
    return msgspec.json.encode(message).decode()
