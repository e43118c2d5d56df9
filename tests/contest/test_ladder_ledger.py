"""Ladders without end: what is kept of them, and what it costs to go on with a long one."""

from __future__ import annotations

import importlib
import random
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.contest.bout_facts import BoutFacts
from ludus.contest.formats import Ladder
from ludus.contest.ladder_ledger import LadderLedger
from ludus.contest.ladder_tallies import PairTally
from ludus.contest.ledger import Ledger
from ludus.contest.model import Entrant, Pairing
from ludus.contest.settings import ContestSettings
from ludus.scheduling.bout_store import PlayedBout
from ludus.scheduling.contest_store import ContestStore, EntrantProgram
from ludus.scheduling.database import connect
from ludus.scheduling.ledger_loading import LedgerReader, load_scheduler_ledger
from ludus.scheduling.schema.contests import LADDER
from ludus.server.contests.ladders import LadderRatingWriter, list_ladders, read_ladder
from tests.support.postgres import Server

NAMES = ("ada", "bob", "eve", "dan")
SETTINGS = ContestSettings(name="ladder", game="reversi", format=Ladder(rounds=0))


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[sql.Engine]:
    if request.param == "sqlite":
        yield connect(str(tmp_path / "ladder.db"))
        return
    server: Server = request.getfixturevalue("postgres")
    found = connect(server.url)
    empty(found)  # others leave their tables
    yield found
    empty(found)
    found.dispose()


def empty(engine: sql.Engine) -> None:
    with engine.begin() as connection:
        connection.execute(sql.text("DROP SCHEMA public CASCADE"))
        connection.execute(sql.text("CREATE SCHEMA public"))


def facts(names: tuple[str, ...], number: int, score: float, fault: bool = False) -> BoutFacts:
    return BoutFacts(
        number=number,
        seed=1,
        names=names,
        scores=(score, 1 - score),
        figures=(0.0, 0.0),
        cpu=(0.1, 0.1),
        wall=(0.1, 0.1),
        verdict="rules",
        reason={},
        faults=({"seat": 1, "kind": "crash", "why": {}},) if fault else (),
        hung=False,
        plies=10,
        began="2026-11-15T12:00:00",
    )


def entered(engine: sql.Engine, names: tuple[str, ...] = NAMES) -> ContestStore:
    store = ContestStore.create(engine, SETTINGS, kind=LADDER)
    store.add_entrants([EntrantProgram(Entrant(name), name, "") for name in names])
    return store


def brought(pairing: Pairing, chance: random.Random) -> list[PlayedBout]:
    """Both bouts of a match, with the earlier names the stronger ones."""
    found = []
    for number, names in enumerate((pairing.entrants, pairing.entrants[::-1])):
        better = names[0] < names[1]
        score = chance.choice([1.0, 1.0, 1.0, 0.5, 0.0] if better else [0.0, 0.0, 0.0, 0.5, 1.0])
        told = facts(names, number, score, fault=score == 1 and chance.random() < 0.3)
        found.append(PlayedBout(pairing, told, b""))
    return found


def play(
    store: ContestStore, ledger: LadderLedger, matches: int, seed: int = 1
) -> list[PlayedBout]:
    chance = random.Random(seed)
    found: list[PlayedBout] = []
    for _ in range(matches):
        both = brought(ledger.open_pairings()[0], chance)
        assert all(save(store, ledger, both))
        found += both
    return found


def save(store: ContestStore, ledger: LadderLedger, bouts: list[PlayedBout]) -> list[bool]:
    """Store bouts and count them, as a scheduler does; says which were new."""
    saved = store.save_bouts(bouts)
    ledger.add_tallies(saved.tallies)
    for each, new in zip(bouts, saved.new, strict=True):
        if new:
            ledger.add(each.pairing, each.facts)
    return saved.new


def list_tallies(store: ContestStore) -> list[PairTally]:
    return sorted(store.load_tallies().tallies, key=lambda tally: (tally.first, tally.second))


def ladder(store: ContestStore) -> LadderLedger:
    found = load_scheduler_ledger(store)
    assert isinstance(found, LadderLedger)
    return found


