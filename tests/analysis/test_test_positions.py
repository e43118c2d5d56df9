"""Files of test positions: written, read and built again."""

from pathlib import Path

import pytest

from ludus.analysis.test_positions import (
    BotTestPosition,
    build_test_position,
    make_test_position,
    read_test_positions,
    write_test_positions,
)
from ludus.errors import LudusError
from ludus.match.replay import replay_steps
from tests.support.bouts import bout


@pytest.mark.parametrize(
    ("game", "bots"),
    [("reversi", ("greedy", "random")), ("paperio", ("random", "random"))],
    ids=["reversi", "paperio"],
)
def test_a_moment_of_a_record_is_built_again(
    game: str, bots: tuple[str, str], tmp_path: Path
) -> None:
    record = bout(game, bots)
    steps = replay_steps(record)
    for _ in range(5):
        _, position = next(steps)
    seats = len(position.to_move)
    seat, digest = position.to_move[-1], position.digest()
    better = position.legal(seat)[:1]
    test = make_test_position(record, 4 * seats, seat, better=better, loss=0.4, name="a.ludus")
    assert test.played == record.moves[4 * seats + seats - 1]

    file = tmp_path / "positions.jsonl"
    write_test_positions(file, [test, test])
    read = read_test_positions(file)
    assert read == [test, test]
    built = build_test_position(read[0])
    assert built.position.digest() == digest
    assert len(built.plies) == 4


def test_a_test_is_passed_by_a_better_move_or_any_but_the_wrong_one() -> None:
    test = BotTestPosition(game="reversi", version=1, moves=[], seat=0, played="d3", better=["c4"])
    assert [test.accepts(move) for move in ("d3", "c4", "f5")] == [False, True, False]
    test.better = []
    assert [test.accepts(move) for move in ("d3", "c4", "f5")] == [False, True, True]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 2: not a test position"),
        ('{"game":"reversi"}', "missing required field"),
    ],
)
def test_a_bad_line_is_named(line: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "positions.jsonl"
    file.write_text(f"\n{line}\n")
    with pytest.raises(LudusError) as error:
        read_test_positions(file)
    assert words in error.value.text["en"]
    assert "第 2 行" in error.value.text["zh"]


def test_a_file_without_positions_or_that_is_missing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(LudusError, match="no test positions"):
        read_test_positions(tmp_path / "empty.jsonl")
    with pytest.raises(LudusError, match="cannot read"):
        read_test_positions(tmp_path / "missing.jsonl")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"moves": ["a1"]}, "step 1: "),
        ({"seat": 1}, "seat 1 is not to move"),
        ({"better": ["a1"]}, "'a1' is not legal"),
        ({"version": 99}, "rules version 99"),
    ],
)
def test_a_position_that_the_rules_refuse_is_named(change: dict[str, object], words: str) -> None:
    facts: dict[str, object] = {"game": "reversi", "version": 0, "moves": [], "seat": 0, **change}
    test = BotTestPosition(**facts)  # type: ignore[arg-type]
    if "version" not in change:
        from ludus.games.registry import get

        test.version = get("reversi").version
    with pytest.raises(LudusError) as error:
        build_test_position(test)
    assert words in error.value.text["en"]
