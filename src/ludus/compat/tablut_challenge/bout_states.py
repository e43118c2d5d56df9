"""A bout as the challenge's server shows it: a state after every move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ludus.bots.players.base import SeatBout
from ludus.compat.tablut_challenge.wire import encode_state, turn_of
from ludus.games.base import IllegalMove, Outcome
from ludus.games.host import Ply
from ludus.games.tablut.rules import TablutPosition
from ludus.sandbox.bot_fault import BotFault, FaultKind

VARIANT = "ashton"


class BoutStates:
    """Follows a bout and gives the frame of its state."""

    def __init__(self, bout: SeatBout) -> None:
        """BotFault if the bout does not have the challenge's rules."""
        if bout.game.name != "tablut" or bout.options.variant != VARIANT:
            raise BotFault(
                FaultKind.LOAD,
                f"players of the Tablut challenge play tablut with -o variant={VARIANT}",
                f"Tablut 挑战赛的选手只能用 -o variant={VARIANT} 玩 tablut",
            )
        self.position = cast(TablutPosition, bout.game.start(bout.options, bout.seed))
        self._king = self.position.board.king

    def play(self, plies: Sequence[Ply]) -> None:
        for ply in plies:
            self.position.play(ply)
            if self.position.board.king >= 0:
                self._king = self.position.board.king

    def allows(self, seat: int, move: str) -> bool:
        try:
            self.position.copy().play({seat: move})
        except IllegalMove:
            return False
        return True

    def frame(self, outcome: Outcome | None = None) -> bytes:
        """The state now; with ``outcome`` the last one.

        The challenge's server leaves a captured king on the board.
        """
        cells = self.position.cells
        if "K" not in cells:
            cells = f"{cells[: self._king]}K{cells[self._king + 1 :]}"
        return encode_state(cells, turn_of(self.position, outcome))
