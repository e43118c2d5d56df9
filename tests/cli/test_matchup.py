"""``ludus matchup``: from records on disk and in contests to tables and JSON."""

import json
from pathlib import Path

from ludus.cli.matchup import draw_course
from tests.support.cli import Ludus

SMALL = ("-o", "size=4", "--in-process")


def play(cli: Ludus, one: str, other: str, *more: object) -> dict[str, object]:
    ran = cli("match", "reversi", one, other, "--bouts", 6, "--seed", 3, *SMALL, *more, "--json")
    found: dict[str, object] = json.loads(ran.out)["summary"]
    return found


def test_it_tells_what_the_match_told(cli: Ludus) -> None:
    told = play(cli, "greedy", "random")
    play(cli, "random", "random")  # of other bots
    found = json.loads(cli("matchup", "greedy", "random", "--json").out)
    assert found["score"]["won"] + found["score"]["drawn"] + found["score"]["lost"] == 6
    assert {key: found[key] for key in ("elo", "low", "high")} == told["elo"]
    assert len(found["openings"]) == 3 and len(found["course"]) == 6
    swapped = json.loads(cli("matchup", "random", "greedy", "--json").out)
    assert swapped["score"]["won"] == found["score"]["lost"]


def test_it_prints_seats_openings_and_the_course(cli: Ludus, chinese: None) -> None:
    play(cli, "greedy", "random")
    ran = cli("matchup", "greedy", "random")
    assert ran.code == 0
    for words in ("greedy 共 6 局", "黑方", "白方", "Elo", "走势"):
        assert words in ran.out


def test_versions_of_one_bot_are_told_apart_by_their_digests(cli: Ludus, tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    text = "class Bot:\n    def move(self, p, c):\n        return p.legal(p.to_move[0])[{}]\n"
    for place in (0, -1):
        bot.write_text(text.format(place))
        play(cli, str(bot), "greedy")
    both = json.loads(cli("matchup", bot, "greedy", "--json").out)
    assert len(both["versions"]) == 2
    digest = both["versions"][0]["versions"][0]
    one = json.loads(cli("matchup", digest[:10], "greedy", "--json").out)
    assert one["score"] == both["versions"][0]["score"]


def test_a_contest_can_be_read(cli: Ludus, tmp_path: Path) -> None:
    (tmp_path / "contest.toml").write_text(
        'name = "c"\ngame = "reversi"\n[options]\nsize = 4\n[match]\nbouts = 4\n'
        '[[entrants]]\nbot = "greedy"\n[[entrants]]\nbot = "random"\n'
    )
    assert cli("contest", "run", tmp_path).code == 0
    found = json.loads(cli("matchup", "random", "greedy", tmp_path / "contest.db", "--json").out)
    assert len(found["course"]) + found["copies"] == 4


def test_strangers_and_several_games_are_said(cli: Ludus) -> None:
    ran = cli("matchup", "nobody", "random")
    assert ran.code == 2
    play(cli, "greedy", "random")
    assert "no bout between" in cli("matchup", "nobody", "random").err
    cli("play", "duel2048", "greedy", "random", "-o", "rounds=3", "--in-process")
    assert "--game" in cli("matchup", "greedy", "random").err
    assert cli("matchup", "greedy", "random", "--game", "duel2048").code == 0


def test_a_course_fits_its_width() -> None:
    assert draw_course([0.0, 0.5, 1.0]) == "▁▅█"
    assert len(draw_course([0.5] * 1000)) == 60
