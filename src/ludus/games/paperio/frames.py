"""The frames that bots of the original see: plain dicts, tuples and lists, cheaply.

A frame holds the whole field as tuples of columns. Columns that did not change are the very
objects of the frame before, so a step costs kilobytes less than a copy of the field would.
"""

from __future__ import annotations

from typing import Any

import cython

if not cython.compiled:
    from ludus.games.paperio.field import Field
else:
    from cython.cimports.ludus.games.paperio.field import Field  # type: ignore[no-redef]

Column = tuple[int | None, ...]

OWNERS = (None, 1, 2)


@cython.cfunc
def column_of(columns: dict[bytes, Column], cells: bytes) -> Column:
    """One column as a tuple; equal ones are one object."""
    found = columns.get(cells)
    if found is None:
        found = tuple([OWNERS[owner] for owner in cells])
        columns[cells] = found
    return found


@cython.final
@cython.cclass
class OriginalFrames:
    """Makes the frames of one field while it changes; only one object may do so."""

    def __init__(self, field: Field) -> None:
        self.field = field
        self.columns: dict[bytes, Column] = {}
        self.land_columns: list[Column] = [()] * field.width
        self.band_columns: list[Column] = [()] * field.width
        self.fields: tuple[Column, ...] = ()
        self.bands: tuple[Column, ...] = ()
        field.land_low = field.band_low = 0
        field.land_high = field.band_high = field.width - 1
        self.develop()

    @cython.ccall
    def develop(self) -> cython.void:
        """Update the columns that have changed since the last time."""
        field: Field = self.field
        height: cython.int = field.height
        x: cython.int
        if field.land_low <= field.land_high:
            for x in range(field.land_low, field.land_high + 1):
                cells = bytes(field.land[x * height : (x + 1) * height])
                self.land_columns[x] = column_of(self.columns, cells)
            self.fields = tuple(self.land_columns)
            field.land_low, field.land_high = field.width, -1
        if field.band_low <= field.band_high:
            for x in range(field.band_low, field.band_high + 1):
                cells = bytes(field.bands[x * height : (x + 1) * height])
                self.band_columns[x] = column_of(self.columns, cells)
            self.bands = tuple(self.band_columns)
            field.band_low, field.band_high = field.width, -1

    @cython.ccall
    def turns_left(self) -> Any:
        """What is left to each seat after the last step."""
        field: Field = self.field
        return (field.turns - (field.steps + 1) // 2, field.turns - field.steps // 2)

    @cython.ccall
    def player(self, seat: cython.int) -> Any:
        """A new dict about one player."""
        field: Field = self.field
        x, y, heading = field.xs[seat], field.ys[seat], field.headings[seat]
        return {"id": seat + 1, "x": x, "y": y, "direction": heading}

    def private(self, seat: cython.int, timeleft: Any) -> dict[str, Any]:
        """The frame for one player."""
        players = [self.player(0), self.player(1)]
        return {
            "turnleft": self.turns_left(),
            "timeleft": timeleft,
            "fields": self.fields,
            "bands": self.bands,
            "players": players,
            "me": players[seat],
            "enemy": players[1 - seat],
        }

    def public(self, timeleft: Any) -> dict[str, Any]:
        """The frame for the record."""
        return {
            "turnleft": self.turns_left(),
            "timeleft": timeleft,
            "fields": self.fields,
            "players": [self.player(0), self.player(1)],
            "bands": self.bands,
            "band_route": [tuple(trail) for trail in self.field.trails],
        }