def test_tallies_say_the_same_as_all_bouts_together(engine: sql.Engine) -> None:
    store = entered(engine)
    told = ladder(store)
    played = play(store, told, 60)
    whole = Ledger(SETTINGS, told.entrants)
    for each in played:
        whole.add(each.pairing, each.facts)
    for ledger in (told, ladder(store)):
        theirs, ours = whole.ratings(("ada", 0.0)), ledger.ratings(("ada", 0.0))
        places = [ours.index(name) for name in theirs.names]
        assert np.allclose(np.array(ours.elo)[places], theirs.elo, atol=1e-3)
        assert np.allclose(np.array(ours.deviation)[places], theirs.deviation, atol=1e-3)
        assert ours.elo[ours.index("eve")] < 0
        for name, count in ledger.counts().items():
            mine = [f for f in whole.bouts.values() if name in f.names]
            won = sum(f.winner is not None and f.names[f.winner] == name for f in mine)
            faults = sum(f.names[fault["seat"]] == name for f in mine for fault in f.faults)
            assert (count.bouts, count.won, count.faults) == (len(mine), won, faults)
        assert not ledger.bouts and not ledger.results and not ledger.pairings


def test_a_ladder_that_was_stopped_goes_on_as_if_it_had_not_been(engine: sql.Engine) -> None:
    store = entered(engine)
    first = ladder(store)
    play(store, first, 25)
    half = brought(first.open_pairings()[0], random.Random(3))[0]
    save(store, first, [half])
    again = ladder(store)
    assert again.pairings == first.pairings == {half.pairing.id: half.pairing}
    assert next(again.playable_batches()).bouts == next(first.playable_batches()).bouts
    assert [bout.number for bout in next(again.playable_batches()).bouts] == [1]
    (other,) = [each for each in brought(half.pairing, random.Random(4)) if each.facts.number == 1]
    assert save(store, again, [other]) == [True] and save(store, again, [other]) == [False]
    assert not again.pairings and again.open_pairings()[0].id != half.pairing.id
    one, two = sorted(half.pairing.entrants)
    assert again._next_match_number(one, two) == again._history.latest_match[one, two] + 1


def test_a_voided_bout_is_counted_no_more(engine: sql.Engine) -> None:
    store = entered(engine)
    played = play(store, ladder(store), 10)
    gone = next(each for each in played if each.facts.faults)
    before = ladder(store).counts()[gone.facts.names[1]]
    assert store.void_bouts([(gone.pairing.id, gone.facts.number)], "by mistake") == 1
    after = ladder(store).counts()[gone.facts.names[1]]
    assert (after.bouts, after.faults) == (before.bouts - 1, before.faults - 1)
    assert gone.pairing.id in ladder(store).pairings, "it is to be played again"


def test_who_has_left_is_forgotten_with_those_who_left_too(engine: sql.Engine) -> None:
    store = entered(engine)
    play(store, ladder(store), 40)
    for name in ("ada", "bob"):
        store.drop_entrant(name, 1)
    left = ladder(store)
    assert left.counts().keys() == {"eve", "dan"}
    assert all({t.first, t.second} != {"ada", "bob"} for t in store.load_tallies().tallies)
    assert all(set(pairing.entrants) == {"eve", "dan"} for pairing in left.open_pairings())


# Copies


ChooseKey = Callable[[int, bool], tuple[str, str]]
"""The start and the moves of a bout, from the number of its match and whether its seats are in the
order of names."""


def play_programs(
    store: ContestStore, matches: int, choose_key: ChooseKey
) -> tuple[LadderLedger, Ledger]:
    """A ladder and a contest of the same bouts; how one goes decides its result."""
    here = ladder(store)
    whole = Ledger(SETTINGS, here.entrants)
    for match in range(matches):
        pairing = here.open_pairings()[0]
        for number, names in enumerate((pairing.entrants, pairing.entrants[::-1])):
            start, moves = choose_key(match, names[0] < names[1])
            start = "/".join((start, *names))
            score = random.Random(start + moves).choice([0.0, 0.5, 1.0])
            told = msgspec.structs.replace(
                facts(names, number, score), start_digest=start, moves_digest=moves
            )
            save(store, here, [PlayedBout(pairing, told, b"")])
            whole.add(pairing, told)
    return here, whole


