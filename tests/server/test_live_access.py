"""Contests that are shown later than they are played, or to a class alone."""

import json
from typing import Any

from ludus.scheduling.schema.contests import LADDER
from ludus.server.admin.site_settings import SiteSettings
from ludus.server.contests import contest_start, ladder_settings
from ludus.server.contests.live_access import is_delay_over
from ludus.timestamps import now_plus
from tests.support.accounts import Person, register
from tests.support.dealer import deal_contest_bout
from tests.support.site import Site, hear, wait_for

LATE = 3600


def contest_over(olga: Person, delay: int) -> dict[str, Any]:
    """A contest of two house bots that is over."""
    asked = {"title": "Night", "game": "reversi", "options": {"size": 4}, "delay": delay}
    made: dict[str, Any] = olga.post("/api/contests", asked)
    path = f"/api/contests/{made['id']}"
    for house in ("random", "greedy"):
        olga.post(f"{path}/enter", {"bot": house})
    olga.post(f"{path}/start")
    wait_for(lambda: olga.get(path)["state"] == "over", 90)
    assert olga.get(path)["delay"] == delay
    return made


def live(person: Person) -> set[str]:
    return {item["id"] for item in person.get("/api/live")}


def test_nobody_sees_ahead_of_the_delay_and_everybody_does_without(
    playing_site: Site, olga: Person
) -> None:
    night = contest_over(olga, LATE)
    nobody, path = Person(playing_site), f"/api/contests/{night['id']}"
    shown = olga.get(f"{path}/bouts")["items"]
    assert len(shown) == 2 and len(olga.get(f"{path}/report.json")["bouts"]) == 2
    assert sum(row["bouts"] for row in olga.get(f"{path}/tables")["standings"]["rows"]) == 4
    show = olga.get(f"{path}/show")
    assert [bout["film"] for bout in reversed(show["bouts"])] == [one["film"] for one in shown]
    assert [one["number"] for one in show["rounds"]] == [1] and not show["more"]
    first, last = [bout["id"] for bout in show["bouts"]]
    assert [bout["number"] for bout in olga.get(f"{path}/show?after={first}")["bouts"]] == [2]
    for bout, counted in ((first, 0), (last, 2)):  # a match counts once it is over
        then = olga.get(f"{path}/tables?through={bout}")["standings"]["rows"]
        assert [row["bouts"] for row in then] == [counted, counted]
    assert nobody.get(f"{path}/show")["bouts"] == []
    late = nobody.get(f"{path}/tables?through={last}")["standings"]["rows"]
    assert not any(row["bouts"] for row in late)
    assert nobody.get(f"{path}/bouts")["items"] == []
    assert nobody.get(f"{path}/report.json")["bouts"] == []
    assert not any(row["bouts"] for row in nobody.get(f"{path}/tables")["standings"]["rows"])
    for address in (f"/api/films/{shown[0]['film']}", f"/api/bouts/{shown[0]['id']}"):
        assert nobody.ask(address).status == 404 and olga.ask(address).status == 200

    dealer = deal_contest_bout(playing_site, night["id"], "late")
    try:
        dealer.go(5)
        with playing_site.socket(f"/ws/wall/{night['id']}") as wall:
            assert dealer.id not in json.dumps(hear(wall))  # another test's may still be there
            wait_for(lambda: dealer.told == 5)
            assert dealer.id not in live(nobody) | live(olga)
            assert nobody.ask(f"/api/films/{dealer.id}").status == 404
            olga.post(path, {"delay": 0}, "PATCH")
            wait_for(lambda: dealer.id in live(nobody))
            while dealer.id not in json.dumps(hear(wall)):
                pass
        assert len(nobody.get(f"/api/films/{dealer.id}")["steps"]) == 4
        assert len(nobody.get(f"{path}/bouts")["items"]) == 2
        assert nobody.ask(f"/api/films/{shown[0]['film']}").status == 200
    finally:
        dealer.finish()


def test_a_bout_is_shown_once_the_delay_has_passed_since_its_end() -> None:
    assert is_delay_over(now_plus(0), [0.0, 0.0], 0)
    assert not is_delay_over(now_plus(-20), [5.0, 5.0], 10)
    assert is_delay_over(now_plus(-22), [5.0, 5.0], 10)


def test_only_events_with_tables_have_tables(playing_site: Site, olga: Person) -> None:
    """Nobody can have a ladder's millions of bouts read for a table."""

    with playing_site.state.site.database.writing() as session:
        settings = ladder_settings.make_ladder_settings("tablut", SiteSettings())
        ladder = contest_start.create_contest(session, LADDER, "tablut", settings).id
    for name in ("tables", "report.json"):
        assert olga.ask(f"/api/contests/{ladder}/{name}").status == 404


def test_live_bouts_of_a_class_are_for_the_class_alone(playing_site: Site, olga: Person) -> None:
    group = olga.post("/api/groups", {"name": "Behind doors"})
    asked = {"title": "Behind doors", "game": "reversi", "options": {"size": 4}}
    made = olga.post("/api/contests", {**asked, "group": group["id"]})
    for house in ("random", "greedy"):
        olga.post(f"/api/contests/{made['id']}/enter", {"bot": house})
    olga.post(f"/api/contests/{made['id']}/start")
    wait_for(lambda: olga.get(f"/api/contests/{made['id']}")["state"] == "over", 90)
    dealer = deal_contest_bout(playing_site, made["id"], "doors")
    film = f"/api/films/{dealer.id}"
    try:
        dealer.go(5)
        wait_for(lambda: live(olga) is not None and olga.ask(film).status == 200)
        assert dealer.id not in live(olga)  # the list is the same for everybody
        for person in (Person(playing_site), register(playing_site, "Outsider")):
            assert person.ask(f"/api/films/{dealer.id}").status == 404
            assert person.ask(f"/api/films/{dealer.id}/html").status == 404
            assert dealer.id not in live(person)
        with playing_site.socket(f"/ws/film/{dealer.id}") as socket:
            assert hear(socket)["type"] == "error"
    finally:
        dealer.finish()


def test_a_contest_is_on_its_wall_while_it_is_played_and_a_little_longer(
    playing_site: Site, olga: Person
) -> None:
    asked = {"title": "Quick", "game": "reversi", "options": {"size": 4}, "delay": 0}
    made = olga.post("/api/contests", asked)
    path = f"/api/contests/{made['id']}"
    for house in ("random", "greedy"):
        olga.post(f"{path}/enter", {"bot": house})
    with playing_site.socket(f"/ws/wall/{made['id']}") as wall:
        olga.post(f"{path}/start")
        items: list[dict[str, Any]] = []
        while not (items and all(item["end"] for item in items)):
            items = hear(wall, timeout=60)["items"]
    found = items[0]
    film = olga.get(f"/api/films/{found['id']}")
    assert film["end"] == found["end"] and len(film["steps"]) == found["step"]
    wait_for(lambda: olga.ask(f"/api/live/{found['id']}/bout").status == 200)
    stored = olga.get(f"/api/live/{found['id']}/bout")
    assert stored["contest"]["id"] == made["id"]
    assert stored["match"] == found["match"]["id"]
    assert stored["number"] == found["match"]["number"]
    saved = olga.get(f"/api/films/{stored['film']}")
    assert [step["cells"] for step in saved["steps"]] == [step["cells"] for step in film["steps"]]
    assert not list((playing_site.home / "live").glob("*.jsonl")), (
        "no journal of a server's contest"
    )
