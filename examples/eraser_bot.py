"""A bot for Eraser, written only from docs/en/eraser.md (docs/zh/eraser.md).

Takes the swap that scores most, and of equal ones the one that spoils the other side's most.
Try it: ./ludus play eraser examples/eraser_bot.py greedy
"""

ROWS = 60  # of the reserve that we care for


class Plaser:
    def __init__(self, is_First):
        self.is_First = is_First

    def move(self, board, operations, scores, turn_number):
        columns = [list(column[:ROWS]) for column in board.tolist()]
        if self.used_time[0] > 50:  # hurry up
            return operations[0]
        return max(operations, key=lambda swap: self.worth(columns, swap))

    def worth(self, columns, swap):
        """The points of a swap, less a little for each pair that it leaves to the other side."""
        after = [column[:] for column in columns]
        (x1, y1), (x2, y2) = swap
        after[x1][y1], after[x2][y2] = after[x2][y2], after[x1][y1]
        points = 0
        while regions := self.regions(after):
            points += sum((len(region) - 2) ** 2 for region in regions)
            for x, y in sorted(set().union(*regions), reverse=True):
                del after[x][y]
                after[x].append("nan")
        return points - 0.01 * self.pairs(after)

    def regions(self, columns):
        """The regions that vanish: connected, of one colour, with three in a line."""
        found, done = [], set()
        for x in range(6):
            for y in range(6):
                if columns[x][y] == "nan" or (x, y) in done:
                    continue
                region = self.region(columns, x, y)
                done |= region
                if any(self.begins_line(region, cell) for cell in region):
                    found.append(region)
        return found

    def region(self, columns, x, y):
        colour, region, edge = columns[x][y], set(), [(x, y)]
        while edge:
            x, y = edge.pop()
            inside = 0 <= x < 6 and 0 <= y < 6 and (x, y) not in region
            if inside and columns[x][y] == colour:
                region.add((x, y))
                edge += [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
        return region

    def begins_line(self, region, cell):
        x, y = cell
        level = {(x + 1, y), (x + 2, y)} <= region
        return level or {(x, y + 1), (x, y + 2)} <= region

    def pairs(self, columns):
        level = sum(columns[x][y] == columns[x + 1][y] for x in range(5) for y in range(6))
        return level + sum(columns[x][y] == columns[x][y + 1] for x in range(6) for y in range(5))
