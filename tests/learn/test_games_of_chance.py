"""Duel 2048 and Eraser, whose bouts begin with chance that both seats see: learnt and searched."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.errors import LudusError
from ludus.games import Clock, get
from ludus.games.eraser.board import Board
from ludus.games.eraser.rules import EraserPosition
from ludus.learn.opponents import HouseBotOpponent, find_opponent
from ludus.learn.pace import SearchPace
from ludus.learn.search import SearchParameters, TreeSearcher, playing_parameters
from ludus.match.referee import play
from tests.support.extras import Later, need_extra
from tests.support.training_runs import ignore, small
from tests.support.young_net import young_net

need_extra("learn", "jax", "optax", "onnx")
jax, jnp = Later("jax"), Later("jax.numpy")
training, worlds = Later("ludus.learn.trainer"), Later("ludus.learn.environments")
gumbel = Later("ludus.learn.device_search")

SHORT: dict[str, dict[str, Any]] = {"duel2048": {"rounds": 6}, "eraser": {"turns": 12}}
BOUTS = 12


class KnowsNothing:
    """A network for which all moves and all positions are alike."""

    def __init__(self, actions: int) -> None:
        self.actions = actions

    def evaluate(self, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        count = len(seen)
        return np.zeros((count, self.actions), np.float32), np.zeros(count, np.float32)


def last_turns() -> list[EraserPosition]:
    """Boards on which the seat to move wins if its swap erases anything, and else does not."""
    game = get("eraser")
    where = worlds.make_environment(game, game.Options.parse({"turns": 1}))
    return [where.first_position(luck) for luck in range(BOUTS)]


def count_wins(positions: list[EraserPosition], moves: list[str]) -> int:
    won = 0
    for position, move in zip(positions, moves, strict=True):
        after = position.copy()
        after.play({after.to_move[0]: move})
        assert after.outcome is not None
        won += after.outcome.scores[0] == 1.0
    return won


def test_a_tree_search_improves_on_a_network_that_knows_nothing() -> None:
    game = get("eraser")
    blind = KnowsNothing(72)
    style = SearchParameters(simulations=120, gumbel=True, considered=60)
    met = last_turns()
    found = [TreeSearcher(game, style, blind).choose(position) for position in met]
    assert count_wins(met, found) == BOUTS
    assert count_wins(met, [position.legal(0)[0] for position in met]) < BOUTS / 2


def test_a_search_on_the_device_improves_on_a_network_that_knows_nothing() -> None:
    game = get("eraser")
    met = last_turns()
    where = worlds.make_environment(game, game.Options.parse({"turns": 1}))
    search = gumbel.GumbelSearch(where, 60, 60)
    even = lambda seen: (jnp.zeros((len(seen), 72)), jnp.zeros((len(seen), 3)))  # noqa: E731
    noise = np.zeros((BOUTS, where.actions), np.float32)
    result = jax.jit(lambda bouts: search(even, bouts, noise))(where.from_positions(met))
    moves = [where.format_action(*each) for each in zip(met, result.action.tolist(), strict=True)]
    assert count_wins(met, moves) == BOUTS
    assert (np.asarray(result.value) > 0).all()


@pytest.mark.parametrize("name", ["duel2048", "eraser"])
def test_a_search_does_not_depend_on_the_seed_behind_a_position(name: str) -> None:
    """What both seats see is given here, so nothing that a seed would draw may matter."""
    game = get(name)
    if name == "duel2048":
        given: dict[str, Any] = {"rounds": 6, "array": tuple(range(100, 106))}
    else:
        board = Board(game.start(game.Options(), 5).board.stock)
        given = {"columns": ",".join(board.column(x) for x in range(6)), "turns": 8}
    options = game.Options.parse(given)
    style = SearchParameters(simulations=40, gumbel=True)
    actions = 36 if name == "duel2048" else 72
    found = []
    for seed in (1, 2):
        position = game.start(options, seed)
        tree = TreeSearcher(game, style, KnowsNothing(actions), seed=3).search(position)
        found.append((tree.texts(), tree.visits().tolist(), tree.values().tolist()))
    assert found[0] == found[1]


def facts_of(position: Any) -> tuple[Any, ...]:
    """All that decides how a bout goes on."""
    if isinstance(position, EraserPosition):
        first, second = position.points
        board = position.board
        return position.turn, first - second, board.codes(), board.lost()
    return position.phase, str(position.board)


@pytest.mark.parametrize("name", ["duel2048", "eraser"])
def test_positions_that_differ_have_other_keys(name: str) -> None:
    """A phase later with a tile more must not be the same to a search of Duel 2048."""
    game = get(name)
    options = game.Options.parse({"duel2048": {"rounds": 40}, "eraser": {}}[name])
    facts: dict[int, tuple[Any, ...]] = {}
    for seed in range(3):
        generator = random.Random(seed)
        position = game.start(options, seed)
        while position.to_move:
            seat = position.to_move[0]
            for move in position.legal(seat)[:12]:
                after = position.copy()
                after.play({seat: move})
                met = (seed if name == "eraser" else 0, *facts_of(after))
                assert facts.setdefault(game.search_position(after).hash, met) == met
            position.play({seat: generator.choice(position.legal(seat))})
    assert len(facts) > 100


@pytest.mark.parametrize("name", ["duel2048", "eraser"])
def test_a_network_does_not_see_the_luck_of_a_bout(name: str) -> None:
    game = get(name)
    where = worlds.make_environment(game, game.Options.parse(SHORT[name]))
    bouts = where.start(8, jax.random.key(1))
    codes = where.state_size - {"duel2048": 4, "eraser": 16}[name]
    other = bouts._replace(cells=bouts.cells.at[:, codes:].set(77))
    assert (where.observe(bouts) == where.observe(other)).all()
    assert len({row.tobytes() for row in np.asarray(bouts.cells)}) == 8


@pytest.mark.parametrize(
    ("name", "engine"), [("duel2048", "device"), ("eraser", "device"), ("eraser", "cpu")]
)
def test_a_run_that_stops_and_goes_on_is_the_run_that_never_stopped(
    name: str, engine: str, tmp_path: Path
) -> None:
    search = {"simulations": 2, "considered": 2}
    settings = small(game=name, options=SHORT[name], search=search, play__engine=engine)
    whole = training.Trainer(settings, tmp_path / "whole")
    whole.run(ignore, until=3)
    for until in (1, 3):
        training.Trainer(settings, tmp_path / "parts").run(ignore, until=until)
    parts = training.Trainer(settings, tmp_path / "parts")
    assert parts.wave == 3 and whole.counts["bouts"] == parts.counts["bouts"] > 0
    trees = [(each.train_state, each.window) for each in (whole, parts)]
    for one, other in zip(*map(jax.tree.leaves, trees), strict=True):
        assert (np.asarray(one) == np.asarray(other)).all()


def test_bouts_of_self_play_on_the_cpu_begin_with_other_chance(tmp_path: Path) -> None:
    settings = small(game="eraser", options=SHORT["eraser"])
    trainer = training.Trainer(settings, tmp_path)
    trainer.run(ignore, until=3)
    assert len({bout.seed for bout in trainer.engine.bouts}) == settings.play.bouts


@pytest.mark.parametrize("name", ["duel2048", "eraser"])
def test_a_network_plays_a_whole_bout_within_its_clock_in_a_jail(name: str, tmp_path: Path) -> None:
    game = get(name)
    path = tmp_path / "young.onnx"
    path.write_bytes(young_net(game, {}, 1, 8))
    source = resolve_bot(f"learned:{path}", game)
    players = [create_player(source, game, isolate=True) for _ in game.seats]
    options = game.Options.parse({"rounds": 40} if name == "duel2048" else {"turns": 60})
    try:
        record = play(game, options, 3, players, Clock(budget=1.0))
    finally:
        for player in players:
            player.close()
    assert record.faults == []


def test_a_search_is_sized_for_its_time() -> None:
    pace = SearchPace(playing_parameters(400))
    assert pace.plan(0.001).simulations == 400, "nothing is known before the first search"
    pace.record(100, 0.1)
    assert pace.plan(10.0) == pace.most
    assert pace.plan(0.0401).simulations == 40 and pace.plan(0.0401).considered == 4
    assert pace.plan(0.1501).simulations == 150 and pace.plan(0.1501).considered == 8
    assert pace.plan(0.0).simulations == 4 and pace.plan(0.0).considered == 4


def test_rivals_of_games_of_chance() -> None:
    for name, spec in (("eraser", "depth:2"), ("duel2048", "nodes:50")):
        game = get(name)
        options = game.Options.parse(SHORT[name])
        rival = find_opponent(spec, game, options, None)
        positions = [game.start(options, seed) for seed in (1, 2)]
        rival.start(2)
        moves = rival.choose_moves([0, 1], positions)
        assert all(m in p.legal(0) for m, p in zip(moves, positions, strict=True))
    with pytest.raises(LudusError, match="ludus match"):
        HouseBotOpponent(get("duel2048"), "greedy")
