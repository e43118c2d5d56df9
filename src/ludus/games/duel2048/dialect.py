"""Bots written for the original Duel 2048: ``class Player`` with ``output``.

The original calls a player in skipped phases too, with ``'_position'`` or ``'_direction'``,
and ignores the answer. Here those calls are made when the moves that led to them arrive, so
they cost no round trip; an exception in one counts at the player's next real decision. Each call
shows what its player has left, whatever the calls before it have taken.
"""

from __future__ import annotations

import operator
import time
from collections.abc import Sequence
from typing import Any

from ludus.games.base import ClockView, Outcome
from ludus.games.duel2048.rules import CELL_NAMES, DIRECTIONS, DuelPosition
from ludus.games.host import Host, Ply, illegal_move_text
from ludus.lang import Text

UNANSWERED = object()
"""The player has not been asked yet: the moves of an opening are not its own."""


class PlayerHost(Host):
    """Runs a ``Player(isFirst, array)`` with ``output(currentRound, board, mode)``."""

    mark = "Player"
    needs = ("output",)
    signatures = {
        "__init__": "__init__(self, isFirst, array)",
        "output": "output(self, currentRound, board, mode)",
    }
    how_to_answer = Text(
        "Return one of these from output(…), as a number or a tuple",
        "请让 output(…) 返回其中之一：整数或元组",
    )
    notes_are_prints = True
    modules = {"constants": "ludus.games.duel2048.constants"}

    position: DuelPosition

    @classmethod
    def describe_answer(cls, legal: str) -> Text:
        if legal in DIRECTIONS:
            return Text(
                'in the mode "direction" the answer is a number: 0 up, 1 down, 2 left, 3 right',
                "模式为 direction 时应回答整数：0 上、1 下、2 左、3 右",
            )
        return Text(
            f'in the mode "position" the answer is a tuple (row, column) such as'
            f" {cls.show_move(legal)}",
            f"模式为 position 时应回答元组 (行, 列)，如 {cls.show_move(legal)}",
        )

    @classmethod
    def show_move(cls, move: str) -> str:
        if move in DIRECTIONS:
            return str(DIRECTIONS.index(move))
        return str(divmod(CELL_NAMES.index(move), 8))

    def start(self, seat: int, options: Any, seed: int, budget: float) -> None:
        self.seat = seat
        self.first = seat == 0
        self.answer: Any = UNANSWERED
        self.answered_move = ""
        self.skipped_call_error: Exception | None = None
        self.left, self.began = budget, 0.0
        position = self.game.start(options, seed)
        assert isinstance(position, DuelPosition)
        position.on_skip = self.on_skipped_phase
        self.position = position
        self.player = self.make(self.first, position.board.array)

    def turn(self, plies: Sequence[Ply], clock: ClockView) -> str:
        position, board = self.position, self.position.board
        self.left, self.began = clock.left[self.seat], 0.0
        self.follow(plies)
        board.updateTime(not self.first, clock.left[1 - self.seat])
        board.updateTime(self.first, self._time_left() if self.began else self.left)
        mode = "direction" if position.merging else "position"
        self.answer = self.player.output(position.round, board.copy(), mode)
        if self.skipped_call_error is not None:
            raise self.skipped_call_error
        read = to_direction_move if position.merging else to_cell_move
        self.answered_move = read(self.answer)
        return self.answered_move

    def follow(self, plies: Sequence[Ply]) -> None:
        for ply in plies:
            put = self.seat in ply and not self.position.merging
            self.position.play(ply)
            asked = put and self.answer is not UNANSWERED
            if asked and self.position.board.getDecision(self.first):
                self.position.board.updateDecision(self.first, self._own_decision(ply[self.seat]))

    def _own_decision(self, move: str) -> Any:
        """The very object that the player answered with, unless another move was played for it."""
        if move == self.answered_move:
            return self.answer
        return divmod(CELL_NAMES.index(move), 8)

    def end(self, plies: Sequence[Ply], outcome: Outcome) -> None:
        self.follow(plies)

    def on_skipped_phase(self, phase: int) -> None:
        """Inform the player of a skipped phase, if it was its own."""
        if phase & 1 != self.seat:
            return
        board = self.position.board
        board.updateTime(self.first, self._time_left())
        mode = "_direction" if phase & 2 else "_position"
        try:
            self.player.output(phase >> 2, board.copy(), mode)
        except Exception as error:
            self.skipped_call_error = error

    def _time_left(self) -> float:
        """The referee counts what skipped calls take when the next answer comes; until then the
        player gets what is left by our own count, which begins with the first of them."""
        now = time.process_time()
        self.began = self.began or now
        return self.left - (now - self.began)


def to_direction_move(answer: Any) -> str:
    """Any integer from 0 to 3, numpy's and bools too; a float is not a direction."""
    try:
        if (heading := operator.index(answer)) in range(4):
            return DIRECTIONS[heading]
    except Exception:  # not an integer, or an odd object's own conversion failed
        pass
    return illegal_move_text(answer, PlayerHost.mark)


def to_cell_move(answer: Any) -> str:
    """A tuple of two numbers on the board, compared by value."""
    try:
        if isinstance(answer, tuple) and len(answer) == 2:
            row, column = answer
            if row in range(4) and column in range(8):
                return CELL_NAMES[int(row) * 8 + int(column)]
    except Exception:  # an odd object's own comparison failed: it is not a cell
        pass
    return illegal_move_text(answer, PlayerHost.mark)
