"""Bots that remember: what they know lasts for one half of a match."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.errors import LudusError
from ludus.scheduling.contest_loading import ContestFile, create_source_loader
from ludus.scheduling.scheduler import Scheduler
from ludus.workers.pool import LocalPool

CONTEST = """
name = "memory"
game = "paperio"
options = {k = 15, h = 31, turns = 20}
[match]
bouts = 6
seats = "halves"
memory = true
early_end = %s
[[entrants]]
bot = "learner.py"
[[entrants]]
bot = "other.py"
"""
LEARNER = """
def init(storage):
    storage["games"] = 0

def load(stat, storage):
    storage["games"] += 1
    if storage["games"] > 3:
        raise RuntimeError("it remembers the other half")

def play(stat, storage):
    if storage["games"] == 3:
        raise RuntimeError("the third game")
    return "L"
"""


def test_bots_remember_within_a_half_and_begin_anew_in_the_other(tmp_path: Path) -> None:
    (tmp_path / "learner.py").write_text(LEARNER)
    (tmp_path / "other.py").write_text("def play(stat, storage):\n    return 'L'\n")
    (tmp_path / "contest.toml").write_text(CONTEST % "false")
    store = ContestFile(tmp_path).open_or_create_store()
    ledger = Scheduler(store, create_source_loader(store), LocalPool(2)).run()
    said = {
        key[1]: [fault["why"]["en"] for fault in facts.faults]
        for key, facts in ledger.bouts.items()
    }
    assert sorted(number for number, faults in said.items() if faults) == [2, 5]
    assert all("the third game" in said[number][0] for number in (2, 5))


def test_a_half_stops_when_the_match_is_decided(tmp_path: Path) -> None:
    crash = "def play(stat, storage):\n    raise ValueError\n"
    (tmp_path / "learner.py").write_text(crash)
    (tmp_path / "other.py").write_text("def play(stat, storage):\n    return 'L'\n")
    (tmp_path / "contest.toml").write_text(CONTEST % "true")
    store = ContestFile(tmp_path).open_or_create_store()
    ledger = Scheduler(store, create_source_loader(store), LocalPool(1)).run()
    assert sorted(number for _, number in ledger.bouts) == [0, 1, 2, 3]
    (result,) = ledger.results
    assert result.wins == (0, 4)


def test_a_bot_that_kills_its_worker_late_in_a_half_is_given_up(tmp_path: Path) -> None:
    """A half begins anew for every lost worker; its early bouts are no progress."""
    killer = (
        "import os\nclass Bot:\n"
        "    played = 0\n"
        "    def start(self, seat, position):\n"
        "        Bot.played += 1\n"
        "        self.seat = seat\n"
        "    def move(self, position, clock):\n"
        "        if Bot.played == 2: os._exit(1)\n"
        "        return position.legal(self.seat)[0]\n"
    )
    calm = killer.replace("Bot.played == 2", "False")
    (tmp_path / "killer.py").write_text(killer)
    (tmp_path / "calm.py").write_text(calm)
    (tmp_path / "contest.toml").write_text(
        'name = "x"\ngame = "reversi"\nisolate = false\noptions = {size = 4}\n'
        '[match]\nbouts = 6\nseats = "halves"\nmemory = true\n'
        '[[entrants]]\nbot = "killer.py"\n[[entrants]]\nbot = "calm.py"\n'
    )
    store = ContestFile(tmp_path).open_or_create_store()
    with pytest.raises(LudusError, match="its worker process was killed"):
        Scheduler(store, create_source_loader(store), LocalPool(1)).run()
