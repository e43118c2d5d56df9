"""Shows bouts move by move on the terminal while they are played."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.live import Live

from ludus.cli.board import SeatCaption, TerminalBoard, draw_frame
from ludus.cli.output import escape_unsafe
from ludus.cli.results import describe_reason
from ludus.escape import escape_to_one_line
from ludus.lang import tr, translate
from ludus.match.referee import BoutEnded, BoutEvent, BoutObserver, BoutStarted, MovesPlayed

if TYPE_CHECKING:
    from ludus.cli.options import SeriesPlan
    from ludus.games.base import Clock, Game, Position
    from ludus.match.record import Record
    from ludus.match.series import PlannedBout

BOUT_PAUSE_S = 1.5


class SessionScreen:
    """The screen of a session: one board that shows its bouts one after the other."""

    def __init__(self, plan: SeriesPlan, console: Console) -> None:
        self.plan = plan
        self.console = console
        self.is_live = console.is_terminal
        self._live = Live(console=console, auto_refresh=False, redirect_stdout=False)

    def __enter__(self) -> SessionScreen:
        if self.is_live:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.is_live:
            self._live.stop()

    def __call__(self, planned: PlannedBout) -> BoutObserver:
        labels = [self.plan.labels[i] for i in planned.order]
        time0 = self.plan.spec.time0 or (0.0,) * len(labels)
        return BoutScreen(self, planned.number, labels, [time0[i] for i in planned.order])

    def show(self, picture: RenderableType, seconds: float) -> None:
        """Draw a picture and pause, so that people can look at it."""
        if self.is_live:
            self._live.update(picture, refresh=True)
            time.sleep(seconds)
        else:
            self.console.print(picture)
            self.console.print()


class BoutScreen:
    """One bout on the screen."""

    def __init__(
        self, boards: SessionScreen, number: int, names: list[str], time0: list[float]
    ) -> None:
        self.session_screen = boards
        self.number = number
        self.names = names
        plan = boards.plan
        self.game: Game = plan.game
        self.left = [plan.clock.budget - t for t in time0]
        self.clock: Clock = plan.clock
        options = plan.game.Options.parse(plan.spec.options)
        self.board = TerminalBoard.for_console(boards.console, plan.game.scene(options))
        self.steps = 0

    def __call__(self, event: BoutEvent, position: Position) -> None:
        plan = self.session_screen.plan
        match event:
            case BoutStarted():
                self.session_screen.show(self._render(position, ""), plan.delay)
            case MovesPlayed(moves=moves, spent=spent):
                self.steps += 1
                for seat, used in spent.items():
                    seconds = used.cpu if self.clock.measure == "cpu" else used.wall
                    self.left[seat] += self.clock.increment - seconds
                caption = format_moves(self.game, self.names, moves)
                self.session_screen.show(self._render(position, caption), plan.delay)
            case BoutEnded(record=record):
                last = self.number == plan.bout_count - 1
                caption = format_outcome(self.game, record, self.names)
                self.session_screen.show(
                    self._render(position, caption), 0 if last else BOUT_PAUSE_S
                )

    def _render(self, position: Position, footing: str) -> RenderableType:
        bout = tr(f"bout {self.number + 1}", f"第 {self.number + 1} 局")
        step = tr(f"step {self.steps}", f"第 {self.steps} 步")
        seated = [
            SeatCaption(name, seat, left)
            for name, seat, left in zip(self.names, self.game.seat_names, self.left, strict=True)
        ]
        heading = f"{translate(self.game.title)} · {bout} · {step}"
        return draw_frame(self.board, position.view(), seated, heading, footing)


def format_moves(game: Game, names: list[str], moves: Mapping[int, str]) -> str:
    """The moves of one step with the bots' names."""
    shown = {seat: escape_unsafe(game.spoken(move)) for seat, move in moves.items()}
    return "   ".join(f"{names[seat]}: {move}" for seat, move in shown.items())


def format_outcome(game: Game, record: Record, names: list[str]) -> str:
    """A sentence about who won and why."""
    if record.winner is None:
        who = tr("draw", "平局")
    else:
        name = names[record.winner]
        who = tr(f"{name} wins", f"{name} 获胜")
    why = describe_reason(game, record)
    for fault in record.faults:
        why += f"{tr('; ', '；')}{names[fault.seat]}{tr(': ', '：')}{translate(fault.why)}"
    return escape_to_one_line(f"{who}{tr(': ', '：')}{why}")
