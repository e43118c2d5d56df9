"""Ladders, challenges, batch tests and contests, from the background process to the page."""

import time
from pathlib import Path
from typing import Any

import pytest

from ludus.contest.formats import Ladder, Staged
from ludus.contest.ladder_ledger import LadderLedger
from ludus.contest.model import Entrant
from ludus.scheduling import contest_rows
from ludus.scheduling.schema import BotRow
from ludus.scheduling.schema.contests import CLOSED, CONTEST, LADDER
from ludus.server.admin.site_settings import SiteSettings
from ludus.server.contests import (
    challenges,
    contest_access,
    contest_start,
    entrants,
    ladder_settings,
)
from ludus.server.records import matchups
from ludus.timestamps import now
from tests.support.accounts import GOOD, Person, checked, good_bot, log_in, newcomer, upload
from tests.support.report_pages import read_report, use_template
from tests.support.site import Site, hear, wait_for

SMALL = {"size": 4}


@pytest.fixture(scope="module")
def ann(playing_site: Site) -> Person:
    return newcomer(playing_site, "ann")


@pytest.fixture(scope="module")
def ben(playing_site: Site) -> Person:
    return newcomer(playing_site, "ben")


@pytest.fixture(scope="module")
def bots(playing_site: Site, ann: Person, ben: Person) -> list[dict[str, Any]]:
    quick = {
        "ladder_house": {"reversi": ["random", "greedy"]},
        "ladder_options": {"reversi": SMALL},
        "ladder_enough": 250,  # it shall not use up the machine while others play
    }
    log_in(playing_site, "Olga").post("/api/admin/settings", quick, "PATCH")
    last = GOOD.replace(b"[0]", b"[-1]").replace(b'print("thinking aloud")', b'print("of ben")')
    made = [upload(ann), upload(ben, last)]
    for person, bot in zip((ann, ben), made, strict=True):
        assert checked(person, bot["versions"][0]["id"])["state"] == "good"
    return made


def over(person: Person, path: str) -> dict[str, Any]:
    """Wait until an event is over."""
    found: dict[str, Any] = {}

    def done() -> bool:
        found.update(person.get(path))
        return found["state"] not in ("running", "open", "closed")

    wait_for(done, 90)
    return found


def test_a_challenge_is_played_and_each_owner_reads_what_its_own_bot_printed(
    playing_site: Site, ann: Person, ben: Person, bots: list[dict[str, Any]]
) -> None:
    mine, other = bots
    theirs = f"v{other['versions'][0]['id']}"
    asked = {"game": "reversi", "bots": [mine["id"], theirs], "bouts": 2, "options": SMALL}
    assert ann.ask("/api/challenges", asked).status == 404  # not on the ladder: not public
    ben.post(f"/api/bots/{other['id']}", {"current": other["versions"][0]["id"]}, "PATCH")
    made = ann.post("/api/challenges", {**asked, "bots": [mine["id"], other["id"]]})
    assert made["state"] == "running" and made["total"] == 2
    done = over(ann, f"/api/challenges/{made['id']}")
    assert done["state"] == "over" and done["played"] == 2 and sum(done["score"]) == 2
    bout = done["bouts"][0]
    assert {p["bot"]["id"] for p in bout["players"]} == {mine["id"], other["id"]}
    for person, word, secret in ((ann, "thinking aloud", "of ben"), (ben, "of ben", "thinking")):
        output = person.get(f"/api/bouts/{bout['id']}")["output"]
        assert len(output) == 1
        said = next(iter(output.values()))
        assert word in said["stdout"] and secret not in str(output)
    assert Person(playing_site).get(f"/api/bouts/{bout['id']}")["output"] == {}
    film = Person(playing_site).get(f"/api/films/{bout['film']}")
    assert film["match"]["of"] == 2 and film["end"]["scores"]
    listed = ann.get(f"/api/bots/{mine['id']}/bouts")["items"]
    assert {b["id"] for b in done["bouts"]} <= {b["id"] for b in listed}


