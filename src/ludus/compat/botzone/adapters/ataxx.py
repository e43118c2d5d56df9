"""Ataxx as Botzone tells it: every move has a source and a target.

In Ludus a piece that is added has a target only. On Botzone its source may be any piece of the
mover beside it, so the first one is told.
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
from ludus.games.ataxx.rules import AtaxxPosition
from ludus.games.host import Ply
from ludus.lang import Text

LONGEST_CELL = 2
"""Characters of a cell: a move with more has a source."""


class AtaxxAdapter(CoordinateMessages):
    """The adapter of Ataxx; x is the column and y the row."""

    def open_bout(self, bout: SeatBout) -> AtaxxBout:
        self.refuse_other_size(bout)
        return AtaxxBout(self, bout)


class AtaxxBout:
    """The turns of one seat. The seats move in turn: a seat that cannot move ends the bout."""

    def __init__(self, messages: CoordinateMessages, bout: SeatBout) -> None:
        self._messages, self._seat = messages, bout.seat
        position = bout.game.start(bout.options, bout.seed)
        assert isinstance(position, AtaxxPosition)
        self._position = position
        self._heard = messages.none

    def advance(self, plies: Sequence[Ply]) -> list[BotTurn]:
        turns = []
        for ply in plies:
            ((seat, move),) = ply.items()
            done = self._write_move(seat, move)
            self._position.play(ply)
            if seat == self._seat:
                turns.append(BotTurn(self._heard, done))
            else:
                self._heard = done
        return [*turns, BotTurn(self._heard)]

    def _write_move(self, seat: int, move: str) -> dict[str, int]:
        target = write_cell(move[-LONGEST_CELL:])
        if len(move) > LONGEST_CELL:
            source = write_cell(move[:LONGEST_CELL])
        else:
            own = map(write_cell, self._position.pieces(seat))
            source = next(cell for cell in own if _distance(cell, target) == 1)
        return dict(zip(self._messages.names, (*source, *target), strict=True))

    def read_move(self, response: Any) -> str:
        x0, y0, x1, y1 = self._messages.read(response)
        source, target = read_cell(x0, y0), read_cell(x1, y1)
        if x0 < 0 or source not in self._position.pieces(self._seat):
            raise illegal_response(
                show(response), "its source is not one of its own pieces", "起点不是己方棋子"
            )
        match _distance((x0, y0), (x1, y1)):
            case 1:
                return target
            case 2:
                return source + target
            case _:
                raise illegal_response(
                    show(response), "a piece goes one or two steps", "棋子只能走一步或两步"
                )

    def check_forced(self, response: Any, turn: BotTurn) -> None:
        """Nothing is forced."""


def _distance(one: tuple[int, int], other: tuple[int, int]) -> int:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


ATAXX = AtaxxAdapter(Text("Ataxx", "同化棋"), 7, ("x0", "y0", "x1", "y1"))
