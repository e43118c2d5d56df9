"""Contests that nobody can foretell, slip back into, enter late or take from whoever made them."""

from pathlib import Path
from typing import Any

import pytest

from ludus.contest.formats import Groups, Staged, Swiss, apply_seed
from ludus.scheduling.schema import BotRow, ContestRow, VersionRow
from ludus.scheduling.schema.contests import CLOSED, OVER, RUNNING, STOPPED
from ludus.server.contests import contest_start, entrants, ladder_settings, lifecycle
from ludus.timestamps import now, now_plus
from tests.support.accounts import Person, new_teacher, newcomer
from tests.support.report_pages import read_report, use_template
from tests.support.site import Site

REVERSI = {"title": "Cup", "game": "reversi"}


@pytest.fixture(scope="module")
def ann(shared: Site, organiser: Person) -> Person:
    return newcomer(shared, "ann")


@pytest.fixture(scope="module")
def teachers(organiser: Person) -> tuple[Person, Person]:
    return new_teacher(organiser, "tim"), new_teacher(organiser, "uma")


def good_bot(site: Site, person: Person, name: str = "") -> int:
    """A bot whose version has passed its check; nobody plays it here."""
    with site.state.site.database.writing() as session:
        bot = BotRow(
            game="reversi", name=name or f"bot of {person.name}", user_id=person.user["id"]
        )
        bot.name_key, bot.description, bot.retired, bot.created_at = bot.name, "", False, now()
        session.add(bot)
        session.flush()
        session.add(version(bot.id, 1, now_plus(-60)))
        return bot.id


def version(bot_id: int, number: int, at: str) -> VersionRow:
    made = VersionRow(
        bot_id=bot_id, number=number, created_at=at, size_bytes=1, digest="", language="python"
    )
    made.comment, made.state, made.enter_ladder_when_checked = "", "good", False
    return made


def set_fields(site: Site, id: int, **fields: Any) -> None:
    """As if a contest had come so far."""
    with site.state.site.database.writing() as session:
        event = session.get_one(ContestRow, id)
        for key, value in fields.items():
            setattr(event, key, value)


def begin(site: Site, id: int) -> None:
    """As if a contest had begun and had been stopped then."""
    with site.state.site.database.writing() as session:
        contest = session.get_one(ContestRow, id)
        for name in ("random", "greedy"):
            entrants.enter_house_bot(session, contest, name, set())
        session.flush()
        contest_start.begin_contest(session, contest)
        contest.state = STOPPED


# Chance


