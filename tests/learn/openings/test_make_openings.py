"""The command that makes suites of openings, and the suites that come along."""

from pathlib import Path

import pytest

from ludus.games import get
from ludus.games.base import Game
from ludus.games.openings import parse_suite, read_suite_lines, resolve_openings
from ludus.games.symmetry import make_position_key
from ludus.learn.openings.judges import find_judge
from ludus.learn.openings.tasks import play_opening
from ludus.match.series import plan_bouts
from tools.make_openings import main

REVERSI, TABLUT, ATAXX = get("reversi"), get("tablut"), get("ataxx")
ARGUMENTS = (
    *("reversi", "-o", "size=6", "--plies", "3-5", "--count", "12", "--filter", "depth:1=90"),
    *("--judge", "depth:2", "--bound", "60", "--play", "depth:1", "--play", "depth:2"),
    *("--verify", "depth:2", "--output"),
)


def list_keys(game: Game, options, lines) -> list[object]:
    positions = [play_opening(game, options, moves) for moves in lines]
    return [make_position_key(game, options, position) for position in positions]


def test_a_suite_is_made_for_any_board_and_says_how(tmp_path: Path) -> None:
    file = tmp_path / "suite.txt"
    assert main([*ARGUMENTS, str(file)]) == 0
    options = REVERSI.Options(size=6)
    lines = parse_suite(read_suite_lines(file), REVERSI, options, "suite")
    assert len(lines) == 12 == len(set(list_keys(REVERSI, options, lines)))
    assert {len(moves) for moves in lines} <= {3, 4, 5}
    judge = find_judge("depth:2", REVERSI, options)
    assert all(abs(judge.evaluate(play_opening(REVERSI, options, moves))) <= 60 for moves in lines)
    head = file.read_text(encoding="utf-8").partition("\n\n")[0]
    assert str(tmp_path) not in head
    assert "--bound 60" in head and "at most 60" in head
    assert "by which no opening was selected:\n#   depth:2: " in head


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    file, results = tmp_path / "suite.txt", tmp_path / "suite.txt.results.jsonl"
    assert main([*ARGUMENTS, str(file)]) == 0
    suite, known = file.read_bytes(), results.read_bytes()
    assert main([*ARGUMENTS, str(file)]) == 0
    assert (file.read_bytes(), results.read_bytes()) == (suite, known)
    results.write_bytes(known[: len(known) // 2])
    assert main([*ARGUMENTS, str(file)]) == 0
    assert file.read_bytes() == suite


def test_an_existing_suite_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("d3 c3\nd3 c5\n")
    command = ["reversi", "--measure", str(file), "--verify", "depth:1"]
    assert main([*command, "--output", str(tmp_path / "out.txt")]) == 0
    assert capsys.readouterr().out.startswith("depth:1: ")
    assert not (tmp_path / "out.txt").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["duel2048", "--judge", "search:9", "--bound", "1"], "fixed start position"),
        (["reversi"], "name a judge and a bound"),
        (["reversi", "--judge", "depth:x", "--bound", "1"], "is not a judge"),
        (
            [*("reversi", "--plies", "1", "--judge", "depth:1", "--bound", "900", "--count", "5")],
            "of 5 openings are balanced, among 1 drawn",
        ),
    ],
)
def test_what_went_wrong_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert main([*arguments, "--output", str(tmp_path / "out.txt")]) == 1
    assert says in capsys.readouterr().err


SHIPPED = [
    (REVERSI, 1000, "depth:4", 90.0),
    (TABLUT, 1000, "learned:0", 0.3),
    (ATAXX, 500, "depth:4", 150.0),
]


@pytest.mark.parametrize(("game", "count", "judge", "bound"), SHIPPED)
def test_a_shipped_suite_is_legal_distinct_and_within_its_bound(
    game: Game, count: int, judge: str, bound: float
) -> None:
    options = game.Options()
    file = game.openings_file(options)
    assert file is not None
    lines = parse_suite(read_suite_lines(file), game, options, str(file))
    assert len(lines) >= count
    assert len(set(list_keys(game, options, lines))) == len(lines)
    found = find_judge(judge, game, options)
    for moves in lines[:40]:
        assert abs(found.evaluate(play_opening(game, options, moves))) <= bound


@pytest.mark.parametrize("game", [REVERSI, TABLUT, ATAXX], ids=lambda game: game.name)
def test_both_bots_of_a_pair_get_the_same_opening_of_the_suite(game: Game) -> None:
    openings = resolve_openings("", game, game.Options())
    assert openings.spec == "suite"
    planned = plan_bouts(2, 40, 3, openings=openings)
    assert [bout.opening for bout in planned[::2]] == [bout.opening for bout in planned[1::2]]
    assert len({bout.opening for bout in planned}) == 20
