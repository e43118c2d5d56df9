"""What is told about bouts under way, from where they are filmed to where they are watched.

Whoever films bouts (``LiveFilms``) sends ``LiveUpdate``s; whoever shows them (``LiveHub``) says
which bouts are watched. Both may be in different processes: updates are plain data.
"""

from __future__ import annotations

from typing import Any, Protocol, get_args

import msgspec

from ludus.server.live.bout_reporter import BeginKind
from ludus.server.live.film_schemas import BoutEnd, FilmInfo


class LiveBoutInfo(msgspec.Struct, frozen=True):
    """Which bout is under way."""

    id: str
    """Its address on the page; says nothing."""
    game: str = ""
    match_id: str = ""
    """The same for all bouts of a match; empty: it belongs to none."""
    number: int = 0
    """In its match, from 0."""
    contest_id: int | None = None
    """Of a bout of one of the server's contests."""
    entrants: tuple[str, ...] = ()
    """Of a contest's bout, by seat."""


class ReceivedFilm(FilmInfo):
    """A film so far, as it comes from another process: what is only passed on is not looked at."""

    scene: dict[str, Any]  # type: ignore[assignment]
    key: dict[str, Any]  # type: ignore[assignment]
    steps: list[msgspec.Raw]  # type: ignore[assignment]


class BoutAppeared(msgspec.Struct, tag="bout_appeared"):
    """A bout may be watched from now on; told again when its privacy has changed."""

    bout: LiveBoutInfo
    private: bool
    """It is in nobody's list, and whoever looks is asked who they are."""


class FilmBegun(msgspec.Struct, tag="film_begun"):
    """The film so far of a bout that is watched; its steps follow as they are played."""

    id: str
    film: ReceivedFilm
    kind: BeginKind


class FilmSteps(msgspec.Struct, tag="film_steps"):
    """The next steps of a film."""

    id: str
    steps: list[msgspec.Raw]


class FilmEnded(msgspec.Struct, tag="film_ended"):
    """The bout of a film is over."""

    id: str
    end: BoutEnd


class FilmDropped(msgspec.Struct, tag="film_dropped"):
    """Nobody watches: no further steps come. A later film begins with all of them."""

    id: str


class NextBoutAppeared(msgspec.Struct, tag="next_bout"):
    """The match of a bout that is over goes on with another."""

    id: str
    next: str


class BoutRemoved(msgspec.Struct, tag="bout_removed"):
    """Nothing more comes of a bout."""

    id: str
    ended: bool
    """False: whoever played it is gone, and it has no end."""


class RequestHandled(msgspec.Struct, tag="request_handled"):
    """Everything that was asked before this request has been answered."""

    number: int


LiveUpdate = (
    BoutAppeared
    | FilmBegun
    | FilmSteps
    | FilmEnded
    | FilmDropped
    | NextBoutAppeared
    | BoutRemoved
    | RequestHandled
)
decode_update = msgspec.json.Decoder(LiveUpdate).decode
UPDATE_TYPES = frozenset(kind.__struct_config__.tag for kind in get_args(LiveUpdate))
"""The ``type`` of each of them."""


class FilmSource(Protocol):
    """Where bouts are filmed, as seen from where they are watched. None of this ever waits."""

    def watch(self, id: str | None) -> None:
        """Somebody watches a bout; None: the lists of bouts, so all that they show is filmed."""

    def unwatch(self, id: str | None) -> None:
        """Nobody watches it any more."""

    def request(self, number: int) -> bool:
        """Ask for ``RequestHandled`` with this number; False: nobody would answer."""