def assert_same_ratings(one: Ledger, other: Ledger) -> None:
    ours, theirs = one.ratings(), other.ratings()
    places = [ours.index(name) for name in theirs.names]
    for found, expected in (
        (np.array(ours.elo)[places], theirs.elo),
        (np.array(ours.deviation)[places], theirs.deviation),
        (np.array(ours.bouts)[places], theirs.bouts),
        (ours.seat_deviation, theirs.seat_deviation),
    ):
        assert np.allclose(found, expected, atol=1e-3)
    assert [ours.interval(place) for place in places] == [
        pytest.approx(theirs.interval(place), abs=1e-3) for place in range(len(places))
    ]


KEYS: dict[str, ChooseKey] = {
    "copies": lambda match, ordered: ("start", "moves"),
    "copies, eight openings": lambda match, ordered: (f"opening {match % 8}", "moves"),
    "one seating repeats itself": lambda match, ordered: ("", "moves" if ordered else f"{match}"),
    "every bout differs": lambda match, ordered: ("start", f"{match}"),
}


@pytest.mark.parametrize("names", [NAMES, NAMES[:2]], ids=["four", "two"])
@pytest.mark.parametrize("key", KEYS)
def test_a_ladder_rates_its_bouts_as_any_contest_does(
    key: str, names: tuple[str, ...], tmp_path: Path
) -> None:
    store = entered(connect(str(tmp_path / "ladder.db")), names)
    here, whole = play_programs(store, 24, KEYS[key])
    assert_same_ratings(here, whole)
    assert_same_ratings(ladder(store), whole)
    copies = {name: count.copies for name, count in here.counts().items()}
    assert sum(copies.values()) == 2 * len(whole.find_copies())
    assert any(copies.values()) is (key != "every bout differs")
    assert sum(count.bouts for count in here.counts().values()) == 2 * len(whole.bouts)


def test_once_a_bout_goes_otherwise_all_that_follow_count(engine: sql.Engine) -> None:
    store = entered(engine, NAMES[:2])
    ways = ["a", "a", "a", "b", "a", "b"]
    here, _ = play_programs(store, 6, lambda match, _: ("start", ways[match]))
    assert [count.copies for count in here.counts().values()] == [2 * 2] * 2
    assert list(ladder(store).ratings().bouts) == [8, 8]


def test_if_a_bout_is_voided_one_of_its_copies_counts(engine: sql.Engine) -> None:
    store = entered(engine, NAMES[:2])
    here, whole = play_programs(store, 3, lambda *_: ("start", "moves"))
    before = here.ratings()
    (first, *_) = [match for match, number in whole.bouts if number == 0]
    store.void_bouts([(first, 0)], "by mistake")
    after = ladder(store)
    assert [count.bouts for count in after.counts().values()] == [5, 5]
    assert [count.copies for count in after.counts().values()] == [3, 3]
    assert sum(after._pairs.values()) == 0, "the two that count are of different matches"
    store.void_bouts([(first, 1)], "by mistake")
    assert list(ladder(store).ratings().bouts) == [2, 2]
    assert sum(ladder(store)._pairs.values()) == 1
    assert np.allclose(ladder(store).ratings().elo, before.elo)
    rest = [(match, number) for match, number in whole.bouts if match != first]
    store.void_bouts(rest, "all of them")
    assert list(ladder(store).ratings().bouts) == [0, 0]
    assert not any(ladder(store)._pairs.values())


def test_the_page_of_a_ladder_says_how_many_bouts_are_copies(tmp_path: Path) -> None:
    store = entered(connect(str(tmp_path / "ladder.db")), NAMES[:2])
    here, _ = play_programs(store, 5, lambda *_: ("start", "moves"))
    with Session(store.engine) as session:
        LadderRatingWriter(store.contest_id, "").write(session, here)
        info = read_ladder(session, "reversi")
    assert [(row.bouts, row.copies) for row in info.rows] == [(10, 8)] * 2
    assert info.copies is not None
    assert info.copies.en.startswith("8 of 10 bouts are copies and do not count in ratings")
    assert "openings" not in info.copies.en, "students cannot change them"
    assert "10 局中有 8 局" in info.copies.zh


