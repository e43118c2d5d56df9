"""``--trust``: programs of the user's without a jail."""

import json
import sys
from pathlib import Path

import pytest

from ludus.match.record import unpack
from ludus.scheduling.contest_store import ContestStore
from tests.support.cli import Ludus
from tests.support.frames import first_legal

SMALL = ("-o", "size=4", "--seed", "3")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "program.py"
    path.write_text(first_legal())
    return f"cmd:{sys.executable} {path}"


def test_the_command_line_says_who_runs_without_a_jail(
    tmp_path: Path, cli: Ludus, program: str
) -> None:
    done = cli("play", "reversi", program, "random", *SMALL, "--trust", "--json", "--save", "saved")
    assert "runs without a jail" in done.err
    assert json.loads(done.out)["bouts"][0]["verdict"] == "rules"
    (record,) = Path("saved").glob("*.ludus")
    assert "without a jail (--trust)" in cli("replay", "show", record).out


def test_a_contest_trusts_programs_only_when_it_is_told_to(cli: Ludus, program: str) -> None:
    for name, options in (("jailed", ()), ("trusted", ("--trust",))):
        new = cli("contest", "new", "reversi", program, "random", *SMALL, "--out", f"{name}.toml")
        assert new.code == 0, new.err
        done = cli("contest", "run", f"{name}.toml", "--jobs", 1, "--quiet", *options)
        assert done.code == 0, done.err
        assert ("--trust: cmd:" in done.err) == (name == "trusted")
        store = ContestStore.open(f"{name}.db")
        assert store is not None
        isolation = {
            bot.isolation
            for _, _, data in store.iterate_records()
            for bot in unpack(data, name).bots
            if bot.name != "random"
        }
        store.close()
        assert ("unjailed" in isolation) == (name == "trusted")


@pytest.mark.parametrize("start", ["import os; os.fork()", "import subprocess as s; s.run('true')"])
def test_a_program_that_may_not_start_another_is_told_of_trust(
    tmp_path: Path, cli: Ludus, start: str
) -> None:
    path = tmp_path / "starter.py"
    path.write_text(f"{start}\n{first_legal()}")
    ran = cli("play", "reversi", f"cmd:{sys.executable} {path}", "random", *SMALL, "--no-save")
    said = " ".join((ran.out + ran.err).split())
    assert "start another program" in said and "--trust" in said
