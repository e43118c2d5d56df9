"""The original's replay file, byte for byte: one JSON object."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ludus.compat.eraser.errors import last_line
from ludus.compat.eraser.film import RESERVE_ROWS, ReplayFrames
from ludus.compat.eraser.tags import MIN_TAGGED_TURNS, make_tags
from ludus.games.eraser.rules import HOLES, MOVES, STUCK, TURNS, EraserPosition

REASONS = {
    TURNS: "Reach the maximum turn number",
    STUCK: "No eraserable moves",
    HOLES: "Run out of blocks",
}
ERROR_PREFIX = "An error occurred: "
DOCUMENT_KEYS = (
    "totalFrames",
    "totalRemains",
    "scores",
    "errorStatus",
    "errorMessage",
    "winner",
    "frames",
    "extra",
    "order",
    "players",
    "length",
    "time",
    "reason",
    "tag",
)


@dataclass(frozen=True)
class Failure:
    """The side that failed, and how."""

    side: int
    message: str
    """A traceback."""
    begun: bool
    """It failed in a turn; else before the first."""
    time: float | None = None
    """Its total thinking time, if the call in which it failed counts: it returned no swap."""


@dataclass(frozen=True)
class ReplayData:
    """A game in the original's terms: side 1 moves first, and is seat 0."""

    start: EraserPosition
    moves: Sequence[str]
    times: Sequence[float]
    """The total thinking time of the mover after each turn."""
    players: tuple[str, str]
    """By side."""
    order: int = 0
    failure: Failure | None = None

    def positions(self) -> Iterator[EraserPosition]:
        """The same position before each turn, and at the end."""
        position = self.start.copy()
        yield position
        for move in self.moves:
            position.play({position.turn & 1: move})
            yield position


@dataclass(frozen=True)
class Summary:
    """How a game went."""

    scores: tuple[int, int]
    """By side, like everything here."""
    left: list[int]
    right: list[int]
    """The history of the scores."""
    combo: int
    ending: str
    """Why the original says it was over: the number of turns comes before a hole."""
    winner: int
    length: int
    time: list[float]


def summarise(told: ReplayData) -> Summary:
    history: list[tuple[int, int]] = []
    for position in told.positions():
        history.append(position.points)
    if told.failure is None and position.ending == HOLES and position.before.holed():
        history.pop()  # after the extra turn the original does not look again
    right, left = ([points[seat] for points in history] for seat in (0, 1))
    scores = (position.points[1], position.points[0])
    begun = told.failure is not None and told.failure.begun
    time = total_times(told)
    return Summary(
        scores=scores,
        left=left,
        right=right,
        combo=max(position.best_combos),
        ending=TURNS if position.turn >= position.limit else position.ending,
        winner=find_winner(scores, time, told.failure),
        length=len(told.moves) + begun,
        time=time,
    )


def total_times(told: ReplayData) -> list[float]:
    """Each side's total; the integer 0 for one that has not moved."""
    total: list[float] = [0, 0]
    for turn, time in enumerate(told.times, 1):
        total[turn & 1] = time
    if told.failure is not None and told.failure.time is not None:
        total[told.failure.side] = told.failure.time
    return total


def written_times(time: Sequence[float]) -> list[float]:
    """As a file says it: both sides as floats as soon as one is."""
    return list(map(float, time)) if any(isinstance(t, float) for t in time) else list(time)


def find_winner(scores: Sequence[int], time: Sequence[float], failure: Failure | None) -> int:
    """More points; if equal, less time; if that is equal too, the side that moved first."""
    if failure is not None:
        return 1 - failure.side
    if scores[0] != scores[1]:
        return int(scores[1] > scores[0])
    return int(time[1] <= time[0])


def format_reason(told: ReplayData, ending: str) -> str:
    if told.failure is not None:
        return ERROR_PREFIX + last_line(told.failure.message)
    return REASONS[ending]


def facts(told: ReplayData) -> dict[str, Any]:
    """Everything but the frames, in no particular order."""
    about, failure = summarise(told), told.failure
    relative = [b - a for a, b in zip(about.left, about.right, strict=True)]
    difference = abs(about.scores[0] - about.scores[1])
    found = {
        "totalRemains": RESERVE_ROWS,
        "scores": {"left": about.left, "right": about.right, "relative": relative},
        "errorStatus": failure.side if failure else -1,
        "errorMessage": failure.message if failure else "",
        "winner": about.winner,
        "extra": 1000 if failure else difference,
        "order": told.order,
        "players": list(told.players),
        "length": about.length,
        "time": written_times(about.time),
        "reason": format_reason(told, about.ending),
    }
    if about.length >= MIN_TAGGED_TURNS:
        failed = failure.side if failure else None
        found["tag"] = make_tags(
            about.scores, relative, about.length, about.winner, failed, about.ending, about.combo
        )
    return found


def iter_frames(told: ReplayData) -> Iterator[dict[str, Any]]:
    cells = [MOVES[move] for move in told.moves]
    film = ReplayFrames(told.start.board)
    yield from film.frames(cells, told.times)
    if told.failure is not None and told.failure.begun:
        film.begin_turn()
        if told.failure.time is not None:
            film.sides[film.mover].time = told.failure.time
    yield film.frame()


def format_document(told: ReplayData) -> str:
    """The file's text."""
    found = facts(told)
    found["frames"] = list(iter_frames(told))
    found["totalFrames"] = len(found["frames"])
    return json.dumps({key: found[key] for key in DOCUMENT_KEYS if key in found})


def log_data(told: ReplayData) -> dict[str, Any]:
    """What the original tells the arena's server."""
    found = facts(told)
    found["errorMessage"] = last_line(found["errorMessage"])
    found["score"] = 500 if told.failure else found["extra"]
    found["reason"] = found["reason"].removeprefix(ERROR_PREFIX)
    found["time"] = total_times(told)
    keys = ("winner", "errorMessage", "errorStatus", "length", "score", "reason", "time", "tag")
    return {key: found[key] for key in keys if key in found}
