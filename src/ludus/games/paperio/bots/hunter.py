"""Cuts a band it can reach in time, else takes land safely. 来得及就截断对方纸带，否则稳妥圈地。"""

from dataclasses import dataclass

from ludus.games.paperio.paths import FAR, distances, nearest

STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
TURNS = {"S": 0, "R": 1, "L": 3}
SIZES = (1, 2, 4, 6, 9, 13, 18, 24)
"""Lengths of the sides of rectangles that are tried."""


@dataclass
class Look:
    """What a move leads to."""

    move: str
    lost: bool
    won: bool
    out: bool
    """Whether it leaves a band behind."""
    home: int
    """Steps to the own land."""
    danger: int
    """Steps that the opponent needs to the own band."""
    prey: int
    """Steps to the opponent's band."""
    escape: int
    """Steps that the opponent needs to its land."""

    @property
    def safe(self):
        """The opponent moves next, so a tie is lost."""
        return not self.out or self.home < self.danger

    @property
    def deadly(self):
        return self.prey < self.escape and (not self.out or self.prey < self.danger)


class Bot:
    def start(self, seat, position):
        self.seat = seat
        self.plan = []

    def move(self, position, clock):
        looks = [self.look(position, move) for move in position.legal(self.seat)]
        for look in looks:
            if look.won:
                return look.move
        looks = [look for look in looks if not look.lost] or looks
        deadly = [look for look in looks if look.deadly]
        if deadly:
            self.plan = []
            return min(deadly, key=lambda look: (look.prey, look.home)).move
        return self.settle(position.field, looks)

    def look(self, position, move):
        """Try a move and measure what matters."""
        after = position.copy()
        after.play({self.seat: move})
        field, own, other = after.field, self.seat + 1, 2 - self.seat
        if after.outcome is not None:
            won = after.outcome.winner == self.seat
            return Look(move, not won, won, False, 0, FAR, FAR, 0)
        mine, theirs = distances(field, self.seat), distances(field, 1 - self.seat)
        out = bool(field.trails[self.seat])
        chased = bool(field.trails[1 - self.seat])
        return Look(
            move,
            False,
            False,
            out,
            nearest(mine, field.land, own) if out else 0,
            nearest(theirs, field.bands, own) if out else FAR,
            nearest(mine, field.bands, other) if chased else FAR,
            nearest(theirs, field.land, other) if chased else 0,
        )

    def settle(self, field, looks):
        """Follow the plan while it is safe, make one at home, else go home."""
        safe = {look.move: look for look in looks if look.safe}
        out = bool(field.trails[self.seat])
        if not self.plan and not out:
            self.plan = best_rectangle(field, self.seat, safe)
        if self.plan and self.plan[0] in safe:
            return self.plan.pop(0)
        self.plan = []
        if not safe:
            return min(looks, key=lambda look: look.home - look.danger).move
        return min(safe.values(), key=lambda look: (look.out, look.home, -look.danger)).move


def best_rectangle(field, seat, first_moves):
    """The moves around the rectangle that gains most per step, all out of the other's reach."""
    theirs = distances(field, 1 - seat)
    best, gain = [], 0.0
    for first in first_moves:
        for side in "LR":
            for length in SIZES:
                for width in SIZES:
                    path = Walk(field, seat, theirs)
                    moves = path.around(first, side, length, width)
                    if moves and path.gain / len(moves) > gain:
                        best, gain = moves, path.gain / len(moves)
    return best


class Walk:
    """A rectangle that is walked in thought."""

    def __init__(self, field, seat, theirs):
        self.field, self.own, self.theirs = field, seat + 1, theirs
        self.x, self.y, self.heading = field.heads[seat]
        self.moves = []
        self.gain = 0
        self.reach = FAR

    def around(self, first, side, length, width):
        """Out, across and back; None if it leaves the field, ends nowhere or can be cut."""
        if not self.step(first):
            return None
        while self.at_home():
            if not self.step("S"):
                return None
        for _ in range(length - 1):
            if not self.step("S"):
                return None
        if not self.step(side):
            return None
        for _ in range(width - 1):
            if not self.step("S"):
                return None
        move = side
        while not self.at_home():
            if not self.step(move):
                return None
            move = "S"
        self.gain = self.new_land(length, width)
        return self.moves if self.reach > len(self.moves) else None

    def step(self, move):
        self.heading = (self.heading + TURNS[move]) % 4
        dx, dy = STEPS[self.heading]
        self.x, self.y = self.x + dx, self.y + dy
        self.moves.append(move)
        if not (0 <= self.x < self.field.width and 0 <= self.y < self.field.height):
            return False
        if not self.at_home():
            self.reach = min(self.reach, self.theirs[self.x * self.field.height + self.y])
        return self.reach > len(self.moves)

    def at_home(self):
        return self.field.land[self.x * self.field.height + self.y] == self.own

    def new_land(self, length, width):
        """About what the rectangle holds."""
        return length * (width + 1)
