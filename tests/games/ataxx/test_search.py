"""The search of Ataxx: exact to its depth, obedient to its clock, the same when compiled."""

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
from ludus.errors import LudusError
from ludus.games import Clock
from ludus.games.ataxx import GAME, AtaxxOptions
from ludus.games.ataxx.rules import AtaxxPosition
from ludus.games.ataxx.search import AtaxxSearch, search
from ludus.games.search_position import TextSearchPosition
from ludus.learn.search import SearchParameters, TreeSearcher
from ludus.match.referee import play
from ludus.match.series import series
from tests.support.compiled import COMPILED

ROOT = Path(__file__).resolve().parents[3]
WIN = 1_000_000


def met(size: int, moves: int, seed: int, limit: int = 401) -> AtaxxPosition:
    """A position after random moves, in which the bout goes on."""
    for more in range(100):
        generator = random.Random(1000 * seed + more)
        position = GAME.start(AtaxxOptions(size=size, limit=limit), 0)
        for _ in range(moves):
            if position.to_move:
                position.play({position.seat: generator.choice(position.legal(position.seat))})
        if position.to_move:
            return position
    raise AssertionError("every bout ended")


def children(position: AtaxxPosition) -> Iterator[tuple[str, AtaxxPosition]]:
    for move in position.legal(position.seat):
        after = position.copy()
        after.play({position.seat: move})
        yield move, after


def full_value(position: AtaxxPosition, depth: int) -> int:
    """What the search should find, by trying everything."""
    if position.outcome is not None:
        winner = position.outcome.winner
        if winner is None:
            return 0
        return (WIN - position.ply) * (1 if winner == position.seat else -1)
    if depth == 0:
        return estimate(position)
    return max(-full_value(after, depth - 1) for _, after in children(position))


def estimate(position: AtaxxPosition) -> int:
    taken = {name: seat for seat in range(2) for name in position.pieces(seat)}
    value = 0
    for name, seat in taken.items():
        worth = 75 if any(near not in taken for near in neighbours(name, position.size)) else 100
        value += worth if seat == position.seat else -worth
    return value


def neighbours(name: str, size: int) -> list[str]:
    column, row = ord(name[0]), int(name[1])
    places = [(column + a, row + b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]
    return [f"{chr(c)}{r}" for c, r in places if 0 <= c - ord("a") < size and 1 <= r <= size]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("size", "moves", "depth"), [(4, 6, 3), (5, 9, 2), (7, 4, 2)])
def test_a_search_finds_the_value_of_the_full_tree(
    size: int, moves: int, depth: int, seed: int
) -> None:
    position = met(size, moves, seed)
    found = search(position, depth, seed)
    values = {move: -full_value(after, depth - 1) for move, after in children(position)}
    if found.score < WIN - position.ply - 1:  # a win at once ends the search early
        assert found.score == max(values.values())
    assert values[found.move] == max(values.values())


def test_the_limit_of_moves_is_seen() -> None:
    position = met(4, 6, 3, limit=8)
    assert search(position, 9).score == full_value(position, 2)


def test_a_move_that_repeats_is_known_to_lose() -> None:
    position = GAME.start(GAME.Options(), 0)
    for move in ("a1a3", "g1g3", "a3a1", "g3g1"):
        position.play({position.seat: move})
    for seed in range(5):
        assert search(position, 1, seed).move != "a1a3"
    searched = GAME.search_position(position)
    [repeats] = [move for move in searched.moves() if searched.text(move) == "a1a3"]
    searched.play(repeats)
    assert searched.over and searched.score == -1.0


def test_a_search_that_has_no_time_still_answers_with_a_legal_move() -> None:
    position = met(7, 20, 1)
    assert AtaxxSearch().best(position, lambda: True) in position.legal(position.seat)


def calls(number: int) -> Callable[[], bool]:
    """Enough after so many looks at the clock."""
    looks = iter(range(number))
    return lambda: next(looks, None) is None


def test_a_search_stops_soon_after_it_is_told_to_and_leaves_the_position_as_it_was() -> None:
    position = met(7, 10, 1)
    before = position.digest()
    searcher = AtaxxSearch()
    searcher.best(position, calls(3))
    assert searcher.nodes <= 512 * 4
    assert position.digest() == before


def test_there_is_nothing_to_look_for_after_the_end_or_without_depth() -> None:
    with pytest.raises(LudusError, match="the bout is over"):
        search(AtaxxPosition("x o\nx o"), 1)
    with pytest.raises(LudusError, match="at least 1"):
        search(met(4, 1, 1), 0)


