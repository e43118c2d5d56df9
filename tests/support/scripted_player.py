"""A player without a program."""

from collections.abc import Sequence

from ludus.bots.players.base import MoveAnswer, SeatBout, TimeLimit, TimeSpent
from ludus.games import ClockView, Outcome
from ludus.games.host import Ply
from ludus.sandbox.bot_fault import BotFault, FaultKind


class Scripted:
    """A player that answers the first legal move and takes the time it is told to take."""

    digest = ""
    isolation = "scripted"

    def __init__(
        self, name: str, cpu: float = 0.0, wall: float = 0.0, fault: BotFault | None = None
    ):
        self.name, self.cpu, self.wall, self.fault = name, cpu, wall, fault
        self.clocks: list[ClockView] = []
        self.ended: list[Outcome] = []

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        if self.fault and self.fault.kind is FaultKind.LOAD:
            raise self.fault
        self.position = bout.game.start(bout.options, bout.seed)
        self.seat = bout.seat
        return TimeSpent(0.0, 0.0)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        for ply in plies:
            self.position.play(ply)
        self.clocks.append(clock)
        if self.fault and len(self.clocks) == 3:
            raise self.fault
        return MoveAnswer(self.cpu, self.wall, self.position.legal(self.seat)[0])

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        self.ended.append(outcome)
        return TimeSpent(self.cpu, self.wall)

    def output(self) -> dict[str, str]:
        return {}

    def close(self) -> None:
        pass
