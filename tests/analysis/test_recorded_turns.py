"""The turns of a record are those that the referee asked: the same moves, clocks and limits."""

from collections.abc import Sequence

import pytest

from ludus.analysis.recorded_turns import has_failed_to_start, list_recorded_turns, position_before
from ludus.bots.players.base import MoveAnswer, SeatBout, TimeLimit, TimeSpent
from ludus.errors import LudusError
from ludus.games.base import Clock, ClockView, Outcome
from ludus.games.host import Ply
from ludus.match import play
from ludus.match.record import Record, pack, unpack
from ludus.sandbox.bot_fault import BotFault, FaultKind
from tests.support.simultaneous_game import ThrowGame

GAME = ThrowGame()
CLOCK = Clock(budget=2.0, increment=0.0105, per_move=0.7)


class AskedPlayer:
    """Remembers what it was asked, and takes odd times. Fails when its answers are used up."""

    name, digest, isolation = "asked", "", "in-process"

    def __init__(self, answers: Sequence[str], *, starts: bool = True) -> None:
        self.answers, self.starts = list(answers), starts
        self.asked: list[tuple[list[Ply], ClockView, TimeLimit]] = []
        self.ended_with: list[Ply] | None = None

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        self.budget, self.seat = bout.budget, bout.seat
        if not self.starts:
            raise BotFault(FaultKind.CRASH, "it failed", "它出错了")
        return TimeSpent(0.0104 + 0.0007 * bout.seat, 0.02)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        self.asked.append((list(plies), clock, limit))
        if not self.answers:
            raise BotFault(FaultKind.CRASH, "it failed", "它出错了", cpu=0.0123)
        return MoveAnswer(0.1 / 3 + 0.00049 * len(self.asked), 0.05, self.answers.pop(0))

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        self.ended_with = list(plies)
        return TimeSpent(0.25, 0.25)

    def output(self) -> dict[str, str]:
        return {}

    def close(self) -> None:
        pass


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.match.record.get", lambda name: GAME)


def play_bout(*players: AskedPlayer, opening: Sequence[str] = ()) -> Record:
    record = play(GAME, GAME.Options(), 1, players, CLOCK, time0=[0.25, -0.5], opening=opening)
    return unpack(pack(record), "record")


def check_turns(record: Record, player: AskedPlayer) -> None:
    turns = list_recorded_turns(record, player.seat)
    assert turns.is_clock_exact and turns.budget == player.budget
    assert [(turn.plies, turn.clock, turn.limit) for turn in turns.turns] == player.asked
    if player.ended_with is not None:
        assert turns.plies_after == player.ended_with


def test_seats_that_move_at_the_same_time_see_what_they_saw() -> None:
    one, other = AskedPlayer(["rock", "paper", "rock"]), AskedPlayer(["paper"] * 3)
    record = play_bout(one, other)
    assert record.faults == []
    for player in (one, other):
        check_turns(record, player)
        assert len(player.asked) == 3
    assert [turn.step for turn in list_recorded_turns(record, 1).turns] == [1, 2, 3]


def test_the_question_with_which_a_bout_ended_is_the_last() -> None:
    one, other = AskedPlayer(["rock"]), AskedPlayer(["paper"] * 3)
    record = play_bout(one, other)
    assert record.verdict == "crash"
    for player in (one, other):
        check_turns(record, player)
        last = list_recorded_turns(record, player.seat).turns[-1]
        assert last.played is None and last.step == 2


def test_an_opening_is_told_with_the_first_question() -> None:
    one, other = AskedPlayer(["rock"] * 2), AskedPlayer(["paper"] * 2)
    record = play_bout(one, other, opening=["paper", "rock"])
    for player in (one, other):
        check_turns(record, player)
        assert player.asked[0][0] == [{0: "paper", 1: "rock"}]


def test_a_bot_that_cannot_be_started_is_asked_nothing() -> None:
    one, other = AskedPlayer([], starts=False), AskedPlayer(["paper"] * 3)
    record = play_bout(one, other)
    assert has_failed_to_start(record)
    for seat in (0, 1):
        assert list_recorded_turns(record, seat).turns == []


def test_the_position_of_a_step_is_the_one_before_it() -> None:
    record = play_bout(AskedPlayer(["rock"] * 3), AskedPlayer(["paper"] * 3))
    assert position_before(record, 1).digest() == GAME.start(GAME.Options(), 1).digest()
    assert position_before(record, 4).digest() == record.digest
    with pytest.raises(LudusError, match="has 3 steps, so step 5 does not exist"):
        position_before(record, 5)
