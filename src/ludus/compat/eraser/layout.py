"""Writes the original's replay file, byte for byte: one JSON object."""

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
    """Whether it failed in a turn, not before the first one."""
    time: float | None = None
    """Its total thinking time, if the failed call counts (it returned an invalid move)."""


@dataclass(frozen=True)
class ReplayData:
    """A game in the original's terms: side 1 moves first, and is seat 0."""

    start: EraserPosition
    moves: Sequence[str]
    times: Sequence[float]
    """The total thinking time of the mover after each turn."""
    players: tuple[str, str]
    """The players' names by side."""
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
    """The result of a game."""

    scores: tuple[int, int]
    """The scores by side, like everything here."""
    left: list[int]
    right: list[int]
    """The history of the scores."""
    combo: int
    ending: str
    """The original's reason for the end: the turn limit takes precedence over a hole."""
    winner: int
    length: int
    time: list[float]


def summarise(data: ReplayData) -> Summary:
    history: list[tuple[int, int]] = []
    for position in data.positions():
        history.append(position.points)
    if data.failure is None and position.ending == HOLES and position.before.holed():
        history.pop()  # after the extra turn the original does not update it
    right, left = ([points[seat] for points in history] for seat in (0, 1))
    scores = (position.points[1], position.points[0])
    begun = data.failure is not None and data.failure.begun
    time = total_times(data)
    return Summary(
        scores=scores,
        left=left,
        right=right,
        combo=max(position.best_combos),
        ending=TURNS if position.turn >= position.limit else position.ending,
        winner=find_winner(scores, time, data.failure),
        length=len(data.moves) + begun,
        time=time,
    )


def total_times(data: ReplayData) -> list[float]:
    """Each side's total; the integer 0 for one that has not moved."""
    total: list[float] = [0, 0]
    for turn, time in enumerate(data.times, 1):
        total[turn & 1] = time
    if data.failure is not None and data.failure.time is not None:
        total[data.failure.side] = data.failure.time
    return total


def format_times(time: Sequence[float]) -> list[float]:
    """The times as a file has them: both are floats as soon as one is."""
    return list(map(float, time)) if any(isinstance(t, float) for t in time) else list(time)


def find_winner(scores: Sequence[int], time: Sequence[float], failure: Failure | None) -> int:
    """More points; if equal, less time; if that is equal too, the side that moved first."""
    if failure is not None:
        return 1 - failure.side
    if scores[0] != scores[1]:
        return int(scores[1] > scores[0])
    return int(time[1] <= time[0])


def format_reason(data: ReplayData, ending: str) -> str:
    if data.failure is not None:
        return ERROR_PREFIX + last_line(data.failure.message)
    return REASONS[ending]


def collect_facts(data: ReplayData) -> dict[str, Any]:
    """All fields of the file but the frames, in no particular order."""
    about, failure = summarise(data), data.failure
    relative = [b - a for a, b in zip(about.left, about.right, strict=True)]
    difference = abs(about.scores[0] - about.scores[1])
    document = {
        "totalRemains": RESERVE_ROWS,
        "scores": {"left": about.left, "right": about.right, "relative": relative},
        "errorStatus": failure.side if failure else -1,
        "errorMessage": failure.message if failure else "",
        "winner": about.winner,
        "extra": 1000 if failure else difference,
        "order": data.order,
        "players": list(data.players),
        "length": about.length,
        "time": format_times(about.time),
        "reason": format_reason(data, about.ending),
    }
    if about.length >= MIN_TAGGED_TURNS:
        failed = failure.side if failure else None
        document["tag"] = make_tags(
            about.scores, relative, about.length, about.winner, failed, about.ending, about.combo
        )
    return document


def iter_frames(data: ReplayData) -> Iterator[dict[str, Any]]:
    cells = [MOVES[move] for move in data.moves]
    film = ReplayFrames(data.start.board)
    yield from film.frames(cells, data.times)
    if data.failure is not None and data.failure.begun:
        film.begin_turn()
        if data.failure.time is not None:
            film.sides[film.mover].time = data.failure.time
    yield film.frame()


def format_document(data: ReplayData) -> str:
    """The file's text."""
    document = collect_facts(data)
    document["frames"] = list(iter_frames(data))
    document["totalFrames"] = len(document["frames"])
    return json.dumps({key: document[key] for key in DOCUMENT_KEYS if key in document})


def log_data(data: ReplayData) -> dict[str, Any]:
    """The short report that the original sends to its server."""
    document = collect_facts(data)
    document["errorMessage"] = last_line(document["errorMessage"])
    document["score"] = 500 if data.failure else document["extra"]
    document["reason"] = document["reason"].removeprefix(ERROR_PREFIX)
    document["time"] = total_times(data)
    keys = ("winner", "errorMessage", "errorStatus", "length", "score", "reason", "time", "tag")
    return {key: document[key] for key in keys if key in document}
