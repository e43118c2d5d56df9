"""The search over all bouts of a server, on a database of 100,000 bouts.

    python -m bench.bout_search [BOUTS] [COMBINATIONS] [DATABASE]

A club of 216 people, 400 bots in 4 versions each, 5 ladders, 40 contests, 400 challenges and 200
batch tests plays BOUTS bouts (100,000). Then every filter is tried alone, and COMBINATIONS (2,000)
random combinations of all filters that the page offers, as a guest, a student and the organiser:
words that mean one bot, one person, a hundred bots, everybody or nobody; common and rare games,
faults and dates. Measured is the whole search at the server, from the filters to the rows of the
page, with the count. The plans of the database are checked: each search walks an index that holds
everything, and sorts nothing but the few rows that it found. DATABASE is a URL of an empty
PostgreSQL database, the word ``postgresql`` for a server of its own, or the path of a SQLite file,
which may be used again; by default one is made.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.scheduling.migrate import open_database
from ludus.server.accounts.identity import ANONYMOUS, Identity
from ludus.server.records.bout_filters import BoutFilters
from ludus.server.records.bout_search import MAX_COUNTED_BOUTS, BoutSearch, search_bouts
from ludus.server.records.matchups import describe_matchup
from tests.support.large_club import END, LargeClub, Size
from tests.support.postgres import started_postgres

VIEWERS = {
    "guest": ANONYMOUS,
    "student": Identity(id=5, name="student004", role="student", groups=frozenset({1})),
    "organiser": Identity(id=1, name="student000", role="organiser"),
}
DAY = 86_400
NOW = int(END.timestamp())
WORDS = ["", "zealot-006", "@student011", "student", "zealot", "z", "greedy", "xyzzy", '"random"']
CHOICES: dict[str, list[Any]] = {
    "player": WORDS,
    "opponent": WORDS,
    "version": [None, 3, 9],
    "seat": [None, 1],
    "result": ["", "won", "lost", "drawn", "decided"],
    "fault": ["", "any", "timeout", "memory"],
    "game": ["", "reversi", "duel2048"],
    "contest": [None, 1, 9],
    "title": ["", "cup", "cup 7", "xyzzy"],
    "since": [None, NOW - DAY, NOW - 60 * DAY],
    "until": [None, NOW - 30 * DAY, NOW - 200 * DAY],
}
PLAIN: dict[str, Any] = {name: choices[0] for name, choices in CHOICES.items()}


def list_combinations(count: int) -> Iterator[dict[str, Any]]:
    """Nothing, each filter alone, all players with all opponents, then random ones."""
    yield PLAIN
    for name, choices in CHOICES.items():
        yield from (PLAIN | {name: choice} for choice in choices[1:])
    for player, opponent in itertools.product(WORDS[1:], WORDS[1:]):
        yield PLAIN | {"player": player, "opponent": opponent}
    chance = random.Random(7)
    for _ in range(count):
        chosen = chance.sample(sorted(CHOICES), chance.randint(2, 5))
        yield PLAIN | {name: chance.choice(CHOICES[name]) for name in chosen}


def describe(wanted: dict[str, Any], viewer: str) -> str:
    given = {name: value for name, value in wanted.items() if value != PLAIN[name]}
    return f"{viewer}: {given}"


def measure(engine: sql.Engine, wanted: dict[str, Any], identity: Identity) -> tuple[float, int]:
    """Milliseconds of a first page with its count (the better of two), and the bouts found. CPU
    time counts, whatever else the machine does."""
    best, found = 1e9, 0
    for _ in range(2):
        with Session(engine) as session:
            clock = cpu_clock(session)
            began = clock()
            page = search_bouts(session, identity, BoutFilters(**wanted), None, 50)
            best = min(best, (clock() - began) * 1e3)
            found = page.count or 0
    return best, found


def cpu_clock(session: Session) -> Callable[[], float]:
    """Seconds of CPU that a search takes: of this thread, in which SQLite works too, and of the
    process with which PostgreSQL serves the session."""
    if session.get_bind().dialect.name == "sqlite":
        return time.thread_time
    backend = session.scalar(sql.text("SELECT pg_backend_pid()"))
    spent = Path(f"/proc/{backend}/schedstat")
    return lambda: time.thread_time() + int(spent.read_text().split()[0]) / 1e9


def explain(engine: sql.Engine, wanted: dict[str, Any], identity: Identity) -> list[str]:
    """The plan of the main query of a search."""
    plans: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, values: Any, *_: Any) -> None:
        if "seats" in statement and not statement.startswith("EXPLAIN"):
            prefix = "EXPLAIN QUERY PLAN" if engine.dialect.name == "sqlite" else "EXPLAIN"
            cursor.execute(f"{prefix} {statement}", values)
            plans.extend(str(row[-1]) for row in cursor.fetchall())

    sql.event.listen(engine, "before_cursor_execute", note)
    try:
        with Session(engine) as session:
            BoutSearch(session, identity, BoutFilters(**wanted)).find_ids(
                None, MAX_COUNTED_BOUTS + 1
            )
    finally:
        sql.event.remove(engine, "before_cursor_execute", note)
    return plans


def check_plan(plan: list[str]) -> None:
    """On SQLite: what is walked is an index alone, and only found rows are sorted."""
    for line in plan:
        assert " seats_1 " not in line or "USING COVERING INDEX" in line, plan


def main() -> None:
    bouts = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        address = sys.argv[3] if len(sys.argv) > 3 else str(Path(folder) / "site.db")
        if address == "postgresql":
            address = stack.enter_context(started_postgres()).url
        engine = open_database(address)
        stack.callback(engine.dispose)
        began = time.perf_counter()
        with engine.begin() as connection:
            if connection.execute(sql.text("SELECT id FROM bouts LIMIT 1")).first() is None:
                LargeClub(Size(bouts=bouts)).fill(connection)
        if engine.dialect.name == "postgresql":
            with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.execute(sql.text("VACUUM ANALYZE"))
        print(f"{bouts:,} bouts stored in {time.perf_counter() - began:.0f} s")
        run_searches(engine, count)
        measure_matchup(engine)


def run_searches(engine: sql.Engine, count: int) -> None:
    results = []
    for wanted in list_combinations(count):
        for viewer, identity in VIEWERS.items():
            if engine.dialect.name == "sqlite":
                check_plan(explain(engine, wanted, identity))
            milliseconds, found = measure(engine, wanted, identity)
            results.append((milliseconds, found, viewer, wanted))
    times = sorted(each[0] for each in results)
    print(f"{len(times)} searches: median {statistics.median(times):.1f} ms,", end=" ")
    print(f"99 % within {times[int(len(times) * 0.99)]:.1f} ms, the slowest {times[-1]:.1f} ms")
    print(f"{sum(each[1] == 0 for each in results)} of them find nothing")
    for milliseconds, found, viewer, wanted in sorted(results, key=lambda each: -each[0])[:8]:
        print(f"  {milliseconds:6.1f} ms, {found} found: {describe(wanted, viewer)}")
    worst = max(results, key=lambda each: each[0])
    print("plan of the slowest:", *explain(engine, worst[3], VIEWERS[worst[2]])[:12], sep="\n  ")


def measure_matchup(engine: sql.Engine) -> None:
    with Session(engine) as session:
        clock = cpu_clock(session)
        began = clock()
        describe_matchup(session, ANONYMOUS, 1, "greedy")
        print(f"head to head: {(clock() - began) * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
