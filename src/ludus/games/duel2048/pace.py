"""How the house bots that search divide the time of a bout of Duel 2048."""

from __future__ import annotations

from ludus.games.base import ClockView
from ludus.games.duel2048.rules import DuelPosition

RESERVE = 0.06
"""The part of the bout's time that is kept: when only it is left, moves are no longer searched."""


class Pace:
    """The time of one seat in one bout."""

    def __init__(self, part: float = 0.7) -> None:
        """The bout is expected to last about this part of the rounds that are left."""
        self.part, self.reserve = part, 0.0

    def share(self, position: DuelPosition, clock: ClockView) -> float:
        """Seconds for this decision: more at first, since many bouts end early."""
        self.reserve = self.reserve or RESERVE * clock.mine
        decisions = 2 * (position.rounds - position.round)
        share = (clock.mine - self.reserve) / (self.part * decisions + 3)
        return max(0.0, min(share, clock.limit / 2))
