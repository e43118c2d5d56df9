"""Tree searches as judges: with a trained network, or with random bouts for any game."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ludus.analysis.judges.alpha_beta import ALPHA_BETA_SEARCHES, AlphaBetaLookahead
from ludus.analysis.judges.base import CpuBudget
from ludus.analysis.judges.exact_endgame import create_with_endgame, endgame_parameters
from ludus.analysis.judges.searching import (
    PositionSearch,
    SearchedPosition,
    SearchingJudge,
)
from ludus.analysis.model import JudgeFacts
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.learn.onnx_net import OnnxNet, load_shipped_net
from ludus.learn.search import SearchParameters, TreeSearcher, sequential_halving_parameters

NETWORK_SIMULATIONS = (24, 96, 320)
QUICK_LEVELS = (0, 2)
"""The levels of the game's alpha-beta search that come before those of a network."""
RANDOM_BOUT_SIMULATIONS = (40, 160, 640, 2560)
RANDOM_BOUT_EXPLORATION = 6.0
"""Larger than with a network, because all moves have the same small prior."""
MOST_STEPS = 300
"""Bouts with more steps are sampled."""


class TreeLookahead:
    """Tree searches with a network or with random bouts; every search begins anew."""

    def __init__(self, game: Game, styles: Sequence[SearchParameters], net: OnnxNet | None) -> None:
        self.game, self.styles, self.net = game, styles, net

    def searches_best_again(self, level: int) -> bool:
        return True

    def look(self, position: Any, level: int, plies: int, budget: CpuBudget) -> SearchedPosition:
        tree = TreeSearcher(self.game, self.styles[level], self.net).search(position, budget)
        budget.check()
        best = tree.best()
        known = self.game.search_position(position).foresight()
        value = float(known) if known else tree.value_of(best)
        expected = min(1.0, max(0.0, (value + 1) / 2))
        return SearchedPosition(tree.texts()[best], expected, known != 0)


class NetworkLookahead:
    """Alpha-beta at the quick levels and to prove what is near; else the tree with the network.

    A search with a network takes some 100 times as long as a quick alpha-beta search, and sees
    less of what is decided within a few plies.
    """

    def __init__(self, quick: AlphaBetaLookahead | None, tree: TreeLookahead) -> None:
        self.quick, self.tree = quick, tree
        self.skipped = len(QUICK_LEVELS) if quick is not None else 0

    def searches_best_again(self, level: int) -> bool:
        return level >= self.skipped

    def look(self, position: Any, level: int, plies: int, budget: CpuBudget) -> SearchedPosition:
        if self.quick is None:
            return self.tree.look(position, level, plies, budget)
        if level < self.skipped:
            return self.quick.look(position, QUICK_LEVELS[level], plies, budget)
        depth = max(1, self.quick.depths[QUICK_LEVELS[-1]] - plies)
        move, score = self.quick.search_to_depth(position, depth, budget)
        budget.check()
        if abs(score) >= self.quick.certain:
            return SearchedPosition(move, float(score > 0), True)
        return self.tree.look(position, level - self.skipped, plies, budget)


def create_network_judge(game: Game, position: Any) -> SearchingJudge | None:
    """The judge with the network that Ludus ships for this game and board; None without one."""
    try:
        net = load_shipped_net(game, position, OnnxNet)
    except LudusError:  # no network, another board, or onnxruntime is not installed
        return None
    quick = ALPHA_BETA_SEARCHES.get(game.name)
    depths = [quick.depths[level] for level in QUICK_LEVELS] if quick is not None else []
    levels = len(depths) + len(NETWORK_SIMULATIONS)
    facts = JudgeFacts(
        name="network",
        title={"en": "network and tree search", "zh": "网络与树搜索"},
        parameters={
            "depth": depths,
            "simulations": list(NETWORK_SIMULATIONS),
            "network": str(net.metadata.get("steps", "")),
            **endgame_parameters(game, position, levels),
        },
    )
    styles = [sequential_halving_parameters(count) for count in NETWORK_SIMULATIONS]

    def create() -> PositionSearch:
        tree = TreeLookahead(game, styles, net)
        return NetworkLookahead(quick(position) if quick is not None else None, tree)

    with_endgame = partial(create_with_endgame, game, position, create)
    return SearchingJudge(facts, levels, MOST_STEPS, with_endgame)


def create_random_bout_judge(game: Game, position: Any) -> SearchingJudge:
    """The judge that plays random bouts to their end: for any two seats that take turns."""
    facts = JudgeFacts(
        name="random bouts",
        title={"en": "tree search with random bouts", "zh": "随机对局的树搜索"},
        parameters={
            "simulations": list(RANDOM_BOUT_SIMULATIONS),
            **endgame_parameters(game, position, len(RANDOM_BOUT_SIMULATIONS)),
        },
    )
    styles = [
        SearchParameters(simulations=count, explore=RANDOM_BOUT_EXPLORATION)
        for count in RANDOM_BOUT_SIMULATIONS
    ]
    create = partial(
        create_with_endgame, game, position, partial(TreeLookahead, game, styles, None)
    )
    return SearchingJudge(facts, len(styles), MOST_STEPS, create)
