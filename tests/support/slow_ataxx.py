"""The rules of Ataxx a second time: slow, with coordinates and whole boards, as Botzone tells them.

A move is ``(x0, y0, x1, y1)``. Nothing here is shared with ``ludus.games.ataxx``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Move = tuple[int, int, int, int]


@dataclass
class SlowAtaxx:
    """A bout; ``result`` is set at its end: the points of black, 2 for a win and 1 for a draw."""

    size: int
    limit: int
    board: dict[tuple[int, int], int] = field(default_factory=dict)
    """The colour of each piece, by its place: 1 black, -1 white."""
    colour: int = 1
    placed: list[dict[tuple[int, int], int]] = field(default_factory=list)
    """The first board, and those after each piece was placed and before any was turned."""
    result: int | None = None

    def __post_init__(self) -> None:
        far = self.size - 1
        if not self.board:
            self.board = {(0, 0): 1, (far, far): 1, (far, 0): -1, (0, far): -1}
        self.placed.append(dict(self.board))

    def moves(self, colour: int) -> list[Move]:
        """Every move of a colour, with all sources of a piece that is added."""
        places = [(x, y) for x in range(self.size) for y in range(self.size)]
        return [
            (x, y, to_x, to_y)
            for x, y in places
            for to_x, to_y in places
            if self.board.get((x, y)) == colour and (to_x, to_y) not in self.board
            if abs(x - to_x) <= 2 and abs(y - to_y) <= 2
        ]

    def play(self, move: Move) -> None:
        x, y, to_x, to_y = move
        mover = self.colour
        if abs(x - to_x) == 2 or abs(y - to_y) == 2:
            del self.board[x, y]
        self.board[to_x, to_y] = mover
        self.placed.append(dict(self.board))
        for near_x in (to_x - 1, to_x, to_x + 1):
            for near_y in (to_y - 1, to_y, to_y + 1):
                if (near_x, near_y) in self.board:
                    self.board[near_x, near_y] = mover
        self.colour = -mover
        self.result = self.find_result(mover)

    def find_result(self, mover: int) -> int | None:
        pairs = list(zip(self.placed, self.placed[1:], strict=False))
        if pairs[-1] in pairs[:-1]:
            return 0 if mover == 1 else 2
        if -mover not in self.board.values():
            return 2 if mover == 1 else 0
        movable = [bool(self.moves(1)), bool(self.moves(-1))]
        if all(movable) and len(pairs) < self.limit:
            return None
        colours = list(self.board.values())
        black, white = colours.count(1), colours.count(-1)
        if movable == [True, False]:
            black = self.size**2 - white
        if movable == [False, True]:
            white = self.size**2 - black
        return 1 + (black > white) - (black < white)


def write_move(move: Move) -> str:
    """A move as Ludus writes it."""
    x, y, to_x, to_y = move
    target = f"{'abcdefgh'[to_x]}{to_y + 1}"
    jumps = max(abs(x - to_x), abs(y - to_y)) == 2
    return f"{'abcdefgh'[x]}{y + 1}{target}" if jumps else target
