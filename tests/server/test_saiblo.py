"""Saiblo games on the page: listed, played by people, watched, kept."""

from pathlib import Path

import pytest

from ludus.match import record
from ludus.match.replay import verify
from tests.support.rooms import HUMAN, answer, open_room, say, sit
from tests.support.site import Site, hear
from tests.support.talking import HAND, PROTOCOL, ROCK_PAPER_SCISSORS


@pytest.fixture
def rps(home: Path) -> str:
    """A Saiblo game among the games of this machine."""
    folder = home / "games" / "rps"
    (folder / "ais").mkdir(parents=True)
    (folder / "saiblo.toml").write_text(
        'name = "rps"\nlogic = "logic.py"\nbots = "ais"\ntime = 60.0\n'
        'title = {en = "Rock paper scissors", zh = "石头剪刀布"}\n'
    )
    (folder / "logic.py").write_text(PROTOCOL + ROCK_PAPER_SCISSORS)
    (folder / "ais" / "paper.py").write_text(PROTOCOL + HAND.format(hand="paper"))
    return "rps"


def test_a_saiblo_game_is_listed_with_its_bots(rps: str, site: Site) -> None:
    (game,) = [each for each in site.get("/api/games") if each["name"] == rps]
    assert game["title"]["zh"] == "石头剪刀布"
    assert [bot["name"] for bot in game["bots"]] == ["paper"]


def test_a_person_plays_a_saiblo_game_that_speaks_text(rps: str, site: Site) -> None:
    bot = {"kind": "bot", "bot": "paper"}
    room, (token, _) = open_room(site, game=rps, seats=[HUMAN, bot], seed=4)
    with sit(site, room, token) as socket:
        assert hear(socket, "film")["film"]["game"]["name"] == rps
        for _ in range(3):
            asked = hear(socket, "ask")
            answer(socket, asked, "scissors")
        end = hear(socket, "end")["end"]
        saved = hear(socket, "saved")["id"]
    assert end["scores"] == [1.0, 0.0]
    kept = record.read(site.home / "records" / f"{saved}.ludus")
    verify(kept)
    film = site.get(f"/api/films/{saved}")
    assert "scissors" in film["steps"][1]["moves"]["0"]
    assert "listen" not in str(film)


def test_a_person_who_gives_up_is_told_to_the_logic(rps: str, site: Site) -> None:
    bot = {"kind": "bot", "bot": "paper"}
    room, (token, _) = open_room(site, game=rps, seats=[HUMAN, bot], seed=4)
    with sit(site, room, token) as socket:
        for _ in range(3):
            hear(socket, "ask")
            say(socket, "resign")
        assert hear(socket, "end")["end"]["scores"] == [0.0, 1.0]
