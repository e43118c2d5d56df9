"""``ludus rate``: per side, with intervals, on the scale of the anchors."""

import json
from pathlib import Path

import pytest

from ludus.cli.rate import DEFAULT_RIVALS
from ludus.games import get
from ludus.learn.opponents import find_opponent
from tests.support.cli import LEGAL, Ludus, WriteBot


def test_a_subject_is_rated_per_side_and_on_one_scale(cli: Ludus) -> None:
    ran = cli("rate", "tablut", "depth:2", "random", "depth:1", "--bouts", "6", "--jobs", "1")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0].startswith("depth 2 against random: ")
    assert all("defenders" in line and "attackers" in line for line in lines[:2])
    assert lines[2].startswith("Elo of depth 2: ")


def test_a_side_without_bouts_has_no_share(cli: Ludus) -> None:
    ran = cli("rate", "reversi", "greedy", "random", "--bouts", "1", "-o", "size=4")
    assert ran.code == 0, ran.err
    assert "white – (0-0-0)" in ran.out


def test_the_numbers_for_programs_hold_the_documents_formula(cli: Ludus) -> None:
    ran = cli("rate", "tablut", "depth:1", "depth:2", "--bouts", "4", "--jobs", "1", "--json")
    told = json.loads(ran.out)
    (rated,) = told["rated"]
    assert rated["anchor"] == 1500
    assert sum(seat["won"] + seat["drawn"] + seat["lost"] for seat in rated["seats"]) == 4
    assert rated["elo"]["low"] < rated["elo"]["elo"] < rated["elo"]["high"]
    assert rated["document"]["elo"] == pytest.approx(1500 + rated["document"]["delta"])
    assert told["elo"]["elo"] == pytest.approx(rated["elo"]["elo"], abs=0.1)


def test_anchors_count_under_the_usual_rules_only(cli: Ludus) -> None:
    ran = cli(
        *("rate", "tablut", "random", "depth:1", "--bouts", "2", "--jobs", "1", "--json"),
        *("-o", "variant=brandubh"),
    )
    told = json.loads(ran.out)
    assert told["elo"] is None and told["rated"][0]["anchor"] is None


def test_a_missing_network_is_named(cli: Ludus) -> None:
    ran = cli("rate", "tablut", "nowhere.onnx", "random")
    assert ran.code == 2 and "nowhere.onnx" in ran.err


@pytest.mark.parametrize("name", sorted(DEFAULT_RIVALS))
def test_the_default_rivals_of_every_game_can_play(name: str) -> None:
    game = get(name)
    for rival in DEFAULT_RIVALS[name]:
        find_opponent(rival, game, game.Options(), None)


def test_a_file_with_a_bot_is_rated(cli: Ludus, bot: WriteBot) -> None:
    ran = cli("rate", "reversi", bot(LEGAL), "-o", "size=4", "--bouts", "2", "--json")
    assert ran.code == 0, ran.err
    rated = json.loads(ran.out)["rated"]
    assert [each["rival"] for each in rated] == list(DEFAULT_RIVALS["reversi"])


def test_a_bot_of_botzone_is_rated(cli: Ludus, tmp_path: Path) -> None:
    path = tmp_path / "answers.py"
    path.write_text(
        "import json\ntold = json.loads(input())['requests']\n"
        "print(json.dumps({'response': told[-1]}))\n"
    )
    ran = cli("rate", "reversi", path, "random", "--bouts", "2", "--json")
    assert ran.code == 0, ran.err
    (rated,) = json.loads(ran.out)["rated"]
    assert sum(seat["won"] + seat["drawn"] + seat["lost"] for seat in rated["seats"]) == 2


def test_the_help_names_the_default_rivals(cli: Ludus) -> None:
    said = " ".join(cli("rate", "--help").out.split())
    for game, rivals in DEFAULT_RIVALS.items():
        assert f"{game}: {' '.join(rivals)}" in said
