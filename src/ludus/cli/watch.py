"""Bouts shown move by move while they are played."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.live import Live

from ludus.cli.board import Board, Seated, frame
from ludus.cli.output import printable
from ludus.cli.results import reason_of
from ludus.escape import one_line
from ludus.lang import tr, words
from ludus.match.referee import Ended, Event, Moved, Started, Watch

if TYPE_CHECKING:
    from ludus.cli.options import Plan
    from ludus.games.base import Clock, Game, Position
    from ludus.match.record import Record
    from ludus.match.series import Pairing

BETWEEN_BOUTS = 1.5


class Boards:
    """The screen of a session: one board, on which bout after bout is shown."""

    def __init__(self, plan: Plan, console: Console) -> None:
        self.plan = plan
        self.console = console
        self.live = console.is_terminal
        self._live = Live(console=console, auto_refresh=False, redirect_stdout=False)

    def __enter__(self) -> Boards:
        if self.live:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.live:
            self._live.stop()

    def __call__(self, pairing: Pairing) -> Watch:
        labels = [self.plan.labels[i] for i in pairing.order]
        time0 = [self.plan.time0[i] for i in pairing.order]
        return BoutBoard(self, pairing.number, labels, time0)

    def show(self, picture: RenderableType, seconds: float) -> None:
        """Draw, and let people look at it."""
        if self.live:
            self._live.update(picture, refresh=True)
            time.sleep(seconds)
        else:
            self.console.print(picture)
            self.console.print()


class BoutBoard:
    """One bout on the screen."""

    def __init__(self, boards: Boards, number: int, names: list[str], time0: list[float]) -> None:
        self.boards = boards
        self.number = number
        self.names = names
        plan = boards.plan
        self.game: Game = plan.game
        self.left = [plan.clock.budget - t for t in time0]
        self.clock: Clock = plan.clock
        self.board = Board.on(boards.console, plan.game.scene(plan.settings))
        self.steps = 0

    def __call__(self, event: Event, position: Position) -> None:
        plan = self.boards.plan
        match event:
            case Started():
                self.boards.show(self._picture(position, ""), plan.delay)
            case Moved(moves=moves, spent=spent):
                self.steps += 1
                for seat, used in spent.items():
                    seconds = used.cpu if self.clock.measure == "cpu" else used.wall
                    self.left[seat] += self.clock.increment - seconds
                said = moves_text(self.game, self.names, moves)
                self.boards.show(self._picture(position, said), plan.delay)
            case Ended(record=record):
                last = self.number == plan.bouts - 1
                said = outcome_text(self.game, record, self.names)
                self.boards.show(self._picture(position, said), 0 if last else BETWEEN_BOUTS)

    def _picture(self, position: Position, footing: str) -> RenderableType:
        bout = tr(f"bout {self.number + 1}", f"第 {self.number + 1} 局")
        step = tr(f"step {self.steps}", f"第 {self.steps} 步")
        seated = [
            Seated(name, seat, left)
            for name, seat, left in zip(self.names, self.game.seats, self.left, strict=True)
        ]
        heading = f"{words(self.game.title)} · {bout} · {step}"
        return frame(self.board, position.view(), seated, heading, footing)


def moves_text(game: Game, names: list[str], moves: Mapping[int, str]) -> str:
    """Who answered what in one step."""
    shown = {seat: printable(game.spoken(move)) for seat, move in moves.items()}
    return "   ".join(f"{names[seat]}: {move}" for seat, move in shown.items())


def outcome_text(game: Game, record: Record, names: list[str]) -> str:
    """Who won and why, in a sentence."""
    if record.winner is None:
        who = tr("draw", "平局")
    else:
        name = names[record.winner]
        who = tr(f"{name} wins", f"{name} 获胜")
    why = reason_of(game, record)
    for fault in record.faults:
        why += f"{tr('; ', '；')}{names[fault.seat]}{tr(': ', '：')}{words(fault.why)}"
    return one_line(f"{who}{tr(': ', '：')}{why}")
