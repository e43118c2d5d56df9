"""The rules of Reversi, and nothing about judgers.

A cell is a pair (row, column) from 0; people call it ``d3``: the column's letter, the row's number.
"""

from __future__ import annotations

from typing import Any

SIZE = 8
BLACK, WHITE = 0, 1
NAMES = ({"en": "black", "zh": "黑方"}, {"en": "white", "zh": "白方"})
TOKENS = ("x", "o")
DIRECTIONS = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if r or c]

Cell = tuple[int, int]


def name_of(cell: Cell) -> str:
    return f"{'abcdefgh'[cell[1]]}{cell[0] + 1}"


CELLS = {name_of((row, column)): (row, column) for row in range(SIZE) for column in range(SIZE)}


class Board:
    """A moment of a bout. ``mover`` has to move; None when the bout is over."""

    def __init__(self) -> None:
        self.discs: dict[Cell, int] = {(3, 3): WHITE, (3, 4): BLACK, (4, 3): BLACK, (4, 4): WHITE}
        self.mover: int | None = BLACK
        self.skipped = False
        """Whether the other seat could not move."""
        self.last: list[Cell] = []
        self.turned: list[Cell] = []

    def legal(self) -> list[str]:
        """The moves of the seat that has to move, row by row."""
        return [] if self.mover is None else self._moves_of(self.mover)

    def _moves_of(self, seat: int) -> list[str]:
        return [name for name, cell in CELLS.items() if self._enclosed(cell, seat)]

    def _enclosed(self, cell: Cell, seat: int) -> list[Cell]:
        """The discs that would turn if the seat put one there."""
        if cell in self.discs:
            return []
        found = []
        for down, right in DIRECTIONS:
            row, column = cell[0] + down, cell[1] + right
            line = []
            while self.discs.get((row, column)) == 1 - seat:
                line.append((row, column))
                row, column = row + down, column + right
            if line and self.discs.get((row, column)) == seat:
                found += line
        return found

    def put(self, move: str) -> None:
        """Play one of the legal moves."""
        assert self.mover is not None
        seat, cell = self.mover, CELLS[move]
        self.last, self.turned = [cell], self._enclosed(cell, seat)
        for each in (cell, *self.turned):
            self.discs[each] = seat
        self.skipped = not self._moves_of(1 - seat)
        if not self.skipped:
            self.mover = 1 - seat
        elif not self._moves_of(seat):
            self.mover = None

    def count(self, seat: int) -> int:
        return list(self.discs.values()).count(seat)

    def view(self) -> dict[str, Any]:
        """What everybody sees, in Ludus' board language."""
        cells = [TOKENS[self.discs[c]] if c in self.discs else "" for c in CELLS.values()]
        last, turned = ([r * SIZE + c for r, c in some] for some in (self.last, self.turned))
        clicks = [
            {"kind": "cell", "row": CELLS[move][0], "column": CELLS[move][1], "move": move}
            for move in self.legal()
        ]
        return {
            "layers": {"discs": cells},
            "counters": {"discs": [self.count(BLACK), self.count(WHITE)], "empty": cells.count("")},
            "marks": {"last": last, "turned": turned},
            "phase": self._phase(),
            "to_move": [] if self.mover is None else [self.mover],
            "gestures": {} if self.mover is None else {str(self.mover): clicks},
            "events": [
                *({"kind": "put", "to": cell} for cell in last),
                *({"kind": "flip", "to": cell} for cell in turned),
            ],
        }

    def _phase(self) -> dict[str, str]:
        if self.mover is None:
            return {"en": "over", "zh": "结束"}
        mover, rival = NAMES[self.mover], NAMES[1 - self.mover]
        if self.skipped:
            return {
                "en": f"{rival['en']} cannot move, {mover['en']} moves again",
                "zh": f"{rival['zh']}无处可下，{mover['zh']}继续",
            }
        return {"en": f"{mover['en']} to move", "zh": f"{mover['zh']}走"}
