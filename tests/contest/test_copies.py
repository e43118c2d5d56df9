"""Copies of bouts in a contest: matches count as played, ratings do not."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable

import msgspec
import pytest

from ludus.contest.bout_facts import BoutFacts, extract_facts
from ludus.contest.ledger import Ledger
from ludus.contest.model import Entrant
from ludus.contest.report import texts
from ludus.contest.report.data import build_report_data
from ludus.contest.settings import ContestSettings
from ludus.games import get
from ludus.scheduling.contest_store import ContestStore
from ludus.server.contests.contest_results import describe_tables
from tests.support.bouts import bout
from tests.support.stored_bouts import SETTINGS, brought, facts

Rename = Callable[[BoutFacts, int], BoutFacts]


def repeat(told: BoutFacts, number: int) -> BoutFacts:
    """Every match of two goes alike: the first seat wins."""
    return msgspec.structs.replace(told, start_digest="/".join(told.names), moves_digest="m")


def vary(told: BoutFacts, number: int) -> BoutFacts:
    return msgspec.structs.replace(
        told, start_digest="/".join(told.names), moves_digest=str(number)
    )


def play(names: Iterable[str], key: Rename, bouts: int = 10) -> Ledger:
    settings = msgspec.structs.replace(SETTINGS, match=SETTINGS.match.__class__(bouts=bouts))
    ledger = Ledger(settings, [Entrant(name) for name in names])
    while not ledger.is_over:
        pairing = ledger.open_pairings()[0]
        for number in range(bouts):
            one, other = pairing.entrants[:: 1 if number % 2 == 0 else -1]
            told = facts(number, float(one < other or number % 3 == 0))
            told = msgspec.structs.replace(told, names=(one, other), seed=number // 2, faults=())
            ledger.add(pairing, key(told, number))
    return ledger


def test_ratings_leave_copies_out_but_standings_count_what_was_played() -> None:
    names = ("ada", "bob", "cleo")
    copied, varied = play(names, repeat), play(names, vary)
    assert copied.standings() == varied.standings()
    assert len(copied.find_copies()) == 3 * 8 and not varied.find_copies()
    assert list(copied.ratings().bouts) == [4, 4, 4]
    assert list(varied.ratings().bouts) == [20, 20, 20]
    errors = zip(copied.ratings().deviation, varied.ratings().deviation, strict=True)
    assert all(few > 1.5 * many for few, many in errors)


def test_every_report_says_so() -> None:
    ledger = play(("ada", "bob"), repeat)
    data = build_report_data(ledger)
    said = "8 of 10 bouts are copies and do not count in ratings: some bots are deterministic;"
    assert data["copies"] == 8 and said in data["copies_note"]["en"]
    assert [each["copy"] for each in data["bouts"]] == [False] * 2 + [True] * 8
    rows = list(csv.DictReader(io.StringIO(texts.format_bouts_csv(data).lstrip("\ufeff"))))
    assert [row["copy"] for row in rows] == ["0"] * 2 + ["1"] * 8
    assert said in texts.format_markdown(data, "en")
    assert "10 局中有 8 局与其他局完全相同，不计入等级分" in texts.format_markdown(data, "zh")
    note = describe_tables(ledger, {}).copies
    assert note is not None and said in note["en"]


def test_without_copies_nothing_is_said() -> None:
    ledger = play(("ada", "bob"), vary)
    assert build_report_data(ledger)["copies_note"] is None
    assert describe_tables(ledger, {}).copies is None


def test_a_contest_of_a_game_that_is_gone_still_says_so() -> None:
    ledger = play(("ada", "bob"), repeat)
    ledger.settings = ContestSettings(name="night", game="gone")
    assert ledger.describe_copies() is not None


@pytest.mark.parametrize("names", [("x", "y"), ("y", "x")])
def test_the_facts_of_a_record_have_its_key_among_the_entrants(names: tuple[str, str]) -> None:
    record = bout(bots=("greedy", "random"))
    told = extract_facts(get("reversi"), record, 0, names)
    again = extract_facts(get("reversi"), record, 2, names)
    swapped = extract_facts(get("reversi"), record, 1, names[::-1])
    assert told.key == again.key and told.key.start != swapped.key.start
    assert len(told.start_digest) == len(told.moves_digest) == 32


def test_a_stored_bout_keeps_its_key(tmp_path: object) -> None:
    store = ContestStore.create(f"{tmp_path}/contest.db", SETTINGS)
    one = brought(0)
    keyed = msgspec.structs.replace(one.facts, start_digest="s" * 32, moves_digest="m" * 32)
    store.save_bouts([type(one)(one.pairing, keyed, one.record), brought(1)])
    (_, first), (_, second) = store.load_bouts()
    assert first == keyed and second.key == ("", "")
