"""A week of a course's ladder, compressed: everything but the bouts themselves is as on a server.

    python -m bench.arena_week [STUDENTS] [VERSIONS] [BOUTS] [DATABASE]

Students hand in versions over seven days, each a little stronger than the one before. The
background process's own code pairs them, stores their bouts, rates them and writes their curves.
Only the workers are replaced: a bout is a draw of lots by the true strengths of its two versions,
and its record is that of a real bout of Reversi with the scores exchanged. So the rating error is
against the truth. Measured: storage, CPU of the background process for each bout at the beginning
and at the end, its memory, how far ratings are from the truth and how often their intervals hold
it. Then a real server starts on that database: how soon does its ladder go on, and how quick are
its pages?

At last a ladder of 10,000 bots is rated and paired in memory alone.
"""

from __future__ import annotations

import math
import random
import resource
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Collection, Hashable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import sqlalchemy as sql

from bench.arena_course import code, enrol, page_ms, size_of
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.contest.ladder_ledger import LadderLedger
from ludus.contest.ladder_tallies import LadderTallies, PairTally
from ludus.contest.model import Entrant
from ludus.contest.settings import parse_contest_settings
from ludus.games.registry import get
from ludus.match import play
from ludus.match.record import Record
from ludus.match.series import PlannedBout, SeriesBout
from ludus.match.spec import MatchSpec
from ludus.rating.davidson import compute_chances
from ludus.rating.elo import ELO_PER_NATURAL_UNIT
from ludus.scheduling.multi_scheduler import MultiScheduler
from ludus.scheduling.schema import BotRow, RatingHistoryRow, RatingRow, UserRow, VersionRow
from ludus.server.accounts import sessions
from ludus.server.admin.site_settings import SiteSettings
from ludus.server.background.contest_runner import ContestRunner
from ludus.server.bots import bots, upload
from ludus.server.bots.version_files import VersionFiles
from ludus.server.contests.ladders import make_rating_rows
from ludus.server.database import Database
from ludus.workers.pool import TaskReport
from ludus.workers.task import Task
from tests.support.server_process import Server, settle, stored

DAYS = 7
SPREAD = 200.0
"""Standard deviation of what students are able to, in Elo."""
PROGRESS = 40.0
"""Elo by which a version is stronger than the one before, on the average."""
SEAT, DRAWS = 15.0, 0.1
"""What sitting first is worth, and how often equals draw."""
HOUSE = {"random": -500.0, "greedy": -250.0}
AT_ONCE = 8
"""Workers that the background process believes to have."""


class Truth:
    """How strong everybody is, by the names of entrants."""

    def __init__(self, students: int, seed: int) -> None:
        self._rng = random.Random(seed)
        self._able = [self._rng.gauss(0, SPREAD) for _ in range(students)]
        self.elo = dict(HOUSE)

    def hand_in(self, student: int, version: int) -> None:
        gain = self._rng.gauss(PROGRESS, PROGRESS) * (version - 1)
        self.elo[f"s{student} #{version}"] = self._able[student] + gain

    def lot(self, first: str, second: str) -> float:
        """What the first seat gets."""
        gap = self.elo.get(first, 0.0) - self.elo.get(second, 0.0) + SEAT
        found = compute_chances(gap / ELO_PER_NATURAL_UNIT, 2 * DRAWS / (1 - DRAWS))
        drawn = self._rng.random()
        return 1.0 if drawn < found.win else 0.5 if drawn < found.win + found.draw else 0.0


def real_bouts(count: int) -> list[Record]:
    game = get("reversi")
    players = [create_player(resolve_bot(bot, game), game) for bot in ("random", "random")]
    return [play(game, game.Options(), seed, players) for seed in range(count)]


