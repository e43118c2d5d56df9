"""Demos: every game is shown at once, and nothing runs when nobody looks."""

import pytest

from ludus.arena import demo
from ludus.arena.services import Settings
from ludus.games.registry import names
from tests.support.site import Site, hear, wait_for


@pytest.fixture
def settings() -> Settings:
    return Settings(demo=True)


def test_a_demo_of_every_game_is_on(site: Site) -> None:
    wait_for(lambda: len(site.get("/api/live")) == len(names()))
    items = site.get("/api/live")
    assert sorted(item["game"]["name"] for item in items) == names()
    assert all(item["demo"] and item["thumb"] and item["scene"] for item in items)
    before = {item["id"]: item["step"] for item in items}
    with site.socket("/ws/live") as socket:
        for id in before:
            while True:
                now = {item["id"]: item["step"] for item in hear(socket, "live")["items"]}
                if now[id] > before[id]:
                    break


def test_demos_wait_when_nobody_looks(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setattr(demo, "UNSEEN", 0.5)
    wait_for(lambda: len(site.get("/api/live")) == len(names()))
    time.sleep(1.5)
    stages = list(site.arena.hub.stages.values())
    before = [len(stage.film.steps) for stage in stages]
    time.sleep(1.5)
    assert [len(stage.film.steps) for stage in stages] == before
    site.get("/api/live")
    wait_for(lambda: sum(len(stage.film.steps) for stage in stages) > sum(before))


def test_demos_are_never_saved(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "INTERVAL", 0.1)
    for each in site.arena.demos.demos:
        each.pace = 0.0
    with site.socket("/ws/film/demo-tablut") as socket:
        hear(socket, "restart")
    assert site.get("/api/records")["items"] == []
