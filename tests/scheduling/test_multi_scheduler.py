"""Several contests on the same workers, and readers that look on."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ludus.contest.settings import BotEntry, parse_contest_settings, read_contest_settings
from ludus.errors import LudusError
from ludus.games.registry import get
from ludus.scheduling import scheduler
from ludus.scheduling.contest_loading import create_source_loader, load_ledger, resolve_entrants
from ludus.scheduling.contest_store import ContestStore, list_contests
from ludus.scheduling.database import connect
from ludus.scheduling.ledger_loading import LedgerReader
from ludus.scheduling.multi_scheduler import MultiScheduler
from ludus.scheduling.schema import Base
from ludus.workers.pool import LocalPool
from tests.support.contest_faults import write_contest
from tests.support.postgres import Server

REVERSI = get("reversi")
BOUTS = 20
PATIENCE = 120.0
LADDER = {"name": "ladder", "rounds": 0}


@pytest.fixture(autouse=True)
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes from outside are seen at once, not within three seconds."""
    monkeypatch.setattr(scheduler, "HEARTBEAT_INTERVAL_S", 0.1)


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "arena.db")
    server: Server = request.getfixturevalue("postgres")
    return server.url


class Opened:
    """A scheduler in a thread of its own, as a server has it."""

    def __init__(self) -> None:
        self.left: list[tuple[int, Exception | None]] = []
        self.scheduler = MultiScheduler(
            LocalPool(2), lambda store, e: self.left.append((store.contest_id, e))
        )
        self.closing = threading.Event()
        self.thread = threading.Thread(target=self.scheduler.run, args=(self.closing.is_set,))

    def __enter__(self) -> Opened:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self.thread.join()


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.05)


def entered(
    database: object, folder: Path, name: str, bots: int = 5, **more: object
) -> ContestStore:
    path = write_contest(folder, BOUTS, pause=0.0)
    known = read_contest_settings(path)
    facts = {"name": f"{name} {os.getpid()} {id(folder)}", "game": "reversi", **more}
    settings = parse_contest_settings({**known.frozen_fields(), **facts}, name)
    store = ContestStore.create(database, settings, str(folder))  # type: ignore[arg-type]
    store.add_entrants(resolve_entrants(known.entrants[:bots], REVERSI, folder))
    return store


def test_contests_and_a_ladder_share_workers_and_a_database(address: str, tmp_path: Path) -> None:
    engine = connect(address)
    league = entered(engine, tmp_path / "league", "league")
    cup = entered(engine, tmp_path / "cup", "cup", format={"name": "knockout"})
    ladder = entered(engine, tmp_path / "ladder", "ladder", bots=3, format=LADDER)
    names = {each.name for each in list_contests(engine)}
    assert {store.settings().name for store in (league, cup, ladder)} <= names
    reader = LedgerReader(ladder)
    with Opened() as opened:
        for store in (league, cup, ladder):
            opened.scheduler.add_contest(store, create_source_loader(store))
        until(lambda: len(opened.left) == 2)
        assert opened.left.count((league.contest_id, None)) == 1
        assert opened.left.count((cup.contest_id, None)) == 1
        seen = len(reader.refresh().bouts)
        until(lambda: len(reader.refresh().bouts) > seen)
        late = resolve_entrants([BotEntry("greedy")], REVERSI, tmp_path)
        ladder.add_entrants(late)
        until(lambda: any("greedy" in f.names for f in reader.refresh().bouts.values()))
        with pytest.raises(LudusError, match="already being run"):
            opened.scheduler.add_contest(ladder, create_source_loader(ladder))
        opened.scheduler.remove_contest(ladder.contest_id)
        until(lambda: len(opened.left) == 3)
    assert load_ledger(league).is_over
    assert len(load_ledger(league).bouts) == BOUTS
    assert load_ledger(cup).standings().rows[0].note == "champion"
    assert reader.refresh().standings().names == load_ledger(ladder).standings().names
    assert len(load_ledger(ladder).standings().names) == 4
    engine.dispose()


def test_a_contest_among_many_starts_its_bots_seldom_and_one_alone_uses_all_workers(
    tmp_path: Path,
) -> None:
    match = {"bouts": 20}
    store = entered(str(tmp_path / "a.db"), tmp_path / "a", "a", bots=2, match=match)
    lone = scheduler.Scheduler(store, create_source_loader(store), LocalPool(16))
    lone.start()
    try:
        assert [len(batch.bouts) for batch in lone.available_batches()] == [2] * 10
        assert [len(batch.bouts) for batch in lone.available_batches(15)] == [4] * 5
    finally:
        lone.stop()


