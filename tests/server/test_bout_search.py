"""One search over all bouts of a server: what it finds, and for whom."""

import itertools
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.scheduling.bout_store import BoutStore
from ludus.scheduling.migrate import open_database
from ludus.scheduling.schema import (
    BotRow,
    BoutRow,
    ContestRow,
    EntrantRow,
    GroupRow,
    SeatRow,
    UserRow,
    VersionRow,
)
from ludus.scheduling.schema.contests import LADDER, LOCAL, STATES
from ludus.server.accounts.identity import ANONYMOUS, Identity
from ludus.server.contests import contest_access
from ludus.server.records.bout_filters import BoutFilters
from ludus.server.records.bout_search import search_bouts
from ludus.server.records.played_bouts import is_visible
from ludus.timestamps import format_utc
from tests.support.accounts import Person
from tests.support.databases import emptied
from tests.support.large_club import END, LargeClub, Size
from tests.support.postgres import Server
from tests.support.site import Site

SIZE = Size(people=12, bots=20, contests=8, challenges=6, tests=6, bouts=400)
ORGANISER = Identity(id=1, name="student000", role="organiser")
VIEWERS = {
    "guest": ANONYMOUS,
    "student": Identity(id=4, name="student003", role="student", groups=frozenset({1})),
    "teacher": Identity(
        id=3,
        name="student002",
        role="teacher",
        groups=frozenset({1}),
        teaching=frozenset({1}),
        assisting=frozenset({1}),
    ),
    "organiser": ORGANISER,
}


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[sql.Engine]:
    if request.param == "sqlite":
        address = str(tmp_path_factory.mktemp("club") / "site.db")
    else:
        server: Server = request.getfixturevalue("postgres")
        address = emptied(server.url)
    made = open_database(address)
    with made.begin() as connection:
        LargeClub(SIZE, seed=3).fill(connection)
        connection.execute(sql.update(ContestRow).where(ContestRow.id == 7).values(name="Mai_Cup"))
    yield made
    made.dispose()
    if request.param == "postgres":
        emptied(address)  # its rows have numbers that PostgreSQL did not give


@pytest.fixture
def session(engine: sql.Engine) -> Iterator[Session]:
    with Session(engine) as opened:
        yield opened


def all_pages(session: Session, viewer: Identity, limit: int = 100, **wanted: Any) -> list[int]:
    """The ids of all bouts that a search finds, page by page."""
    found: list[int] = []
    before = None
    while True:
        page = search_bouts(session, viewer, BoutFilters(**wanted), before, limit)
        found += [bout.id for bout in page.items]
        if before is None:
            assert page.count is not None and not page.more_than_count
            count = page.count
        if page.next is None:
            assert len(found) == count
            return found
        before = page.next


class Books:
    """All that a search may find, read row by row."""

    def __init__(self, session: Session) -> None:
        self.bots = {bot.id: bot for bot in session.scalars(sql.select(BotRow))}
        self.users = {user.id: user for user in session.scalars(sql.select(UserRow))}
        self.versions = {each.id: each for each in session.scalars(sql.select(VersionRow))}
        self.cast = {
            (each.contest_id, each.name): each for each in session.scalars(sql.select(EntrantRow))
        }
        query = sql.select(BoutRow, ContestRow).join(
            ContestRow, ContestRow.id == BoutRow.contest_id
        )
        self.bouts = [(b, c) for b, c in session.execute(query.order_by(BoutRow.id.desc()))]

    def is_called(self, contest: int, name: str, word: str) -> bool:
        entrant = self.cast[contest, name]
        if word.startswith('"'):
            return name == word.strip('"')
        if entrant.bot_id is None:
            return name.startswith(word)
        bot = self.bots[entrant.bot_id]
        owner = self.users[bot.user_id or 0]
        if "#" in word:
            word, number = word.split(" #")
            if self.versions[entrant.version_id or 0].number != int(number):
                return False
        if word.startswith("@"):
            return owner.name.startswith(word[1:])
        return any(
            re.search(rf"(^| ){re.escape(word)}", each.lower())
            for each in (bot.name, owner.name, owner.display_name)
        )

    def find(self, viewer: Identity, **wanted: Any) -> list[int]:
        """What a search should find."""
        return [
            bout.id
            for bout, contest in self.bouts
            if not bout.void and is_visible(bout, contest, viewer)
            if self.fits(bout, contest, BoutFilters(**wanted))
        ]

    def fits(self, bout: BoutRow, contest: ContestRow, filters: BoutFilters) -> bool:
        if filters.game and contest.game != filters.game:
            return False
        if filters.contest is not None and contest.id != filters.contest:
            return False
        if filters.title and not contest.name.lower().startswith(filters.title):
            return False
        return any(self.fits_seat(bout, contest, seat, filters) for seat in (0, 1))

    def fits_seat(
        self, bout: BoutRow, contest: ContestRow, seat: int, filters: BoutFilters
    ) -> bool:
        player, opponent = filters.player, filters.opponent
        if not player:
            player, opponent = opponent, ""
        fault = next((each["kind"] for each in bout.faults if each["seat"] == seat), "")
        mine, theirs = bout.scores[seat], bout.scores[1 - seat]
        result = "drawn" if mine == theirs else "won" if mine > theirs else "lost"
        wanted = filters.result
        if wanted == "decided" or (not player and wanted in ("won", "lost")):
            wanted = "" if result != "drawn" else "never"
        return (
            (not player or self.is_called(contest.id, bout.names[seat], player))
            and (not opponent or self.is_called(contest.id, bout.names[1 - seat], opponent))
            and filters.seat in (None, seat)
            and (not wanted or result == wanted)
            and (not filters.fault or (fault != "" and filters.fault in ("any", fault)))
        )


