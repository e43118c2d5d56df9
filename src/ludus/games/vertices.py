"""How the moves of a board game are written in the Go Text Protocol (GTP)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VertexBoard:
    """A board game as GTP engines play it. A move is a vertex: column letter and row number.

    A game whose moves have two cells, like ``d5d9``, can use it for engines that know its notation;
    the protocol itself looks into no vertex.
    """

    game: str
    """The name of the game for the command ``set_game``, such as Othello."""
    size: int
    """Rows and columns, for the command ``boardsize``."""
    colours: tuple[str, str] = ("black", "white")
    """The colour of each seat."""
    numbered_from_top: bool = False
    """Whether the text of a position has only the rows of the board, with row 1 on top."""

    def label_rows(self, text: str) -> str:
        """The text of a position with the names of rows and columns, if it comes without."""
        if not self.numbered_from_top:
            return text
        letters = " ".join(chr(ord("a") + column) for column in range(self.size))
        rows = [f"{number:>2} {row}" for number, row in enumerate(text.splitlines(), 1)]
        return "\n".join([f"   {letters}", *rows])

    def to_vertex(self, move: str) -> str:
        """A move of Ludus as an engine reads it."""
        return move

    def to_move(self, vertex: str) -> str:
        """What an engine answered, as a move of Ludus; engines may write capital letters."""
        return vertex.lower()
