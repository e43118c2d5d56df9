"""The rules of Paper.io: who moves, what may be answered, and how a bout ends."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from typing import Any

import cython

from ludus.games.base import IllegalMove, Outcome, only_move
from ludus.games.paperio.field import BAND, FACE, LAND, RUNNING, SIDE, TURNS_OVER, WALL, Start
from ludus.games.paperio.view import changes, draw_field, view

if not cython.compiled:
    from ludus.games.paperio.field import Field
else:
    from cython.cimports.ludus.games.paperio.field import Field  # type: ignore[no-redef]

MOVES = ("L", "S", "R")
TURNS = {"S": 0, "R": 1, "L": 3}
SEATS = ((0,), (1,))
SPREAD = 3
"""A start is drawn up to this many cells off the middle of the player's half."""

REASONS = {
    WALL: "wall",
    BAND: "band",
    SIDE: "side",
    FACE: "face",
    LAND: "land",
    TURNS_OVER: "area",
}
"""The original's number for each way to end → the reason of the outcome."""


def draw(generator: Any, k: int, h: int, order: str) -> tuple[Start, Start]:
    """Both starts, drawn as the original draws them.

    ``generator`` is a ``random.Random`` or the module itself; ``order`` says whether directions
    are drawn after both places (``head``) or each after its place (``event2018``).
    """
    together = order == "head"
    places = []
    for seat in range(2):
        x = k * seat + k // 2 + generator.randrange(-SPREAD, SPREAD + 1)
        y = h // 2 + generator.randrange(-SPREAD, SPREAD + 1)
        places.append((x, y, 0 if together else generator.randrange(4)))
    if together:
        places = [(x, y, generator.randrange(4)) for x, y, _ in places]
    first, second = ((x, y, heading, 1) for x, y, heading in places)
    return first, second


def starts(options: Any, seed: int) -> tuple[Start, Start]:
    """Where both players begin: as the options say, else as the seed draws it."""
    drawn = draw(random.Random(seed), options.k, options.h, options.draw)
    first, second = (
        (*given, 1)[:4] if given else start
        for given, start in zip((options.first, options.second), drawn, strict=True)
    )
    return first, second


@cython.final
@cython.cclass
class PaperPosition:
    """A moment of a bout of Paper.io.

    ``field`` has everything: ``width``, ``height``, ``land`` and ``bands`` (cell
    ``x * height + y``), ``heads``, ``trails``, ``areas``, ``steps`` and ``turns``.
    """

    def __init__(self, field: Field) -> None:
        self.field = field
        self.last: str | None = None
        self.outcome: Outcome | None = None
        if field.end != RUNNING:
            self.outcome = conclude(field)

    @property
    def to_move(self) -> tuple[int, ...]:
        return SEATS[self.field.steps & 1] if self.outcome is None else ()

    def legal(self, seat: int) -> list[str]:
        if self.outcome is not None or seat != self.field.steps & 1:
            return []
        return list(MOVES)

    def play(self, moves: Mapping[int, str]) -> None:
        seat: cython.int = self.field.steps & 1
        move = only_move(seat, moves, self.outcome)
        turn = TURNS.get(move)
        if turn is None:
            raise IllegalMove(
                seat,
                move,
                "expected L (left), S (straight) or R (right)",
                "应为 L（左转）、S（直行）或 R（右转）",
            )
        self.field.step(turn)
        self.last = move
        if self.field.end != RUNNING:
            self.outcome = conclude(self.field)

    def view(self, seat: int | None = None) -> dict[str, Any]:
        return view(self)

    def changes(self, before: PaperPosition, seat: int | None = None) -> dict[str, Any]:
        return changes(self, before)

    def copy(self) -> PaperPosition:
        twin: PaperPosition = PaperPosition.__new__(PaperPosition)
        twin.field = self.field.copy()
        twin.outcome = self.outcome
        twin.last = self.last
        return twin

    def digest(self) -> str:
        field = self.field
        trails = [bytes(trail).hex() for trail in field.trails]
        size = f"{field.width} {field.height} {field.turns} {field.steps} {field.end}"
        facts = f"paperio/1 {size} {field.heads} {trails}\n"
        found = hashlib.sha256(facts.encode())
        found.update(field.land)
        found.update(field.bands)
        return found.hexdigest()[:32]

    def __str__(self) -> str:
        return draw_field(self.field)


def conclude(field: Any) -> Outcome:
    """The outcome of a field on which the bout has ended."""
    winner = field.winner
    scores = (0.5, 0.5) if winner < 0 else (1.0, 0.0) if winner == 0 else (0.0, 1.0)
    first, second = field.areas
    detail: dict[str, Any] = {"first": first, "second": second}
    if field.end != TURNS_OVER:
        detail["mover"] = field.mover
    if field.end == BAND:
        detail["owner"] = 1 - winner
    if field.end == LAND:
        detail["owner"] = winner
    return Outcome(scores, REASONS[field.end], detail)