def test_a_batch_test_has_a_line_for_each_opponent(
    playing_site: Site, ann: Person, ben: Person, bots: list[dict[str, Any]]
) -> None:
    version = bots[0]["versions"][0]["id"]
    asked = {"version": version, "against": ["random", "greedy"], "bouts": 2}
    made = ann.post("/api/tests", asked)
    done = over(ann, f"/api/challenges/{made['id']}")
    told = [n["text"] for n in ann.get("/api/notices")["items"] if n["kind"] == "test"]
    name = f"{bots[0]['name']} #1"
    assert told[0] == {"en": f"The test of {name} is over", "zh": f"{name} 的测试已结束"}
    assert [row["name"] for row in done["rows"]] == ["random", "greedy"]
    assert all(row["won"] + row["drawn"] + row["lost"] == 2 for row in done["rows"])
    assert made["id"] in [e["id"] for e in ann.get("/api/challenges?mine=1")["items"]]
    for stranger in (Person(playing_site), ben):  # what ann tries out is nobody else's business
        assert stranger.ask(f"/api/challenges/{made['id']}").status == 404
        assert stranger.ask(f"/api/bouts/{done['bouts'][0]['id']}").status == 404
        assert stranger.ask(f"/api/films/{done['bouts'][0]['film']}").status == 404
        assert made["id"] not in [e["id"] for e in stranger.get("/api/challenges")["items"]]


