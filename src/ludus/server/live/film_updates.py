"""Updates about bouts under way, from where they are filmed to where they are watched.

A film source (``LiveFilms``) sends ``LiveUpdate``s; ``LiveStreams`` tells it which bouts are
watched. The two may be in different processes, so updates are plain data.
"""

from __future__ import annotations

from typing import Any, Protocol, get_args

import msgspec

from ludus.server.live.bout_reporter import BeginKind
from ludus.server.live.film_schemas import BoutEnd, FilmInfo


class LiveBoutInfo(msgspec.Struct, frozen=True):
    """Identifies a bout under way."""

    id: str
    """Its id on the page; has no meaning beyond that."""
    game: str = ""
    match_id: str = ""
    """The same for all bouts of a match; empty: it belongs to no match."""
    number: int = 0
    """Its number in the match, from 0."""
    contest_id: int | None = None
    """The contest, if it is one of the server's."""
    entrants: tuple[str, ...] = ()
    """The entrants' names by seat, of a bout of a contest."""


class ReceivedFilm(FilmInfo):
    """A film so far, received from another process; parts that are only passed on stay encoded."""

    scene: dict[str, Any]  # type: ignore[assignment]
    key: dict[str, Any]  # type: ignore[assignment]
    steps: list[msgspec.Raw]  # type: ignore[assignment]


class BoutAppeared(msgspec.Struct, tag="bout_appeared"):
    """A bout can be watched from now on; sent again when its privacy has changed."""

    bout: LiveBoutInfo
    private: bool
    """Whether it is left out of lists and its watchers are checked for permission."""


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
    """Nobody watches: no further steps are sent. A later film starts from the first step."""

    id: str


class NextBoutAppeared(msgspec.Struct, tag="next_bout"):
    """The match of a bout that is over goes on with another."""

    id: str
    next: str


class BoutRemoved(msgspec.Struct, tag="bout_removed"):
    """Nothing more comes of a bout."""

    id: str
    ended: bool
    """Whether the bout was finished; False: the program that played it is gone."""


class RequestHandled(msgspec.Struct, tag="request_handled"):
    """Every request up to this one has been answered."""

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
"""The ``type`` of each update."""


class FilmSource(Protocol):
    """A place where bouts are filmed, seen from where they are watched. No method ever blocks."""

    def watch(self, id: str | None) -> None:
        """A bout is watched; None: the lists of bouts, so that all listed bouts are filmed."""

    def unwatch(self, id: str | None) -> None:
        """The bout is not watched any more."""

    def request(self, number: int) -> bool:
        """Ask for ``RequestHandled`` with this number; False: no answer will come."""
