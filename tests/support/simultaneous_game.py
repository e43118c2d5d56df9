"""A small game whose seats move at the same time, without a list of its moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from ludus.games.base import Game, IllegalMove, Outcome
from ludus.lang import Text

THROWS = ("paper", "rock", "scissors")
ROUNDS = 3


class ThrowPosition:
    """Points of both seats after some rounds."""

    def __init__(self) -> None:
        self.points = [0, 0]
        self.round = 0

    @property
    def to_move(self) -> tuple[int, ...]:
        return (0, 1) if self.round < ROUNDS else ()

    @property
    def outcome(self) -> Outcome | None:
        if self.to_move:
            return None
        lead = self.points[0] - self.points[1]
        first = 0.5 + 0.5 * ((lead > 0) - (lead < 0))
        return Outcome((first, 1 - first), "points")

    def legal(self, seat: int) -> list[str]:
        return list(THROWS) if self.to_move else []

    def play(self, moves: Mapping[int, str]) -> None:
        for seat, move in moves.items():
            if move not in self.legal(seat):
                raise IllegalMove(seat, move, "expected a throw", "应为手势")
        one, other = (THROWS.index(moves[seat]) for seat in (0, 1))
        if one != other:
            self.points[0 if (other - one) % 3 == 1 else 1] += 1
        self.round += 1

    def view(self, seat: int | None = None) -> dict[str, Any]:
        return {
            "layers": {"points": [str(min(point, 1)) if point else "" for point in self.points]},
            "counters": {"points": list(self.points)},
            "phase": {"en": "throw", "zh": "出手"},
            "to_move": list(self.to_move),
            "gestures": {},
        }

    def copy(self) -> Self:
        twin = type(self)()
        twin.points, twin.round = list(self.points), self.round
        return twin

    def digest(self) -> str:
        return f"{self.points}{self.round}".encode().hex()


class ThrowGame(Game):
    """Rock, paper, scissors."""

    name = "throws"
    version = 1
    title = Text("Throws", "猜拳")
    seats = (Text("left", "左"), Text("right", "右"))
    reasons = {"points": Text("more points", "得分更多")}

    def start(self, options: Any, seed: int) -> ThrowPosition:
        return ThrowPosition()

    def is_seeded(self, options: Any) -> bool:
        return False

    def scene(self, options: Any) -> dict[str, Any]:
        token = {"owner": None, "glyph": "1", "label": {"en": "point", "zh": "分"}}
        points = {"key": "points", "name": {"en": "points", "zh": "得分"}, "per": "seat"}
        return {
            "rows": 1,
            "columns": 2,
            "layers": ["points"],
            "tokens": {"points": {"1": token}},
            "counters": [points],
        }
