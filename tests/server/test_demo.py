"""Demos: every game is shown at once, and nothing runs when nobody looks."""

import json
from collections import Counter
from collections.abc import Iterator

import pytest

from ludus.games.registry import names
from ludus.server.live import demo
from ludus.server.state import ServerSettings
from tests.support.site import Site, hear, served_for_module, wait_for


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server with demos, for all tests of this module."""
    home = tmp_path_factory.mktemp("shown")
    with served_for_module(home, ServerSettings(demo=True)) as site:
        wait_for(lambda: len(site.get("/api/live")) == len(names()))
        yield site


def test_a_demo_of_every_game_is_on(shown: Site) -> None:
    items = shown.get("/api/live")
    assert sorted(item["game"]["name"] for item in items) == names()
    assert all(item["demo"] and item["thumb"] and item["scene"] for item in items)
    before = {item["id"]: item["step"] for item in items}
    with shown.socket("/ws/live") as socket:
        for id in before:
            while True:
                now = {item["id"]: item["step"] for item in hear(socket, "live")["items"]}
                if now[id] != before[id]:  # less, if another bout has begun
                    break


def test_demos_wait_when_nobody_looks(shown: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: Counter[str] = Counter()
    seen = demo.Demo._is_watched

    def counted(each: demo.Demo) -> bool:
        found = seen(each)
        looks[each.live_bout.id] = 0 if found else looks[each.live_bout.id] + 1
        return found

    monkeypatch.setattr(demo.Demo, "_is_watched", counted)
    monkeypatch.setattr(demo, "UNWATCHED_PAUSE_AFTER_S", 0.5)
    stages = [each.live_bout for each in shown.state.demos.demos]

    def steps() -> list[int]:
        return [len(stage.film.steps) for stage in stages]

    def wait_for_looks(more: int) -> None:
        """Until every demo has looked so often, in vain, for somebody who looks at it."""
        wait_for(lambda: all(looks[stage.id] >= more for stage in stages))

    wait_for_looks(1)
    before = steps()
    wait_for_looks(3)
    assert steps() == before
    wait_for(lambda: shown.get("/api/live") and steps() != before)


def test_demos_are_saved_only_when_they_are_shared(
    shown: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "BOUT_INTERVAL_S", 0.1)
    [tablut] = [each for each in shown.state.demos.demos if each.live_bout.id == "demo-tablut"]
    monkeypatch.setattr(tablut, "pace", 0.0)
    with shown.socket("/ws/film/demo-tablut") as socket:
        played = hear(socket, "film")["film"]
        film = hear(socket, "restart")["film"]
        assert shown.get("/api/records")["items"] == []
        shared = share(shown, "demo-tablut", film["match"]["number"])
        assert share(shown, "demo-tablut", film["match"]["number"]) == shared
        assert shown.get(f"/api/films/{shared}")["began"] == film["began"], "also under way"
        before = share(shown, "demo-tablut", played["match"]["number"])
        assert before in [each["id"] for each in shown.get("/api/records")["items"]]
        tablut.pace = 0.0
        hear(socket, "restart")
    kept = {each["id"]: each["began"] for each in shown.get("/api/records")["items"]}
    assert kept == {before: played["began"], shared: film["began"]}
    assert shown.get(f"/api/films/{shared}")["kind"] == "record"
    for id, number in (("demo-tablut", 10**6), ("demo-chess", 1), (shared, 1)):
        assert shown.ask(f"/api/films/{id}/share", {"number": number}).status == 404


def share(site: Site, demo: str, number: int) -> str:
    return str(json.loads(site.ask(f"/api/films/{demo}/share", {"number": number}).body)["film"])