def test_workers_of_a_ladder_that_is_withdrawn_are_free_for_others(tmp_path: Path) -> None:
    """What they were playing ends, although nobody waits for it any more."""
    ladder = entered(str(tmp_path / "a.db"), tmp_path / "ladder", "ladder", format=LADDER)
    sound = entered(str(tmp_path / "b.db"), tmp_path / "sound", "sound")
    with Opened() as opened:
        opened.scheduler.add_contest(ladder, create_source_loader(ladder))
        until(lambda: opened.scheduler.pool.free_slots == 0)
        opened.scheduler.remove_contest(ladder.contest_id)
        until(lambda: opened.left == [(ladder.contest_id, None)])
        opened.scheduler.add_contest(sound, create_source_loader(sound))
        until(lambda: len(opened.left) == 2)
    assert load_ledger(sound).is_over


SLEEPER = """
import time

class Bot:
    def move(self, position, clock):
        time.sleep(1e6)
"""


@pytest.mark.parametrize("leave", ["withdrawn", "dropped"])
def test_a_bout_that_is_not_wanted_any_more_is_broken_off(tmp_path: Path, leave: str) -> None:
    """However long its bots may still sleep, its workers are free at once."""
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    facts = {"name": "sleep", "game": "reversi", "clock": {"budget": 3600}}
    store = ContestStore.create(
        str(tmp_path / "a.db"), parse_contest_settings(facts, "sleep"), str(tmp_path)
    )
    bots = (BotEntry("sleeper.py"), BotEntry("random"))
    store.add_entrants(resolve_entrants(bots, REVERSI, tmp_path))
    with Opened() as opened:
        opened.scheduler.add_contest(store, create_source_loader(store))
        until(lambda: opened.scheduler.pool.free_slots < opened.scheduler.pool.capacity)
        if leave == "withdrawn":
            opened.scheduler.remove_contest(store.contest_id)
        else:
            store.drop_entrant("sleeper", 1)
        until(lambda: opened.scheduler.pool.free_slots == opened.scheduler.pool.capacity)
        until(lambda: opened.left == [(store.contest_id, None)])


def test_a_contest_that_fails_leaves_and_the_others_go_on(tmp_path: Path) -> None:
    broken = entered(str(tmp_path / "broken.db"), tmp_path / "broken", "broken")
    sound = entered(str(tmp_path / "sound.db"), tmp_path / "sound", "sound")
    sources = create_source_loader(broken)
    gone = "bot2"

    def without_one() -> dict[str, object]:
        return {name: source for name, source in sources().items() if name != gone}

    with Opened() as opened:
        opened.scheduler.add_contest(broken, without_one)  # type: ignore[arg-type]
        opened.scheduler.add_contest(sound, create_source_loader(sound))
        until(lambda: len(opened.left) == 2)
    (why,) = [error for contest, error in opened.left if error is not None]
    assert isinstance(why, KeyError)
    assert load_ledger(sound).is_over


def test_a_hall_that_closes_leaves_its_contests_to_the_next(tmp_path: Path) -> None:
    store = entered(str(tmp_path / "night.db"), tmp_path / "night", "night", match={"bouts": 6})
    with Opened() as opened:
        opened.scheduler.add_contest(store, create_source_loader(store))
        until(lambda: len(store.load_bouts()) > 4)
    assert not load_ledger(store).is_over
    with Opened() as opened:
        opened.scheduler.add_contest(store, create_source_loader(store))
        until(lambda: opened.left != [])
    assert load_ledger(store).is_over
    noted = [(d["match"], d["number"]) for _, kind, d in store.load_journal() if kind == "bout"]
    assert len(noted) == len(set(noted)) == 60


def test_a_reader_sees_what_was_voided_and_who_came(tmp_path: Path) -> None:
    store = entered(str(tmp_path / "night.db"), tmp_path / "night", "night")
    reader = LedgerReader(store)
    assert reader.refresh().bouts == {}
    with Opened() as opened:
        opened.scheduler.add_contest(store, create_source_loader(store))
        until(lambda: opened.left != [])
    first, *_ = reader.refresh().bouts
    assert len(reader.refresh().bouts) == BOUTS
    store.void_bouts([first], "to be judged again")
    assert len(reader.refresh().bouts) == BOUTS - 1
    store.add_entrants(resolve_entrants([BotEntry("greedy")], REVERSI, tmp_path))
    assert reader.refresh().entrants[-1].name == "greedy"


def test_every_constraint_has_a_name_that_migrations_can_use() -> None:
    for table in Base.metadata.tables.values():
        for constraint in (*table.constraints, *table.indexes):
            assert constraint.name, f"{constraint} of {table.name}"
