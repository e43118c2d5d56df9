"""Reversi as Botzone tells it.

There the seats answer strictly in turn: a side that cannot move is still asked and must answer
-1, -1, which the other side then gets. Ludus never asks a side that cannot move: the side missing
from a bout's moves has passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ludus.bots.players.base import SeatBout
from ludus.compat.botzone.adapters.adapter import BotTurn, illegal_response
from ludus.compat.botzone.adapters.coordinates import (
    CoordinateMessages,
    read_cell,
    show,
    write_cell,
)
from ludus.games.host import Ply
from ludus.lang import Text


class ReversiAdapter(CoordinateMessages):
    """The adapter of Reversi; x is the column and y the row."""

    def open_bout(self, bout: SeatBout) -> ReversiBout:
        self.refuse_other_size(bout)
        return ReversiBout(self, bout.seat)


class ReversiBout:
    """The turns of one seat, with the passes that Botzone asks for."""

    def __init__(self, messages: CoordinateMessages, seat: int) -> None:
        self._messages, self._seat = messages, seat
        self._next = 0
        """The seat whose turn it is on Botzone, which knows no skipped turns."""
        self._heard = messages.none
        """What the opponent did last: this seat's next request."""

    def advance(self, plies: Sequence[Ply]) -> list[BotTurn]:
        turns: list[BotTurn] = []
        for ply in plies:
            ((seat, move),) = ply.items()
            self._pass_until(seat, turns)
            self._take_turn(dict(zip("xy", write_cell(move), strict=True)), turns)
        self._pass_until(self._seat, turns)
        return [*turns, BotTurn(self._heard)]

    def _pass_until(self, seat: int, turns: list[BotTurn]) -> None:
        if self._next != seat:
            self._take_turn(self._messages.none, turns, forced=True)

    def _take_turn(
        self, done: dict[str, int], turns: list[BotTurn], *, forced: bool = False
    ) -> None:
        if self._next == self._seat:
            turns.append(BotTurn(self._heard, done, forced))
        else:
            self._heard = done
        self._next = 1 - self._next

    def read_move(self, response: Any) -> str:
        x, y = self._messages.read(response)
        if x < 0:
            raise illegal_response(
                "-1, -1", "it passed although it can move", "它有棋可下却选择了跳过"
            )
        return read_cell(x, y)

    def check_forced(self, response: Any, turn: BotTurn) -> None:
        if self._messages.read(response) != (-1, -1):
            raise illegal_response(
                show(response),
                "it cannot move, so -1, -1 was expected",
                "它无棋可下，应回答 -1, -1",
            )


REVERSI = ReversiAdapter(Text("Reversi", "黑白棋"), 8, ("x", "y"))