def test_nobody_foretells_the_deals_of_a_contest(
    shared: Site, organiser: Person, ann: Person, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use_template(monkeypatch, tmp_path)
    made = [organiser.post("/api/contests", REVERSI) for _ in range(2)]
    preset = organiser.post("/api/contests", {"title": "As then", "preset": "duel2048-2020"})
    seeds = {each["seed"] for each in (*made, preset)}
    assert len(seeds) == 3 and all(int(seed) > 1 << 40 for seed in seeds)
    own = organiser.post("/api/contests", {**REVERSI, "seed": 7})
    assert own["seed"] == "7", "a seed that somebody gave stays theirs"
    path = f"/api/contests/{own['id']}"
    begin(shared, own["id"])

    def told(person: Person) -> list[Any]:
        listed = [c for c in person.get("/api/contests")["items"] if c["id"] == own["id"]]
        report = read_report(person.ask(f"{path}/report.html").body.decode())
        found = [person.get(path)["seed"], listed[0]["seed"], report["seed"]]
        return [*found, person.get(f"{path}/report.json")["seed"]]

    for person in (ann, Person(shared)):
        assert told(person) == [None, None, None, None]
    assert told(organiser) == ["7", "7", "7", 7], "digits wherever JavaScript reads"
    set_fields(shared, own["id"], state=OVER)
    assert told(ann) == ["7", "7", "7", 7]


def test_a_contest_of_before_gets_a_seed_when_it_begins(shared: Site, organiser: Person) -> None:
    id = organiser.post("/api/contests", REVERSI)["id"]
    with shared.state.site.database.writing() as session:
        event = session.get_one(ContestRow, id)
        event.settings = {key: value for key, value in event.settings.items() if key != "seed"}
        entrants.enter_house_bot(session, event, "random", taken := set())
        entrants.enter_house_bot(session, event, "greedy", taken)
        session.flush()
        lifecycle.enter_state(session, event, RUNNING)
        drawn, event.state = event.settings["seed"], OVER
    assert drawn > 1 << 40


def test_a_ladder_has_a_seed_that_nobody_knows() -> None:
    drawn = {ladder_settings.choose_ladder_seed(None) for _ in range(3)}
    drawn.add(ladder_settings.choose_ladder_seed(ContestRow(settings={"seed": 2048})))
    assert len(drawn) == 4 and all(seed > 1 << 40 for seed in drawn)
    assert ladder_settings.choose_ladder_seed(ContestRow(settings={"seed": 5})) == 5


def test_nobody_wins_a_lot_by_the_name_of_a_bot() -> None:
    """Lots follow from a name and the format's seed, which was the same for all contests."""
    form = Staged(league=Groups(league=Swiss()))
    one, other = apply_seed(form, 1), apply_seed(form, 2)
    assert one.league.seed != other.league.seed and one.league.league.seed != 42
    assert apply_seed(form, 1) == one
    assert apply_seed(Swiss(seed=5), 1) == Swiss(seed=5), "a seed that somebody gave stays theirs"


def test_a_title_is_no_markup_in_a_report(shared: Site, organiser: Person) -> None:
    id = organiser.post("/api/contests", {**REVERSI, "title": "<b>*Cup*"})["id"]
    begin(shared, id)
    assert organiser.ask(f"/api/contests/{id}/report.md").body.startswith(rb"# \<b\>\*Cup\*")


# Whose a contest is


def test_a_teacher_takes_no_contest_from_another(
    shared: Site, organiser: Person, ann: Person, teachers: tuple[Person, Person]
) -> None:
    tim, uma = teachers
    id = tim.post("/api/contests", REVERSI)["id"]
    path = f"/api/contests/{id}"
    mine, theirs = (each.post("/api/groups", {"name": "Class"})["id"] for each in (tim, uma))
    house = tim.post(f"{path}/enter", {"bot": "random"})["entrants"][0]["id"]
    deeds: list[tuple[str, str, dict[str, Any]]] = [
        ("PATCH", path, {"group": theirs}),
        ("PATCH", path, {"title": "Uma's"}),
        ("POST", f"{path}/enter", {"bot": "greedy"}),
        ("POST", f"{path}/disqualify", {"entrant": house, "why": "mine"}),
        ("POST", f"{path}/remove", {"entrant": house}),
        ("POST", f"{path}/rejudge", {"entrant": "random", "why": "mine"}),
        *(("POST", f"{path}/{act}", {}) for act in ("freeze", "start", "publish")),
    ]
    for method, where, body in deeds:
        refused = uma.ask(where, body, method=method)
        assert refused.status == 403 and refused.json["error"]["zh"], (where, body)
    assert uma.get(path)["runs"] is False and uma.get(path)["seed"] is None
    ann.post(f"{path}/enter", {"bot": good_bot(shared, ann, "outside")})
    outside = tim.ask(path, {"group": mine}, method="PATCH")
    assert outside.status == 409 and "outside" in outside.json["error"]["en"]
    ann.post(f"{path}/leave")
    tim.post(path, {"group": mine}, "PATCH")
    assert uma.ask(path).status == 404
    code = tim.get(f"/api/groups/{mine}")["code"]
    uma.post("/api/groups/join", {"code": code})  # she teaches it too now, but has not made it
    assert uma.post(path, {"title": "Ours"}, "PATCH")["runs"] is True
    assert uma.ask(path, {"group": None}, method="PATCH").status == 403
    uma.delete(f"/api/groups/{mine}/members/{tim.user['id']}")
    assert tim.get(path)["runs"] is True, "whoever made it keeps it"
    assert id in [each["id"] for each in tim.get("/api/contests")["items"]]
    assert tim.post(path, {"group": None}, "PATCH")["group"] is None


def test_a_challenge_is_stopped_by_the_authors_teachers_alone(
    shared: Site, organiser: Person, teachers: tuple[Person, Person]
) -> None:
    tim, uma = teachers
    sam = newcomer(shared, "sam")
    code = tim.post("/api/groups", {"name": "Class"})["code"]
    sam.post("/api/groups/join", {"code": code})

    def challenge() -> str:
        asked = {"game": "reversi", "bots": ["random", "greedy"], "bouts": 200}
        return f"/api/challenges/{sam.post('/api/challenges', asked)['id']}"

    path = challenge()
    assert uma.ask(path, {}, method="DELETE").status == 403
    assert tim.delete(path)["state"] == "stopped"
    sam.delete(challenge())
    organiser.delete(challenge())


# Sign-up


def test_every_house_bot_that_is_offered_can_enter(shared: Site, organiser: Person) -> None:
    """An engine plays too, but not with options for which it has no network."""
    for game, options in (("reversi", {}), ("reversi", {"size": 6}), ("duel2048", {})):
        asked = {"title": "Cup", "game": game, "options": options}
        path = f"/api/contests/{organiser.post('/api/contests', asked)['id']}"
        offered = organiser.get(f"{path}/house-bots")
        assert {"search", "random"} <= set(offered)
        assert ("learned:easy" in offered) == (game == "reversi" and not options)
        for name in offered:
            told = organiser.post(f"{path}/enter", {"bot": name})
        assert [each["house"] for each in told["entrants"]] == offered
        if options:
            assert organiser.ask(f"{path}/enter", {"bot": "learned"}).status == 409
    assert organiser.ask(f"{path}/enter", {"bot": "/etc/passwd"}).status == 404


def test_whoever_was_disqualified_stays_so(shared: Site, organiser: Person, ann: Person) -> None:
    path = f"/api/contests/{organiser.post('/api/contests', REVERSI)['id']}"
    ben = newcomer(shared, "ben")
    team = ann.post("/api/teams", {"name": f"team of {ann.name}"})
    ben.post("/api/teams/join", {"code": team["code"]})
    mine, other, bens = (good_bot(shared, who, f"b{n}") for n, who in enumerate((ann, ann, ben)))
    teams = good_bot(shared, ann, "shared")
    with shared.state.site.database.writing() as session:
        bot = session.get_one(BotRow, teams)
        bot.user_id, bot.team_id = None, team["id"]
    entrant = ann.post(f"{path}/enter", {"bot": mine})["entrants"][0]["id"]
    organiser.post(f"{path}/disqualify", {"entrant": entrant, "why": "copied"})
    for body in ({}, {"bot": mine}):
        refused = ann.ask(f"{path}/leave", body)
        assert refused.status == 403 and "取消资格" in refused.json["error"]["zh"]
    for person, bot_id in ((ann, mine), (ann, other), (ann, teams), (ben, teams)):
        refused = person.ask(f"{path}/enter", {"bot": bot_id})
        assert refused.status == 403 and "取消资格" in refused.json["error"]["zh"]
    entrants = ben.post(f"{path}/enter", {"bot": bens})["entrants"]
    assert [(each["name"], each["dropped"]) for each in entrants] == [("b0", True), ("b2", False)]


def test_an_entrant_is_removed_before_the_start_only(
    shared: Site, organiser: Person, ann: Person
) -> None:
    id = organiser.post("/api/contests", REVERSI)["id"]
    path, bot = f"/api/contests/{id}", good_bot(shared, ann, "removed")
    organiser.post(f"{path}/enter", {"bot": "random"})
    house, hers = (each["id"] for each in ann.post(f"{path}/enter", {"bot": bot})["entrants"])
    assert ann.ask(f"{path}/remove", {"entrant": hers}).status == 403
    assert organiser.ask(f"{path}/remove", {"entrant": 1 << 40}).status == 404
    left = organiser.post(f"{path}/remove", {"entrant": hers})["entrants"]
    assert [each["id"] for each in left] == [house]
    assert "removed" in ann.get("/api/notices")["items"][0]["text"]["zh"]
    other = organiser.post("/api/contests", REVERSI)["id"]
    elsewhere = organiser.ask(f"/api/contests/{other}/remove", {"entrant": house})
    assert elsewhere.status == 404, "an entrant of another contest"
    hers = ann.post(f"{path}/enter", {"bot": bot})["entrants"][1]["id"]
    organiser.post(f"{path}/freeze")
    assert len(organiser.post(f"{path}/remove", {"entrant": hers})["entrants"]) == 1
    set_fields(shared, id, state=RUNNING)
    late = organiser.ask(f"{path}/remove", {"entrant": house})
    set_fields(shared, id, state=STOPPED)
    assert late.status == 409 and "取消" in late.json["error"]["zh"]


def test_the_deadline_is_kept_by_the_clock(shared: Site, organiser: Person) -> None:
    """This server has no background process that would close sign-up."""
    cat, dan = newcomer(shared, "cat"), newcomer(shared, "dan")
    bot, late = good_bot(shared, cat), good_bot(shared, dan)
    id = organiser.post("/api/contests", {**REVERSI, "closes": now_plus(3600)})["id"]
    path = f"/api/contests/{id}"
    cat.post(f"{path}/enter", {"bot": bot})
    set_fields(shared, id, closes_at=now())
    assert dan.ask(f"{path}/enter", {"bot": late}).status == 409
    assert cat.ask(f"{path}/leave", {}).status == 409
    with shared.state.site.database.writing() as session:
        session.add(version(bot, 2, now()))
    frozen = organiser.post(f"{path}/freeze")["entrants"]
    assert [each["number"] for each in frozen] == [1], "the other came after the deadline"
    assert (
        organiser.post(path, {"closes": now_plus(3600)}, "PATCH")["entrants"][0]["version"] is None
    )
    dan.post(f"{path}/enter", {"bot": late})
    frozen = organiser.post(f"{path}/freeze")["entrants"]
    assert [each["number"] for each in frozen] == [2, 1], "sign-up went on, and so did versions"


def test_without_a_deadline_sign_up_closes_at_the_start(shared: Site, organiser: Person) -> None:
    cat, dan = newcomer(shared, "cat"), newcomer(shared, "dan")
    bot, late = good_bot(shared, cat), good_bot(shared, dan)
    id = organiser.post("/api/contests", {**REVERSI, "starts": now_plus(3600)})["id"]
    path = f"/api/contests/{id}"
    organiser.post(f"{path}/enter", {"bot": "random"})
    cat.post(f"{path}/enter", {"bot": bot})

    def advance() -> str:
        with shared.state.site.database.writing() as session:
            if id in lifecycle.list_due(session):
                lifecycle.advance_if_due(session, session.get_one(ContestRow, id))
        return str(organiser.get(path)["state"])

    assert advance() == "open"
    set_fields(shared, id, starts_at=now())
    assert dan.ask(f"{path}/enter", {"bot": late}).status == 409
    assert [advance(), advance()] == ["closed", "running"]
    assert {each["number"] for each in organiser.get(path)["entrants"]} == {None, 1}
    set_fields(shared, id, state=OVER)


def test_a_deadline_in_the_past_or_after_the_start_is_refused(
    shared: Site, organiser: Person
) -> None:
    for times in ({"closes": now_plus(-3600)}, {"closes": now_plus(60), "starts": now_plus(30)}):
        refused = organiser.ask("/api/contests", {**REVERSI, **times})
        assert refused.status == 400 and "closes" in refused.json["error"]["zh"], times
    made = organiser.post(
        "/api/contests", {**REVERSI, "closes": now_plus(60), "starts": now_plus(90)}
    )
    path = f"/api/contests/{made['id']}"
    for times in ({"closes": now_plus(-3600)}, {"closes": now_plus(100)}, {"starts": now_plus(30)}):
        assert organiser.ask(path, times, method="PATCH").status == 400, times
    set_fields(
        shared, made["id"], closes_at=now_plus(-7200), starts_at=now_plus(-3600), state=CLOSED
    )
    kept = {key: organiser.get(path)[key] for key in ("closes", "starts")}
    assert organiser.post(path, {"title": "Later", **kept}, "PATCH")["title"] == "Later"
