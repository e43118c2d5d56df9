"""Board games in which a move is one cell and Botzone's message is ``{"x": …, "y": …}``.

On Botzone the seats answer strictly in turn. A side that cannot move is still asked and must answer
-1, -1, which the other side then gets. Ludus never asks a side that cannot move: whoever is missing
from a bout's moves has passed.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from ludus.bots.players.base import SeatBout
from ludus.compat.botzone.adapters.adapter import BotTurn, illegal_response
from ludus.errors import LudusError
from ludus.games.host import Ply
from ludus.lang import Text

PASS = {"x": -1, "y": -1}
"""Before the first move, and for a side that cannot move."""
TWO_INTEGERS = re.compile(r"\s*([+-]?\d{1,9})\s+([+-]?\d{1,9})\s*")


@dataclasses.dataclass(frozen=True, slots=True)
class CellGameAdapter:
    """The adapter of a two-seat game whose moves are cells like ``d3``."""

    title: Text
    """Botzone's name of the game, for messages."""
    size: int
    """Rows and columns of Botzone's board."""
    read_size: Callable[[Any], int]
    """The rows and columns of a game's options."""

    def open_bout(self, bout: SeatBout) -> CellBout:
        size = self.read_size(bout.options)
        if size != self.size:
            raise LudusError(
                f"Botzone's {self.title['en']} has {self.size} rows, this bout has {size}",
                f"Botzone 的{self.title['zh']}有 {self.size} 行，本局有 {size} 行",
            )
        return CellBout(self, bout.seat)

    def write_text(self, message: Any) -> str:
        return f"{message['x']} {message['y']}"

    def read_text(self, text: str) -> Any:
        found = TWO_INTEGERS.fullmatch(text)
        if found is None:
            raise illegal_response(
                repr(text), "expected two integers, x and y", "应为 x、y 两个整数"
            )
        return {"x": int(found[1]), "y": int(found[2])}

    def read_cell(self, response: Any) -> tuple[int, int]:
        """The cell of a response, or (-1, -1); BotFault if it is neither."""
        if isinstance(response, dict):
            x, y = _as_integer(response.get("x")), _as_integer(response.get("y"))
            if x is not None and y is not None:
                inside = 0 <= x < self.size and 0 <= y < self.size
                if inside or (x, y) == (-1, -1):
                    return x, y
        raise illegal_response(
            msgspec.json.encode(response).decode(errors="replace"),
            f'expected {{"x": …, "y": …}} from 0 to {self.size - 1}',
            f'应为 {{"x": …, "y": …}}，取值 0 到 {self.size - 1}',
        )


def _as_integer(value: Any) -> int | None:
    """A JSON number without a fraction: programs that compute with reals print ``3.0``."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value == int(value) else None


def write_cell(move: str) -> dict[str, int]:
    """``d3`` → ``{"x": 3, "y": 2}``: x is the column, y the row."""
    return {"x": ord(move[0]) - ord("a"), "y": int(move[1:]) - 1}


class CellBout:
    """The turns of one seat, with the passes that Botzone asks for."""

    def __init__(self, adapter: CellGameAdapter, seat: int) -> None:
        self._adapter, self._seat = adapter, seat
        self._next = 0
        """The seat whose turn it is on Botzone, which knows no skipped turns."""
        self._heard: dict[str, int] = PASS
        """What the opponent did last: this seat's next request."""

    def advance(self, plies: Sequence[Ply]) -> list[BotTurn]:
        turns: list[BotTurn] = []
        for ply in plies:
            ((seat, move),) = ply.items()
            self._pass_until(seat, turns)
            self._take_turn(write_cell(move), turns)
        self._pass_until(self._seat, turns)
        return [*turns, BotTurn(self._heard)]

    def _pass_until(self, seat: int, turns: list[BotTurn]) -> None:
        if self._next != seat:
            self._take_turn(PASS, turns, forced=True)

    def _take_turn(
        self, done: dict[str, int], turns: list[BotTurn], *, forced: bool = False
    ) -> None:
        if self._next == self._seat:
            turns.append(BotTurn(self._heard, done, forced))
        else:
            self._heard = done
        self._next = 1 - self._next

    def read_move(self, response: Any) -> str:
        x, y = self._adapter.read_cell(response)
        if x < 0:
            raise illegal_response(
                "-1, -1", "it passed although it can move", "它有棋可下却选择了跳过"
            )
        return f"{chr(ord('a') + x)}{y + 1}"

    def check_forced(self, response: Any, turn: BotTurn) -> None:
        if self._adapter.read_cell(response) != (-1, -1):
            raise illegal_response(
                msgspec.json.encode(response).decode(),
                "it cannot move, so -1, -1 was expected",
                "它无棋可下，应回答 -1, -1",
            )
