"""The search on the device is the Gumbel search of the compiled tree, for many bouts at once."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ludus.games import get
from ludus.learn.tree import Tree
from ludus.learn.tree_gumbel import round_sizes
from tests.support.extras import Later, need_extra

if TYPE_CHECKING:
    from ludus.learn.environments import Environment

need_extra("learn", "jax")
jax, jnp = Later("jax"), Later("jax.numpy")
gumbel, worlds = Later("ludus.learn.device_search"), Later("ludus.learn.environments")

Floats = Any


def linear_net(where: Environment, seed: int) -> Any:
    """A network of one random layer: enough to disagree about everything."""
    generator = np.random.default_rng(seed)
    wide = where.cells * where.planes
    policy = generator.normal(size=(wide, where.actions)).astype(np.float32) * 0.4
    value = generator.normal(size=(wide, 3)).astype(np.float32) * 0.3

    def answer(seen: Floats) -> tuple[Floats, Floats]:
        flat = seen.reshape(seen.shape[0], -1).astype(jnp.float32)
        exact = jax.lax.Precision.HIGHEST
        return jnp.dot(flat, policy, precision=exact), jnp.dot(flat, value, precision=exact)

    return answer


def positions(name: str, options: Any, count: int, choices: int) -> list[Any]:
    """Of random bouts, with at least so many moves to choose from."""
    game = get(name)
    generator = random.Random(name)
    found: list[Any] = []
    while len(found) < count:
        position = game.start(options, 0)
        while position.to_move:
            seat = position.to_move[0]
            moves = position.legal(seat)
            if len(moves) >= choices and generator.random() < 0.1:
                found.append(position.copy())
            position.play({seat: generator.choice(moves)})
    return found[:count]


def by_tree(
    where: Environment, position: Any, answer: Any, noise: Floats, plan: tuple[int, int]
) -> Tree:
    searched = get(where.name).search_position(position)
    tree = Tree(searched, gumbel=True, alert=False, width=1)
    seen = np.zeros((1, where.planes * where.cells), np.float32)

    def ask() -> None:
        tree.gather(seen)
        if tree.waiting:
            board = seen.reshape(1, where.planes, where.size, where.size).transpose(0, 2, 3, 1)
            board = board.astype(jnp.bfloat16)  # as the device sees it
            logits, wdl = answer(board)
            chances = np.asarray(jax.nn.softmax(wdl))
            tree.answer(np.asarray(logits), chances[:, 0] - chances[:, 2])

    ask()
    considered, simulations = plan
    tree.begin(simulations, noise[tree.actions()], considered)
    while not tree.done:
        ask()
    return tree


@pytest.mark.parametrize(
    ("name", "given", "plan"),
    [
        ("tablut", {"variant": "brandubh"}, (4, 6)),
        ("reversi", {"size": 6}, (2, 8)),
    ],
)
def test_device_and_tree_find_the_same(
    name: str, given: dict[str, Any], plan: tuple[int, int]
) -> None:
    """Wide and shallow, narrow and deep; every round takes seconds to compile."""
    game = get(name)
    options = game.Options.parse(given)
    where = worlds.make_environment(game, options)
    answer = jax.jit(linear_net(where, 3))
    count = 16
    met = positions(name, options, count, plan[0])
    noise = np.random.default_rng(5).gumbel(size=(count, where.actions)).astype(np.float32)
    search = gumbel.GumbelSearch(where, *plan)
    found = jax.jit(lambda bouts, noise: search(answer, bouts, noise))(
        where.from_positions(met), noise
    )
    same = 0
    for row, position in enumerate(met):
        tree = by_tree(where, position, answer, noise[row], plan)
        actions = tree.actions()
        dense = np.zeros(where.actions, np.float32)
        dense[actions] = tree.improved()
        policy = np.asarray(found.policy[row])
        assert abs(policy.sum() - 1) < 1e-4
        assert not policy[np.setdiff1d(np.arange(where.actions), actions)].any()
        same += int(actions[tree.best()]) == int(found.action[row]) and (
            np.abs(dense - policy).max() < 1e-2
        )
    assert same >= count - 1  # rounding may tip a scale


def test_with_few_moves_the_other_lanes_stay_idle() -> None:
    game = get("reversi")
    where = worlds.make_environment(game, game.Options())
    here = game.start(game.Options(), 0)  # four moves
    noise = np.random.default_rng(1).gumbel(size=(1, where.actions)).astype(np.float32)
    search, answer = gumbel.GumbelSearch(where, 8, 8), linear_net(where, 3)
    found = jax.jit(lambda bouts: search(answer, bouts, noise))(where.from_positions([here]))
    legal = [where.parse_action(here, move) for move in here.legal(here.to_move[0])]
    policy = np.asarray(found.policy[0])
    assert int(found.action[0]) in legal
    assert sorted(np.flatnonzero(policy).tolist()) == sorted(legal)
    assert abs(policy.sum() - 1) < 1e-4 and abs(float(found.value[0])) <= 1


def test_noise_does_not_decide_where_the_best_move_is_played() -> None:
    game = get("reversi")
    options = game.Options.parse({"size": 6})
    where = worlds.make_environment(game, options)
    bouts = where.from_positions(positions("reversi", options, 24, 3))
    noise = 3 * np.random.default_rng(2).gumbel(size=(24, where.actions)).astype(np.float32)
    search, answer = gumbel.GumbelSearch(where, 16, 16), linear_net(where, 3)
    half = np.arange(24) % 2 == 0
    found = jax.jit(lambda *given: search(answer, *given).action)
    calm, noisy = found(bouts, 0 * noise), found(bouts, noise)
    mixed = np.asarray(found(bouts, noise, half))
    assert (mixed == np.where(half, calm, noisy)).all()
    assert (np.asarray(calm) != np.asarray(noisy)).any()


def test_the_rounds_are_sequential_halving() -> None:
    assert round_sizes(8, 16) == [8, 4, 2, 2]
    assert round_sizes(16, 64) == [16, 8, 8, 4, 4, 4, 4] + [2] * 8
    for considered in (1, 2, 3, 5, 8, 16):
        for simulations in (1, 2, 8, 16, 33, 64, 200):
            lanes = round_sizes(considered, simulations)
            assert sum(lanes) == simulations
            assert lanes == sorted(lanes, reverse=True)


def test_a_forced_win_is_found() -> None:
    from ludus.games.tablut.rules import set_up

    game = get("tablut")
    where = worlds.make_environment(game, game.Options())
    rows = [
        ". . . . . . . . .",
        ". . . . . . . . .",
        ". a . . . . . . .",
        ". . . . . . . a .",
        ". . K . . . . . .",
        ". . . . . . . . .",
        ". . a . . . . . .",
        ". . . . . . . d .",
        ". . . . . . . . a",
    ]
    position = set_up(game.Options(), "".join(rows).replace(" ", ""), 0, 10)
    even = lambda seen: (  # noqa: E731
        jnp.zeros((seen.shape[0], where.actions)),
        jnp.zeros((seen.shape[0], 3)),
    )
    noise = np.zeros((1, where.actions), np.float32)
    search = gumbel.GumbelSearch(where, 32, 32)
    found = jax.jit(lambda bouts: search(even, bouts, noise))(where.from_positions([position]))
    move = where.format_action(position, int(found.action[0]))
    position.play({0: move})
    assert position.outcome is not None and position.outcome.winner == 0
    assert float(found.value[0]) > 0
