"""Analyses on a server: made in the background, for those who may see the bout, within a quota."""

import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ludus.analysis.job import QUICK_CPU_S
from ludus.match.record import Record, compute_checksum, save
from ludus.server.state import ServerSettings
from ludus.server.web.traffic_limits import TrafficLimits
from tests.support.bouts import fixed_bout
from tests.support.site import Site, wait_for


@pytest.fixture
def settings() -> ServerSettings:
    limits = TrafficLimits(new_analyses_per_guest=1, new_analyses_per_account=1, staff_factor=2)
    return ServerSettings(demo=False, limits=limits)


@pytest.fixture
def record() -> Record:
    return fixed_bout()


def store(site: Site, record: Record, name: str) -> str:
    site.state.analysis.bouts.seconds = 0.3
    save(record, site.home / "records" / f"{name}.ludus")
    return f"/api/films/{name}/analysis"


def wait_for_end(site: Site, path: str) -> dict[str, Any]:
    for _ in range(600):
        found: dict[str, Any] = site.get(path)
        if found["state"] not in ("waiting", "running"):
            return found
        time.sleep(0.1)
    raise AssertionError(f"still {found['state']}")


def kept_files(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "analyses").glob("*"))


def test_a_bout_is_analysed_in_the_background_and_the_result_is_kept(
    site: Site, record: Record
) -> None:
    path = store(site, record, "one")
    assert site.get(path)["state"] == "none"
    started = site.ask(path, {})
    assert started.status == 202 and started.json["state"] in ("waiting", "running")
    found = wait_for_end(site, path)
    assert found["state"] == "complete" and found["error"] is None
    assert found["analysis"]["complete"] and found["analysis"]["moves"]
    assert kept_files(site.home) == [f"{compute_checksum(record)}.analysis"]


def test_first_results_do_not_wait_until_another_bout_is_judged_thoroughly(
    site: Site, record: Record
) -> None:
    first = store(site, record, "one")
    second = store(site, msgspec.structs.replace(record, seed=4).with_checksum(), "two")
    site.state.analysis.bouts.seconds = 60.0
    for path in (first, second):
        site.ask(path, {})
        found = site.get(path)
        while found["analysis"] is None or found["analysis"]["budget"]["seconds"] < QUICK_CPU_S:
            assert found["state"] in ("waiting", "running")
            found = site.get(f"{path}?after={found['number']}")
    assert site.get(first)["state"] == "running", "the same person's other bout"


def test_a_program_is_ready_before_a_bout_is_to_be_judged(site: Site, record: Record) -> None:
    path = store(site, record, "one")
    programs = site.state.analysis.programs
    assert not programs.is_ready
    site.get(path)
    assert programs.is_ready
    site.ask(path, {})
    assert wait_for_end(site, path)["state"] == "complete"
    wait_for(lambda: programs.is_ready)


def test_what_is_known_costs_nothing_and_the_rest_is_limited(site: Site, record: Record) -> None:
    first = store(site, record, "one")
    other = msgspec.structs.replace(record, seed=4).with_checksum()
    third = msgspec.structs.replace(record, seed=5).with_checksum()
    assert site.ask(first, {}).status == 202
    for _ in range(5):
        assert site.ask(first, {}).status == 202
    assert site.ask(store(site, other, "two"), {}).status == 202
    refused = site.ask(store(site, third, "three"), {})
    assert refused.status == 429
    assert "quota of analyses is used up (2 per hour)" in refused.json["error"]["en"]


def test_a_copied_seal_does_not_bring_the_analysis_of_another_bout(
    site: Site, record: Record
) -> None:
    first = store(site, record, "one")
    site.ask(first, {})
    wait_for_end(site, first)
    forged = fixed_bout("reversi", ("random", "greedy"))
    forged = msgspec.structs.replace(forged, seal=record.seal)
    assert site.get(store(site, forged, "forged"))["state"] == "none"


def test_a_bout_that_cannot_be_judged_says_why(site: Site, record: Record) -> None:
    old = msgspec.structs.replace(record, version=99).with_checksum()
    path = store(site, old, "old")
    site.ask(path, {})
    found = wait_for_end(site, path)
    assert found["state"] == "failed" and "rules version 99" in found["error"]["en"]
    assert "第 99 版" in found["error"]["zh"]


def test_a_bout_that_nobody_may_see_has_no_analysis(site: Site) -> None:
    for path in ("/api/films/nothing/analysis", "/api/films/bout-1/analysis"):
        assert site.ask(path).status == 404
        assert site.ask(path, {}).status == 404
