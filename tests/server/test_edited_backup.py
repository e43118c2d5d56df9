"""A backup that somebody has edited, and settings that name a path, are refused."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ludus.errors import LudusError
from ludus.scheduling.schema import BotRow, SettingRow, TokenRow, UserRow
from ludus.server.admin import backup, site_settings
from ludus.server.database import Database
from tests.support.accounts import Person, newcomer
from tests.support.site import Site

AT = "2026-01-01T00:00:00Z"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a small backup."""
    folder = tmp_path_factory.mktemp("good")
    database = Database(str(folder / "arena.db"))
    with database.writing() as session:
        user = {"name": "Olga", "name_key": "olga", "password_hash": "x", "created_at": AT}
        session.add(UserRow(id=1, role="organiser", **user))
        session.add(SettingRow(key="ladders", value={"reversi": False}))
        session.flush()
        session.add(BotRow(id=1, user_id=1, game="reversi", name="b", name_key="b", created_at=AT))
        token = {"label": "x", "digest": "x", "created_at": AT}
        session.add(TokenRow(id=1, user_id=1, scopes="read play", **token))
    backup.write_backup(database, folder / "good.zip")
    database.close()
    with zipfile.ZipFile(folder / "good.zip") as box:
        return {name: box.read(name) for name in box.namelist()}


def restored(files: dict[str, bytes], folder: Path) -> dict[str, int]:
    with zipfile.ZipFile(folder / "edited.zip", "w") as box:
        for name, data in files.items():
            box.writestr(name, data)
    return backup.restore_backup(folder / "edited.zip", str(folder / "new.db"))


@pytest.mark.parametrize(
    "table,change",
    [
        ("users", {"role": "god"}),
        ("users", {"language": "../../x"}),
        ("tokens", {"scopes": "read everything"}),
        ("bots", {"game": "../../etc"}),
        ("bots", {"game": "/etc"}),
        ("site_settings", {"value": {"../x": False}}),
        ("site_settings", {"key": "ladder_house", "value": {"reversi": ["../../x"]}}),
        ("site_settings", {"key": "guests", "value": "yes"}),
    ],
)
def test_a_row_that_cannot_be_is_refused(
    good: dict[str, bytes], tmp_path: Path, table: str, change: dict[str, Any]
) -> None:
    row = {**json.loads(good[f"{table}.jsonl"]), **change}
    with pytest.raises(LudusError, match="is invalid") as refused:
        restored({**good, f"{table}.jsonl": json.dumps(row).encode() + b"\n"}, tmp_path)
    assert "已损坏" in refused.value.text["zh"] and not (tmp_path / "new.db").exists()


def test_a_backup_as_it_was_written_is_restored(good: dict[str, bytes], tmp_path: Path) -> None:
    assert restored(good, tmp_path)["bots"] == 1


WRONG = [
    {"ladder_house": {"reversi": ["../../x"]}},
    {"ladder_house": {"reversi": ["nobody"]}},
    {"ladder_house": {"../x": ["random"]}},
    {"ladders": {"../x": False}},
    {"ladders": {"chess960": False}},
    {"imports": {"/etc": ["math"]}},
]


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_settings_name_games_and_bots_that_are_here(olga: Person, wrong: dict[str, Any]) -> None:
    answer = olga.ask("/api/admin/settings", wrong, method="PATCH")
    assert answer.status == 400 and answer.json["error"].keys() == {"code", "en", "zh"}


def test_settings_of_a_game_that_is_gone_hinder_no_others(olga: Person, playing_site: Site) -> None:
    with playing_site.state.site.database.writing() as session:
        session.add(SettingRow(key="ladder_clock", value={"gone": {"budget": 1}}))
        session.add(SettingRow(key="imports", value={"../x": None}))  # kept by an older Ludus
    playing_site.state.site.forget_settings()
    told = olga.post("/api/admin/settings", {"ladders": {"reversi": True}}, "PATCH")
    assert told["ladders"] == {"reversi": True} and told["imports"] == {}
    with playing_site.state.site.database.reading() as session:
        assert site_settings.read_settings(session).ladder_clock == {"gone": {"budget": 1}}


def test_a_language_is_one_that_ludus_speaks(playing_site: Site) -> None:
    person = newcomer(playing_site)
    assert person.ask("/api/me", {"language": "../../x"}, method="PATCH").status == 400
    assert person.ask("/api/me", {"language": "zh"}, method="PATCH").status == 200
