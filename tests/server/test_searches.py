"""Searches through many bouts: the mistakes of a bot, for its owner; a contest's turning points."""

from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from ludus.analysis.test_positions import read_test_positions
from ludus.server.bots import bot_mistakes
from ludus.server.bots.bot_mistakes import BotFilms, MistakeSummary
from ludus.server.records.analysis_batches import AnalysisBatch
from tests.support.accounts import Person, checked, newcomer, upload
from tests.support.site import Site, wait_for

MOVER = """
class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        return position.legal(self.seat)[{index}]
"""


class Duel(NamedTuple):
    """A challenge on 4 × 4 cells between bots of two people, in which the second one blunders."""

    owners: tuple[Person, Person]
    bots: tuple[int, int]
    contest: int


@pytest.fixture(scope="module")
def duel(playing_site: Site) -> Duel:
    playing_site.state.analysis.bot_mistakes.seconds = 0.3
    playing_site.state.analysis.turning_points.seconds = 0.3
    owners = newcomer(playing_site, "mina"), newcomer(playing_site, "hugo")
    bots = []
    for owner, index in zip(owners, (0, -1), strict=True):
        bot = upload(owner, MOVER.format(index=index).encode())
        version = checked(owner, bot["versions"][0]["id"])
        owner.post(f"/api/bots/{bot['id']}", {"current": version["id"]}, "PATCH")
        bots.append(bot["id"])
    asked = {"game": "reversi", "bots": bots, "bouts": 2, "options": {"size": 4}}
    made = owners[0].post("/api/challenges", {**asked, "openings": "none"})
    wait_for(lambda: owners[0].get(f"/api/challenges/{made['id']}")["state"] == "over", 120)
    for owner, id in zip(owners, bots, strict=True):  # no more bouts on the ladder
        owner.post(f"/api/bots/{id}", {"current": None}, "PATCH")
    return Duel(owners, (bots[0], bots[1]), made["id"])


def wait_for_end(person: Person, path: str) -> dict[str, Any]:
    wait_for(lambda: person.get(path)["progress"]["state"] not in ("waiting", "running"), 60)
    found: dict[str, Any] = person.get(path)
    return found


def test_the_owner_finds_the_mistakes_of_a_bot_and_saves_their_positions(
    duel: Duel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ludus.server.bots.bot_mistakes.MAX_BATCH_BOUTS", 2)
    owner, path = duel.owners[1], f"/api/bots/{duel.bots[1]}/mistakes"
    assert owner.get(path) == {
        "progress": {"state": "none", "done": 0, "total": 0, "error": None},
        "found": None,
        "mistakes": 0,
        "versions": [],
        "newer_bouts": 0,
    }
    assert owner.ask(f"{path}/positions").status == 404
    assert owner.ask(path, {}).status == 202
    info = wait_for_end(owner, path)
    assert info["progress"] == {"state": "complete", "done": 2, "total": 2, "error": None}
    found = info["found"]
    assert found["bouts"] == 2 and info["mistakes"] == len(found["mistakes"]) > 0
    assert {group["by"] for group in found["groups"]} >= {"phase", "standing", "rival", "seat"}
    assert (info["versions"], info["newer_bouts"]) == ([1], 0)
    worst = found["mistakes"][0]
    film = owner.get(f"/api/films/{worst['record']}")
    seat = worst["found"]["seat"]
    assert film["steps"][worst["found"]["step"] - 1]["moves"][str(seat)] == worst["found"]["move"]
    saved = owner.ask(f"{path}/positions")
    assert "mistakes.jsonl" in saved.headers["content-disposition"]
    (tmp_path / "mistakes.jsonl").write_bytes(saved.body)
    tests = read_test_positions(tmp_path / "mistakes.jsonl")
    assert len(tests) == info["mistakes"]
    assert tests[0].played == worst["found"]["move"] and tests[0].record == worst["record"]


def test_newer_bouts_are_those_before_the_first_one_looked_at(
    duel: Duel, playing_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a bout looked at counts no more, an older one takes its place in the list."""
    batch = AnalysisBatch[MistakeSummary](["c", "b", "a"], unused, unused)
    monkeypatch.setattr(playing_site.state.analysis.bot_mistakes, "find", lambda key: batch)
    monkeypatch.setattr(bot_mistakes, "list_films", unused)
    path = f"/api/bots/{duel.bots[1]}/mistakes"
    found = duel.owners[1].get(path)
    assert found["progress"]["state"] == "waiting", "nothing is counted before anything is found"
    batch.summary = bot_mistakes.summarise([], {}, "bot", "reversi")
    played = BotFilms(["e", "d", "c", "a", "old"], {}, {"c": [2], "a": [1], "e": [3]})
    told = bot_mistakes.describe(batch, played)
    assert (told.newer_bouts, told.versions) == (2, [1, 2])


def unused(*given: object) -> Any:
    raise AssertionError("this must not be called")


def test_only_the_owner_sees_mistakes(duel: Duel, playing_site: Site, olga: Person) -> None:
    path = f"/api/bots/{duel.bots[1]}/mistakes"
    for person, status in (
        (duel.owners[0], 403),
        (newcomer(playing_site), 403),
        (olga, 403),
        (Person(playing_site), 401),
    ):
        answers = [person.ask(path), person.ask(path, {}), person.ask(f"{path}/positions")]
        assert [answer.status for answer in answers] == [status] * 3


def test_a_contest_names_its_turning_points_and_so_does_its_report(
    duel: Duel, playing_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    rival, guest = duel.owners[0], Person(playing_site)
    path = f"/api/contests/{duel.contest}"
    assert guest.get(f"{path}/turning-points")["progress"]["state"] == "none"
    assert guest.ask(f"{path}/turning-points", {}).status == 401
    assert "Turning points" not in rival.ask(f"{path}/report.md?lang=en").body.decode()
    traffic = playing_site.state.traffic
    few = msgspec.structs.replace(traffic.limits, new_analysis_batches=1)
    monkeypatch.setattr(traffic, "limits", few)
    assert rival.ask(f"{path}/turning-points", {}).status == 202
    found = wait_for_end(rival, f"{path}/turning-points")
    assert found["progress"]["state"] == "complete" and found["judged"] == found["bouts"] == 2
    assert found == guest.get(f"{path}/turning-points")
    swings = [point["before"] - point["after"] for point in found["points"]]
    assert swings and swings == sorted(swings, reverse=True)
    biggest = found["points"][0]
    assert f"step {biggest['step']} " in biggest["sentence"]["en"]
    assert guest.get(f"/api/films/{biggest['film']}")["steps"][biggest["step"] - 1]
    refused = rival.ask(f"{path}/turning-points", {})
    assert refused.status == 429 and "(1 per hour)" in refused.json["error"]["en"]
    playing_site.state.analysis.turning_points._known.clear()  # as if it were started anew
    assert guest.get(f"{path}/turning-points")["points"] == found["points"]
    for language, title in (("en", "Turning points"), ("zh", "转折点")):
        report = guest.ask(f"{path}/report.md?lang={language}").body.decode()
        assert title in report and biggest["sentence"][language] in report.replace("\\", "")
        html = guest.ask(f"{path}/report.html?lang={language}").body.decode()
        assert biggest["sentence"]["en"] in html
