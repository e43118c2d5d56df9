"""The original's module ``eraserconfig``: bots import it by that name."""

from __future__ import annotations

from ludus.games.eraser.board import COLUMNS, LETTERS, ROWS

MAX_TIME = 60
MAX_TURN = 100
"""Turns of each player."""
BOARD_SIZE = COLUMNS
N_ROWS = ROWS
COLORS = {letter: str(number) for number, letter in enumerate(LETTERS[1:6])}

__all__ = ["BOARD_SIZE", "COLORS", "MAX_TIME", "MAX_TURN", "N_ROWS"]
