"""The house bots of Duel 2048: legal to the end, within their time, and as strong as they claim."""

import os
import subprocess
import sys
import time

import pytest

from ludus.games.base import ClockView
from ludus.games.duel2048 import GAME, DuelOptions
from ludus.games.duel2048 import search as search_module
from ludus.games.duel2048.board import restore
from ludus.games.duel2048.rules import CELLS, DuelPosition
from ludus.games.duel2048.search import Search
from tests.support.duel_bouts import host, play, wins

COMPILED = not search_module.__file__.endswith(".py")
BOTS = ("random", "greedy", "strong", "patterns")


def tiles(*placed: tuple[str, int, int]) -> list[tuple[int, int, int]]:
    return [(CELLS[cell], level, mine) for cell, level, mine in placed]


def a_position(placed: list[tuple[int, int, int]], rounds: int, seed: int = 1) -> DuelPosition:
    array = GAME.start(DuelOptions(rounds=rounds), seed).board.array
    position = DuelPosition(restore(array, placed), rounds)
    position.begin()
    return position


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize("rival", BOTS)
def test_house_bots_play_legal_moves_to_the_end(bot: str, rival: str) -> None:
    for seed, rounds in ((1, 1), (2, 7), (3, 40)):
        play(bot, rival, seed, rounds, budget=0.2)


def test_strong_plays_on_where_boards_get_stuck() -> None:
    play("strong", "random", seed=5, rounds=300, budget=0.3)
    play("random", "strong", seed=6, rounds=300, budget=0.3)


def test_greedy_beats_random() -> None:
    assert wins("greedy", "random", range(5), rounds=100, budget=5.0) >= 8


def test_strong_beats_random_in_little_time() -> None:
    budget = 0.1 if COMPILED else 0.5
    assert wins("strong", "random", range(2), rounds=60, budget=budget) >= 3


@pytest.mark.skipif(not COMPILED, reason="as plain Python the search sees hardly further")
def test_strong_beats_greedy_in_little_time() -> None:
    assert wins("strong", "greedy", range(2), rounds=120, budget=0.2) >= 3


@pytest.mark.parametrize("budget", [0.15, 0.3])
def test_strong_keeps_within_its_budget(budget: float) -> None:
    budget *= 1 if COMPILED else 4
    rounds = 500 if COMPILED else 100
    assert play("strong", "greedy", 4, rounds, budget).used[0] < budget
    assert play("greedy", "strong", 4, rounds, budget).used[1] < budget


def test_strong_moves_at_once_when_no_time_is_left() -> None:
    bot = host("strong")
    bot.start(0, DuelOptions(), 1, 5.0)
    before = time.thread_time()
    move = bot.turn([], ClockView((0.0, 0.0), 0, 0.0))
    assert move in GAME.start(DuelOptions(), 1).legal(0)
    assert time.thread_time() - before < 0.05


@pytest.mark.parametrize("rounds", [1, 30])
def test_search_eats_across_the_border(rounds: int) -> None:
    position = a_position(tiles(("1,3", 6, 1), ("1,4", 6, 0), ("3,0", 2, 1)), rounds)
    search = Search(position)
    position.play({0: position.legal(0)[0]})
    position.play({1: position.legal(1)[0]})
    assert search.choose(position, 60.0, nodes=300) == "right"


def test_search_plays_an_only_move_without_thinking() -> None:
    chequered = [(cell, 5 + (cell // 8 + cell) % 2, (cell & 7) < 4) for cell in range(1, 32)]
    position = a_position(chequered, rounds=3)
    search = Search(position)
    assert position.legal(0) == ["0,0"]
    assert search.choose(position, 60.0) == "0,0"
    assert search.nodes == 0


def test_search_with_a_node_budget_is_deterministic() -> None:
    def moves() -> list[str]:
        position = GAME.start(DuelOptions(rounds=20), 9)
        search = Search(position)
        chosen = []
        while position.to_move:
            chosen.append(search.choose(position, 60.0, nodes=150))
            assert 0 < search.nodes <= 150
            position.play({position.to_move[0]: chosen[-1]})
        return chosen

    assert moves() == moves()


@pytest.mark.skipif(not COMPILED, reason="there is only plain Python here")
def test_search_finds_the_same_moves_as_plain_python() -> None:
    program = (
        "from ludus.games.duel2048 import GAME, DuelOptions\n"
        "from ludus.games.duel2048.search import Search\n"
        "position = GAME.start(DuelOptions(rounds=12), 3)\n"
        "search = Search(position)\n"
        "while position.to_move:\n"
        "    move = search.choose(position, 60.0, nodes=200)\n"
        "    position.play({position.to_move[0]: move})\n"
        "    print(move, search.nodes)\n"
    )

    def lines(**more: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, **more},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.splitlines()

    compiled = lines()
    assert len(compiled) > 40
    assert lines(LUDUS_UNCOMPILED="1") == compiled
