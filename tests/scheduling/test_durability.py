"""Contests that are killed, again and again, end as if nothing had happened."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.cli.main import run
from ludus.contest.model import StandingsRow
from ludus.scheduling import contest_rows
from ludus.scheduling.contest_loading import ContestFile, load_ledger
from ludus.scheduling.schema import EntrantRow
from ludus.scheduling.schema.contests import DISQUALIFIED
from tests.support.contest_faults import (
    cluster,
    disturb,
    finish,
    finish_here,
    outcome,
    write_contest,
)
from tests.support.databases import emptied

BOUTS = 20
"""bench/durability.py does 200 bouts and 20 kills; every kill costs three new processes."""
SLOW = 0.05
"""Seconds for a move, so that no contest is over before it is killed."""

Calm = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Calm:
    """What becomes of a contest that nobody disturbs."""

    @cache
    def played(form: str) -> list[tuple[Any, ...]]:
        path = write_contest(tmp_path_factory.mktemp("calm"), BOUTS, form=form, pause=0.0)
        finish_here(path)
        return outcome(path)

    return played


@pytest.mark.parametrize(
    ("form", "kind", "kills"), [("round-robin", "sqlite", 2), ("swiss", "postgresql", 1)]
)
def test_a_killed_scheduler_and_killed_workers_change_nothing(
    tmp_path: Path, request: pytest.FixtureRequest, calm: Calm, form: str, kind: str, kills: int
) -> None:
    url = emptied(request.getfixturevalue("postgres").url) if kind == "postgresql" else ""
    rough = write_contest(tmp_path / "rough", BOUTS, form=form, database=url, pause=0.0)
    killed = disturb(rough, kills, random.Random(5), "--jobs", "2", pause=SLOW)
    assert killed[0] == kills and killed[1] >= 1
    finish_here(rough)
    assert outcome(rough) == calm(form)


def disqualify_and_rejudge(path: Path, *, out: str, again: str) -> None:
    """As the staff of a server may do it in a contest that is over."""
    store = ContestFile(path).open_store()
    assert store is not None
    ledger = load_ledger(store)
    assert ledger.is_over
    with Session(store.engine) as session, session.begin():
        query = sql.select(EntrantRow).where(EntrantRow.name == out)
        entrant = session.scalars(query).one()
        contest_rows.drop_entrant(session, entrant, ledger.round() + 1, DISQUALIFIED, "copied")
    store.close()
    assert run(["contest", "rejudge", "--contest", str(path), "--bot", again]) == 0


def standings(path: Path) -> list[StandingsRow]:
    store = ContestFile(path).open_store()
    assert store is not None
    ledger = load_ledger(store)
    assert ledger.is_over
    store.close()
    return list(ledger.standings().rows)


@pytest.mark.parametrize("form", ["round-robin", "swiss", "knockout"])
def test_rejudging_after_a_disqualification_counts_the_same_bouts_for_all_despite_a_kill(
    tmp_path: Path, form: str
) -> None:
    """The bots always answer the same, so that playing again changes nothing."""
    path = write_contest(tmp_path / "rough", BOUTS, form=form, pause=0.0)
    finish_here(path)
    out = standings(path)[0].name
    again = "bot1" if out != "bot1" else "bot2"
    disqualify_and_rejudge(path, out=out, again=again)
    assert disturb(path, 1, random.Random(3), "--jobs", "2", pause=SLOW)[0] == 1
    finish_here(path)
    rows = standings(path)
    assert (rows[-1].name, rows[-1].note, rows[-1].bouts) == (out, "disqualified", 0)
    if form == "round-robin":
        assert len({row.bouts for row in rows[:-1]}) == 1
    calm = write_contest(tmp_path / "calm", BOUTS, form=form, pause=0.0)
    finish_here(calm)
    disqualify_and_rejudge(calm, out=out, again=again)
    finish_here(calm)
    assert standings(calm) == rows


def test_the_same_on_a_cluster_that_loses_a_worker(tmp_path: Path, calm: Calm) -> None:
    rough = write_contest(tmp_path / "rough", BOUTS, pause=SLOW)
    with cluster(2) as made:
        where = made.options
        assert disturb(rough, 1, random.Random(7), *where, workers_of=made.workers)[0] == 1
        victim = made.workers()[0]
        finish(rough, *where, meanwhile=lambda: os.kill(victim, signal.SIGKILL))
        assert victim not in made.workers()
    assert outcome(rough) == calm("round-robin")
