"""The swap that scores most at once, its chain included. 选择本回合得分最多的操作（含连锁）。"""


class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        return max(position.operations(), key=lambda swap: self.points_after(position, swap))

    def points_after(self, position, swap):
        """The points after a swap and everything that falls because of it."""
        after = position.copy()
        after.play({self.seat: swap})
        return after.points[self.seat]
