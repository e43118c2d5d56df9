"""A record as frames: any step of it, drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ludus.cli.board import Board, Seated, frame
from ludus.cli.options import labels_of
from ludus.cli.watch import moves_text, outcome_text
from ludus.lang import tr, words
from ludus.match.record import Record, game_of
from ludus.match.replay import steps

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from ludus.games.base import Position


class Reel:
    """Winds a record forward; back means from the start again, which takes milliseconds."""

    def __init__(self, record: Record, console: Console) -> None:
        self.record = record
        self.game, self.settings = game_of(record)
        self.board = Board.on(console, self.game.scene(self.settings))
        self.names = list(labels_of([bot.name for bot in record.bots]))
        self.last = sum(1 for _ in steps(record)) - 1
        """The number of steps."""
        self._rewind()

    def _rewind(self) -> None:
        self._steps: Iterator[tuple[Mapping[int, str], Position]] = steps(self.record)
        self.moves, self.position = next(self._steps)
        self.number = 0
        self._move = 0
        clock = self.record.clock
        self._left = [clock.budget - t for t in self.record.time0]

    def wind(self, number: int) -> None:
        """Go to a step; 0 is the start."""
        if number < self.number:
            self._rewind()
        while self.number < number:
            self.moves, self.position = next(self._steps)
            self.number += 1
            for seat in self.moves:
                self._charge(seat)

    def _charge(self, seat: int) -> None:
        clock, times = self.record.clock, self.record.times
        spent = times.cpu if clock.measure == "cpu" else times.wall
        self._left[seat] += clock.increment - spent[self._move] / 1000
        self._move += 1

    def view(self) -> dict[str, Any]:
        return self.position.view()

    def picture(self) -> RenderableType:
        """The step as it is shown."""
        over = self.number == self.last
        footing = moves_text(self.game, self.names, self.moves)
        if over:
            ended = outcome_text(self.game, self.record, self.names)
            footing = f"{footing}\n{ended}" if footing else ended
        of = tr(f"step {self.number} of {self.last}", f"第 {self.number} 步，共 {self.last} 步")
        seated = [
            Seated(name, seat, left)
            for name, seat, left in zip(self.names, self.game.seats, self._left, strict=True)
        ]
        heading = f"{words(self.game.title)} · {of}"
        return frame(self.board, self.view(), seated, heading, footing)
