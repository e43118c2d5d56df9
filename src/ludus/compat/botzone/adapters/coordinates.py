"""Messages that are a few integers with names, such as ``{"x": 3, "y": 2}``, or ``3 2``."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec

from ludus.bots.players.base import SeatBout
from ludus.compat.botzone.adapters.adapter import illegal_response
from ludus.errors import LudusError
from ludus.lang import Text

MAX_DIGITS = 9


@dataclasses.dataclass(frozen=True, slots=True)
class CoordinateMessages:
    """The messages of a game on a square board, in which -1 everywhere means no move."""

    title: Text
    """Botzone's name of the game."""
    size: int
    """Rows and columns of Botzone's board."""
    names: tuple[str, ...]
    """The members of a message, in the order in which simple interaction has them."""

    @property
    def none(self) -> dict[str, int]:
        """Before the first move, and for a side that cannot move."""
        return dict.fromkeys(self.names, -1)

    def refuse_other_size(self, bout: SeatBout) -> None:
        """LudusError if the bout's board is not Botzone's."""
        if bout.options.size != self.size:
            raise LudusError(
                f"Botzone's {self.title['en']} has {self.size} rows,"
                f" this bout has {bout.options.size}",
                f"Botzone 的{self.title['zh']}有 {self.size} 行，本局有 {bout.options.size} 行",
            )

    @property
    def has_simple_interaction(self) -> bool:
        return True

    def write_text(self, message: Any) -> str:
        return " ".join(str(message[name]) for name in self.names)

    def read_text(self, text: str) -> Any:
        words = text.split()
        short = all(len(word) <= MAX_DIGITS for word in words)
        if len(words) == len(self.names) and short:
            try:
                return dict(zip(self.names, map(int, words), strict=True))
            except ValueError:
                pass
        wanted = " ".join(self.names)
        raise illegal_response(
            repr(text[:200]), f"expected the integers {wanted}", f"应为整数 {wanted}"
        )

    def read(self, response: Any) -> tuple[int, ...]:
        """The integers of a response, in order: all on the board, or all -1. BotFault if not."""
        if isinstance(response, dict):
            numbers = tuple(_as_integer(response.get(name)) for name in self.names)
            if all(0 <= number < self.size for number in numbers) or set(numbers) == {-1}:
                return numbers
        wanted = ", ".join(f'"{name}": …' for name in self.names)
        raise illegal_response(
            show(response),
            f"expected {{{wanted}}} from 0 to {self.size - 1}",
            f"应为 {{{wanted}}}，取值 0 到 {self.size - 1}",
        )


def _as_integer(value: Any) -> int:
    """A JSON number without a fraction (programs that compute with reals print ``3.0``); -2, which
    is never valid, for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return -2
    return int(value) if abs(value) < 10**MAX_DIGITS and value == int(value) else -2


def show(response: Any) -> str:
    """A response in one line, for messages."""
    return msgspec.json.encode(response).decode(errors="replace")


def write_cell(cell: str) -> tuple[int, int]:
    """``d3`` → (3, 2): x is the column, y the row."""
    return ord(cell[0]) - ord("a"), int(cell[1:]) - 1


def read_cell(x: int, y: int) -> str:
    """(3, 2) → ``d3``."""
    return f"{chr(ord('a') + x)}{y + 1}"
