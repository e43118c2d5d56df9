"""The pattern tables of Duel 2048: their file, what they look at, and the search with them."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import zlib
from array import array
from pathlib import Path

import pytest

from ludus.bots.load import load_bot
from ludus.errors import LudusError
from ludus.games.duel2048 import GAME, DuelOptions, patterns
from ludus.games.duel2048.board import restore
from ludus.games.duel2048.pattern_bouts import DuelPatternBouts
from ludus.games.duel2048.pattern_search import DuelPatternSearch
from ludus.games.duel2048.rules import DuelPosition
from tests.support.compiled import COMPILED
from tests.support.duel_bouts import play, wins


@pytest.fixture(scope="module")
def weights() -> array[int]:
    generator = random.Random(2)
    return array("h", [generator.randint(-40, 40) for _ in range(patterns.SIZE)])


def met(plies: int, seed: int) -> DuelPosition:
    """A position of a random bout."""
    position = GAME.start(DuelOptions(rounds=200), seed)
    generator = random.Random(seed)
    for _ in range(plies):
        (seat,) = position.to_move
        position.play({seat: generator.choice(position.legal(seat))})
    return position


def searcher(weights: array[int], position: DuelPosition) -> DuelPatternSearch:
    return DuelPatternSearch(weights, position.board.array[: position.rounds])


def turned(position: DuelPosition) -> DuelPosition:
    """The same board, upside down."""
    raw = position.board.getRaw()
    placed = [
        (8 * (3 - row) + column, *tile)
        for row, tiles in enumerate(raw)
        for column, tile in enumerate(tiles)
        if tile[0]
    ]
    board = restore(
        position.board.array, [(cell, level, int(mine)) for cell, level, mine in placed]
    )
    return DuelPosition(board, position.rounds)


def value_of_patterns(weights: array[int], position: DuelPosition) -> int:
    """What pairs and lines are worth, read from the board as bots see it."""
    digits, exchanged = [], []
    for level, mine in (tile for row in position.board.getRaw() for tile in row):
        seen = min(level, patterns.LEVELS)
        digits.append(seen + (patterns.LEVELS if level and not mine else 0))
        exchanged.append(seen + (patterns.LEVELS if level and mine else 0))
    slots, total = patterns.list_slots(), 0
    age = sum(1 << level for row in position.board.getRaw() for level, _ in row if level)
    base = (0 if age < 256 else 1 if age < 1024 else 2) * slots.size
    for group, width, sign in ((slots.pairs, 3, 1), (slots.lines, 4, 1), (slots.mirrored, 4, -1)):
        for at in range(0, len(group), width):
            *cells, offset = group[at : at + width]
            number = 0
            for cell in cells:
                number = number * patterns.DIGITS + (digits + exchanged)[cell]
            total += sign * weights[base + offset + number]
    return total


def test_every_cell_is_seen() -> None:
    slots = patterns.list_slots()
    assert {slots.pairs[at] for at in range(len(slots.pairs)) if at % 3 < 2} == set(range(32))
    size = len(slots.lines)
    assert size == len(slots.mirrored)
    seen = {slots.lines[at] for at in range(size) if at % 4 < 3}
    seen |= {slots.mirrored[at] - 32 for at in range(size) if at % 4 < 3}
    assert seen == set(range(32))


@pytest.mark.parametrize("plies", [0, 40, 250, 600])
def test_a_board_is_worth_the_sum_of_its_patterns(weights: array[int], plies: int) -> None:
    plain = array("h", weights)
    plain[patterns.TOPS_AT :] = array("h", bytes(2 * (patterns.SIZE - patterns.TOPS_AT)))
    position = met(plies, 4)
    assert searcher(plain, position).evaluate(position) == value_of_patterns(plain, position)


@pytest.mark.parametrize("plies", [12, 200, 500])
def test_a_board_upside_down_is_worth_the_same(weights: array[int], plies: int) -> None:
    position = met(plies - plies % 4, 3)
    other = turned(position)
    symmetric = array("h", weights)
    # Vertical pairs in the middle are their own images: they share no table with another.
    for row, column in ((1, column) for column in range(8)):
        place = patterns.PAIRS.index(((row, column), (row + 1, column))) * patterns.DIGITS**2
        for age in range(patterns.SETS):
            start = age * patterns.list_slots().size + place
            symmetric[start : start + patterns.DIGITS**2] = array("h", [7] * patterns.DIGITS**2)
    search, there = searcher(symmetric, position), searcher(symmetric, position)
    assert search.evaluate(at_phase_0(position)) == there.evaluate(at_phase_0(other))


def at_phase_0(position: DuelPosition) -> DuelPosition:
    return DuelPosition(position.board, position.rounds)


def test_moves_are_legal_and_the_board_stays_that_of_the_rules(weights: array[int]) -> None:
    """The search has a board of its own: where it merged otherwise, moves would go wrong."""
    generator = random.Random(5)
    for seed in range(3):
        position = GAME.start(DuelOptions(rounds=60), seed)
        search = searcher(weights, position)
        while position.to_move:
            (seat,) = position.to_move
            moves = position.legal(seat)
            found = search.choose(position, 60.0, nodes=60)
            assert found in moves
            position.play({seat: generator.choice([found, *moves])})


@pytest.mark.parametrize("plies", [0, 30, 122, 201])
def test_the_end_of_a_round_is_searched_as_the_rules_play_it(
    weights: array[int], plies: int
) -> None:
    position = met(plies - plies % 4 + 2, 8)
    search = searcher(weights, position)
    search.choose(position, 60.0, deepest=4 - position.phase % 4)
    assert position.phase % 4 >= 2
    assert search.score == plain_minimax(searcher(weights, position), position, position.round)


def plain_minimax(search: DuelPatternSearch, position: DuelPosition, round_now: int) -> int:
    """The value of merges to the end of a round, by trying all of them."""
    (seat,) = position.to_move
    found = []
    for move in position.legal(seat):
        after = position.copy()
        after.play({seat: move})
        if after.round == round_now:
            value = plain_minimax(search, after, round_now)
            found.append(value if after.to_move == (seat,) else -value)
        else:
            value = search.evaluate(after)
            found.append(value if seat == 0 else -value)
    return max(found)


def test_the_weights_come_back_as_they_were_written(tmp_path: Path, weights: array[int]) -> None:
    path = tmp_path / "w.patterns"
    patterns.write_weights(path, weights)
    assert patterns.read_weights(path) == weights
    with pytest.raises(ValueError, match="weights"):
        patterns.write_weights(path, weights[:-1])


@pytest.mark.parametrize("broken", [b"", b"GIF89a", b"half", b"longer", b"other"])
def test_a_broken_file_is_refused(tmp_path: Path, weights: array[int], broken: bytes) -> None:
    path = tmp_path / "w.patterns"
    patterns.write_weights(path, weights)
    whole = path.read_bytes()
    if broken == b"half":
        broken = whole[: len(whole) // 2]
    elif broken == b"other":
        broken = whole.replace(b"duel2048", b"reversi!")
    elif broken == b"longer":
        broken = patterns.MAGIC + zlib.compress(bytes(2 * patterns.SIZE + 2))
    path.write_bytes(broken)
    with pytest.raises(LudusError, match=r"w\.patterns"):
        patterns.read_weights(path)
    with pytest.raises(LudusError, match=r"none\.patterns"):
        patterns.read_weights(tmp_path / "none.patterns")


def test_the_house_bot_has_its_weights_before_a_bout_begins() -> None:
    host = load_bot(GAME.bots()["patterns"], GAME)
    assert len(host.namespace["WEIGHTS"]) == patterns.SIZE and any(host.namespace["WEIGHTS"])


@pytest.mark.parametrize("budget", [0.2, 0.4])
def test_the_house_bot_keeps_within_its_budget(budget: float) -> None:
    budget *= 1 if COMPILED else 8
    rounds = 500 if COMPILED else 60
    assert play("patterns", "greedy", 4, rounds, budget).used[0] < budget
    assert play("greedy", "patterns", 4, rounds, budget).used[1] < budget


@pytest.mark.skipif(not COMPILED, reason="as plain Python the search sees hardly further")
def test_the_house_bot_beats_greedy_in_little_time() -> None:
    assert wins("patterns", "greedy", range(2), rounds=120, budget=0.3) >= 3


def test_bouts_of_learning_are_the_same_every_time(weights: array[int]) -> None:
    boards, chances = DuelPatternBouts(weights, 3).collect(30, 5, 20)
    assert (boards, chances) == DuelPatternBouts(weights, 3).collect(30, 5, 20)
    found = array("f", chances)
    assert len(boards) == 34 * len(found) >= 30 * 34
    assert min(found) >= 0 and max(found) <= 1 and len(set(found)) > 10


@pytest.mark.skipif(not COMPILED, reason="there is only plain Python here")
def test_plain_python_finds_the_same(tmp_path: Path, weights: array[int]) -> None:
    path = tmp_path / "w.patterns"
    patterns.write_weights(path, weights)
    program = (
        "import sys, zlib\n"
        "from pathlib import Path\n"
        "from ludus.games.duel2048 import GAME, DuelOptions, patterns\n"
        "from ludus.games.duel2048.pattern_bouts import DuelPatternBouts\n"
        "from ludus.games.duel2048.pattern_search import DuelPatternSearch\n"
        "weights = patterns.read_weights(Path(sys.argv[1]))\n"
        "position = GAME.start(DuelOptions(rounds=12), 3)\n"
        "search = DuelPatternSearch(weights, position.board.array)\n"
        "while position.to_move:\n"
        "    move = search.choose(position, 60.0, nodes=200)\n"
        "    print(move, search.nodes, search.score, search.evaluate(position))\n"
        "    position.play({position.to_move[0]: move})\n"
        "boards, chances = DuelPatternBouts(weights, 1).collect(12, 4, 8)\n"
        "print(zlib.crc32(boards), zlib.crc32(chances))\n"
    )

    def lines(**more: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", program, str(path)],
            env={**os.environ, **more},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.splitlines()

    compiled = lines()
    assert len(compiled) > 40
    assert lines(LUDUS_UNCOMPILED="1") == compiled
