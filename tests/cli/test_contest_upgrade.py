"""A contest.db of before opens, tells the same, and goes on."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.support.cli import Ludus
from tests.support.old_databases import OLD, in_utc, unpacked


@pytest.mark.parametrize("name", ["contest", "half"])
def test_a_contest_file_of_before_tells_the_same_and_goes_on(
    tmp_path: Path, cli: Ludus, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    unpacked(f"{name}.db", tmp_path)
    for file in (f"{name}.toml", "one.py"):
        shutil.copy(OLD / file, tmp_path)
    with sqlite3.connect(tmp_path / f"{name}.db") as old:
        old.execute("UPDATE contests SET folder = ?", (str(tmp_path),))
    monkeypatch.chdir(tmp_path)
    before = in_utc(json.loads((OLD / f"{name}.json").read_text(encoding="utf-8")))
    told = json.loads(cli("contest", "status", f"{name}.toml", "--json").out)
    assert told["bouts"] == before["bouts"] and told["entrants"] == before["entrants"]
    assert told["standings"] == before["standings"] and told["matches"] == before["matches"]
    if name == "contest":
        cli("contest", "resume", f"{name}.toml")
        assert json.loads(cli("contest", "status", f"{name}.toml", "--json").out)["over"]
