"""The swap that scores most at once, its chain included. 选择本回合得分最多的操作（含连锁）。"""


class Plaser:
    def __init__(self, is_First):
        self.is_First = is_First

    def move(self, board, operations, scores, turn_number):
        # Even the longest chain brings down far fewer rows than these.
        columns = [list(column[:200]) for column in board.tolist()]
        return max(operations, key=lambda swap: self.gain(columns, swap))

    def gain(self, columns, swap):
        """The points of a swap and of everything that falls after it."""
        columns = [column[:] for column in columns]
        (x1, y1), (x2, y2) = swap
        columns[x1][y1], columns[x2][y2] = columns[x2][y2], columns[x1][y1]
        total = 0
        while erased := self.erased(columns):
            for cells in erased:
                total += (len(cells) - 2) ** 2
            gone = set().union(*erased)
            for x in range(6):
                kept = [c for y, c in enumerate(columns[x]) if (x, y) not in gone]
                columns[x] = kept + ["nan"] * (len(columns[x]) - len(kept))
        return total

    def erased(self, columns):
        """Every connected region of one colour that has three in a line."""
        regions, seen = [], set()
        for x in range(6):
            for y in range(6):
                if (x, y) not in seen and self.in_line(columns, x, y):
                    region = self.region(columns, x, y)
                    seen |= region
                    regions.append(region)
        return regions

    def in_line(self, columns, x, y):
        """Whether three of a colour begin here, to the right or upwards."""
        colour = columns[x][y]
        if colour == "nan":
            return False
        right = x < 4 and columns[x + 1][y] == columns[x + 2][y] == colour
        return right or (y < 4 and columns[x][y + 1] == columns[x][y + 2] == colour)

    def region(self, columns, x, y):
        """The connected cells of the same colour on the main board."""
        found, edge = {(x, y)}, [(x, y)]
        while edge:
            x, y = edge.pop()
            for cell in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                inside = 0 <= cell[0] < 6 and 0 <= cell[1] < 6
                if inside and cell not in found and columns[cell[0]][cell[1]] == columns[x][y]:
                    found.add(cell)
                    edge.append(cell)
        return found
