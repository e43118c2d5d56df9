"""The referee: whose move it is, what is told to whom, and what ends a bout."""

import gc
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ludus.bots.players.base import TimeSpent
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games import Clock, Outcome, Position, get
from ludus.match import journal, replay
from ludus.match.clock import SeatClock
from ludus.match.referee import (
    BoutEnded,
    BoutEvent,
    BoutReferee,
    BoutStarted,
    MovesPlayed,
    play,
)
from ludus.match.series import pin_to_one_core, series
from ludus.sandbox.bot_fault import BotFault, FaultKind
from tests.support.scripted_player import Scripted

GAME = get("duel2048")


def test_a_bout_between_scripted_players_ends_by_the_rules() -> None:
    a, b = Scripted("a"), Scripted("b")
    record = play(GAME, GAME.Options(rounds=10), 1, [a, b])
    assert record.verdict == "rules"
    assert a.ended == b.ended == [record.outcome]
    assert [bot.name for bot in record.bots] == ["a", "b"]


def test_a_seat_is_told_what_is_left_to_it_and_what_was_left_to_the_other() -> None:
    a, b = Scripted("a", cpu=0.1), Scripted("b", cpu=0.2)
    play(GAME, GAME.Options(rounds=2), 1, [a, b], Clock(budget=5))
    assert [clock.left for clock in a.clocks[:2]] == [(5.0, 0.0), (pytest.approx(4.9), 5.0)]
    assert b.clocks[1].left == (pytest.approx(4.9), pytest.approx(4.8))
    assert b.clocks[1].mine == pytest.approx(4.8)


def test_who_uses_up_the_budget_is_out_of_time() -> None:
    record = play(
        GAME, GAME.Options(), 1, [Scripted("a", cpu=0.1), Scripted("b")], Clock(budget=1.05)
    )
    assert (record.verdict, record.faults[0].seat, record.scores) == ("timeout", 0, [0.0, 1.0])
    assert record.times.used[0][0] == pytest.approx(1.1)


def test_cpu_time_is_charged_and_wall_time_is_not_unless_asked() -> None:
    slow = [Scripted("a", cpu=0.0, wall=100.0), Scripted("b")]
    rounds = GAME.Options(rounds=3)
    assert play(GAME, rounds, 1, slow, Clock(budget=1)).verdict == "rules"
    assert play(GAME, rounds, 1, slow, Clock(budget=1, measure="wall")).verdict == "timeout"


def test_increment_and_move_limit() -> None:
    clock = SeatClock(Clock(budget=1, increment=0.5, per_move=0.4))
    assert clock.seconds == 0.4
    assert clock.charge(TimeSpent(0.3, 9), clock.seconds)
    assert clock.left == pytest.approx(1.2)
    assert not clock.charge(TimeSpent(0.4, 9), clock.seconds)


def test_time0_gives_and_takes_time() -> None:
    assert SeatClock(Clock(budget=5), -1).left == 6
    assert SeatClock(Clock(budget=5), 1).left == 4
    with_a_second_more = play(
        GAME,
        GAME.Options(rounds=3),
        1,
        [Scripted("a", cpu=1.0), Scripted("b")],
        Clock(budget=6),
        time0=[-1, 0],
    )
    assert with_a_second_more.verdict == "rules"


def test_both_seats_at_fault_while_loading_is_nobodys_win() -> None:
    fault = BotFault(FaultKind.LOAD, "broken", "坏了")
    record = play(GAME, GAME.Options(), 1, [Scripted("a", fault=fault), Scripted("b", fault=fault)])
    assert (record.scores, [f.seat for f in record.faults]) == ([0.5, 0.5], [0, 1])


def test_the_other_player_is_told_when_its_opponent_fails() -> None:
    a = Scripted("a", fault=BotFault(FaultKind.CRASH, "it broke", "崩溃", trace="Traceback …"))
    b = Scripted("b")
    record = play(GAME, GAME.Options(), 1, [a, b])
    assert record.faults[0].trace == "Traceback …"
    assert (a.ended, b.ended[0].reason) == ([], "crash")


def test_a_game_needs_all_its_players() -> None:
    with pytest.raises(ValueError, match="2 seats"):
        play(GAME, GAME.Options(), 1, [Scripted("alone")])


def test_a_watcher_sees_the_start_every_move_and_the_end() -> None:
    events: list[BoutEvent] = []
    boards: list[str] = []

    def watch(event: BoutEvent, position: Position) -> None:
        events.append(event)
        boards.append(str(position))

    record = play(GAME, GAME.Options(rounds=4), 1, [Scripted("a"), Scripted("b")], watch=watch)
    assert isinstance(events[0], BoutStarted) and isinstance(events[-1], BoutEnded)
    moved = [event for event in events if isinstance(event, MovesPlayed)]
    assert [m for event in moved for m in event.moves.values()] == record.moves
    assert len(set(boards)) > 10


