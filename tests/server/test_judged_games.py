"""Games with a judge of Botzone on the page: listed, played by people who type, watched, kept."""

from pathlib import Path

import pytest

from ludus.compat.botzone.judge_rerun import rerun_record
from ludus.match import record
from tests.support.judged_games import EXAMPLES
from tests.support.rooms import HUMAN, answer, open_room, sit
from tests.support.site import Site, hear


@pytest.fixture(autouse=True)
def examples(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The examples are among the games of this machine."""
    (home / "games").mkdir(parents=True, exist_ok=True)
    (home / "games" / "nim").symlink_to(EXAMPLES / "nim")


def test_a_judged_game_is_listed_with_its_bots(site: Site) -> None:
    (game,) = [each for each in site.get("/api/games") if each["name"] == "nim"]
    assert game["title"]["zh"] == "尼姆取石子"
    assert [bot["name"] for bot in game["bots"]] == ["careful", "greedy"]


def test_a_person_types_responses_and_sees_what_the_judge_displays(site: Site) -> None:
    bot = {"kind": "bot", "bot": "greedy"}
    options = {"initdata": '{"piles": [1, 2]}'}
    room, (token, _) = open_room(site, game="nim", seats=[HUMAN, bot], seed=4, options=options)
    with sit(site, room, token) as socket:
        assert hear(socket, "film")["film"]["scene"]["display"] is True
        answer(socket, hear(socket, "ask"), '{"pile": 1, "take": 1}')
        answer(socket, hear(socket, "ask"), '{"pile": 1, "take": 1}')
        end = hear(socket, "end")["end"]
        saved = hear(socket, "saved")["id"]
    assert end["scores"] == [1.0, 0.0]
    rerun_record(record.read(site.home / "records" / f"{saved}.ludus"))
    steps = site.get(f"/api/films/{saved}")["steps"]
    assert [step["display"]["piles"] for step in steps] == [[1, 2], [1, 1], [0, 1], [0, 0]]
    assert steps[1]["moves"]["0"] == '{"pile":1,"take":1}'
