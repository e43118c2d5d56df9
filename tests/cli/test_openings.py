"""Openings on the command line and in contests: bots that draw no random numbers differ."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from ludus.contest.settings import parse_stored_settings
from ludus.games import get
from ludus.games.openings import resolve_openings
from ludus.match.record import read, unpack
from ludus.match.replay import verify
from ludus.scheduling.contest_loading import ContestFile
from tests.support.cli import Ludus, WriteBot

FIRST = """
class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        return sorted(position.legal(self.seat))[0]
"""
LAST = FIRST.replace("[0]", "[-1]")
SMALL = ("-o", "size=4", "--in-process")
REVERSI = get("reversi")


@pytest.fixture
def bots(tmp_path: Path) -> tuple[str, str]:
    paths = tmp_path / "first.py", tmp_path / "last.py"
    for path, text in zip(paths, (FIRST, LAST), strict=True):
        path.write_text(text)
    return str(paths[0]), str(paths[1])


def play(cli: Ludus, *arguments: object) -> list[dict[str, Any]]:
    ran = cli(*arguments, "--in-process", "--json")
    assert ran.code == 0, ran.err
    bouts: list[dict[str, Any]] = json.loads(ran.out)["bouts"]
    return bouts


def moves(bouts: list[dict[str, Any]]) -> list[tuple[tuple[int, ...], tuple[str, ...]]]:
    return [(tuple(b["order"]), tuple(read(Path(b["file"])).moves)) for b in bouts]


@pytest.mark.parametrize("game", ["reversi", "tablut"])
def test_deterministic_bots_play_different_bouts(
    cli: Ludus, bots: tuple[str, str], game: str
) -> None:
    short = ("-o", "limit=30") if game == "tablut" else ()
    played = moves(play(cli, "match", game, *bots, "--bouts", 20, "--seed", 1, *short))
    assert len(set(played)) == 20


def test_without_openings_they_repeat_two_bouts(cli: Ludus, bots: tuple[str, str]) -> None:
    played = moves(
        play(cli, "match", "reversi", *bots, "--bouts", 6, "--openings", "none", *SMALL[:2])
    )
    assert len(set(played)) == 2


def test_both_bouts_of_a_pair_have_the_same_opening_and_records_tell_it(
    cli: Ludus, bots: tuple[str, str]
) -> None:
    played = play(cli, "match", "reversi", *bots, "--bouts", 6, "--openings", "random:5")
    records = [read(Path(bout["file"])) for bout in played]
    assert [record.opening for record in records] == [5] * 6
    for there, back in zip(records[::2], records[1::2], strict=True):
        assert there.moves[:5] == back.moves[:5] and there.seed == back.seed
        verify(there)


def test_the_seed_of_a_bout_brings_its_opening_back(cli: Ludus, bots: tuple[str, str]) -> None:
    fourth = play(cli, "match", "reversi", *bots, "--bouts", 6, "--seed", 9)[2]
    [again] = play(cli, "play", "reversi", *bots, "--bout-seed", fourth["seed"])
    assert moves([again])[0][1] == moves([fourth])[0][1]


def test_a_file_of_openings_is_played_through(
    cli: Ludus, bots: tuple[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("d3 c3 # one\nd3 c5\nd3 e3\n")
    played = play(cli, "match", "reversi", *bots, "--bouts", 6, "--openings", file)
    opened = [tuple(read(Path(bout["file"])).moves[:2]) for bout in played]
    assert set(opened) == {("d3", "c3"), ("d3", "c5"), ("d3", "e3")}
    assert opened[::2] == opened[1::2]


@pytest.mark.parametrize(
    ("openings", "says"), [("random:0", "1 to 100 moves"), ("book", "unknown openings 'book'")]
)
def test_wrong_openings_are_a_mistake(cli: Ludus, openings: str, says: str) -> None:
    ran = cli("match", "reversi", "random", "random", "--openings", openings)
    assert ran.code == 2 and says in ran.err


def test_openings_are_named_in_the_heading(cli: Ludus, chinese: None) -> None:
    ran = cli(*("play", "reversi", "random", "random", "--openings", "random:2", *SMALL))
    assert "开局：random:2" in ran.out


CONTEST = """
name = "openings"
game = "reversi"
seed = 3
isolate = false
{openings}
[options]
size = 6
[match]
bouts = 4
[[entrants]]
bot = "first.py"
[[entrants]]
bot = "last.py"
"""


def played_openings(folder: Path) -> list[tuple[str, ...]]:
    store = ContestFile(folder).open_store()
    assert store is not None
    with contextlib.closing(store):
        records = [unpack(data, "it") for _, _, data in store.iterate_records()]
    return [tuple(record.moves[: record.opening_moves]) for record in records]


def write_contest(folder: Path, openings: str) -> None:
    for name, text in (("first.py", FIRST), ("last.py", LAST)):
        (folder / name).write_text(text)
    (folder / "contest.toml").write_text(CONTEST.format(openings=openings))


@pytest.mark.parametrize(
    ("openings", "plies", "different"),
    [("", 4, 2), ('openings = "none"', 0, 1), ('openings = "mine.txt"', 2, 2)],
)
def test_a_contest_has_openings_as_its_file_says(
    cli: Ludus, tmp_path: Path, openings: str, plies: int, different: int
) -> None:
    lines = [
        resolve_openings("random:2", REVERSI, REVERSI.Options.parse({"size": 6})).draw(s)
        for s in (1, 2)
    ]
    (tmp_path / "mine.txt").write_text("\n".join(map(" ".join, lines)))
    write_contest(tmp_path, openings)
    assert cli("contest", "run", tmp_path).code == 0
    opened = played_openings(tmp_path)
    assert len(opened) == 4
    assert {len(each) for each in opened} == {plies}
    assert len(set(opened)) == different
    # the file of a contest that has begun may still leave its openings to the game
    assert cli("contest", "run", tmp_path).code == 0


def test_the_openings_of_a_contest_that_has_begun_cannot_change(cli: Ludus, tmp_path: Path) -> None:
    write_contest(tmp_path, 'openings = "random:3"')
    assert cli("contest", "run", tmp_path).code == 0
    write_contest(tmp_path, 'openings = "random:5"')
    ran = cli("contest", "run", tmp_path)
    assert ran.code == 2 and "openings" in ran.err


def test_a_contest_of_before_openings_existed_has_none() -> None:
    stored = parse_stored_settings({"name": "old", "game": "reversi"}, "old")
    assert stored.openings == "none"


def test_sprt_differs_by_its_openings(cli: Ludus, bots: tuple[str, str]) -> None:
    sprt = ("sprt", *bots, "--game", "reversi", "-o", "size=4", "--bouts", 8, "--jobs", 1, "--json")
    for openings in ("random:2", "random:3"):
        ran = cli(*sprt, "--openings", openings)
        assert sum(json.loads(ran.out)["pairs"]) >= 4, ran.err


def test_bots_that_the_rules_start_alike_get_random_plies(cli: Ludus, bot: WriteBot) -> None:
    ran = cli("play", "reversi", bot(FIRST), "random", *SMALL, "--json")
    assert json.loads(ran.out)["openings"] == "random:4"
