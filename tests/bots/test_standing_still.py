"""Under wall time a bot stands still while it is not asked: nobody burns a rival's clock."""

import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from ludus.bots.build import python_bot
from ludus.bots.players.base import MoveAnswer, TimeLimit
from ludus.bots.players.process import ProcessPlayer
from ludus.games import Clock, get
from ludus.games.base import ClockView
from ludus.games.host import Ply
from ludus.match.series import series
from ludus.sandbox import list_levels

GAME = get("reversi")
WORKER = """
import time

class Bot:
    def move(self, position, clock):
        until = time.thread_time() + 0.01
        while time.thread_time() < until:
            pass
        return position.legal(position.to_move[0])[0]
"""
BURNER = """
import hashlib, threading

def burn():
    hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)  # for hours, without the interpreter's lock

class Bot:
    def start(self, seat, position):
        for _ in range(8):
            threading.Thread(target=burn, daemon=True).start()

    def move(self, position, clock):
        return position.legal(position.to_move[0])[0]

    def end(self, outcome):
        print("the end was heard", flush=True)
"""


class Witness(ProcessPlayer):
    """Sees what another player's process runs while this one has to move."""

    rival: ProcessPlayer
    seen = 0.0

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        assert self.rival.pid is not None
        clock_of_rival = (~self.rival.pid << 3) | 2
        before = time.clock_gettime(clock_of_rival)
        answer = super().turn(plies, clock, limit)
        self.seen += time.clock_gettime(clock_of_rival) - before
        return answer


@pytest.mark.parametrize("level", list_levels())
def test_threads_that_spin_do_not_run_in_the_rivals_time(tmp_path: Path, level: str) -> None:
    """On the core that they share eight threads would run eight times as long as the rival,
    however busy the machine is, and its clock with them."""
    for name, text in (("worker", WORKER), ("burner", BURNER)):
        (tmp_path / f"{name}.py").write_text(text)
    burner = ProcessPlayer("burner", python_bot(tmp_path / "burner.py"), jail=level)
    worker = Witness("worker", python_bot(tmp_path / "worker.py"), jail=level)
    worker.rival = burner
    clock = Clock(budget=600.0, measure="wall")
    options = GAME.Options.parse({"size": 4})
    (played,) = series(GAME, options, [burner, worker], 1, 1, clock=clock)
    record = played.record
    assert record.verdict == "rules", record.faults
    (_, _), (needed, _) = record.times.used
    assert worker.seen < needed / 2, (worker.seen, needed)
    assert "the end was heard" in played.outputs[0]["stdout"]
