"""The rules of the Tablut challenge written a second time, slowly, sentence by sentence.

Nothing here uses ``ludus.games``. Cells are named as the challenge names them (``e5``); the rules
are the same whether rows count from the top or the bottom. A board maps the names of occupied cells
to ``B`` (black pawn), ``W`` (white pawn) or ``K``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

COLUMNS = "abcdefghi"
ROWS = "123456789"
CELLS = [column + row for column in COLUMNS for row in ROWS]
THRONE = "e5"
CAMPS = [
    {"a4", "a5", "a6", "b5"},
    {"d1", "e1", "f1", "e2"},
    {"i4", "i5", "i6", "h5"},
    {"d9", "e9", "f9", "e8"},
]
CAMP_CELLS = set().union(*CAMPS)
CAMP_CELLS_SAFE_FOR_BLACK = {"a5", "e1", "i5", "e9"}
BESIDE_THRONE = {"d5", "e4", "f5", "e6"}
DIRECTIONS = [(0, 1), (0, -1), (1, 0), (-1, 0)]
Board = dict[str, str]


def step(cell: str, direction: tuple[int, int], count: int = 1) -> str | None:
    """The cell that many steps away, or None beyond the edge."""
    column = COLUMNS.index(cell[0]) + direction[0] * count
    row = ROWS.index(cell[1]) + direction[1] * count
    return COLUMNS[column] + ROWS[row] if 0 <= column < 9 and 0 <= row < 9 else None


def start_board() -> Board:
    board = {cell: "B" for cell in CAMP_CELLS}
    board |= {cell: "W" for cell in ("c5", "d5", "f5", "g5", "e3", "e4", "e6", "e7")}
    return board | {"e5": "K"}


def is_own(piece: str | None, side: str) -> bool:
    return piece in ("W", "K") if side == "WHITE" else piece == "B"


def may_enter(start: str, cell: str, piece: str) -> bool:
    """Whether a piece that starts there may pass or stop on an empty cell."""
    if cell == THRONE:
        return False
    if cell not in CAMP_CELLS:
        return True
    return piece == "B" and any(start in camp and cell in camp for camp in CAMPS)


def targets(board: Board, start: str) -> list[str]:
    """Where the piece on a cell can go."""
    found = []
    for direction in DIRECTIONS:
        for count in range(1, 9):
            cell = step(start, direction, count)
            if cell is None or cell in board or not may_enter(start, cell, board[start]):
                break
            if start in CAMP_CELLS and cell in CAMP_CELLS and count > 5:
                break
            found.append(cell)
    return found


def legal_moves(board: Board, side: str) -> set[tuple[str, str]]:
    return {
        (start, target)
        for start in CELLS
        if is_own(board.get(start), side)
        for target in targets(board, start)
    }


def white_captures_against(board: Board, cell: str) -> bool:
    if board.get(cell) in ("W", "K"):
        return True
    if cell == THRONE and cell not in board:
        return True
    return cell in CAMP_CELLS and cell not in CAMP_CELLS_SAFE_FOR_BLACK


def black_captures_against(board: Board, cell: str) -> bool:
    return board.get(cell) == "B" or cell in CAMP_CELLS or cell == THRONE


def king_is_captured(board: Board, mover: str, king: str, opposite: str | None) -> bool:
    """Whether the black pawn that moved beside the king captures it."""
    around = [step(king, direction) for direction in DIRECTIONS]
    if king == THRONE:
        return all(board.get(cell or "") == "B" for cell in around)
    if king in BESIDE_THRONE:
        return all(board.get(cell or "") == "B" for cell in around if cell != THRONE)
    return opposite is not None and (board.get(opposite) == "B" or opposite in CAMP_CELLS)


@dataclass
class AshtonGame:
    """A game in progress."""

    board: Board = field(default_factory=start_board)
    turn: str = "WHITE"
    """Whose move it is, or ``WHITEWIN``, ``BLACKWIN``, ``DRAW``."""
    seen: list[tuple[frozenset[tuple[str, str]], str]] = field(default_factory=list)
    """Every position since the last capture."""

    def __post_init__(self) -> None:
        self._remember()

    def _remember(self) -> None:
        self.seen.append((frozenset(self.board.items()), self.turn))

    def play(self, start: str, target: str) -> list[str]:
        """Make a legal move; returns the cells whose pieces it captured."""
        assert (start, target) in legal_moves(self.board, self.turn)
        side, other = self.turn, "BLACK" if self.turn == "WHITE" else "WHITE"
        self.board[target] = self.board.pop(start)
        captured, king_lost = self._find_captures(side, target)
        for cell in captured:
            del self.board[cell]
        self.turn = other
        if captured:
            self.seen = []
        if king_lost:
            self.turn = "BLACKWIN"
        elif self.board[target] == "K" and (target[0] in "ai" or target[1] in "19"):
            self.turn = "WHITEWIN"
        elif not legal_moves(self.board, other):
            self.turn = f"{side}WIN"
        elif (frozenset(self.board.items()), other) in self.seen:
            self.turn = "DRAW"
        self._remember()
        return captured

    def _find_captures(self, side: str, target: str) -> tuple[list[str], bool]:
        captured, king_lost = [], False
        for direction in DIRECTIONS:
            victim, beyond = step(target, direction), step(target, direction, 2)
            if victim is None:
                continue
            piece = self.board.get(victim)
            if side == "BLACK" and piece == "K":
                if king_is_captured(self.board, target, victim, beyond):
                    captured.append(victim)
                    king_lost = True
            elif beyond is None:
                continue
            elif side == "WHITE" and piece == "B":
                if white_captures_against(self.board, beyond):
                    captured.append(victim)
            elif side == "BLACK" and piece == "W" and black_captures_against(self.board, beyond):
                captured.append(victim)
        return captured, king_lost


def count_sequences(game: AshtonGame, depth: int) -> int:
    """Sequences of so many moves; nothing follows an end, and repetitions are left out."""
    if depth == 0:
        return 1
    if game.turn not in ("WHITE", "BLACK"):
        return 0
    moves = legal_moves(game.board, game.turn)
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        after = AshtonGame(dict(game.board), game.turn)
        after.seen = []
        after.play(*move)
        total += count_sequences(after, depth - 1)
    return total
