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


def test_the_same_on_a_cluster_that_loses_a_worker(tmp_path: Path, calm: Calm) -> None:
    rough = write_contest(tmp_path / "rough", BOUTS, pause=SLOW)
    with cluster(2) as made:
        where = made.options
        assert disturb(rough, 1, random.Random(7), *where, workers_of=made.workers)[0] == 1
        victim = made.workers()[0]
        finish(rough, *where, meanwhile=lambda: os.kill(victim, signal.SIGKILL))
        assert victim not in made.workers()
    assert outcome(rough) == calm("round-robin")
