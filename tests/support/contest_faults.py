"""Contests whose processes are killed, here and on a cluster."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludus.match.bot_check.observed_player import list_children
from ludus.match.record import unpack
from ludus.scheduling.cluster_key import Cluster
from ludus.scheduling.contest_loading import ContestFile, create_source_loader, load_ledger
from ludus.scheduling.contest_store import ContestStore
from ludus.scheduling.scheduler import Scheduler
from ludus.workers.pool import LocalPool

BOT = """
import os
import time

PAUSE = float(os.environ.get("BOT_PAUSE", {pause}))

class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        time.sleep(PAUSE)
        moves = position.legal(self.seat)
        return moves[sum(map(ord, position.digest())) * {taste} % len(moves)]
"""


CONTEST = """
name = "{name}"
game = "reversi"
seed = 7
isolate = false
database = "{database}"
options = {{size = 4}}
[format]
name = "{form}"
[match]
bouts = {bouts}
"""


ENTRANTS = 5


def write_contest(
    folder: Path, bouts: int, *, form: str = "round-robin", database: str = "", pause: float = 0.02
) -> Path:
    """A contest of about so many bouts between bots that always answer the same."""
    folder.mkdir(parents=True, exist_ok=True)
    matches = ENTRANTS * (ENTRANTS - 1) // 2
    each = max(2, bouts // matches // 2 * 2)
    text = CONTEST.format(name=folder.name, database=database, form=form, bouts=each)
    for number in range(1, ENTRANTS + 1):
        (folder / f"bot{number}.py").write_text(BOT.format(pause=pause, taste=number))
        text += f'[[entrants]]\nbot = "bot{number}.py"\n'
    path = folder / "contest.toml"
    path.write_text(text)
    return path


def start(path: Path, *more: str, pause: float | None = None) -> subprocess.Popen[bytes]:
    """Run a contest; ``pause``: seconds that its bots think, whatever their files say."""
    command = [sys.executable, "-m", "ludus", "contest", "run", str(path), "--quiet", *more]
    return subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env=os.environ | ({} if pause is None else {"BOT_PAUSE": str(pause)}),
    )


def finish(
    path: Path, *more: str, pause: float | None = None, meanwhile: Callable[[], None] | None = None
) -> None:
    """Run a contest to its end; do something as soon as it has brought a bout."""
    with start(path, *more, pause=pause) as process:
        if meanwhile is not None:
            assert _plays(process, path), "it was over before"
            meanwhile()
        _, said = process.communicate(timeout=600)
        assert process.returncode == 0, said.decode()


def finish_here(path: Path) -> None:
    """Run a contest to its end without a process of its own, which takes a second to begin."""
    store = ContestFile(path).open_or_create_store()
    Scheduler(store, create_source_loader(store), LocalPool(1)).run()
    store.close()


Workers = Callable[[int], list[int]]
"""The processes that play for a scheduler."""


def disturb(
    path: Path,
    kills: int,
    rng: random.Random,
    *more: str,
    workers_of: Workers | None = None,
    pause: float | None = None,
) -> tuple[int, int]:
    """Run a contest whose scheduler is killed so many times, and workers in between.

    Gives how many schedulers and how many workers were killed: fewer if it is over before.
    """
    schedulers = workers = 0
    while schedulers < kills:
        with start(path, *more, pause=pause) as process:
            if _plays(process, path):
                workers += _kill_one((workers_of or children)(process.pid), rng)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(rng.uniform(0, 0.5))
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                schedulers += 1
            elif process.returncode == 0:
                break
            else:
                assert process.stderr is not None
                raise AssertionError(process.stderr.read().decode())
    return schedulers, workers


def _plays(process: subprocess.Popen[bytes], path: Path) -> bool:
    """Wait until the run has brought a bout."""
    store = ContestFile(path).open_store()
    mark = store.load_bouts_since(0)[0] if store else 0
    while process.poll() is None:
        if store is None:
            store = ContestFile(path).open_store()
        elif store.load_bouts_since(mark)[1]:
            store.close()
            return True
        time.sleep(0.1)
    return False


def _kill_one(found: list[int], rng: random.Random) -> int:
    """Every other time."""
    if not found or rng.random() < 0.5:
        return 0
    with contextlib.suppress(ProcessLookupError):
        os.kill(rng.choice(found), signal.SIGKILL)
        time.sleep(rng.uniform(0, 0.3))
        return 1
    return 0


def children(pid: int) -> list[int]:
    return sorted(list_children(pid))


def outcome(path: Path) -> list[tuple[Any, ...]]:
    """Everything about a contest but times: by match and number."""
    store = ContestFile(path).open_store()
    assert store is not None
    assert load_ledger(store).is_over
    records = {
        (match, number): _moves(data, match) for match, number, data in store.iterate_records()
    }
    found = []
    for pairing, facts in store.load_bouts():
        key = (pairing.id, facts.number)
        found.append((*key, facts.names, facts.scores, facts.seed, facts.plies, records[key]))
    assert len(found) == len({each[:2] for each in found}), "a bout counts twice"
    assert _noted(store) == len(found), "the journal tells of other bouts"
    store.close()
    return sorted(found, key=lambda each: each[:2])


def _moves(data: bytes, match: str) -> dict[str, Any]:
    """A record but for times and the bots' files, which lie elsewhere."""
    essence = unpack(data, match).without_times()
    del essence["bots"]
    return essence


def _noted(store: ContestStore) -> int:
    return sum(kind == "bout" for _, kind, _ in store.load_journal())


@dataclass(frozen=True)
class LocalCluster:
    cluster: Cluster
    pid: int

    @property
    def options(self) -> tuple[str, ...]:
        """How a command is told to play there."""
        return "--cluster", self.cluster.address, "--cluster-key", self.cluster.key

    def workers(self, _: int = 0) -> list[int]:
        """Its worker processes, not the process that keeps track of what they share."""
        return [pid for pid in children(self.pid) if b"spawn_main" in _command(pid)]


def _command(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


@contextlib.contextmanager
def cluster(workers: int) -> Iterator[LocalCluster]:
    """A cluster of worker processes on this machine."""
    with contextlib.ExitStack() as stack:
        key = f"{stack.enter_context(tempfile.TemporaryDirectory())}/cluster.pem"
        options = ["--serve", "--jobs", str(workers), "--key", key]
        command = [sys.executable, "-m", "ludus", "worker", "tls://127.0.0.1:0", *options]
        process = stack.enter_context(
            subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
        )
        try:
            assert process.stdout is not None
            found = re.search(rb"tls://[0-9.:]+", process.stdout.readline())
            assert found, "the cluster did not come up"
            yield LocalCluster(Cluster(found[0].decode(), key), process.pid)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