def test_two_bots_are_compared_head_to_head_by_what_each_person_may_see(
    ann: Person, ben: Person, bots: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, other = bots[0], upload(ben, GOOD.replace(b"[0]", b"[-1]"))
    assert checked(ben, other["versions"][0]["id"])["state"] == "good"
    ben.post(f"/api/bots/{other['id']}", {"current": other["versions"][0]["id"]}, "PATCH")
    # On a board of 4 by 4 two openings are now and then the same.
    board = {"size": 6}
    asked = {"game": "reversi", "bots": [mine["id"], other["id"]], "options": board, "seed": 5}
    for count in (4, 2):  # the same seed: the second challenge repeats bouts of the first
        made = ann.post("/api/challenges", {**asked, "bouts": count})
        over(ann, f"/api/challenges/{made['id']}")
    made = ann.post(
        "/api/tests", {"version": mine["versions"][0]["id"], "against": ["random"], "bouts": 2}
    )
    over(ann, f"/api/challenges/{made['id']}")
    address = f"/api/bots/{mine['id']}/against"
    found = ann.get(f"{address}/{other['id']}")
    assert [bot["name"] for bot in found["bots"]] == [mine["name"], other["name"]]
    matchup = found["matchup"]
    score = matchup["score"]
    assert score["won"] + score["drawn"] + score["lost"] == len(matchup["course"]) >= 2
    assert all(name.startswith("#") for name in matchup["versions"][0]["versions"])
    assert len(matchup["openings"]) >= 2 and len(matchup["openings"][0]["opening"]) == 4
    assert [len(openings) for openings in found["losing"]] == [
        sum(sign * (each["score"]["share"] - 0.5) < 0 for each in matchup["openings"])
        for sign in (1, -1)
    ]
    assert matchup["copies"] == 2 and "2 of 6 bouts are copies" in found["copies"]["en"]
    assert found["limited"] is False
    for most, limited in ((6, False), (5, True)):
        with monkeypatch.context() as patch:
            patch.setattr(matchups, "MAX_MATCHUP_BOUTS", most)
            assert ann.get(f"{address}/{other['id']}")["limited"] is limited
    film = matchup["openings"][0]["sources"][0]
    assert ann.get(f"/api/films/{film}")["steps"][3]["opening"] is True
    back = ann.get(f"/api/bots/{other['id']}/against/{mine['id']}")["matchup"]
    assert back["score"]["won"] == score["lost"]
    assert back["elo"] == pytest.approx(-matchup["elo"])
    # a batch test is its owner's business
    hers = ann.get(f"{address}/random")["matchup"]["course"]
    assert len(hers) >= 2
    assert len(ben.get(f"{address}/random")["matchup"]["course"]) <= len(hers) - 2
    for rival in ("nobody", mine["id"], "999999", "9" * 40, "tablut"):
        assert ann.ask(f"{address}/{rival}").status == 404


def test_nobody_holds_a_worker_with_an_endless_clock(
    ann: Person, bots: list[dict[str, Any]]
) -> None:
    asked = {"game": "reversi", "bots": [bots[0]["id"], "random"]}
    for clock in (
        {"budget": 1e9},
        {"per_move": 121},
        {"increment": 2},
        {"patience": 1e300},
        {"budget": 120, "patience": 10},
    ):
        answer = ann.ask("/api/challenges", {**asked, "clock": clock})
        assert answer.status == 400 and "at most" in answer.json["error"]["en"], clock
    for clock in ({"budget": 0}, {"per_move": 0}, {"patience": 0}):
        assert ann.ask("/api/challenges", {**asked, "clock": clock}).status == 400, clock


SLEEPER = GOOD.replace(
    b"        return",
    b"        __import__('time').sleep(position.size == 10 and 1e6)\n        return",
)


def test_a_challenge_that_is_stopped_frees_its_worker_although_a_bot_sleeps(
    playing_site: Site, olga: Person
) -> None:
    dan = newcomer(playing_site, "dan")
    bot = upload(dan, SLEEPER)
    assert checked(dan, bot["versions"][0]["id"])["state"] == "good"
    asked = {"game": "reversi", "bots": [bot["id"], "random"], "options": {"size": 10}, "bouts": 1}
    slow = {**asked, "clock": {"budget": 120}}
    made = dan.post("/api/challenges", slow)
    wait_for(lambda: bot["name"].encode() in playing_site.ask("/api/live").body, 60)
    dan.delete(f"/api/challenges/{made['id']}")
    quick = {**asked, "bots": ["random", "greedy"], "options": SMALL}
    assert over(olga, f"/api/challenges/{olga.post('/api/challenges', quick)['id']}")["played"]

    account = f"/api/admin/users/{dan.user['id']}"
    made = dan.post("/api/challenges", slow)
    olga.post(account, {"active": False})
    assert olga.get(f"/api/challenges/{made['id']}")["state"] == "stopped"
    olga.post(account, {"active": True})
    dan = log_in(playing_site, dan.name)
    made = dan.post("/api/challenges", slow)
    dan.delete(f"/api/bots/{bot['id']}")
    assert olga.get(f"/api/challenges/{made['id']}")["state"] == "stopped"


def test_a_version_put_forward_climbs_the_ladder_and_another_takes_its_place(
    playing_site: Site, ann: Person, bots: list[dict[str, Any]]
) -> None:
    bot = bots[0]
    first = bot["versions"][0]["id"]
    with playing_site.socket("/ws/ladder/reversi") as socket:
        ann.post(f"/api/bots/{bot['id']}", {"current": first}, "PATCH")
        hear(socket, "changed", 60)

    def mine() -> dict[str, Any] | None:
        rows = ann.get("/api/ladders/reversi")["rows"]
        return next((row for row in rows if row["bot"]["id"] == bot["id"]), None)

    wait_for(lambda: (row := mine()) and row["bouts"] >= 4, 90)
    row = mine()
    assert row is not None and row["low"] < row["elo"] < row["high"]
    assert row["won"] + row["drawn"] + row["lost"] == row["bouts"]
    houses = [r for r in ann.get("/api/ladders/reversi")["rows"] if r["bot"]["id"] is None]
    assert {r["bot"]["name"] for r in houses} == {"random", "greedy"}
    again = ann.ask(
        f"/api/bots/{bot['id']}/versions",
        {"files": {"bot.py": GOOD.decode() + "# better\n"}, "enter": True},
    ).json
    checked(ann, again["id"])
    wait_for(lambda: (row := mine()) and row["version"]["id"] == again["id"], 60)
    assert ann.get(f"/api/ladders/reversi/history?bot={bot['id']}")
    assert [lad["game"] for lad in ann.get("/api/ladders")] == ["reversi"]
    ann.post(f"/api/bots/{bot['id']}", {"current": None}, "PATCH")
    wait_for(lambda: mine() is None, 60)


def test_who_starts_too_much_is_told_when_to_try_again(
    playing_site: Site, olga: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    student, asked = (
        newcomer(playing_site),
        {"game": "reversi", "bots": ["random", "random"], "bouts": 1},
    )
    with monkeypatch.context() as patch:
        patch.setattr(challenges, "MAX_RUNNING_PER_USER", 0)
        crowded = student.ask("/api/challenges", asked)
    assert crowded.status == 429 and crowded.headers["retry-after"] == str(challenges.RETRY_AFTER_S)
    spent = student.ask("/api/challenges", {**asked, "bouts": 150})
    for _ in range(10):
        if spent.status == 201:
            student.delete(f"/api/challenges/{spent.json['id']}")
            spent = student.ask("/api/challenges", {**asked, "bouts": 150})
    assert spent.status == 429 and 0 < int(spent.headers["retry-after"]) <= 86400
    assert "1000" in spent.json["error"]["en"]


def test_bots_of_one_owner_or_of_their_team_do_not_meet_on_a_ladder(playing_site: Site) -> None:
    """Whoever owns both could let one of them win; strangers and house bots do meet."""
    eve, fay, guy = (newcomer(playing_site, name) for name in ("eve", "fay", "guy"))
    team = eve.post("/api/teams", {"name": f"Team of {eve.name}"})
    fay.post("/api/teams/join", {"code": team["code"]})
    whose = ["eve", "eve", "fay", "eve fay", "guy"]
    ids = {"eve": eve.user["id"], "fay": fay.user["id"], "guy": guy.user["id"]}
    with playing_site.state.site.database.writing() as session:
        terms = ladder_settings.make_ladder_settings("reversi", SiteSettings())
        event = contest_start.create_contest(session, LADDER, "reversi", terms, state=CLOSED)
        rows = []
        for number, owner in enumerate(whose):
            owned = {"user_id": ids.get(owner), "team_id": None if owner in ids else team["id"]}
            name = f"{eve.name} {number}"
            rows.append(BotRow(game="reversi", name=name, name_key=name, created_at=now(), **owned))
        session.add_all(rows)
        session.flush()
        names = [entrants.add_entrant(session, event, r.name, set(), r).name for r in rows]
        names.append(entrants.enter_house_bot(session, event, "random", set()).name)
        session.flush()
        owners = entrants.list_owners_by_entrant(session, event.id)
        settings = contest_rows.parse_settings(event)
        event.kind = CONTEST
        league = {"name": "ladder", "rounds": 12}
        event.settings = {"game": "reversi", "format": league}
        alone = contest_start.make_play_settings(session, event).format
        event.settings = {"game": "reversi", "format": {"name": "staged", "league": league}}
        staged = contest_start.make_play_settings(session, event).format
        session.rollback()
    assert isinstance(alone, Ladder) and isinstance(staged, Staged)
    apart = ((names[0], names[1], names[3]), (names[2], names[3]))
    assert alone.apart == staged.league.apart == apart, "a contest's ladder knows them as well"
    ledger = LadderLedger(settings, [Entrant(name) for name in names])
    words = {name: set(w.split()) for name, w in zip(names, [*whose, "house"], strict=True)}
    met = set()
    for moment in range(60):
        known, waited = ledger.fit().restrict_to(names), [1.0] * len(names)
        pairings = ledger.format.plan_next(known, waited, moment, lambda one, other: 1, owners)
        met |= {frozenset(pairing.entrants) for pairing in pairings}
    assert not any(set.intersection(*(words[name] for name in pair)) for pair in met)
    assert len(met) == 15 - 4, "all but eve's two, and the team's with its members' three"
    ledger.get_owners = lambda: dict.fromkeys(names, frozenset((1,)))
    assert ledger.open_pairings() == []


def test_other_terms_begin_a_new_ladder_and_what_was_played_stays(
    playing_site: Site, olga: Person, ann: Person, bots: list[dict[str, Any]]
) -> None:
    bot = bots[0]
    ann.post(f"/api/bots/{bot['id']}", {"current": bot["versions"][0]["id"]}, "PATCH")
    wait_for(lambda: ann.get("/api/ladders/reversi")["bouts"] >= 2, 90)
    before = ann.get("/api/ladders/reversi")["contest"]
    for wrong in (
        {"ladder_options": {"reversi": {"size": 5}}},
        {"ladder_clock": {"reversi": {"budget": -1}}},
        {"ladder_clock": {"chess": {"budget": 1}}},
    ):
        assert olga.ask("/api/admin/settings", wrong, method="PATCH").status == 400, wrong
    olga.post("/api/admin/settings", {"ladder_clock": {"reversi": {"budget": 7}}}, "PATCH")

    def begun() -> bool:
        told = ann.get("/api/ladders/reversi")
        return bool(told["contest"] != before and told["bouts"] >= 2)

    wait_for(begun, 90)
    assert [lad["game"] for lad in ann.get("/api/ladders")] == ["reversi"]
    event = ann.get("/api/ladders/reversi")["contest"]
    newest = ann.get(f"/api/contests/{event}/bouts")["items"][0]
    film = ann.get(f"/api/films/{newest['film']}")
    assert film["options"]["size"] == 4 and film["clock"]["budget"] == 7
    assert ann.get(f"/api/contests/{before}/bouts")["items"], "the old ladder's bouts"
    with playing_site.state.site.database.reading() as session:
        seeds = {contest_access.get_contest(session, id).settings["seed"] for id in (before, event)}
    assert len(seeds) == 2 and min(seeds) > 1 << 40, "each ladder has a seed that nobody knows"
    ann.post(f"/api/bots/{bot['id']}", {"current": None}, "PATCH")


@pytest.fixture(scope="module")
def entered(ann: Person, ben: Person, bots: list[dict[str, Any]]) -> list[tuple[Person, int]]:
    return [(ann, bots[0]["id"]), (ben, bots[1]["id"])]


FORMATS: dict[str, dict[str, Any]] = {
    "round-robin": {"cycles": 1},
    "swiss": {"rounds": 2},
    "knockout": {},
    "double-elimination": {},
    "gauntlet": {},
    "groups": {"groups": ["A", "B"]},
    "staged": {"through": 2, "league": {"name": "round-robin"}, "knockout": {"name": "knockout"}},
    "ladder": {"rounds": 2},
}


def contest_of(olga: Person, form: str) -> dict[str, Any]:
    asked = {
        "title": f"Cup of {form}",
        "game": "reversi",
        "options": SMALL,
        "format": form,
        "format_settings": FORMATS[form],
        "match": {"bouts": 2},
    }
    contest: dict[str, Any] = olga.post("/api/contests", asked)
    return contest


def test_a_contest_of_every_format_is_announced(olga: Person) -> None:
    """The others are played in tests/cli/test_contest.py; to a server a format is data."""
    for form in FORMATS:
        contest = contest_of(olga, form)
        assert contest["state"] == "open" and contest["format"] == form


@pytest.mark.parametrize("form", ["staged", "ladder"])
def test_a_contest_goes_from_sign_up_to_report(
    playing_site: Site,
    olga: Person,
    entered: list[tuple[Person, int]],
    form: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    contest = contest_of(olga, form)
    path = f"/api/contests/{contest['id']}"
    assert contest["state"] == "open" and contest["format"] == form
    for person, bot in entered:
        assert person.post(f"{path}/enter", {"bot": bot})["entered"] is True
    for house in ("random", "greedy"):
        olga.post(f"{path}/enter", {"bot": house})
    assert olga.post(f"{path}/freeze")["state"] == "closed"
    assert olga.post(f"{path}/start")["state"] == "running"
    done = over(olga, path)
    assert done["state"] == "over", done["why"]
    assert done["bouts_played"] > 0 and len(done["entrants"]) == 4
    tables = entered[0][0].get(f"{path}/tables")
    assert tables["over"] is True
    names = {row["name"] for row in tables["standings"]["rows"]}
    assert names == {e["name"] for e in done["entrants"]}
    if form == "staged":
        final = tables["bracket"][-1][-1]
        assert final["winner"] or final["skipped"]
        assert any(node["films"] for column in tables["bracket"] for node in column)
    for kind, mark in {"html": b"<html", "csv": b"Random moves", "json": b"{", "md": b"|"}.items():
        report = olga.ask(f"{path}/report.{kind}")
        assert report.status == 200 and mark in report.body
        policy = report.headers["content-security-policy"]
        assert "sandbox" in policy and "allow-same-origin" not in policy
        assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]
    assert olga.post(f"{path}/publish")["state"] == "published"
    bouts = olga.get(f"{path}/bouts?limit=100")["items"]
    use_template(monkeypatch, tmp_path)
    shown = read_report(olga.ask(f"{path}/report.html").body.decode())
    assert shown["site"] == {"address": playing_site.url, "contest": contest["id"]}
    pairs = {(each["film"], *each["names"]) for each in shown["bouts"]}
    assert pairs == {(each["film"], *(seat["name"] for seat in each["players"])) for each in bouts}
    assert all(bout["contest"]["id"] == contest["id"] for bout in bouts)


def make_contest(olga: Person, entered: list[tuple[Person, int]], **more: Any) -> str:
    asked = {"title": "Cup", "game": "reversi", "options": SMALL, "match": {"bouts": 2}, **more}
    contest = olga.post("/api/contests", asked)
    path = f"/api/contests/{contest['id']}"
    for person, bot in entered:
        person.post(f"{path}/enter", {"bot": bot})
    return path


def test_hidden_results_are_seen_by_the_staff_alone_until_they_are_published(
    playing_site: Site, olga: Person, entered: list[tuple[Person, int]]
) -> None:
    path = make_contest(olga, entered, hidden_until_published=True)
    olga.post(f"{path}/start")
    over(olga, path)
    ann = entered[0][0]
    bout = olga.get(f"{path}/bouts")["items"][0]
    paths = [f"{path}/tables", f"{path}/bouts", f"{path}/report.html", f"/api/bouts/{bout['id']}"]
    paths += [f"/api/films/{bout['film']}{tail}" for tail in ("", "/raw", "/analysis")]
    assert [ann.ask(each).status for each in paths] == [404] * 7
    assert ann.ask(paths[-1], {}).status == 404
    assert ann.get(path)["bouts_played"] is None
    assert bout["id"] not in [
        b["id"] for b in ann.get(f"/api/bots/{entered[0][1]}/bouts?limit=100")["items"]
    ]
    olga.post(f"{path}/publish")
    assert [ann.ask(each).status for each in paths] == [200] * 7


def test_a_bout_is_judged_again_and_an_entrant_disqualified_for_a_reason(
    playing_site: Site, olga: Person, entered: list[tuple[Person, int]]
) -> None:
    path = make_contest(olga, entered)
    olga.post(f"{path}/enter", {"bot": "random"})
    olga.post(f"{path}/start")
    over(olga, path)
    before = olga.get(f"{path}/bouts")["items"]
    assert olga.ask(f"{path}/rejudge", {"bout": before[0]["id"], "why": " "}).status == 400
    olga.post(f"{path}/rejudge", {"bout": before[0]["id"], "why": "the lights went out"})
    over(olga, path)
    after = olga.get(f"{path}/bouts")["items"]
    assert len(after) == len(before) == 6
    assert before[0]["id"] not in [bout["id"] for bout in after]
    contest = olga.get(path)
    entrant = next(e for e in contest["entrants"] if e["bot"])
    olga.post(f"{path}/disqualify", {"entrant": entrant["id"], "why": "copied"})
    told = olga.get(path)
    assert [(e["dropped"], e["why"]) for e in told["entrants"] if e["id"] == entrant["id"]] == [
        (True, {"en": "copied", "zh": "copied"})
    ]
    assert "copied" in entered[0][0].get("/api/notices")["items"][0]["text"]["en"]
    done = [line["what"] for line in olga.get("/api/admin/audit")["items"]]
    assert {"rejudged", "disqualified", "contest started"} <= set(done)


@pytest.mark.parametrize("form", ["round-robin", "swiss", "knockout"])
def test_rejudging_after_a_disqualification_compares_all_by_the_same_bouts(
    playing_site: Site, olga: Person, entered: list[tuple[Person, int]], form: str
) -> None:
    path = make_contest(
        olga, entered, format=form, format_settings=FORMATS[form], title=f"Again {form}"
    )
    for house in ("random", "greedy"):
        olga.post(f"{path}/enter", {"bot": house})
    planned = olga.get(path)
    totals = {"round-robin": (12, None), "swiss": (8, 2), "knockout": (None, None)}
    assert (planned["bouts_total"], planned["rounds_total"]) == totals[form]
    olga.post(f"{path}/start")
    played = over(olga, path)
    assert played["state"] == "over"
    assert form == "knockout" or played["bouts_played"] == played["bouts_total"]
    before = olga.get(f"{path}/bouts")["items"]
    out = olga.get(f"{path}/tables")["standings"]["rows"][0]["name"]
    ids = {each["name"]: each["id"] for each in olga.get(path)["entrants"]}
    told = olga.post(f"{path}/disqualify", {"entrant": ids[out], "why": "copied"})
    assert [each["disqualified"] for each in told["entrants"]].count(True) == 1
    over(olga, path)
    theirs = next(b for b in before if out in [p["name"] for p in b["players"]])
    again = next(p["name"] for p in theirs["players"] if p["name"] != out)
    refused = olga.ask(f"{path}/rejudge", {"bout": theirs["id"], "why": "no light"})
    assert refused.status == 409 and "left" in refused.body.decode()
    running = olga.post(f"{path}/rejudge", {"entrant": again, "why": "no light"})
    assert running["state"] == "running"
    if form == "round-robin":
        assert (running["bouts_played"], running["bouts_total"]) == (2, 6)
    told = over(olga, path)
    assert told["state"] == "over" and told["bouts_played"] >= 2
    if form == "round-robin":
        assert told["bouts_played"] == told["bouts_total"] == 6
    assert theirs["id"] in [bout["id"] for bout in olga.get(f"{path}/bouts")["items"]]
    tables = olga.get(f"{path}/tables")
    rows = tables["standings"]["rows"]
    assert (rows[-1]["name"], rows[-1]["note"], rows[-1]["why"]) == (out, "disqualified", "copied")
    assert out not in tables["crosstable"]["names"] and rows[0]["name"] != out
    if form == "round-robin":
        assert [row["bouts"] for row in rows] == [4, 4, 4, 0]
    notices = [each["text"]["en"] for each in entered[0][0].get("/api/notices")["items"]]
    mine = [text for text in notices if f"Again {form}" in text]
    assert sum(text.endswith("is over") for text in mine) == 1
    assert any("results may have changed" in text for text in mine)


def test_the_final_after_a_league_keeps_its_draw_without_a_disqualified_champion(
    playing_site: Site, olga: Person, entered: list[tuple[Person, int]]
) -> None:
    path = make_contest(olga, entered, format="staged", format_settings=FORMATS["staged"])
    for house in ("random", "greedy"):
        olga.post(f"{path}/enter", {"bot": house})
    olga.post(f"{path}/start")
    assert over(olga, path)["state"] == "over"
    first, second = (row["name"] for row in olga.get(f"{path}/tables")["standings"]["rows"][:2])
    ids = {each["name"]: each["id"] for each in olga.get(path)["entrants"]}
    for why in ("copied", "copied from a book"):
        told = olga.post(f"{path}/disqualify", {"entrant": ids[first], "why": why})
        assert told["state"] == "over", "nobody else comes into the final"
        rows = olga.get(f"{path}/tables")["standings"]["rows"]
        assert (rows[0]["name"], rows[0]["note"]) == (second, "champion")
        assert (rows[-1]["name"], rows[-1]["note"]) == (first, "disqualified")


def test_a_contest_opens_closes_and_begins_by_itself(
    playing_site: Site, olga: Person, entered: list[tuple[Person, int]]
) -> None:
    def at(seconds: float) -> str:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))

    asked = {"title": "By the clock", "game": "reversi", "options": SMALL}
    times = {"opens": at(3600), "closes": at(3700), "starts": at(3800)}
    contest = olga.post("/api/contests", {**asked, **times})
    path = f"/api/contests/{contest['id']}"
    assert contest["state"] == "planned"
    ann, bot = entered[0]
    assert ann.ask(f"{path}/enter", {"bot": bot}).status == 409
    olga.post(path, {"opens": at(0)}, "PATCH")
    wait_for(lambda: ann.get(path)["state"] == "open", 60)
    for person, each in entered:
        person.post(f"{path}/enter", {"bot": each})
    olga.post(path, {"closes": at(0), "starts": at(0)}, "PATCH")
    done = over(ann, path)
    assert done["state"] == "over" and all(e["version"] for e in done["entrants"])
    assert ann.ask(f"{path}/enter", {"bot": bot}).status == 409


