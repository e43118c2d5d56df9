"""A site whose bouts are played by a cluster."""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sql
from websockets.sync.client import ClientConnection

from ludus.scheduling.schema import BoutRow
from ludus.server.state import ServerSettings
from tests.support.accounts import GOOD, Person, good_bot, register
from tests.support.contest_faults import LocalCluster, cluster
from tests.support.extras import need_extra
from tests.support.site import Site, hear, served, wait_for

need_extra("cluster", "distributed")

SLOW = GOOD.replace(
    b'print("thinking aloud")', b"import time; time.sleep(0.3 if position.size == 4 else 0)"
)
"""On the board of the challenge, not when it is checked."""
BOUTS = 4


@pytest.fixture
def workers(home: Path) -> Iterator[LocalCluster]:
    with cluster(1) as made:
        yield made


@pytest.fixture
def far(home: Path, workers: LocalCluster) -> Iterator[Site]:
    with served(home, ServerSettings(demo=False, jobs=1, cluster=workers.cluster)) as site:
        yield site


def counted(site: Site) -> list[tuple[str, int]]:
    with site.state.site.database.reading() as session:
        query = sql.select(BoutRow.match_id, BoutRow.number).where(sql.not_(BoutRow.void))
        return sorted((match, number) for match, number in session.execute(query))


def test_a_cluster_is_watched_and_a_killed_worker_of_it_costs_a_bout_played_again(
    far: Site, workers: LocalCluster
) -> None:
    olga = register(far, "Olga")
    bot = good_bot(olga, code=SLOW)
    asked = {"game": "reversi", "bots": [bot["id"], "greedy"], "bouts": BOUTS}
    made = olga.post("/api/challenges", {**asked, "options": {"size": 4}, "openings": "none"})
    path = f"/api/challenges/{made['id']}"
    wait_for(lambda: busy(olga), 60)
    before = workers.workers()
    with watching(far) as socket:
        assert not list((far.home / "live").glob("*.jsonl")), "moves come without a shared folder"
        with contextlib.suppress(ProcessLookupError):
            os.kill(before[0], signal.SIGKILL)
        assert hear(socket, timeout=60)["type"] in ("step", "restart", "end")
    wait_for(lambda: olga.get(path)["state"] == "over", 120)
    assert olga.get(path)["played"] == BOUTS
    assert [number for _, number in counted(far)] == list(range(BOUTS))
    assert before[0] not in workers.workers()
    said = olga.get(f"/api/bouts/{olga.get(path)['bouts'][0]['id']}")["output"]
    assert len(said) == 1, "what a bot prints comes back from the cluster, for its owner"


@contextlib.contextmanager
def watching(site: Site) -> Iterator[ClientConnection]:
    """A film's socket after the first move that was seen as it was played.

    On a busy machine a bout may be over before its socket is open, hence the next one.
    """
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for live in site.get("/api/live"):
            with site.socket(f"/ws/film/{live['id']}") as socket:
                film = hear(socket, "film")["film"]
                if film.get("end") is None and hear(socket)["type"] == "step":
                    yield socket
                    return
        time.sleep(0.02)
    pytest.fail("no bout was seen as it was played")


def busy(olga: Person) -> bool:
    """Whether bouts are with the cluster now."""
    return bool(olga.get("/api/admin")["workers"].get("busy"))