class Lots:
    """Workers that draw lots instead of playing."""

    streams_results = True

    def __init__(self, truth: Truth) -> None:
        self.truth, self.records = truth, real_bouts(50)
        self.spent = 0.0
        """CPU seconds that went into this."""
        self._reports: deque[TaskReport] = deque()
        self._awake = threading.Event()

    def __enter__(self) -> Lots:
        return self

    def __exit__(self, *_: object) -> None:
        self._reports.clear()

    @property
    def capacity(self) -> int:
        return AT_ONCE

    @property
    def free_slots(self) -> int:
        return AT_ONCE - len(self._reports)

    def submit(self, key: Hashable, task: Task) -> None:
        began = time.thread_time()
        assert isinstance(task.setup, MatchSpec)
        played = tuple(self._played(task.setup, planned) for planned in task.items)
        self._reports.append(TaskReport(key, played, over=True))
        self.spent += time.thread_time() - began

    def _played(self, spec: MatchSpec, planned: PlannedBout) -> SeriesBout:
        names = [spec.sources[player].name for player in planned.order]
        score = self.truth.lot(*names)
        told = self.records[planned.seed % len(self.records)]
        found = msgspec.structs.replace(told, scores=[score, 1 - score], seed=planned.seed)
        said = {"stdout": "", "stderr": ""}
        return SeriesBout(planned, found, [dict(said), dict(said)])

    def cancel(self, keys: Collection[Hashable]) -> None:
        left = [report for report in self._reports if report.key not in keys]
        self._reports = deque(left)

    def wait(self, seconds: float | None) -> list[TaskReport]:
        if not self._reports:
            self._awake.wait(seconds)
        self._awake.clear()
        found = list(self._reports)
        self._reports.clear()
        return found

    def wake(self) -> None:
        self._awake.set()


class Week:
    """A background process's work in this process, whose ladder is played by lots."""

    def __init__(self, database: Database, folder: Path, truth: Truth) -> None:
        self.database, self.truth = database, truth
        self.pool = Lots(truth)
        self.stop = threading.Event()
        self.troubles: list[Exception] = []
        self.scheduler = MultiScheduler(self.pool, self._ended)
        self.runner = ContestRunner(
            database, VersionFiles(database, folder), self.scheduler, lambda _: None
        )
        self._thread = threading.Thread(target=self.scheduler.run, args=(self.stop.is_set,))

    def _ended(self, store: Any, error: Exception | None) -> None:
        self.runner.on_contest_ended(store, error)
        if error is not None:
            self.troubles.append(error)

    def __enter__(self) -> Week:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self._thread.join()

    def play_to(self, bouts: int) -> None:
        while self.runner.bouts_played < bouts:
            assert not self.troubles, self.troubles
            self.runner.advance()
            time.sleep(0.2)


def hand_in(database: Database, truth: Truth, student: int, bot_id: int) -> None:
    """Another version of a student's bot, good without a check."""
    with database.writing() as session:
        bot = session.get_one(BotRow, bot_id)
        identity = sessions.make_identity(session, session.get_one(UserRow, bot.user_id), "token")
        number = 1 + (
            session.scalar(sql.select(sql.func.count()).where(VersionRow.bot_id == bot_id)) or 0
        )
        version = bots.add_version(
            session, identity, SiteSettings(), bot, upload.bundle_files(code(student, number))
        )
        version.state = bots.GOOD
        session.flush()
        bot.ladder_version_id = version.id
    truth.hand_in(student, number)


