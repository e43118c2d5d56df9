"""Positions of Tablut drawn as text, for tests."""

from typing import Any

from ludus.games.tablut.notation import cell_names
from ludus.games.tablut.rules import TablutPosition, set_up
from ludus.games.tablut.variants import TablutOptions


def position(drawing: str, side: str, ply: int = 10, **options: Any) -> TablutPosition:
    """A position from its rows, top first; ``+`` is an empty cell too; side ``w`` or ``b``."""
    cells = "".join(drawing.split()).replace("+", ".")
    size = {49: "brandubh", 81: "tablut", 121: "hnefatafl", 361: "alea"}[len(cells)]
    return set_up(TablutOptions(**{"variant": size, **options}), cells, "wb".index(side), ply)


def sparse(pieces: str, side: str, ply: int = 10, **options: Any) -> TablutPosition:
    """A position from a list like ``"Ke5 ac5 dd5"``."""
    names = cell_names({"brandubh": 7}.get(options.get("variant", ""), 9))
    cells = ["."] * len(names)
    for piece in pieces.split():
        cells[names.index(piece[1:])] = piece[0]
    return position("".join(cells), side, ply, **options)


def after(start: TablutPosition, *moves: str) -> TablutPosition:
    """The position some moves later."""
    found = start.copy()
    for move in moves:
        found.play({found.to_move[0]: move})
    return found


def on(board: TablutPosition, cell: str) -> str:
    """What stands on a cell."""
    return board.cells[cell_names(board.size).index(cell)]


def targets(board: TablutPosition, cell: str) -> set[str]:
    """Where the piece on a cell may go."""
    moves = board.legal(board.to_move[0])
    return {move[len(cell) :] for move in moves if move.startswith(cell)}


def ending(board: TablutPosition) -> tuple[str, str] | None:
    """The reason and the winner, or None while the bout goes on."""
    if board.outcome is None:
        return None
    winner = board.outcome.winner
    return board.outcome.reason, "nobody" if winner is None else ("white", "black")[winner]
