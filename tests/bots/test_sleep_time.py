"""Nobody sleeps beyond its patience, and nobody loses because the machine is busy."""

import time
from pathlib import Path

import pytest

from ludus.bots.build import python_bot
from ludus.bots.players import bot_process, sleep_time
from ludus.bots.players.create import create_player
from ludus.bots.players.process import ProcessPlayer
from ludus.bots.players.sleep_time import MAX_UNCHECKED_S, SLOW_ANSWER_S, SleepMeter
from ludus.bots.resolve import resolve_bot
from ludus.games import Clock, get
from ludus.match.series import series

GAME = get("reversi")
NS = 10**9


class Measured(SleepMeter):
    """With a kernel that says what the test wants."""

    def __init__(self) -> None:
        self.waits: dict[str, int] = {}
        self.idle, self.own = 0.0, 0.0
        self.states = {"S"}
        super().__init__(0, [0])

    def _read_waits(self) -> dict[str, int]:
        return dict(self.waits)

    def _min_idle_seconds(self) -> float | None:
        return self.idle

    def _read_thread_states(self) -> set[str]:
        return self.states


@pytest.fixture
def bot(monkeypatch: pytest.MonkeyPatch) -> Measured:
    made = Measured()
    monkeypatch.setattr(sleep_time, "_own_run_queue_seconds", lambda: made.own)
    made._own_mark = 0.0
    made.start_watching(SLOW_ANSWER_S)
    return made


def test_threads_that_wait_for_each_other_on_an_idle_core_are_asleep(bot: Measured) -> None:
    bot.waits = {str(thread): NS // 10 for thread in range(60)}
    bot.idle = 9.8
    assert bot.slept_seconds(10.0) >= 9.8
    bot.charge(10.0)
    assert bot.slept >= 9.8


def test_a_wait_for_a_busy_core_is_no_sleep(bot: Measured) -> None:
    bot.waits = {"1": 10 * NS}
    assert bot.slept_seconds(10.0) == 0.0
    bot.waits = {str(thread): 2 * NS for thread in range(5)}  # one after the other
    assert bot.slept_seconds(10.0) == 0.0


def test_one_threads_wait_counts_even_where_the_core_seems_idle(bot: Measured) -> None:
    """A container that may use half a core: its processes wait while the core has nothing to do."""
    bot.waits, bot.idle = {"1": 5 * NS}, 5.0
    assert bot.slept_seconds(5.0) == 0.0


def test_our_own_wait_is_not_the_bots_sleep(bot: Measured) -> None:
    bot.own, bot.idle = 3.0, 0.0
    assert bot.slept_seconds(5.0) == pytest.approx(2.0)


def test_a_wait_before_it_was_asked_excuses_nothing(bot: Measured) -> None:
    bot.charge(0.0)
    bot.waits = {"1": 100 * NS}  # in its rival's time
    bot.start_watching(SLOW_ANSWER_S)
    bot.idle = 7.0
    assert bot.slept_seconds(7.0) == pytest.approx(7.0 - SLOW_ANSWER_S)


def test_short_sleeps_add_up(bot: Measured) -> None:
    bot.charge(0.0)
    for _ in range(100):
        bot.idle += 0.04
        bot.charge(0.04)
    assert bot.slept == pytest.approx(4.0, abs=MAX_UNCHECKED_S)
    busy = bot.slept
    for _ in range(100):
        bot.charge(0.04)  # the core has no idle moment: it may have waited
    assert bot.slept == pytest.approx(busy, abs=MAX_UNCHECKED_S)


def test_who_wants_to_run_is_held_up_unless_its_core_was_idle(bot: Measured) -> None:
    assert not bot.is_machine_busy(1.0)
    bot.states = {"S", "R"}
    assert bot.is_machine_busy(1.0)
    bot.idle = 1.5
    assert not bot.is_machine_busy(1.0)
    bot.states = {"Z"}
    assert bot.is_machine_busy(1.0)


def test_a_new_bout_forgives(bot: Measured) -> None:
    bot.idle = 3.0
    bot.charge(3.0)
    assert bot.slept == bot.total == 3.0
    bot.begin_bout()
    assert bot.slept == bot.total == 0.0


WAKERS = """
import ctypes, threading, time
usleep = ctypes.CDLL(None).usleep

def wake():
    while True:
        usleep(20000)

class Bot:
    def start(self, seat, position):
        for _ in range(60):
            threading.Thread(target=wake, daemon=True).start()

    def move(self, position, clock):
        time.sleep(600)
"""


def test_sixty_waking_threads_do_not_stretch_its_patience(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However busy the machine is, there is an end."""
    monkeypatch.setattr(bot_process, "MAX_AWAY_RATIO", 2.0)
    path = tmp_path / "wakers.py"
    path.write_text(WAKERS)
    players = [
        ProcessPlayer("wakers", python_bot(path)),
        create_player(resolve_bot("random", GAME), GAME),
    ]
    clock = Clock(budget=1.0, patience=1.0)
    (played,) = series(GAME, GAME.Options(), players, 1, 1, clock=clock)
    assert played.record.verdict == "timeout"
    assert "slept or waited" in played.record.faults[0].why["en"]


NAPS = """
import time

class Bot:
    def move(self, position, clock):
        time.sleep(0.048)
        return position.legal(position.to_move[0])[0]
"""


def test_many_short_naps_are_over_some_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        SleepMeter, "_min_idle_seconds", lambda self: time.monotonic()
    )  # nothing else to do
    monkeypatch.setattr(SleepMeter, "_read_waits", lambda self: {})
    monkeypatch.setattr(sleep_time, "_own_run_queue_seconds", lambda: 0.0)
    path = tmp_path / "naps.py"
    path.write_text(NAPS)
    players = [
        ProcessPlayer("naps", python_bot(path)),
        create_player(resolve_bot("random", GAME), GAME),
    ]
    clock = Clock(budget=1.0, patience=1.0)
    (played,) = series(GAME, GAME.Options(), players, 1, 1, clock=clock)
    assert played.record.verdict == "timeout", "30 naps of 48 ms are more than 1 s"
    assert "slept or waited" in played.record.faults[0].why["en"]