def test_the_version_of_the_deadline_plays(playing_site: Site, olga: Person) -> None:
    cat = newcomer(playing_site, "cat")
    bot = good_bot(cat)
    path = make_contest(olga, [(cat, bot["id"])])
    newer = cat.ask(f"/api/bots/{bot['id']}/versions", {"files": {"bot.py": GOOD.decode()}}).json
    broken = cat.ask(f"/api/bots/{bot['id']}/versions", {"files": {"bot.py": "1/0"}}).json
    checked(cat, newer["id"])
    checked(cat, broken["id"])
    frozen = olga.post(f"{path}/freeze")
    assert [e["version"] for e in frozen["entrants"]] == [newer["id"]]
    assert olga.ask(f"{path}/start", {}).status == 400  # one alone is no contest


def test_a_contest_may_allow_few_modules(playing_site: Site, olga: Person) -> None:
    cat = newcomer(playing_site, "cat")
    bot = good_bot(cat)
    uses = GOOD.decode() + "import os\n"
    version = cat.ask(f"/api/bots/{bot['id']}/versions", {"files": {"bot.py": uses}}).json
    assert checked(cat, version["id"])["state"] == "good"
    path = make_contest(olga, [], imports=["math", "random"])
    refused = cat.ask(f"{path}/enter", {"bot": bot["id"]})
    assert refused.status == 403 and "'os' is not allowed" in refused.json["error"]["en"]


