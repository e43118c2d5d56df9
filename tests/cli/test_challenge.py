"""``ludus challenge``, and ``tcp:`` seats on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.challenge_clients import EXAMPLE, PYTHON
from tests.support.cli import Ludus

EXAMPLE_SEAT = f"tcp:{PYTHON} {EXAMPLE}"


def test_a_contest_between_their_players_is_an_ordinary_contest(
    cli: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ("-o", "variant=ashton", "--out", "challenge.toml", "--seed", 4)
    new = cli("contest", "new", "tablut", EXAMPLE_SEAT, "greedy", *options)
    assert new.code == 0, new.err
    done = cli("contest", "run", "challenge.toml", "--jobs", 1, "--quiet", "--trust")
    assert done.code == 0, done.err
    assert "player" in done.out and "greedy" in done.out


def test_the_command_plays_bots_and_saves_records_that_verify(cli: Ludus, tmp_path: Any) -> None:
    done = cli(
        "challenge", "tablut", "--white", "random", "--black", "greedy", "--bouts", 2, "--json",
        "--save", tmp_path,
    )  # fmt: skip
    assert done.code == 0, done.err
    bouts = json.loads(done.out)
    assert [bout["black"] for bout in bouts] == ["greedy"] * 2
    assert all(bout["result"] in ("WHITEWIN", "BLACKWIN", "DRAW") for bout in bouts)
    assert cli("replay", "verify", *(bout["record"] for bout in bouts)).code == 0


def test_the_commands_say_what_is_wrong(cli: Ludus) -> None:
    assert "more than 0" in cli("challenge", "tablut", "--time", 0).err
    assert "nobody_here" in cli("challenge", "join", "white", "nobody_here").err
    assert "purple" in cli("challenge", "join", "purple", "greedy").err
    ran = cli("challenge", "join", "white", "greedy", "--wait", 0, "--port", 9)
    assert ran.code != 0 and "no server of the challenge answers" in ran.err