WORDS = ("zealot", "zealot-006", "@student00", "student 1", "greedy", "minimax-001 #2", '"random"')


@pytest.mark.parametrize("viewer", list(VIEWERS))
def test_a_search_finds_exactly_the_bouts_that_fit_and_may_be_seen(
    session: Session, viewer: str
) -> None:
    books, identity = Books(session), VIEWERS[viewer]
    asked: list[dict[str, Any]] = [{}, {"game": "reversi"}, {"title": "mai_c"}, {"contest": 8}]
    asked += [{"player": word} for word in WORDS]
    asked += [
        {"player": one, "opponent": two}
        for place, one in enumerate(WORDS)
        for two in (WORDS[place - 1], WORDS[place - 4])
    ]
    asked += [
        {"result": "won", "player": "zealot"},
        {"result": "lost", "player": "zealot", "seat": 1},
        {"result": "drawn"},
        {"result": "won"},
        {"result": "decided", "contest": 1},
        {"fault": "any"},
        {"fault": "timeout", "player": "student"},
        {"fault": "timeout", "opponent": "zealot"},
        {"opponent": "greedy", "player": "zealot", "result": "lost", "game": "reversi"},
        {"player": "xyzzy"},
        {"player": "xyzzy #2"},
        {"player": "%"},
        {"player": "greedy", "title": "xyzzy"},
    ]
    found = {str(wanted): all_pages(session, identity, **wanted) for wanted in asked}
    assert found == {str(wanted): books.find(identity, **wanted) for wanted in asked}
    assert sum(map(bool, found.values())) > len(asked) / 2


@pytest.mark.parametrize("word", ["One move", "贪心", '"One move ahead"', '"贪心"'])
def test_a_built_in_bot_is_found_by_what_people_call_it(session: Session, word: str) -> None:
    found = all_pages(session, ORGANISER, player=word)
    assert found and found == all_pages(session, ORGANISER, player='"greedy"')


def test_dates_and_versions_narrow_a_search(session: Session) -> None:
    middle = int((END - timedelta(minutes=200)).timestamp())
    before = all_pages(session, ORGANISER, until=middle)
    after = all_pages(session, ORGANISER, since=middle)
    assert before and after and after[-1] > before[0]
    assert after + before == all_pages(session, ORGANISER)
    of_all = [all_pages(session, ORGANISER, player="zealot", version=n) for n in range(1, 5)]
    named = [all_pages(session, ORGANISER, player=f"zealot #{n}") for n in range(1, 5)]
    assert of_all == named and any(named)


def test_the_condition_for_queries_is_the_rule_of_contests(session: Session) -> None:
    contests = list(session.scalars(sql.select(ContestRow)))
    for identity in VIEWERS.values():
        query = sql.select(ContestRow.id).where(contest_access.visible_to(identity))
        seen = {each.id for each in contests if contest_access.can_see(each, identity)}
        assert set(session.scalars(query)) == seen


