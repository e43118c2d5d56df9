"""Hidden treasure: a small game in which nobody may see everything.

Both seats hide a treasure in their own row, at once. Then they dig in the other's row, one after
the other, until one is found. A seat sees its own treasure and the holes; spectators only the
holes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from ludus.games.base import Game, IllegalMove, Outcome

COLUMNS = 4
CELLS = tuple(str(column) for column in range(COLUMNS))


class TreasurePosition:
    def __init__(self) -> None:
        self.hidden: list[int | None] = [None, None]
        self.holes: list[list[int]] = [[], []]
        """By the row that was dug in."""
        self.outcome: Outcome | None = None

    @property
    def to_move(self) -> tuple[int, ...]:
        if self.outcome is not None:
            return ()
        if self.hidden[0] is None:
            return (0, 1)
        return (len(self.holes[0]) + len(self.holes[1]) & 1,)

    def legal(self, seat: int) -> list[str]:
        if seat not in self.to_move:
            return []
        taken = [] if self.hidden[0] is None else self.holes[1 - seat]
        return [cell for cell in CELLS if int(cell) not in taken]

    def play(self, moves: Mapping[int, str]) -> None:
        for seat in {*moves, *self.to_move}:
            if moves.get(seat) not in self.legal(seat):
                raise IllegalMove(
                    seat, str(moves.get(seat)), "there is no such cell", "没有这个格子"
                )
        if self.hidden[0] is None:
            self.hidden = [int(moves[0]), int(moves[1])]
            return
        [(seat, move)] = moves.items()
        self.holes[1 - seat].append(int(move))
        if self.hidden[1 - seat] == int(move):
            scores = (1.0, 0.0) if seat == 0 else (0.0, 1.0)
            self.outcome = Outcome(scores, "found", {"cell": int(move)})

    def view(self, seat: int | None = None) -> dict[str, Any]:
        cells = [""] * (2 * COLUMNS)
        for row, holes in enumerate(self.holes):
            for column in holes:
                cells[row * COLUMNS + column] = "o"
            own = self.hidden[row]
            if own is not None and (row == seat or own in holes):
                cells[row * COLUMNS + own] = "$"
        hiding = self.hidden[0] is None
        movers = self.to_move if seat is None else {seat} & set(self.to_move)
        return {
            "layers": {"ground": cells},
            "phase": {"en": "hide", "zh": "埋藏"} if hiding else {"en": "dig", "zh": "挖掘"},
            "to_move": list(self.to_move),
            "gestures": {
                str(mover): [
                    {"kind": "cell", "row": mover if hiding else 1 - mover}
                    | {"column": int(move), "move": move}
                    for move in self.legal(mover)
                ]
                for mover in movers
            },
        }

    def copy(self) -> TreasurePosition:
        twin = TreasurePosition()
        twin.hidden = list(self.hidden)
        twin.holes = [list(holes) for holes in self.holes]
        twin.outcome = self.outcome
        return twin

    def digest(self) -> str:
        return hashlib.sha256(repr((self.hidden, self.holes)).encode()).hexdigest()[:32]


class Treasure(Game):
    name = "treasure"
    version = 1
    title = {"en": "Hidden treasure", "zh": "藏宝"}
    seats = ("first", "second")
    hidden = True
    reasons = {"found": {"en": "the treasure was in cell {cell}", "zh": "宝藏在第 {cell} 格"}}

    def start(self, options: Any, seed: int) -> TreasurePosition:
        return TreasurePosition()

    def is_seeded(self, options: Any) -> bool:
        return False

    def scene(self, options: Any) -> dict[str, Any]:
        tokens = {
            "o": {"owner": None, "glyph": "o", "label": {"en": "a hole", "zh": "坑"}},
            "$": {"owner": None, "glyph": "$", "label": {"en": "treasure", "zh": "宝藏"}},
        }
        return {"rows": 2, "columns": COLUMNS, "layers": ["ground"], "tokens": {"ground": tokens}}


GAME = Treasure()
