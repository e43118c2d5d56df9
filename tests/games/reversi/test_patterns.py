"""Pattern networks of Reversi: what they see, how they search, and the file of their weights."""

from __future__ import annotations

import itertools
import random
from array import array
from pathlib import Path

import pytest

from ludus.bots.load import load_bot
from ludus.errors import LudusError
from ludus.games.reversi import GAME, ReversiOptions, patterns
from ludus.games.reversi.bitboard import cells_of, list_legal, put_disc, read_position
from ludus.games.reversi.endgame import EndgameSolver
from ludus.games.reversi.pattern_bouts import PatternBouts
from ludus.games.reversi.pattern_search import PatternSearch
from ludus.games.reversi.rules import ReversiPosition
from tests.support.compiled import COMPILED

CELLS = cells_of(patterns.SIZE)


def met(moves: int, seed: int) -> ReversiPosition:
    """A position after random moves."""
    generator = random.Random(seed)
    position = GAME.start(ReversiOptions(), 0)
    for _ in range(moves):
        if position.to_move:
            position.play({position.seat: generator.choice(position.legal(position.seat))})
    return position


@pytest.fixture(scope="module")
def stored() -> list[int]:
    generator = random.Random(1)
    return [generator.randint(-40, 40) for _ in range(patterns.PHASES * patterns.stored_size())]


@pytest.fixture(scope="module")
def weights(stored: list[int], tmp_path_factory: pytest.TempPathFactory) -> array[int]:
    path = tmp_path_factory.mktemp("weights") / "random.patterns"
    patterns.write_weights(path, stored)
    return patterns.read_weights(path)


def value_of_patterns(weights: array[int], own: int, rival: int) -> int:
    """What ``PatternSearch.evaluate`` finds, cell by cell."""
    discs = (own | rival).bit_count()
    base = patterns.phase_of(discs) * patterns.table_size()
    total = weights[base + patterns.discs_offset() + discs]
    for pattern in patterns.list_patterns():
        for image in pattern.images:
            digits = [(own >> cell & 1) + 2 * (rival >> cell & 1) for cell in image]
            number = sum(digit * 3**place for place, digit in enumerate(digits))
            total += weights[base + pattern.offset + number]
    return max(-64 * patterns.UNIT, min(64 * patterns.UNIT, total))


def turn_word(word: int, symmetry: int) -> int:
    return sum(1 << patterns.turn_cell(cell, symmetry) for cell in range(64) if word >> cell & 1)


def plain_minimax(search: PatternSearch, own: int, rival: int, depth: int) -> int:
    """The value to a depth by trying everything."""
    moves = list_legal(own, rival, CELLS)
    if not moves:
        if not list_legal(rival, own, CELLS):
            return (own.bit_count() - rival.bit_count()) * patterns.UNIT
        return -plain_minimax(search, rival, own, depth) if depth else search.evaluate(own, rival)
    if not depth:
        return search.evaluate(own, rival)
    found = []
    for cell in moves:
        after, other = put_disc(own, rival, cell)
        found.append(-plain_minimax(search, other, after, depth - 1))
    return max(found)


def test_every_cell_and_every_image_is_seen() -> None:
    images = [image for pattern in patterns.list_patterns() for image in pattern.images]
    assert {cell for image in images for cell in image} == set(range(64))
    assert len(images) <= patterns.WORDS * patterns.FIELDS
    assert all(pattern.entries <= 1 << patterns.FIELD_BITS for pattern in patterns.list_patterns())


@pytest.mark.parametrize("moves", [0, 7, 20, 33, 46, 56])
def test_an_evaluation_is_the_sum_of_the_tables(weights: array[int], moves: int) -> None:
    own, rival = read_position(met(moves, moves))
    found = PatternSearch(weights).evaluate(own, rival)
    assert found == value_of_patterns(weights, own, rival)


@pytest.mark.parametrize("moves", [5, 18, 31, 44])
def test_a_turned_board_is_worth_the_same(weights: array[int], moves: int) -> None:
    own, rival = read_position(met(moves, moves))
    search = PatternSearch(weights)
    values = {search.evaluate(turn_word(own, each), turn_word(rival, each)) for each in range(8)}
    assert len(values) == 1


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("moves", [6, 24, 40])
def test_carried_numbers_are_those_computed_anew(
    weights: array[int], moves: int, seed: int
) -> None:
    """A search of one and of two plies evaluates by what moves have changed."""
    own, rival = read_position(met(moves, seed))
    search = PatternSearch(weights)
    search.cut_width = 0
    for depth in (1, 2):
        found = search.search_words(own, rival, depth)
        assert found == plain_minimax(search, own, rival, depth)