def searched() -> list[list[object]]:
    """What searches of fixed lengths find in some positions."""
    found: list[list[object]] = []
    for size, moves, depth in ((4, 3, 4), (7, 10, 2), (7, 30, 2), (8, 20, 2)):
        position = met(size, moves, 5)
        searcher = AtaxxSearch(10)
        move = searcher.choose(position, depth, random.Random(1), bool)
        found.append([move, searcher.nodes, searcher.depth, searcher.score])
        walk = GAME.search_position(position)
        actions = [walk.action_of(number) for number in walk.moves()]
        found.append([walk.hash, walk.looks().tolist(), actions, walk.codes().hex()])
    return found


def test_the_compiled_search_is_the_plain_one() -> None:
    code = "import json, tests.games.ataxx.test_search as t; print(json.dumps(t.searched()))"
    folders = [str(ROOT), *filter(None, sys.path)]
    environment = {**os.environ, "LUDUS_UNCOMPILED": "1", "PYTHONPATH": os.pathsep.join(folders)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == searched()


# What a tree search walks on.


@pytest.mark.parametrize(("size", "seed"), [(4, 1), (5, 2), (7, 3), (8, 4)])
def test_a_tree_search_walks_on_the_rules(size: int, seed: int) -> None:
    generator = random.Random(seed)
    position = GAME.start(AtaxxOptions(size=size), 0)
    walk, plain = GAME.search_position(position), TextSearchPosition(position.copy())
    while not plain.over:
        texts = [walk.text(move) for move in walk.moves()]
        assert texts == position.legal(position.seat)
        actions = [walk.action_of(move) for move in walk.moves()]
        assert len(set(actions)) == len(actions) and max(actions) < walk.actions
        number = generator.randrange(len(texts))
        position.play({position.seat: texts[number]})
        walk.play(walk.moves()[number])
        plain.play(number)
        assert (walk.seat, walk.over, walk.score) == (position.seat, plain.over, plain.score)
        assert walk.codes() == bytes(".xo".index(sign) for sign in str(position).split())
        assert walk.copy().hash == walk.hash == GAME.search_position(position).hash


def test_every_jump_has_an_action_of_its_own() -> None:
    row = ". . . . .\n"
    walk = GAME.search_position(AtaxxPosition(row * 2 + ". o x . .\n" + row * 2))
    ways = [walk.action_of(move) % 17 for move in walk.moves()]
    jumps = [way for way in ways if way > 0]
    assert sorted(jumps) == list(range(1, 17))
    assert ways.count(0) == 7


def test_a_network_would_see_both_sides_from_its_own() -> None:
    position = GAME.start(AtaxxOptions(size=4, limit=10), 0)
    position.play({0: "b2"})
    own, rival, left = GAME.search_position(position).looks()
    assert own.nonzero()[0].tolist() == [3, 12]
    assert rival.nonzero()[0].tolist() == [0, 5, 15]
    assert left.tolist() == pytest.approx([0.9] * 16)


def test_a_tree_search_takes_a_win_at_once() -> None:
    position = AtaxxPosition("x . . . .\n. . . . .\n. . o . .\n" + ". . . . .\n" * 2)
    searcher = TreeSearcher(GAME, SearchParameters(simulations=200, explore=6.0), None, 1)
    position.play({0: searcher.choose(position)})
    assert position.outcome.reason == "no_pieces_white"


def test_a_tree_search_takes_many_pieces_rather_than_few() -> None:
    row = ". . . . . . .\n"
    position = AtaxxPosition("x . . . . . o\n" + row + ". o . . . . .\n. . o o o . .\n" + row * 3)
    position.play({0: "b2"})
    assert len(position.pieces(0)) == 3
    position.play({1: "g1g3"})
    for seed in range(1, 7):
        searcher = TreeSearcher(GAME, SearchParameters(simulations=600, explore=6.0), None, seed)
        after = position.copy()
        after.play({0: searcher.choose(position)})
        assert len(after.turned) >= 2


# How good the house bots are.


def test_strong_beats_greedy_and_greedy_beats_random() -> None:
    """Few bouts on little time; bench/ataxx.py plays a hundred."""
    assert wins("strong", "greedy", 4, 0.4 if COMPILED else 4.0) >= 3
    assert wins("greedy", "random", 20, 5) >= 16


def wins(first: str, second: str, bouts: int, budget: float) -> float:
    players = [create_player(resolve_bot(name, GAME), GAME) for name in (first, second)]
    played = series(GAME, GAME.Options(), players, bouts, 3, clock=Clock(budget=budget))
    return sum(bout.score(0) for bout in played)


def test_strong_keeps_within_a_short_clock() -> None:
    players = [create_player(resolve_bot("strong", GAME), GAME) for _ in range(2)]
    record = play(GAME, GAME.Options(), 1, players, Clock(budget=0.5 if COMPILED else 5.0))
    assert record.faults == []