def test_bots_without_bouts_stand_last_on_a_ladder_and_never_lead_it(tmp_path: Path) -> None:
    store = entered(connect(str(tmp_path / "ladder.db")), NAMES[:3])
    here = ladder(store)
    with Session(store.engine) as session:
        LadderRatingWriter(store.contest_id, "").write(session, here)
        (told,) = list_ladders(session)
    assert (told.bots, told.bouts, told.leader) == (3, 0, None)
    pairing = here.open_pairings()[0]
    for number, score in enumerate((1.0, 0.0)):
        told_of = facts(pairing.entrants[:: (-1) ** number], number, score)
        save(store, here, [PlayedBout(pairing, told_of, b"")])
    with Session(store.engine) as session:
        LadderRatingWriter(store.contest_id, "").write(session, here)
        rows = read_ladder(session, "reversi").rows
        (told,) = list_ladders(session)
    assert [row.bouts for row in rows] == [2, 2, 0]
    assert told.leader is not None and told.leader.place == 1
    assert (told.bots, told.leader.elo > rows[1].elo) == (3, True)


# Long ladders

MANY = tuple(f"bot{number:02d}" for number in range(20))
NUMBERS = (
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :many),"
    " one(m, a, b) AS (SELECT i, i % 20, (i % 20 + 1 + (i / 20) % 19) % 20 FROM n),"
    " named(m, x, y) AS (SELECT m, printf('bot%02d', min(a, b)), printf('bot%02d', max(a, b))"
    " FROM one)"
)
ID = "'ladder/' || x || '/' || y || '/' || (m + 1)"


def long_ladder(path: Path, bouts: int) -> ContestStore:
    """A ladder of twenty with so many bouts behind it, written by the database itself."""
    store = entered(connect(str(path)), MANY)
    matches = f"INSERT INTO matches {NUMBERS} SELECT 1, {ID}, json_array(x, y), 'league', 1, '{{}}'"
    with store.engine.begin() as connection:
        many = {"many": bouts // 2}
        connection.execute(sql.text(matches + " FROM named"), many)
        for number, seats in ((0, "x, y"), (1, "y, x")):
            connection.execute(
                sql.text(
                    "INSERT INTO bouts (contest_id, match_id, number, seed, names, scores, figures,"
                    " cpu, wall, verdict, reason, faults, hung, plies, began_at, void)"
                    f" {NUMBERS} SELECT 1, {ID}, {number}, m, json_array({seats}),"
                    " CASE WHEN (m * 7919) % 3 THEN '[1.0, 0.0]' ELSE '[0.0, 1.0]' END,"
                    " '[0,0]', '[0.1,0.1]', '[0.1,0.1]', 'rules', '{}', '[]', 0, 60, '2026', 0"
                    " FROM named"
                ),
                many,
            )
    migration = importlib.import_module("ludus.scheduling.migrations.versions.0003_tallies")
    with store.engine.begin() as connection:
        migration.fill(connection, store.contest_id)
    return store


def cost(store: ContestStore) -> tuple[float, int]:
    """CPU seconds and bytes of memory that it takes to go on with a ladder."""
    spent = []
    for _ in range(3):
        began = time.process_time()
        assert ladder(ContestStore(store.engine, store.contest_id)).open_pairings()
        spent.append(time.process_time() - began)
    tracemalloc.start()
    kept = ladder(store)
    kept.open_pairings()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return min(spent), peak


def test_eight_times_as_many_bouts_cost_hardly_more(tmp_path: Path) -> None:
    short, long = long_ladder(tmp_path / "a.db", 2_000), long_ladder(tmp_path / "b.db", 16_000)
    assert sum(tally.bouts for tally in long.load_tallies().tallies) == 16_000
    (quick, small), (slow, large) = cost(short), cost(long)
    assert large < 2 * small, "memory"
    assert slow < 4 * quick, "time"


def test_what_a_migration_counts_is_what_was_played(tmp_path: Path) -> None:
    store = entered(connect(str(tmp_path / "c.db")))
    play(store, ladder(store), 30)
    counted = list_tallies(store)
    migration = importlib.import_module("ludus.scheduling.migrations.versions.0003_tallies")
    with store.engine.begin() as connection:
        migration.fill(connection, store.contest_id)
    assert list_tallies(store) == counted
    assert len(LedgerReader(store).refresh().bouts) == 60
