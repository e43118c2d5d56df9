"""Cuts a band it can reach in time, else takes land safely. 来得及就截断对方纸带，否则稳妥圈地。"""

from dataclasses import dataclass

from ludus.games.paperio.paths import FAR, distances, nearest
from ludus.games.paperio.rectangles import best_rectangle


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
        theirs = distances(position.field, 1 - self.seat)  # whatever the own move is
        looks = [self.look(position, move, theirs) for move in position.legal(self.seat)]
        for look in looks:
            if look.won:
                return look.move
        looks = [look for look in looks if not look.lost] or looks
        deadly = [look for look in looks if look.deadly]
        if deadly:
            self.plan = []
            return min(deadly, key=lambda look: (look.prey, look.home)).move
        return self.settle(position.field, looks, theirs)

    def look(self, position, move, theirs):
        """Try a move and measure what matters."""
        after = position.copy()
        after.play({self.seat: move})
        field, own, other = after.field, self.seat + 1, 2 - self.seat
        if after.outcome is not None:
            won = after.outcome.winner == self.seat
            return Look(move, not won, won, False, 0, FAR, FAR, 0)
        out = bool(field.trails[self.seat])
        chased = bool(field.trails[1 - self.seat])
        mine = distances(field, self.seat) if out or chased else b""
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

    def settle(self, field, looks, theirs):
        """Follow the plan while it is safe, make one at home, else go home."""
        safe = {look.move: look for look in looks if look.safe}
        out = bool(field.trails[self.seat])
        if not self.plan and not out:
            self.plan = best_rectangle(field, self.seat, theirs, list(safe))
        if self.plan and self.plan[0] in safe:
            return self.plan.pop(0)
        self.plan = []
        if not safe:
            return min(looks, key=lambda look: look.home - look.danger).move
        return min(safe.values(), key=lambda look: (look.out, look.home, -look.danger)).move