def test_every_contest_that_can_be_is_seen_by_the_same_people_in_queries(tmp_path: Path) -> None:
    engine = open_database(str(tmp_path / "site.db"))
    kinds = (LADDER, "challenge", "test", "contest")
    with Session(engine) as session:
        nobody = Size(people=6, bots=0, contests=0, challenges=0, tests=0, bouts=0)
        LargeClub(nobody).fill(session.connection())
        session.add(GroupRow(id=2, name="Class 2", join_code="join-2"))
        session.add_all(
            ContestRow(
                kind=kind,
                name="x",
                game="reversi",
                settings={},
                state=state,
                author_id=author,
                group_id=group,
                hidden=hidden,
                created_at=format_utc(END),
            )
            for kind, state, author, group, hidden in itertools.product(
                kinds, STATES, (None, 3, 4), (None, 1, 2), (False, True)
            )
        )
        session.flush()
        test_the_condition_for_queries_is_the_rule_of_contests(session)


def test_a_bout_that_is_shown_late_is_neither_listed_nor_counted(tmp_path: Path) -> None:
    engine = open_database(str(tmp_path / "site.db"))
    with engine.begin() as connection:
        LargeClub(Size(people=4, bots=8, contests=1, challenges=0, tests=0, bouts=40)).fill(
            connection
        )
        connection.execute(sql.update(ContestRow).values(delay_s=3600, group_id=None, hidden=False))
        recent = sql.update(SeatRow).where(SeatRow.bout_id > 30)
        connection.execute(recent.values(began_s=4_000_000_000, ended_s=4_000_000_000))
        late = sql.update(BoutRow).where(BoutRow.id > 30)
        connection.execute(late.values(began_at="2096-10-02T07:06:40Z"))
    with Session(engine) as session:
        assert all_pages(session, ANONYMOUS)[0] == 30
        assert all_pages(session, ORGANISER)[0] == 40


def test_bouts_that_were_voided_are_found_no_more(tmp_path: Path) -> None:
    engine = open_database(str(tmp_path / "site.db"))
    with engine.begin() as connection:
        LargeClub(Size(people=4, bots=8, contests=1, challenges=0, tests=0, bouts=20)).fill(
            connection
        )
    with Session(engine) as session:
        bout = session.get_one(BoutRow, 20)
        session.execute(
            sql.update(ContestRow).values(kind="contest", play_settings={"game": "reversi"})
        )
        session.commit()
        assert all_pages(session, ORGANISER)[0] == 20
        BoutStore(engine, bout.contest_id).void_bouts([("m", bout.number)], "again")
        session.expire_all()
        assert all_pages(session, ORGANISER)[0] == 19


def test_the_api_searches_and_says_what_it_does_not_understand(
    shared: Site, organiser: Person
) -> None:
    with shared.state.site.database.engine.begin() as connection:
        LargeClub(Size(people=6, bots=12, contests=2, bouts=80), first_id=1000).fill(connection)

    def find(**wanted: Any) -> Any:
        return shared.get(f"/api/bouts?{urlencode(wanted)}")

    page = find(player="zealot", result="won", limit=3)
    assert len(page["items"]) == 3 and page["count"] > 3 and page["next"]
    for bout in page["items"]:
        assert bout["players"][bout["winner"]]["name"].startswith("zealot")
        assert bout["players"][bout["winner"]]["owner"]["name"].startswith("student")
    following = find(player="zealot", result="won", limit=3, before=page["next"])
    assert following["count"] is None
    assert following["items"][0]["id"] < page["items"][-1]["id"]
    assert find(since="2026-05-31T23:30:00Z", until="2026-06-01")["count"] <= 30
    bot = page["items"][0]["players"][page["items"][0]["winner"]]["bot"]["id"]
    own = shared.get(f"/api/bots/{bot}/bouts?result=lost")["items"]
    assert all(b["players"][b["winner"]].get("bot", {}).get("id") != bot for b in own)
    contest = page["items"][0]["contest"]["id"]
    pairing = urlencode({"player": '"greedy"', "opponent": '"random"'})
    for bout in shared.get(f"/api/contests/{contest}/bouts?{pairing}")["items"]:
        assert {each["name"] for each in bout["players"]} == {"greedy", "random"}
    for wrong in ("fault=xyzzy", "since=yesterday", "result=maybe", "player=" + "x" * 200):
        assert shared.ask(f"/api/bouts?{wrong}").status == 400
    assert LOCAL not in {b["contest"]["kind"] for b in find()["items"]}
