"""Runs judges on many openings, on several processes, and remembers every result in a file.

A run that was interrupted is run again with the same file: what is known is not computed again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ludus.games import get
from ludus.games.base import Game
from ludus.games.openings import OpeningMoves
from ludus.learn.openings.judges import find_judge, finish_bout

ProgressCallback = Callable[[str], None]
"""Called with a line that says how far a run is."""


class OpeningTask(NamedTuple):
    """Something to find out about an opening."""

    kind: Literal["evaluate", "play"]
    judge: str
    moves: OpeningMoves
    seed: int = 0

    @property
    def key(self) -> str:
        seed = f" {self.seed}" if self.kind == "play" else ""
        return f"{self.kind} {self.judge}{seed}: {' '.join(self.moves)}"


def play_opening(game: Game, options: Any, moves: OpeningMoves) -> Any:
    """The position after an opening."""
    position = game.start(options, 0)
    left = iter(moves)
    while (ply := dict(zip(position.to_move, left, strict=False))) and position.to_move:
        position.play(ply)
    return position


def run_task(game: str, options: Any, task: OpeningTask) -> float:
    """The evaluation for seat 0, or the points of seat 0 in a bout."""
    found = get(game)
    judge = find_judge(task.judge, found, options)
    position = play_opening(found, options, task.moves)
    if task.kind == "evaluate":
        return judge.evaluate(position)
    return finish_bout(judge, position, task.seed)


class ResultFile:
    """Results by the keys of their tasks, each a line of JSON."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.results: dict[str, float] = {}
        if path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._read(line)

    def _read(self, line: str) -> None:
        try:
            key, result = json.loads(line)
        except ValueError:
            return  # the line that was being written when a run was interrupted
        self.results[key] = result

    def add(self, results: Iterable[tuple[str, float]]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            for key, result in results:
                self.results[key] = result
                file.write(json.dumps([key, result]) + "\n")


class TaskRunner:
    """Runs tasks of one game under its options."""

    def __init__(
        self, game: Game, options: Any, file: ResultFile, pool: Executor | None, chunk: int = 64
    ) -> None:
        self.file, self.pool, self.chunk = file, pool, chunk
        self.run_one = partial(run_task, game.name, options)

    def run(
        self, tasks: Sequence[OpeningTask], report: ProgressCallback | None = None
    ) -> list[float]:
        """The results in the order of the tasks."""
        missing = [task for task in tasks if task.key not in self.file.results]
        for done, part in _split(missing, self.chunk):
            mapped = self.pool.map(self.run_one, part) if self.pool else map(self.run_one, part)
            keys = [task.key for task in part]
            self.file.add(zip(keys, mapped, strict=True))
            if report:
                report(f"{tasks[0].kind} {tasks[0].judge}: {done + len(part)} of {len(missing)}")
        return [self.file.results[task.key] for task in tasks]


def _split(tasks: Sequence[OpeningTask], size: int) -> Iterator[tuple[int, Sequence[OpeningTask]]]:
    for begin in range(0, len(tasks), size):
        yield begin, tasks[begin : begin + size]
