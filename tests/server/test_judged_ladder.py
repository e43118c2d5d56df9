"""A bot of Botzone is uploaded for a game with a judge, checked, and climbs the ladder."""

from typing import Any

from tests.support.accounts import checked, log_in, newcomer, upload
from tests.support.judged_games import EXAMPLES
from tests.support.site import Site, wait_for


def test_an_uploaded_bot_climbs_the_ladder_of_a_judged_game(playing_site: Site) -> None:
    games = playing_site.home / "games"
    games.mkdir(exist_ok=True)
    (games / "nim").symlink_to(EXAMPLES / "nim")
    settings = {"ladder_house": {"nim": ["greedy"]}, "ladder_enough": 4}
    log_in(playing_site, "Olga").post("/api/admin/settings", settings, "PATCH")
    ann = newcomer(playing_site, "ann")
    bot = upload(ann, (EXAMPLES / "nim" / "bots" / "careful.py").read_bytes(), game="nim")
    version = checked(ann, bot["versions"][0]["id"])
    assert version["state"] == "good", version
    ann.post(f"/api/bots/{bot['id']}", {"current": version["id"]}, "PATCH")

    def find_row() -> dict[str, Any] | None:
        rows = ann.get("/api/ladders/nim")["rows"]
        return next((row for row in rows if row["bot"]["id"] == bot["id"]), None)

    wait_for(lambda: (row := find_row()) and row["bouts"] >= 2, 90)
    row = find_row()
    assert row is not None
    assert row["won"] + row["lost"] == row["bouts"]
