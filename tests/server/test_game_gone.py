"""A game that is here no more takes nothing with it but itself."""

import pytest
import sqlalchemy as sql

from ludus.scheduling.schema import RatingRow
from ludus.scheduling.schema.contests import LADDER, OVER
from ludus.server.admin import site_settings
from ludus.server.contests import contest_start, entrants, ladder_settings
from tests.support.accounts import Person, log_in, newcomer, upload
from tests.support.routes import reading_routes
from tests.support.site import Site, wait_for

GONE = "gone"
COLUMNS = (
    *(("bots", "game"), ("contests", "game")),
    *(("contests", "settings"), ("contests", "play_settings")),
)
CHALLENGE = {"game": "reversi", "bots": ["random", "random"], "options": {"size": 4}, "bouts": 1}


def play_one(person: Person) -> int:
    made = person.post("/api/challenges", CHALLENGE)
    wait_for(lambda: person.get(f"/api/challenges/{made['id']}")["state"] == "over", 60)
    return int(made["id"])


@pytest.fixture(scope="module")
def bereft(playing_site: Site) -> dict[str, int]:
    """What the site has of a game that was removed: ids by kind."""
    olga = log_in(playing_site, "Olga")
    found = {"challenges": play_one(olga), "bouts": 1}
    made = upload(olga, name="hers")
    found |= {"bots": made["id"], "versions": made["versions"][0]["id"]}
    found["contests"] = olga.post("/api/contests", {"title": "Cup", "game": "reversi"})["id"]
    with playing_site.state.site.database.writing() as session:
        settings = ladder_settings.make_ladder_settings("reversi", site_settings.SiteSettings())
        ladder = contest_start.create_contest(session, LADDER, "ladder", settings, state=OVER)
        session.flush()
        entrants.enter_house_bot(session, ladder, "random", set())
        counts = dict.fromkeys(("won", "drawn", "lost", "faults"), 0)
        elo = dict.fromkeys(("elo", "low", "high"), 0.0)
        row = {
            "place": 1,
            "bouts": 2,
            "separated": False,
            "updated_at": ladder.created_at,
            **counts,
            **elo,
        }
        session.add(RatingRow(contest_id=ladder.id, entrant="random", **row))
        session.flush()
        for table, column in COLUMNS:
            changed = f"UPDATE {table} SET {column} = REPLACE({column}, 'reversi', '{GONE}')"
            session.execute(sql.text(changed))
    return found


@pytest.mark.parametrize("name", ["Olga", "student", ""])
def test_everything_else_can_be_asked_for(
    playing_site: Site, bereft: dict[str, int], name: str
) -> None:
    person = Person(playing_site)
    if name:
        person = log_in(playing_site, name) if name == "Olga" else newcomer(playing_site)
    paths = {"/health", *(path for path in reading_routes() if "{" not in path)}
    paths |= {f"/api/{kind}/{id}" for kind, id in bereft.items()}
    paths |= {f"/api/users/Olga?game={GONE}", f"/api/bots?game={GONE}"}
    paths -= {"/api/admin/similar", "/api/admin/base-code"}  # they ask for the name of a game
    answers = {path: person.ask(path) for path in sorted(paths)}
    fine = {200} if name == "Olga" else {200, 401, 403, 404}
    odd = {path: (a.status, a.body[:200]) for path, a in answers.items() if a.status not in fine}
    assert odd == {}
    assert GONE not in str(answers["/api/ladders"].json), "nobody can play on it"
    assert person.ask(f"/api/ladders/{GONE}").status == 404


def test_the_background_process_plays_on(playing_site: Site, bereft: dict[str, int]) -> None:
    olga = log_in(playing_site, "Olga")
    play_one(olga)
    wait_for(lambda: olga.get(f"/api/versions/{bereft['versions']}")["state"] != "checking", 60)
    assert olga.get("/health")["ok"] and olga.get("/api/admin")["workers"]["alive"]


def test_a_report_names_its_charset_once(playing_site: Site) -> None:
    olga = log_in(playing_site, "Olga")
    made = play_one(olga)
    for form in ("html", "csv", "json", "md"):
        answer = olga.ask(f"/api/contests/{made}/report.{form}")
        assert answer.status == 200, answer.body
        assert answer.headers["content-type"].count("charset") <= 1
        assert form == "json" or "charset=utf-8" in answer.headers["content-type"]
