"""Moves as numbers: what an action of an environment means.

Most games list their moves (``Game.list_actions``), so that a number means the same move in every
position: see the table in docs/en/gym.md. For other games a number counts the legal moves of the
position, up to ``MAX_LEGAL_MOVES`` of them.
"""

from __future__ import annotations

import contextlib
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ludus.errors import LudusError
from ludus.games.base import Game, Position

MAX_LEGAL_MOVES = 2048
"""Actions of a game that does not list its moves; a position may have no more legal moves."""

ActionMask = npt.NDArray[np.int8]


class ActionNumbers(Protocol):
    """The numbering of a game's moves."""

    count: int
    """Actions are the numbers from 0 to ``count`` - 1."""

    def mask(self, position: Position, seat: int) -> ActionMask:
        """1 for each action that the seat may choose now, else 0; a new array."""

    def text(self, position: Position, seat: int, number: int) -> str | None:
        """The legal move that a number means, or None if it means none."""

    def number(self, position: Position, seat: int, move: str) -> int:
        """The number of a legal move."""


class ListedActions:
    """A number is the place of a move in the game's list."""

    def __init__(self, moves: tuple[str, ...]) -> None:
        self.count = len(moves)
        self._moves = moves
        self._numbers = {move: number for number, move in enumerate(moves) if move}

    def mask(self, position: Position, seat: int) -> ActionMask:
        mask = np.zeros(self.count, np.int8)
        mask[[self._numbers[move] for move in position.legal(seat)]] = 1
        return mask

    def text(self, position: Position, seat: int, number: int) -> str | None:
        move = self._moves[number] if 0 <= number < self.count else ""
        return move if move and move in position.legal(seat) else None

    def number(self, position: Position, seat: int, move: str) -> int:
        return self._numbers[move]


class IndexedActions:
    """A number is the place of a move among the legal moves of the position."""

    count = MAX_LEGAL_MOVES

    def mask(self, position: Position, seat: int) -> ActionMask:
        mask = np.zeros(self.count, np.int8)
        mask[: len(self._legal(position, seat))] = 1
        return mask

    def text(self, position: Position, seat: int, number: int) -> str | None:
        legal = self._legal(position, seat)
        return legal[number] if 0 <= number < len(legal) else None

    def number(self, position: Position, seat: int, move: str) -> int:
        return self._legal(position, seat).index(move)

    def _legal(self, position: Position, seat: int) -> list[str]:
        legal = position.legal(seat)
        if len(legal) > self.count:
            raise LudusError(
                f"a position has {len(legal)} legal moves, more than the {self.count} actions of"
                " a game that does not list its moves",
                f"局面有 {len(legal)} 个合法着法，超过了未列出着法的游戏所用的 {self.count} 个动作",
            )
        return legal


def read_action(action: Any) -> int:
    """An action as a number; LudusError for anything else, such as the text of a move."""
    with contextlib.suppress(TypeError, ValueError):
        if not isinstance(action, str | bytes):
            return int(action)
    raise LudusError(
        f"an action is the number of a move, not {action!r}; the mask says which are legal",
        f"动作是着法的编号，而不是 {action!r}；掩码标明哪些合法",
    )


def no_bout_error() -> LudusError:
    """For a step without a bout that is going on."""
    return LudusError(
        "no bout is going on: call reset() first", "没有进行中的对局：请先调用 reset()"
    )


def make_actions(game: Game, options: Any) -> ActionNumbers:
    """The numbering of a game's moves under these options."""
    moves = game.list_actions(options)
    return IndexedActions() if moves is None else ListedActions(tuple(moves))
