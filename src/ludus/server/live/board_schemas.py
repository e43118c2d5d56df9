"""The types of the board language, which ``ludus.games.board_language`` explains and checks.

Games make scenes and views as plain JSON, so these are types of dictionaries: nothing is copied
between a game and a film. Only gestures are converted, because each kind has fields of its own.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict

import msgspec

from ludus.games.base import Position
from ludus.lang import Text


class BoardToken(TypedDict):
    """What may lie on a cell."""

    glyph: str
    label: Text
    owner: NotRequired[int | None]
    role: NotRequired[str]
    heading: NotRequired[int]
    """Where a head points: 0 right, 1 down, 2 left, 3 up."""


class BoardZone(TypedDict):
    """Cells with a name."""

    name: Text
    cells: list[int]
    owner: NotRequired[int | None]


class BoardQuantity(TypedDict):
    """A number beside the board: a counter, a bar or a chart."""

    key: str
    name: Text
    per: NotRequired[str]
    """``seat``: one number for each seat."""
    column: NotRequired[int]
    """Of a bar: the column it belongs to."""
    most: NotRequired[float]
    """Of a bar: its value when it is full; of a counter: its last value."""


class BoardScene(TypedDict):
    """What stays the same on the board through a bout."""

    rows: int
    columns: int
    layers: list[str]
    tokens: dict[str, dict[str, BoardToken]]
    zones: NotRequired[list[BoardZone]]
    counters: NotRequired[list[BoardQuantity]]
    bars: NotRequired[list[BoardQuantity]]
    charts: NotRequired[list[BoardQuantity]]
    help: NotRequired[Text]
    """What people need to know to read the board."""
    words: NotRequired[bool]
    """Whether the game has no board: only the texts that were said are shown."""
    display: NotRequired[bool]
    """Whether the game's judge shows the position as JSON (``FilmStep.display``)."""


BoardEvent = TypedDict(
    "BoardEvent",
    {
        "kind": str,
        "from": NotRequired[int | list[int]],
        "to": NotRequired[int | list[int]],
        "cells": NotRequired[list[int]],
        "points": NotRequired[float],
        "seat": NotRequired[int],
    },
)
"""Something that happened in a step, to be animated."""


class FrameChanges(TypedDict, total=False):
    """What may change from step to step besides the cells."""

    phase: Text
    to_move: list[int]
    counters: dict[str, float | list[float]]
    bars: dict[str, float]
    marks: dict[str, list[int]]


class BoardFrame(TypedDict):
    """A position as it is shown, whole."""

    layers: dict[str, list[str]]
    phase: Text
    to_move: list[int]
    counters: dict[str, float | list[float]]
    bars: dict[str, float]
    marks: dict[str, list[int]]
    events: list[BoardEvent]


class CellGesture(msgspec.Struct, tag_field="kind", tag="cell"):
    """A click on a cell."""

    row: int
    column: int
    move: str


class DragGesture(msgspec.Struct, tag_field="kind", tag="drag"):
    """A drag from a cell to another."""

    row: int
    column: int
    to_row: int
    to_column: int
    move: str


class KeyGesture(msgspec.Struct, tag_field="kind", tag="key"):
    """A key."""

    key: str
    move: str


class ButtonGesture(msgspec.Struct, tag_field="kind", tag="button"):
    """A button beside the board."""

    label: Text
    move: str


Gesture = CellGesture | DragGesture | KeyGesture | ButtonGesture
"""Which move a click, a drag, a key or a button means."""


def list_gestures(position: Position, seat: int) -> list[Gesture]:
    """What the person on a seat can do in a position."""
    return msgspec.convert(position.view(seat)["gestures"].get(str(seat), []), list[Gesture])