@pytest.mark.parametrize("seed", range(3))
def test_without_cuts_a_search_is_plain_minimax(weights: array[int], seed: int) -> None:
    own, rival = read_position(met(20 + seed, seed))
    search = PatternSearch(weights)
    search.cut_width = 0
    depth = 4 if COMPILED else 3
    assert search.search_words(own, rival, depth) == plain_minimax(search, own, rival, depth)


@pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")
@pytest.mark.parametrize("seed", range(4))
def test_the_end_is_that_of_the_solver(weights: array[int], seed: int) -> None:
    own, rival = read_position(met(48, seed))
    lead = EndgameSolver(patterns.SIZE).lead_of_words(own, rival)
    search = PatternSearch(weights)
    assert search.search_words(own, rival, 100) == lead * patterns.UNIT


@pytest.mark.parametrize("moves", [10, 55])
def test_a_move_is_found_at_once_when_there_is_no_time(weights: array[int], moves: int) -> None:
    position = met(moves, 3)
    assert PatternSearch(weights).best(position, lambda: True) in position.legal(position.seat)


@pytest.mark.parametrize("moves", [12, 26])
def test_the_clock_is_looked_at_every_thousand_positions(weights: array[int], moves: int) -> None:
    """Also where a position counts many others at once, which are leaves."""
    search = PatternSearch(weights)
    looks = [search.nodes]

    def enough() -> bool:
        looks.append(search.nodes)
        return search.nodes > 20_000

    search.best(met(moves, 1), enough)
    gaps = [after - before for before, after in itertools.pairwise(looks)]
    assert len(gaps) > 10 and max(gaps) < 1200


@pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")
def test_the_solver_looks_at_the_clock_every_few_thousand_positions() -> None:
    solver = EndgameSolver(patterns.SIZE)
    looks = [solver.nodes]

    def enough() -> bool:
        looks.append(solver.nodes)
        return False

    solver.solve(met(43, 1), 300_000, enough)
    gaps = [after - before for before, after in itertools.pairwise(looks)]
    assert len(gaps) > 10 and max(gaps) < 10_000


def test_the_house_bot_has_its_weights_before_a_bout_begins() -> None:
    host = load_bot(GAME.bots()["patterns"], GAME)
    size = patterns.PHASES * patterns.table_size()
    assert len(host.namespace["WEIGHTS"]) == size


def test_what_the_clock_raises_comes_out(weights: array[int]) -> None:
    def stop() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        PatternSearch(weights).best(met(10, 3), stop)


@pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")
def test_bouts_are_the_same_for_the_same_seed(weights: array[int]) -> None:
    first, again, other = (PatternBouts(weights, 1, seed).collect(200) for seed in (1, 1, 2))
    assert first == again != other
    own, rival, leads = array("Q", first[0]), array("Q", first[1]), array("f", first[2])
    assert len(own) == len(rival) == len(leads) >= 200
    assert not any(a & b for a, b in zip(own, rival, strict=True))
    assert all(abs(lead) <= 64 for lead in leads)


@pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")
def test_late_positions_have_their_exact_lead(weights: array[int]) -> None:
    own, rival, leads = PatternBouts(weights, 1, 5).collect(100)
    solver = EndgameSolver(patterns.SIZE)
    words = zip(array("Q", own), array("Q", rival), array("f", leads), strict=True)
    late = [each for each in words if (each[0] | each[1]).bit_count() >= 64 - 8]
    assert late
    assert all(solver.lead_of_words(a, b) == lead for a, b, lead in late)


def test_weights_come_back_as_they_were_written(stored: list[int], tmp_path: Path) -> None:
    patterns.write_weights(tmp_path / "w.patterns", stored)
    assert patterns.read_stored(tmp_path / "w.patterns").tolist() == stored


@pytest.mark.parametrize("kept", [0, 10, 40, -20])
def test_what_is_not_a_file_of_weights_is_refused(
    stored: list[int], tmp_path: Path, kept: int
) -> None:
    path = tmp_path / "w.patterns"
    patterns.write_weights(path, stored)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(LudusError, match="does not hold the weights of a pattern network"):
        patterns.read_weights(path)


def test_a_missing_file_of_weights_is_named(tmp_path: Path) -> None:
    with pytest.raises(LudusError, match=r"cannot read the weights .*none"):
        patterns.read_weights(tmp_path / "none")


def test_too_few_weights_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="3 weights, not"):
        patterns.write_weights(tmp_path / "w.patterns", [1, 2, 3])