def test_a_contest_of_a_class_is_for_the_class(playing_site: Site, olga: Person) -> None:
    group = olga.post("/api/groups", {"name": "Class 7"})
    path = make_contest(olga, [], group=group["id"])
    cat = newcomer(playing_site, "cat")
    assert cat.ask(path).status == 404
    assert path.rsplit("/", 1)[1] not in [str(c["id"]) for c in cat.get("/api/contests")["items"]]
    cat.post("/api/groups/join", {"code": group["code"]})
    assert cat.get(path)["title"] == "Cup"


def test_settings_that_make_no_sense_are_refused_with_the_reason(
    playing_site: Site, olga: Person
) -> None:
    good = {"title": "Cup", "game": "reversi"}
    for wrong in (
        {"format": "nonsense"},
        {"format_settings": {"cycles": 0}},
        {"match": {"bouts": "many"}},
        {"options": {"size": 5}},
        {"clock": {"budget": -1}},
        {"clock": {"budget": 1e300}},
        {"format_settings": {"cycles": 10**9}},
        {"format_settings": {"cycles": 1000}, "match": {"bouts": 10_000}},
        {"format": "swiss", "format_settings": {"rounds": 10**9}},
        {"match": {"bouts": 10**9}},
        {"opens": "tomorrow"},
        {"title": "x" * 200},
        {"game": "/etc"},
        {"preset": "no such"},
        {"group": 99999},
    ):
        answer = olga.ask("/api/contests", {**good, **wrong})
        assert answer.status in (400, 404), wrong
        assert answer.json["error"]["zh"]
    plain = olga.ask("/api/admin/settings", {"jail": "plain"}, method="PATCH")
    assert plain.status == 403 and "who runs the server" in plain.json["error"]["en"]
    presets = olga.get("/api/presets")
    made = olga.post("/api/contests", {"title": "As in 2018", "preset": presets[0]["name"]})
    assert made["game"] == "paperio" and made["format"] == "staged"
    forms = olga.get("/api/formats")
    assert {each["name"] for each in forms["formats"]} == set(FORMATS)


def test_a_contest_whose_entrants_make_it_too_large_is_refused_at_its_start(olga: Person) -> None:
    many = {"format_settings": {"cycles": 1000}, "match": {"bouts": 900}}
    made = olga.post("/api/contests", {"title": "Too many", "game": "reversi", **many})
    path = f"/api/contests/{made['id']}"
    for house in ("random", "greedy", "strong"):
        olga.post(f"{path}/enter", {"bot": house})
    answer = olga.ask(f"{path}/start", {})
    assert answer.status == 400 and "2,700,000 bouts" in answer.json["error"]["en"]
