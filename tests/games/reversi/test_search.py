"""The search of Reversi: exact at the end, obedient to its clock, the same when compiled."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games import Clock
from ludus.games.reversi import GAME, ReversiOptions
from ludus.games.reversi.rules import ReversiPosition
from ludus.games.reversi.search import ReversiSearch, search, worth
from ludus.gc_pause import disable_gc
from ludus.match.referee import play
from ludus.match.series import series
from tests.support.compiled import COMPILED

ROOT = Path(__file__).resolve().parents[3]


def never() -> bool:
    return False


def met(size: int, moves: int, seed: int) -> ReversiPosition:
    """A position after random moves."""
    generator = random.Random(seed)
    position = GAME.start(ReversiOptions(size=size), 0)
    for _ in range(moves):
        if position.to_move:
            position.play({position.seat: generator.choice(position.legal(position.seat))})
    return position


def lead(position: ReversiPosition, seat: int) -> int:
    """The difference of discs at the end of perfect play, by trying everything."""
    if not position.to_move:
        return len(position.discs(seat)) - len(position.discs(1 - seat))
    results = [lead(after, seat) for _, after in children(position)]
    return max(results) if position.seat == seat else min(results)


def children(position: ReversiPosition) -> Iterator[tuple[str, ReversiPosition]]:
    for move in position.legal(position.seat):
        after = position.copy()
        after.play({position.seat: move})
        yield move, after


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("size", "moves"), [(4, 5), (6, 26)])
def test_near_the_end_a_move_that_is_best_in_discs_is_found(
    size: int, moves: int, seed: int
) -> None:
    position = met(size, moves, seed)
    if not position.to_move:
        return
    seat = position.seat
    results = {move: lead(after, seat) for move, after in children(position)}
    found = ReversiSearch(size).best(position, never)
    assert results[found] == max(results.values())


def test_on_the_smallest_board_white_wins_by_eight_whatever_black_does() -> None:
    """4 × 4 was solved long ago: 3 discs to 11."""
    players = [create_player(resolve_bot("strong", GAME), GAME) for _ in range(2)]
    record = play(GAME, ReversiOptions(size=4), 1, players)
    assert record.detail == {"black": 3, "white": 11}


def test_a_search_that_has_no_time_still_answers_with_a_legal_move() -> None:
    position = met(8, 20, 1)
    assert ReversiSearch(8).best(position, lambda: True) in position.legal(position.seat)


def calls(number: int) -> Callable[[], bool]:
    """Enough after so many looks at the clock."""
    looks = iter(range(number))
    return lambda: next(looks, None) is None


def test_a_search_stops_soon_after_it_is_told_to() -> None:
    search = ReversiSearch(8)
    search.best(met(8, 10, 1), calls(20))
    assert search.nodes <= 64 * 21


def test_a_search_leaves_the_position_as_it_was() -> None:
    position = met(8, 12, 2)
    before = position.digest()
    ReversiSearch(8).best(position, calls(30))
    assert position.digest() == before


def searched() -> list[list[object]]:
    """What a search of fixed length finds in some positions."""
    found = []
    for size, moves in ((4, 3), (8, 10), (8, 30), (8, 50), (12, 60)):
        random.seed(size * moves)
        search = ReversiSearch(size)
        move = search.best(met(size, moves, 5), calls(10))
        found.append([move, search.nodes, search.depth])
    return found


def test_the_compiled_search_is_the_plain_one() -> None:
    code = "import json, tests.games.reversi.test_search as t; print(json.dumps(t.searched()))"
    folders = [str(ROOT), *filter(None, sys.path)]
    environment = {**os.environ, "LUDUS_UNCOMPILED": "1", "PYTHONPATH": os.pathsep.join(folders)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == searched()


def test_a_corner_is_worth_most_and_the_cells_that_give_it_away_least() -> None:
    for size in (4, 6, 8, 12):
        values = {(r, c): worth(r, c, size) for r in range(size) for c in range(size)}
        corners = [(r, c) for r in (0, size - 1) for c in (0, size - 1)]
        assert [cell for cell in values if values[cell] == max(values.values())] == corners
        assert values[1, 1] == values[size - 2, size - 2] == min(values.values())


def test_strong_beats_greedy_and_greedy_beats_random() -> None:
    """Few bouts on little time; bench/reversi.py plays a hundred."""
    assert wins("strong", "greedy", 4, 0.4 if COMPILED else 4.0) >= 3
    assert wins("greedy", "random", 20, 5) >= 14


def wins(first: str, second: str, bouts: int, budget: float) -> float:
    players = [create_player(resolve_bot(name, GAME), GAME) for name in (first, second)]
    played = series(GAME, GAME.Options(), players, bouts, 3, clock=Clock(budget=budget))
    return sum(bout.score(0) for bout in played)


def test_strong_keeps_within_a_short_clock() -> None:
    players = [create_player(resolve_bot("strong", GAME), GAME) for _ in range(2)]
    with disable_gc():  # what other tests have left would be walked through on the bot's clock
        record = play(GAME, GAME.Options(), 1, players, Clock(budget=1.0 if COMPILED else 5.0))
    assert record.faults == []


@pytest.mark.parametrize("seed", range(4))
def test_a_search_to_a_fixed_depth_repeats_and_sees_the_end(seed: int) -> None:
    position = met(8, 10, seed)
    assert search(position, 3, seed) == search(position, 3, seed)
    assert search(position, 3, seed).move in position.legal(position.seat)
    last = met(6, 26, seed)
    if last.to_move:
        margin = lead(last, last.seat)
        score = search(last, 6).score
        assert (score > 0) - (score < 0) == (margin > 0) - (margin < 0)
        assert abs(score) % 1000 == abs(margin)
