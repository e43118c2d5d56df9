"""Players of a check: the bot with an observer on its process, and an opponent that crashes."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from pathlib import Path

from ludus.bots.notes import NoteBook, find_notes
from ludus.bots.players.base import MoveAnswer, Player, SeatBout, TimeLimit, TimeSpent
from ludus.games.base import ClockView, Outcome
from ludus.games.host import Ply
from ludus.sandbox.bot_fault import BotFault, FaultKind

QUITTING_TURN = 3
"""The turn in which the quitting player crashes."""
PROCESS_CPU_CLOCK = 2
"""The kind of the clocks whose numbers the kernel derives from process ids: all CPU time."""


class ObservedPlayer:
    """A player whose loading is timed and whose process is counted after each bout."""

    def __init__(self, player: Player, usual_threads: int | None = 1) -> None:
        """``usual_threads``: the number that its language always has; None: the number at the
        beginning of its first bout."""
        self.player = player
        self.name, self.digest, self.isolation = player.name, player.digest, player.isolation
        self.loading_s: float | None = None
        """Seconds from its start to its first bout; None before that."""
        self.pid: int | None = None
        """Its process in the last bout."""
        self.usual_threads = usual_threads
        self.leftover_threads = 0
        """The most threads, beyond the usual ones, that were running after a bout."""
        self.leftover_processes = 0
        self._bout_mark = (-1, 0.0)
        """A process, and the CPU seconds that it had used when the bout began."""

    def cpu_used(self) -> float:
        """CPU seconds of its process in this bout so far (while it loads: of its loading); may be
        read from another thread."""
        pid = getattr(self.player, "pid", None)
        if pid is None:
            return 0.0
        marked, before = self._bout_mark
        return max(0.0, read_cpu_seconds(pid) - (before if marked == pid else 0.0))

    def mark_bout(self) -> None:
        """A bout is about to begin: what its process has used so far was for others."""
        pid = getattr(self.player, "pid", None)
        if pid is not None and self.pid == pid:
            self._bout_mark = (pid, read_cpu_seconds(pid))

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        began = time.perf_counter()
        spent = self.player.start(bout, limit)
        if self.loading_s is None:
            self.loading_s = time.perf_counter() - began - spent.wall
        self.pid = getattr(self.player, "pid", None)
        if self.pid is not None:
            self._bout_mark = (self.pid, read_cpu_seconds(self.pid) - spent.cpu)
        if self.usual_threads is None and self.pid is not None:
            self.usual_threads = count_threads(self.pid)
        return spent

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        return self.player.turn(plies, clock, limit)

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        spent = self.player.end(plies, outcome, limit)
        if self.pid is not None:
            threads = count_threads(self.pid) - (self.usual_threads or 1)
            self.leftover_threads = max(self.leftover_threads, threads)
            self.leftover_processes = max(self.leftover_processes, len(list_children(self.pid)))
        return spent

    def output(self) -> dict[str, str]:
        return self.player.output()

    @property
    def notes(self) -> NoteBook | None:
        """The notes of the player's bot, if it keeps some."""
        return find_notes(self.player)

    def close(self) -> None:
        self.player.close()

    @property
    def has_gone(self) -> bool:
        """Whether the process of the last bout is not there any more."""
        return self.pid is not None and self.pid != getattr(self.player, "pid", None)


def list_children(parent: int) -> set[int]:
    """The processes that a process has started and that have not ended."""
    children: set[int] = set()
    for thread in Path(f"/proc/{parent}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # the thread has ended
            children.update(map(int, thread.read_text().split()))
    return set(filter(_is_running, children))


def _is_running(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    return False


def read_cpu_seconds(pid: int) -> float:
    """The CPU time of a process; 0 if it has ended."""
    try:
        return time.clock_gettime(~pid << 3 | PROCESS_CPU_CLOCK)
    except OSError:
        return 0.0


def count_threads(pid: int) -> int:
    """The number of threads of a process; 1 if it has ended."""
    try:
        return len(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return 1


class QuittingPlayer:
    """An opponent that plays legal moves and then crashes."""

    name, digest, isolation = "quitter", "", "in-process"

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        self.position = bout.game.start(bout.options, bout.seed)
        self.seat = bout.seat
        self.turns = 0
        return TimeSpent(0.0, 0.0)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        for ply in plies:
            self.position.play(ply)
        self.turns += 1
        if self.turns == QUITTING_TURN:
            raise BotFault(FaultKind.CRASH, "it was made to crash", "它被安排崩溃")
        return MoveAnswer(0.0, 0.0, self.position.legal(self.seat)[0])

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        return TimeSpent(0.0, 0.0)

    def output(self) -> dict[str, str]:
        return {"stdout": "", "stderr": ""}

    def close(self) -> None:
        """Nothing to release."""