def live(week: Week, ids: list[int], versions: int, bouts: int) -> list[float]:
    """All seven days; gives the runner's CPU milliseconds for each bout, day by day."""
    rng = random.Random(7)
    due = {0: list(range(len(ids)))}
    for student in range(len(ids)):
        for _ in range(versions - 1):
            due.setdefault(rng.randrange(DAYS), []).append(student)
    costs = []
    for day in range(DAYS):
        for student in due.get(day, ()):
            hand_in(week.database, week.truth, student, ids[student])
        before, spent = week.runner.bouts_played, time.process_time() - week.pool.spent
        week.play_to(bouts * (day + 1) // DAYS)
        now = time.process_time() - week.pool.spent
        costs.append(1000 * (now - spent) / max(1, week.runner.bouts_played - before))
    return costs


def rating_error(database: Database, truth: Truth) -> str:
    """Of those who play at the end, relative to their mean."""
    with database.reading() as session:
        rows = session.execute(
            sql.select(RatingRow.entrant, RatingRow.elo, RatingRow.high, RatingRow.bouts).where(
                RatingRow.entrant.in_(truth.elo)
            )
        ).all()
    elo = np.array([row.elo for row in rows])
    true = np.array([truth.elo[row.entrant] for row in rows])
    margin = np.array([row.high - row.elo for row in rows])
    off = (elo - elo.mean()) - (true - true.mean())
    rank = np.corrcoef(np.argsort(np.argsort(elo)), np.argsort(np.argsort(true)))[0, 1]
    return (
        f"rating error {math.sqrt(float(np.mean(off**2))):.1f} Elo RMS over {len(rows)} entrants"
        f" with {np.median([row.bouts for row in rows]):.0f} bouts at the median;"
        f" claimed {float(np.sqrt(np.mean((margin / 1.96) ** 2))):.1f};"
        f" 95 % intervals hold the truth of {100 * float(np.mean(np.abs(off) <= margin)):.0f} %;"
        f" order as the truth's: rank correlation {rank:.3f}"
    )


PAGES = ("/api/ladders/reversi", "/api/ladders", "/api/bots?game=reversi", "/api/contests")


def serve_on(server: Server, bot_id: int) -> None:
    """A real server on the same database."""
    before = stored(server)
    began = time.monotonic()
    server.start()
    up = time.monotonic() - began
    while stored(server) <= before:
        time.sleep(0.1)
    print(f"a server starts in {up:.1f} s; its ladder goes on after {time.monotonic() - began:.1f}")
    pages = (*PAGES, f"/api/bots/{bot_id}", f"/api/bots/{bot_id}/bouts")
    for path in (*pages, f"/api/ladders/reversi/history?bot={bot_id}"):
        print(f"  {path}: {page_ms(server, path)} ms (median of 20, while the ladder plays)")
    server.stop()


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def large(entrants: int = 10_000, pairs: int = 250_000) -> None:
    """What rating and pairing a very large ladder takes."""
    rng = np.random.default_rng(3)
    strength = np.sort(rng.normal(0, SPREAD, entrants))
    first = rng.integers(0, entrants, pairs)
    second = np.clip(first + rng.integers(1, 200, pairs), 0, entrants - 1)
    gaps = (strength[first] - strength[second]) / ELO_PER_NATURAL_UNIT
    won = rng.random(pairs) < np.array([compute_chances(gap, 0.2).win for gap in gaps])
    names = [f"bot{number:05d}" for number in range(entrants)]
    before = megabytes()
    tallies = [
        PairTally(names[a], names[b], 4 * int(w), 0, 4 * int(not w), latest=4, bout_id=i)
        for i, (a, b, w) in enumerate(zip(first, second, won, strict=True))
        if a != b
    ]
    terms = {"name": "large", "game": "reversi", "format": {"name": "ladder", "rounds": 0}}
    ledger = LadderLedger(
        parse_contest_settings(terms, "large"),
        [Entrant(name) for name in names],
        LadderTallies(tallies),
    )
    took = []
    for act in (ledger.fit, ledger.open_pairings, lambda: make_rating_rows(ledger, "")):
        began = time.process_time()
        act()
        took.append(time.process_time() - began)
    print(
        f"{entrants} bots, {len(tallies)} pairs that met, {8 * len(tallies)} bouts:"
        f" first rating {took[0]:.1f} s, pairing {took[1]:.1f} s, the table {took[2]:.1f} s"
        f" of CPU; {megabytes() - before:.0f} MB"
    )


def main() -> None:
    words = [int(word) for word in sys.argv[1:4]]
    usual = (300, 5, 100_000)
    students, versions, bouts = (words[i] if len(words) > i else n for i, n in enumerate(usual))
    with tempfile.TemporaryDirectory() as scratch:
        server = Server(Path(scratch), sys.argv[4] if len(sys.argv) > 4 else "", jobs=1)
        server.start()
        client, own = settle(server)
        client.ask(f"/api/bots/{own}", {"current": None}, "PATCH")
        server.stop()
        database, truth = Database(server.database), Truth(students, 5)
        ids = enrol(database, students)
        empty, began = size_of(database), time.monotonic()
        with Week(database, Path(scratch) / "home" / "versions", truth) as week:
            costs = live(week, ids, versions, bouts)
            played = week.runner.bouts_played
        with database.reading() as session:
            handed = session.scalar(sql.select(sql.func.count(VersionRow.id))) or 0
            points = session.scalar(sql.select(sql.func.count(RatingHistoryRow.id))) or 0
        print(
            f"{students} students, {handed} versions, {played} bouts by lots"
            f" in {time.monotonic() - began:.0f} s; the runner's memory {megabytes():.0f} MB"
        )
        print(f"CPU of the runner, ms a bout, day by day: {[round(c, 2) for c in costs]}")
        print(f"storage: {(size_of(database) - empty) / played:.0f} B a bout; {points} points")
        print(rating_error(database, truth))
        serve_on(server, ids[0])
    large()


if __name__ == "__main__":
    main()