def test_a_journal_can_be_read_at_any_time_even_after_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "live" / "bout.jsonl"
    written = journal.Journal(path)
    seen: list[int] = []

    def watch(event: BoutEvent, position: Position) -> None:
        written(event, position)
        seen.append(len(list(journal.read_events(path))))

    record = play(GAME, GAME.Options(rounds=3), 1, [Scripted("a"), Scripted("b")], watch=watch)
    assert seen == list(range(1, len(record.moves) + 3))
    last = list(journal.read_events(path))[-1]
    assert isinstance(last, BoutEnded) and last.record == record
    path.write_bytes(path.read_bytes()[:-5])
    assert len(list(journal.read_events(path))) == len(seen) - 1
    written.close()
    assert not path.exists()


def test_an_interrupt_in_the_moment_a_journal_is_made_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        assert (tmp_path / "bout.jsonl").exists()
        raise KeyboardInterrupt

    monkeypatch.setattr("fcntl.flock", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        journal.Journal(tmp_path / "bout.jsonl")
    del caught
    gc.collect()
    assert list(tmp_path.iterdir()) == []


class FirstMoveTurns:
    """A source of turns that asks nobody: every seat plays its first legal move."""

    engine_suffix = ", first moves"

    def __init__(self, bout: BoutReferee, time0: Sequence[float] | None) -> None:
        self.bout, self.time0 = bout, [1.5, 2.5]

    def run(self) -> None:
        position = self.bout.position
        while seats := position.to_move:
            ply = {seat: position.legal(seat)[0] for seat in seats}
            self.bout.play_step(ply, {seat: TimeSpent(0.25, 0.5) for seat in seats})

    def end(self, outcome: Outcome) -> None:
        for player in self.bout.players:
            player.end([], outcome, SeatClock(self.bout.clock).limit())

    def time_used(self) -> list[list[float]]:
        return [[3.0, 4.0], [5.0, 6.0]]


def test_a_game_that_brings_its_own_turns_is_recorded_and_watched_like_any_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options, players = GAME.Options(rounds=10), [Scripted("a"), Scripted("b")]
    usual = play(GAME, options, 1, players)
    events: list[BoutEvent] = []
    monkeypatch.setattr(type(GAME), "turn_source", f"{__name__}:{FirstMoveTurns.__name__}")
    record = play(GAME, options, 1, players, watch=lambda event, _: events.append(event))
    assert (record.moves, record.digest, record.scores) == (usual.moves, usual.digest, usual.scores)
    assert record.engine == f"{usual.engine}, first moves"
    assert (record.time0, record.times.used) == ([1.5, 2.5], [[3.0, 4.0], [5.0, 6.0]])
    assert set(record.times.cpu) == {250} and set(record.times.wall) == {500}
    assert all(len(player.ended) == 2 for player in players)
    assert [type(event) for event in events] == [
        BoutStarted,
        *[MovesPlayed] * len(record.moves),
        BoutEnded,
    ]
    replay.verify(record)


def bot_that_thinks(folder: Path, seconds: float) -> Path:
    bot = folder / "thinker.py"
    bot.write_text(
        textwrap.dedent(f"""
        import time
        class Player:
            def __init__(self, isFirst, array):
                self.isFirst, self.calls = isFirst, 0
            def output(self, currentRound, board, mode):
                self.calls += 1
                until = time.process_time() + {seconds} / 4
                while self.calls <= 4 and time.process_time() < until:
                    pass
                if mode == "position":
                    return board.getNext(self.isFirst, currentRound)
                return next(d for d in range(4) if board.copy().move(self.isFirst, d))
        """)
    )
    return bot


@pytest.fixture
def busy_core() -> Iterator[None]:
    """The core that we are on has more to do than it can."""
    with pin_to_one_core():
        command = [sys.executable, "-ISc", "while True: pass"]
        busy = [subprocess.Popen(command, start_new_session=True) for _ in range(4)]
        yield
        for process in busy:
            process.kill()
            process.wait()


def test_a_busy_machine_costs_nobody_a_game(tmp_path: Path, busy_core: None) -> None:
    """Two thirds of its CPU seconds are enough: none are lost to other people's work."""
    bot = resolve_bot(str(bot_that_thinks(tmp_path, 0.4)), GAME)
    players = [create_player(bot, GAME), create_player(resolve_bot("random", GAME), GAME)]
    began = time.perf_counter()
    clock = Clock(budget=0.6, patience=1.0)
    (played,) = series(GAME, GAME.Options(rounds=3), players, 1, 1, clock=clock)
    wall = time.perf_counter() - began
    assert played.record.verdict == "rules", played.record.faults
    assert played.record.times.used[0][0] == pytest.approx(0.4, abs=0.19)
    assert wall > 0.6, "the machine was not busy: the test proves nothing"


def test_too_much_cpu_time_is_too_much_on_any_machine(tmp_path: Path) -> None:
    bot = resolve_bot(str(bot_that_thinks(tmp_path, 0.8)), GAME)
    players: list[Any] = [
        create_player(bot, GAME),
        create_player(resolve_bot("random", GAME), GAME),
    ]
    clock = Clock(budget=0.2)
    (played,) = series(GAME, GAME.Options(rounds=3), players, 1, 1, clock=clock)
    assert played.record.verdict == "timeout"
    assert "CPU" in played.record.faults[0].why["en"]
