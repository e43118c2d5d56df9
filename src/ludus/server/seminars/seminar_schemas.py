"""API schemas: seminars."""

from __future__ import annotations

from typing import Annotated

import msgspec

from ludus.games.board_shapes import MAX_SHAPES, BoardShape

MAX_STEP = 10_000_000


class SeminarRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The bout that is to be replayed for others."""

    film: Annotated[str, msgspec.Meta(max_length=200)]


class SeminarInfo(msgspec.Struct):
    """A seminar, for everyone who has its code."""

    code: str
    film: str
    """The bout without names, for the addresses of films."""
    leads: bool
    """Whether you lead it."""
    students: list[int]
    """Seats on which bots of students played."""
    ends_at: str
    """When it ends by itself; a restart of the server ends it, too."""


class SeminarView(msgspec.Struct):
    """What the leader of a seminar shows."""

    step: Annotated[int, msgspec.Meta(ge=0, le=MAX_STEP)] = 0
    shapes: Annotated[list[BoardShape], msgspec.Meta(max_length=MAX_SHAPES)] = []
    """What they drew over the board."""
    analysis: bool = False
    """Whether the judge's opinion is shown."""
