"""Searches that reason with results which are known for certain."""

from __future__ import annotations

import dataclasses
import random
import zlib
from typing import Any

import numpy as np
import pytest

from ludus.games import get
from ludus.games.base import ExactSolver
from ludus.learn.search import (
    LeafProver,
    SearchParameters,
    TreeSearcher,
    evaluate_leaves,
    evaluate_root,
)
from ludus.learn.tree import Tree

REVERSI = get("reversi")


class Biased:
    """A network that knows nothing: random logits and values, the same for the same position."""

    def evaluate(self, seen: Any) -> tuple[Any, Any]:
        rows = seen.reshape(len(seen), -1)
        seeds = [zlib.crc32(row.tobytes()) for row in rows]
        drawn = [np.random.default_rng(seed) for seed in seeds]
        policy = np.array([each.normal(size=rows.shape[1] // 3) for each in drawn], np.float32)
        return policy, np.array([each.uniform(-0.9, 0.9) for each in drawn], np.float32)


def late_positions(size: int, empties: int, count: int, seed: int = 1) -> list[Any]:
    """Positions of random bouts with so many empty cells and more than one move."""
    generator = random.Random(seed)
    found: list[Any] = []
    while len(found) < count:
        position: Any = REVERSI.start(REVERSI.Options.parse({"size": size}), 0)
        while position.to_move and str(position).count(".") > empties:
            (seat,) = position.to_move
            position.play({seat: generator.choice(position.legal(seat))})
        if position.to_move and len(position.choices) > 1:
            found.append(position)
    return found


def solver_of(position: Any) -> ExactSolver:
    solver = REVERSI.exact_solver(position)
    assert solver is not None
    return solver


def hard_position() -> Any:
    """One with so many empty cells that a proof takes long."""
    for position in late_positions(8, 16, 40):
        if solver_of(position).prove(REVERSI.search_position(position), 100_000) is None:
            return position
    raise AssertionError("none is hard")


def exact_score(position: Any, seat: int) -> float:
    """What a seat gets from here on if both play perfectly."""
    if not position.to_move:
        return float(position.outcome.scores[seat])
    solved = solver_of(position).solve(position, 1 << 40)
    assert solved is not None
    score = solved.score
    return float(score if position.to_move[0] == seat else 1 - score)


def keeps_result(position: Any, move: str) -> bool:
    (seat,) = position.to_move
    after = position.copy()
    after.play({seat: move})
    return exact_score(after, seat) == exact_score(position, seat)


@pytest.mark.parametrize("gumbel", [False, True])
@pytest.mark.parametrize("width", [1, 8])
def test_what_is_known_at_the_ends_is_reasoned_up_to_the_root(gumbel: bool, width: int) -> None:
    """Without a solver and with a network that knows nothing: five empty cells are searched out.
    Only where a draw is known, a search may stay with it."""
    style = SearchParameters(
        simulations=2_000, gumbel=gumbel, considered=64, width=width, exact=True
    )
    settled = 0
    for position in late_positions(6, 5, 12):
        searcher = TreeSearcher(REVERSI, style, Biased())
        tree = searcher.search(position)
        assert tree.done
        if tree.simulations < 2_000:
            settled += 1
            move = tree.position.text(tree.moves()[searcher.pick_move(tree)])
            assert keeps_result(position, move)
    assert settled >= 8


@pytest.mark.parametrize("gumbel", [False, True])
def test_proven_leaves_decide_a_search(gumbel: bool) -> None:
    """Eleven empty cells: every leaf is proven, so the network is asked about the root alone."""
    style = SearchParameters(
        simulations=64, gumbel=gumbel, considered=64, exact=True, leaf_nodes=50_000_000
    )
    for position in late_positions(8, 11, 8):
        searcher = TreeSearcher(REVERSI, style, Biased())
        tree = searcher.search(position)
        assert tree.asked == 0 and tree.simulations <= len(tree.moves())
        assert keeps_result(position, tree.position.text(tree.moves()[searcher.pick_move(tree)]))


def test_moves_that_are_refuted_are_neither_tried_nor_chosen() -> None:
    """``prove`` says at once that all moves but one lose; what is left gets the simulations."""
    for position in late_positions(8, 30, 5):
        searched = REVERSI.search_position(position)
        tree = Tree(searched, gumbel=True, exact=True)
        spared = len(searched.moves()) - 1
        net, seen = Biased(), np.zeros((8, 3 * 64), np.float32)
        tree.gather(seen[:1])
        tree.answer(*net.evaluate(seen[:1]))
        known = [after(searched, move).hash for move in searched.moves()]
        lost = 1 - 2 * (searched.seat == 0)
        tree.prove = lambda here, known=known, lost=lost, spared=spared: (
            lost if here.hash in known[:spared] else None
        )
        tree.begin(48, None, 16)
        while not tree.done:
            waiting = tree.gather(seen)
            if waiting:
                tree.answer(*net.evaluate(seen[:waiting]))
        visits = tree.visits()
        assert tree.best() == spared
        assert not visits[:spared].any() and visits[spared] > 48 - 1 - spared - 16
        assert np.abs(tree.values()).max() <= 1


def after(searched: Any, move: int) -> Any:
    there = searched.copy()
    there.play(move)
    return there


def test_the_next_search_goes_on_in_a_tree_with_known_results() -> None:
    """To the end of bouts, every search in the tree of the one before."""
    style = SearchParameters(simulations=64, gumbel=True, exact=True, leaf_nodes=100_000)
    for start in late_positions(6, 16, 4):
        position, searcher = start.copy(), TreeSearcher(REVERSI, style, Biased())
        while position.to_move:
            position.play({position.to_move[0]: searcher.choose(position)})
        assert position.outcome is not None


def test_proofs_of_a_search_share_a_budget_and_stop_when_told() -> None:
    position = hard_position()
    searched = REVERSI.search_position(position)
    prover = LeafProver(solver_of(position), 16_000)
    answers = {prover(searched) for _ in range(100)}
    assert answers == {None} and prover.nodes < 1_000 and prover.solver.nodes < 17_000
    assert LeafProver(solver_of(position), 1 << 40, lambda: True)(searched) is None


def test_what_stops_a_proof_reaches_the_caller() -> None:
    """It cannot pass through the compiled search itself, which raises nothing."""
    (position,) = late_positions(8, 12, 1)
    tree = Tree(REVERSI.search_position(position), gumbel=True, exact=True)
    net, seen = Biased(), np.zeros((8, 3 * 64), np.float32)
    evaluate_root(tree, net, seen)

    def interrupt(here: Any) -> int | None:
        raise KeyboardInterrupt

    tree.begin(32, None, 8)
    tree.prove = interrupt
    with pytest.raises(KeyboardInterrupt):
        tree.gather(seen)
    tree.prove = None  # and the tree can be used again
    tree.answer(*net.evaluate(seen))
    while not tree.done:
        evaluate_leaves(tree, net, seen)
    assert tree.visits().sum() > 0


def test_a_game_without_a_solver_has_no_proofs() -> None:
    tablut = get("tablut")
    style = SearchParameters(simulations=8, exact=True, leaf_nodes=1_000)
    searcher = TreeSearcher(tablut, dataclasses.replace(style, explore=6.0))
    position = tablut.start(tablut.Options(), 0)
    assert searcher.make_prover(position) is None
    assert searcher.choose(position) in position.legal(position.to_move[0])


def test_in_a_lost_position_the_likeliest_move_is_played() -> None:
    (position,) = late_positions(8, 30, 1)
    searched = REVERSI.search_position(position)
    tree = Tree(searched, gumbel=True, exact=True)
    net, seen = Biased(), np.zeros((8, 3 * 64), np.float32)
    evaluate_root(tree, net, seen)
    lost = 1 - 2 * (searched.seat == 0)
    tree.prove = lambda here: lost
    tree.begin(64, None, 64)
    while not tree.done:
        evaluate_leaves(tree, net, seen)
    assert tree.simulations == len(tree.moves())
    assert tree.best() == int(np.argmax(tree.priors()))
