"""Draws any step of a record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ludus.cli.board import SeatCaption, TerminalBoard, draw_frame
from ludus.cli.options import make_labels
from ludus.cli.replay.notes import format_notes, index_notes
from ludus.cli.watch import format_moves, format_outcome
from ludus.lang import tr, translate
from ludus.match.record import Record, load_game
from ludus.match.replay import replay_steps

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from ludus.bots.notes import MoveNote, SeatNotes
    from ludus.games.base import Position


class ReplayCursor:
    """A record with a current step. Going back replays it from the start, which takes
    milliseconds."""

    def __init__(self, record: Record, console: Console, notes: Sequence[SeatNotes] = ()) -> None:
        """``notes``: what the bots said about their moves, by seat."""
        self.record = record
        self._notes = index_notes(notes)
        self.game, self.settings = load_game(record)
        self.board = TerminalBoard.for_console(console, self.game.scene(self.settings))
        self.names = list(make_labels([bot.name for bot in record.bots]))
        self.last_step = sum(1 for _ in replay_steps(record)) - 1
        """The number of steps."""
        self._rewind()

    def _rewind(self) -> None:
        self._steps: Iterator[tuple[Mapping[int, str], Position]] = replay_steps(self.record)
        self.moves, self.position = next(self._steps)
        self.step = 0
        self._move_index = 0
        clock = self.record.clock
        self._left = [clock.budget - t for t in self.record.time0]

    def go_to_step(self, number: int) -> None:
        """Go to a step; 0 is the start."""
        if number < self.step:
            self._rewind()
        while self.step < number:
            self.moves, self.position = next(self._steps)
            self.step += 1
            for seat in self.moves:
                self._charge(seat)

    def _charge(self, seat: int) -> None:
        clock, times = self.record.clock, self.record.times
        spent = times.cpu if clock.measure == "cpu" else times.wall
        self._left[seat] += clock.increment - spent[self._move_index] / 1000
        self._move_index += 1

    def view(self) -> dict[str, Any]:
        return self.position.view()

    @property
    def notes(self) -> dict[int, MoveNote]:
        """What the bots said about the moves of the current step, by seat."""
        return self._notes.get(self.step, {})

    def render(self) -> RenderableType:
        """The picture of the current step."""
        over = self.step == self.last_step
        footing = format_moves(self.game, self.names, self.moves)
        if self.notes:
            footing = f"{footing}\n{format_notes(self.notes, self.names)}"
        if over:
            ended = format_outcome(self.game, self.record, self.names)
            footing = f"{footing}\n{ended}" if footing else ended
        of = tr(
            f"step {self.step} of {self.last_step}", f"第 {self.step} 步，共 {self.last_step} 步"
        )
        seated = [
            SeatCaption(name, seat, left)
            for name, seat, left in zip(self.names, self.game.seat_names, self._left, strict=True)
        ]
        heading = f"{translate(self.game.title)} · {of}"
        return draw_frame(self.board, self.view(), seated, heading, footing)
