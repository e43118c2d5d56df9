"""A club is taken away while it plays, and goes on elsewhere."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sql

from ludus.arena.club import backup
from ludus.arena.services import Settings
from ludus.contest.schema import TallyRow
from tests.support.accounts import log_in, register, upload
from tests.support.arena_faults import Acknowledged, examine
from tests.support.arena_process import stored
from tests.support.databases import emptied
from tests.support.site import Site, served, wait_for

LADDER = {
    "ladder_house": {"reversi": ["random"]},
    "ladder_options": {"reversi": {"size": 4}},
    "ladder_enough": 0,
}


def played(site: Site) -> int:
    place: Any = SimpleNamespace(database=site.arena.club.database.address)
    return stored(place)


def more(site: Site) -> Callable[[], bool]:
    before = played(site)
    return lambda: played(site) >= before + 2


def tallied(site: Site) -> int:
    """Bouts that the ladder has counted."""
    with site.arena.club.database.reading() as session:
        total = sql.func.sum(TallyRow.won + TallyRow.drawn + TallyRow.lost)
        return int(session.scalar(sql.select(total)) or 0)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_backup_made_while_the_ladder_plays_goes_on_elsewhere(
    home: Path,
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    url = emptied(request.getfixturevalue("postgres").url) if kind == "postgresql" else ""
    settings = Settings(demo=False, jobs=1, database=url)
    with served(home, settings) as site:
        olga = register(site, "Olga")
        olga.post("/api/desk/settings", LADDER, "PATCH")
        upload(olga, enter="1")
        wait_for(more(site), 90)
        counts = backup.write(site.arena.club.database, tmp_path / "club.zip")
        wait_for(more(site), 60)
    assert counts["bouts"] >= 2 and counts["tallies"] >= 1
    if url:
        emptied(url)
    elsewhere = tmp_path / "elsewhere"
    monkeypatch.setenv("LUDUS_HOME", str(elsewhere))
    backup.restore(tmp_path / "club.zip", url or str(elsewhere / "arena.db"))
    with served(elsewhere, settings) as site:
        assert played(site) >= counts["bouts"]
        assert log_in(site, "Olga").user["role"] == "organiser"
        wait_for(more(site), 90)
    place: Any = SimpleNamespace(database=site.arena.club.database.address)
    assert examine(place, Acknowledged()) == tallied(site), "every bout was counted once"
    site.arena.club.close()
    if url:
        emptied(url)
