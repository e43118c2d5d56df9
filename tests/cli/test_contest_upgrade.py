"""A contest.db of before opens, tells the same, and goes on."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from ludus.scheduling.contest_loading import ContestFile
from tests.support.cli import Ludus
from tests.support.old_databases import OLD, in_utc, is_told, unpacked


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
    assert is_told(told["bouts"], before["bouts"]) and is_told(told["entrants"], before["entrants"])
    assert is_told(told["standings"], before["standings"])
    assert is_told(told["matches"], before["matches"])
    if name == "contest":
        ran = cli("contest", "rejudge", "--bot", "greedy")  # which we have since changed
        assert ran.code == 0, ran.err
        cli("contest", "resume", f"{name}.toml")
        assert json.loads(cli("contest", "status", f"{name}.toml", "--json").out)["over"]


@pytest.mark.parametrize(("match", "extra"), [({}, 0), ({"extra": 2}, 2)])
def test_a_knockout_of_before_keeps_its_rule_for_level_matches(
    tmp_path: Path, match: dict[str, int], extra: int
) -> None:
    """What its file leaves out means what it meant when the contest began."""
    text = (OLD / "half.toml").read_text(encoding="utf-8")
    text = text.replace('name = "round-robin"\ncycles = 20', 'name = "knockout"')
    for key, value in match.items():
        text = text.replace("bouts = 2", f"bouts = 2\n{key} = {value}")
    (tmp_path / "half.toml").write_text(text, encoding="utf-8")
    with sqlite3.connect(unpacked("half.db", tmp_path)) as old:
        [(stored,)] = old.execute("SELECT settings FROM contests")
        complete = {**json.loads(stored)["match"], "extra": 0, **match}
        assert "extra_seats" not in complete
        form = {"name": "knockout", "third": "match"}
        cup = {**json.loads(stored), "format": form, "match": complete}
        old.execute("UPDATE contests SET settings = ?", (json.dumps(cup),))
    store = ContestFile(tmp_path / "half.toml").open_store()
    assert store is not None
    rules = store.settings().match
    store.close()
    assert (rules.extra, rules.extra_seats) == (extra, "drawn")
