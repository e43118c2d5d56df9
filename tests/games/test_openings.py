"""Openings: where the first moves of a bout come from."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from ludus.errors import LudusError
from ludus.games import get
from ludus.games.openings import (
    NO_OPENINGS,
    OpeningSuite,
    default_spec,
    find_problem,
    resolve_openings,
)
from ludus.match.series import plan_bouts

REVERSI, TABLUT, DUEL = get("reversi"), get("tablut"), get("duel2048")
LINES = ("d3 c3", "d3 c5", "d3 e3", "c4 c3", "c4 e3", "f5 f6")


def suite(lines: Sequence[str] = LINES) -> OpeningSuite:
    found = resolve_openings(lines, REVERSI, REVERSI.Options())
    assert isinstance(found, OpeningSuite)
    return found


@pytest.mark.parametrize("name", ["reversi", "tablut", "duel2048", "eraser", "paperio"])
def test_random_openings_are_legal_and_fixed_by_the_seed(name: str) -> None:
    game = get(name)
    options = game.Options()
    openings = resolve_openings("random:6", game, options)
    drawn = [openings.draw(seed) for seed in range(5)]
    assert drawn == [openings.draw(seed) for seed in range(5)]
    assert len(set(drawn)) > 1
    for seed, moves in enumerate(drawn):
        position = game.start(options, seed)
        left = list(moves)
        for _ in range(6):
            seats = position.to_move
            position.play({seat: left.pop(0) for seat in seats})
        assert not left and position.to_move


def test_random_openings_stop_where_every_move_would_end_the_bout() -> None:
    options = REVERSI.Options.parse({"size": 4})
    moves = resolve_openings("random:100", REVERSI, options).draw(1)
    assert 5 < len(moves) < 12
    assert find_problem(REVERSI, options, moves) is None


def test_every_opening_of_a_list_occurs_once_before_any_occurs_again() -> None:
    openings = suite()
    for seed in range(20):
        planned = plan_bouts(2, 4 * len(LINES), seed, openings=openings)
        first, second = (
            [bout.opening for bout in planned[part : part + 2 * len(LINES) : 2]]
            for part in (0, 2 * len(LINES))
        )
        assert sorted(first) == sorted(openings.lines) == sorted(second)
        assert [b.opening for b in planned[::2]] == [b.opening for b in planned[1::2]]


def test_matches_begin_at_different_places_of_the_list() -> None:
    assert len({plan_bouts(2, 6, seed, openings=suite())[0].opening for seed in range(30)}) > 3


def test_the_seed_of_a_bout_gives_its_opening_back() -> None:
    planned = plan_bouts(2, 10, 7, openings=suite())[6]
    [again] = plan_bouts(2, 1, 0, bout_seed=planned.seed, openings=suite())
    assert again.opening == planned.opening


def test_games_that_start_alike_begin_with_openings_and_others_do_not() -> None:
    assert default_spec(REVERSI, REVERSI.Options.parse({"size": 6})) == "random:4"
    assert default_spec(TABLUT, TABLUT.Options.parse({"opening": 4})) == "none"
    assert default_spec(DUEL, DUEL.Options()) == "none"
    assert resolve_openings("", DUEL, DUEL.Options()) is NO_OPENINGS
    assert resolve_openings("none", REVERSI, REVERSI.Options()).draw(1) == ()


def test_a_file_has_one_opening_per_line_and_comments(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("# parallel\nd3 c3\n\nd3 c5 f6 # diagonal\n", encoding="utf-8")
    found = resolve_openings(str(path), REVERSI, REVERSI.Options())
    assert isinstance(found, OpeningSuite)
    assert found.lines == (("d3", "c3"), ("d3", "c5", "f6"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("d3 c3\nd3 a1\n", "opening 2 (d3 a1): a1"),
        ("# nothing\n", "no openings"),
        ("\udcff", "UTF-8"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(LudusError, match=says.replace("(", r"\(").replace(")", r"\)")):
        resolve_openings(str(path), REVERSI, REVERSI.Options())


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("random:0", "1 to 100 moves"),
        ("random:x", "1 to 100 moves"),
        ("book", "suite, random:N or none"),
        ("/nowhere/mine.txt", "No such file"),
    ],
)
def test_what_is_wrong_with_openings_is_said(spec: str, says: str) -> None:
    with pytest.raises(LudusError, match=says):
        resolve_openings(spec, REVERSI, REVERSI.Options())


def test_files_can_be_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("d3 c3\n")
    with pytest.raises(LudusError, match="unknown openings"):
        resolve_openings(str(path), REVERSI, REVERSI.Options(), files=False)


def test_a_list_does_not_fit_a_game_that_starts_differently_each_time() -> None:
    with pytest.raises(LudusError, match="use random:N"):
        resolve_openings(["1222"], DUEL, DUEL.Options())


def test_a_foreign_logic_cannot_begin_with_an_opening() -> None:
    uno = get("uno")
    assert resolve_openings("", uno, uno.Options()) is NO_OPENINGS
    with pytest.raises(LudusError, match="cannot begin with an opening"):
        resolve_openings("random:2", uno, uno.Options())


def test_a_game_without_a_suite_says_so() -> None:
    with pytest.raises(LudusError, match="no suite"):
        resolve_openings("suite", REVERSI, REVERSI.Options.parse({"size": 4}))


def test_an_opening_must_not_end_the_bout() -> None:
    options = TABLUT.Options.parse({"limit": 2})
    moves = resolve_openings("random:1", TABLUT, options).draw(1)
    position = TABLUT.start(options, 0)
    position.play({position.to_move[0]: moves[0]})
    second = position.legal(position.to_move[0])[0]
    problem = find_problem(TABLUT, options, (*moves, second))
    assert problem is not None and "would end" in problem["en"]
