"""A small GTP engine for Othello, which needs no Ludus: it takes the move that turns most discs.

    ludus play reversi "gtp:python3 examples/gtp_engine.py" greedy

It knows the commands that an engine has to know; every answer is ended by an empty line.
"""

import sys

STEPS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
RIVAL = {"black": "white", "white": "black"}


class Board:
    """Cells are (column, row), both from 0; row 0 is row 1 of the vertices."""

    def __init__(self, size=8):
        self.size = size
        low, high = size // 2 - 1, size // 2
        self.discs = {(low, low): "white", (high, high): "white"}
        self.discs |= {(low, high): "black", (high, low): "black"}

    def turned(self, colour, cell):
        """The rival discs that a disc on this cell would turn."""
        if cell in self.discs or not all(0 <= each < self.size for each in cell):
            return []
        turned = []
        for dx, dy in STEPS:
            line, (x, y) = [], (cell[0] + dx, cell[1] + dy)
            while self.discs.get((x, y)) == RIVAL[colour]:
                line.append((x, y))
                x, y = x + dx, y + dy
            if self.discs.get((x, y)) == colour:
                turned += line
        return turned

    def play(self, colour, cell):
        turned = self.turned(colour, cell)
        for each in [cell, *turned]:
            self.discs[each] = colour
        return bool(turned)

    def best(self, colour):
        """The cell where most discs turn, or None."""
        cells = [(x, y) for y in range(self.size) for x in range(self.size)]
        best = max(cells, key=lambda cell: len(self.turned(colour, cell)))
        return best if self.turned(colour, best) else None


def read_cell(vertex):
    return "abcdefghijkl".index(vertex[0].lower()), int(vertex[1:]) - 1


def write_cell(cell):
    return f"{'abcdefghijkl'[cell[0]]}{cell[1] + 1}"


class Engine:
    def __init__(self):
        self.board = Board()

    def answer(self, command, *arguments):
        """The result of a command; ValueError with the message of an error."""
        known = {name[3:]: getattr(self, name) for name in dir(self) if name.startswith("do_")}
        if command == "list_commands":
            return "\n".join(["list_commands", "quit", *known])
        if command not in known:
            raise ValueError("unknown command")
        return known[command](*arguments)

    def do_protocol_version(self):
        return "2"

    def do_name(self):
        return "most discs"

    def do_version(self):
        return "1"

    def do_known_command(self, name):
        return "true" if name in self.answer("list_commands").split() else "false"

    def do_boardsize(self, size):
        if int(size) not in (4, 6, 8, 10, 12):
            raise ValueError("unacceptable size")
        self.board = Board(int(size))

    def do_clear_board(self):
        self.board = Board(self.board.size)

    def do_play(self, colour, vertex):
        if vertex.lower() != "pass" and not self.board.play(colour.lower(), read_cell(vertex)):
            raise ValueError("illegal move")

    def do_genmove(self, colour):
        cell = self.board.best(colour.lower())
        if cell is None:
            return "pass"
        self.board.play(colour.lower(), cell)
        return write_cell(cell)


def main():
    engine = Engine()
    for line in sys.stdin:
        words = line.partition("#")[0].split()
        number = words.pop(0) if words and words[0].isdigit() else ""
        if not words:
            continue
        try:
            quits = words[0] == "quit"
            sign, text = "=", "" if quits else engine.answer(*words) or ""
        except (ValueError, IndexError, KeyError, TypeError) as error:
            quits, sign, text = False, "?", str(error)
        print(f"{sign}{number} {text}".rstrip(), end="\n\n", flush=True)
        if quits:
            return


if __name__ == "__main__":
    main()
