"""A contest in its database: SQLite and PostgreSQL alike."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from ludus.contest.model import Entrant
from ludus.contest.settings import ContestSettings
from ludus.errors import LudusError
from ludus.scheduling.bout_store import PlayedBout
from ludus.scheduling.contest_store import ContestStore, EntrantProgram
from tests.support.postgres import Server
from tests.support.stored_bouts import PAIRING, SETTINGS, brought, facts


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "contest.db")
    server: Server = request.getfixturevalue("postgres")
    return server.url


@pytest.fixture
def store(address: str, request: pytest.FixtureRequest) -> ContestStore:
    name = f"{request.node.name} {uuid4().hex[:12]}".replace("/", " ")[-50:].strip()
    made = ContestStore.create(address, ContestSettings(name=name, game="reversi", seed=3))
    made.add_entrants([EntrantProgram(Entrant("ada", seed=2), "ada.py", "a" * 64)])
    made.add_entrants([EntrantProgram(Entrant("bob", group="N", joined=4), "cmd:bob", "b" * 64)])
    return made


def test_what_is_brought_is_found_again(store: ContestStore, address: str) -> None:
    assert store.save_bouts([brought(0), brought(1, 0.5)]).new == [True, True]
    again = ContestStore.open(address, store.settings().name)
    assert again is not None
    assert again.load_bouts() == [(PAIRING, facts(0)), (PAIRING, facts(1, 0.5))]
    assert again.load_bouts()[0][0].title == PAIRING.title
    assert list(again.iterate_records()) == [
        (PAIRING.id, 0, b"record 0"),
        (PAIRING.id, 1, b"record 1"),
    ]
    assert [t.entrant for t in again.load_entrants()] == [
        Entrant("ada", seed=2),
        Entrant("bob", group="N", joined=4),
    ]


def test_a_bout_counts_once(store: ContestStore) -> None:
    assert store.save_bouts([brought(0)]).new == [True]
    assert store.save_bouts([brought(0, 0.0), brought(1)]).new == [False, True]
    assert [f.scores for _, f in store.load_bouts()] == [(1.0, 0.0), (1.0, 0.0)]
    assert sum(kind == "bout" for _, kind, _ in store.load_journal()) == 2


def test_bouts_are_stored_together_or_not_at_all(store: ContestStore) -> None:
    broken = PlayedBout(PAIRING, facts(1), None)  # type: ignore[arg-type]
    with pytest.raises(LudusError, match="cannot be used now"):
        store.save_bouts([brought(0), broken])
    assert store.load_bouts() == []
    assert list(store.iterate_records()) == []
    assert not any(kind == "bout" for _, kind, _ in store.load_journal())


def test_a_voided_bout_stays_but_does_not_count_and_may_be_brought_anew(
    store: ContestStore,
) -> None:
    store.save_bouts([brought(0), brought(1)])
    before = store.changes()
    assert store.void_bouts([(PAIRING.id, 0), (PAIRING.id, 7)], "a bug") == 1
    assert store.changes() == before + 1
    assert [f.number for _, f in store.load_bouts()] == [1]
    assert store.save_bouts([brought(0, 0.0)]).new == [True]
    assert store.void_bouts([(PAIRING.id, 0)], "again") == 1
    assert store.save_bouts([brought(0, 0.5)]).new == [True]
    assert sorted(f.scores for _, f in store.load_bouts()) == [(0.5, 0.5), (1.0, 0.0)]


def test_entrants_leave_and_are_renewed_and_the_journal_tells(store: ContestStore) -> None:
    store.drop_entrant("ada", 3)
    store.update_digest("bob", "c" * 64)
    ada, bob = store.load_entrants()
    assert (ada.entrant.dropped, ada.entrant.left) == (True, 3)
    assert bob.digest == "c" * 64
    kinds = [kind for _, kind, _ in store.load_journal()]
    assert kinds == ["created", "entered", "entered", "dropped", "renewed"]
    with pytest.raises(LudusError, match="no entrant 'eve'"):
        store.drop_entrant("eve", 1)


def test_contests_of_one_database_do_not_mix(store: ContestStore, address: str) -> None:
    other = ContestStore.create(
        address, ContestSettings(name=f"other {uuid4().hex[:12]}", game="eraser")
    )
    store.save_bouts([brought(0)])
    assert other.load_bouts() == []
    assert other.save_bouts([brought(0)]).new == [True]
    with pytest.raises(LudusError, match="already exists"):
        ContestStore.create(address, store.settings())


def test_no_contest_is_none(tmp_path: Path) -> None:
    assert ContestStore.open(str(tmp_path / "none.db")) is None
    assert not (tmp_path / "none.db").exists()
    ContestStore.create(str(tmp_path / "some.db"), SETTINGS)
    assert ContestStore.open(str(tmp_path / "some.db"), "another") is None


def test_an_address_of_nothing_is_explained(tmp_path: Path) -> None:
    with pytest.raises(LudusError, match="not a database that Ludus can use"):
        ContestStore.create("oracle://here/there", SETTINGS)
    with pytest.raises(LudusError, match="cannot be used now"):
        ContestStore.create(str(tmp_path / "no" / "such" / "folder.db"), SETTINGS)
    with pytest.raises(LudusError) as caught:
        ContestStore.create("nonsense://me:secret@here/there", SETTINGS)
    assert "secret" not in str(caught.value)
