"""The yardstick: rivals that play by the rules, both sides, fair openings."""

from typing import Any

import numpy as np
import pytest

from ludus.errors import LudusError
from ludus.games import get
from ludus.games.openings import NO_OPENINGS, play_opening, resolve_openings
from ludus.learn.evaluation import measure
from ludus.learn.opponents import (
    AlphaBetaOpponent,
    PolicyOpponent,
    RandomOpponent,
    TreeOpponent,
    find_opponent,
    make_search_pool,
)
from ludus.learn.search import SearchParameters

TABLUT = get("tablut")
OPTIONS = TABLUT.Options()


class Chance:
    """A network that knows nothing."""

    def evaluate(self, seen: Any) -> tuple[Any, Any]:
        generator = np.random.default_rng(int(seen.sum()))
        policy = generator.normal(size=(len(seen), 1458)).astype(np.float32)
        return policy, np.zeros(len(seen), np.float32)


def open_randomly(plies: int, seed: int) -> Any:
    openings = resolve_openings(f"random:{plies}", TABLUT, OPTIONS)
    return play_opening(TABLUT, OPTIONS, seed, openings.draw(seed))


def test_alpha_beta_beats_random_play_on_both_sides() -> None:
    found = measure(
        TABLUT, OPTIONS, AlphaBetaOpponent(OPTIONS, depth=2), RandomOpponent(1), 20, seed=3
    )
    assert found.seats[0].share >= 0.9 and found.seats[1].share >= 0.9
    assert found.result.bouts == 20
    assert sum(found.score.pairs) == 10 and found.score.points == found.result.points
    odd = measure(TABLUT, OPTIONS, RandomOpponent(1), RandomOpponent(2), 3)
    assert (sum(odd.score.pairs), odd.score.singles.bouts) == (1, 1)


def test_copies_of_a_bout_do_not_count() -> None:
    class First(RandomOpponent):
        def choose_moves(self, bouts: Any, positions: Any) -> list[str]:
            return [min(each.legal(each.to_move[0])) for each in positions]

    found = measure(TABLUT, OPTIONS, First(), First(), 8, openings=NO_OPENINGS)
    assert (found.result.bouts, sum(found.score.pairs), found.copies) == (2, 1, 6)
    mixed = measure(TABLUT, OPTIONS, First(), RandomOpponent(1), 8, openings=NO_OPENINGS)
    assert (mixed.result.bouts, mixed.copies) == (8, 0)


def test_every_opening_is_played_from_both_sides() -> None:
    first: dict[int, list[str]] = {0: [], 1: []}

    class Notes(RandomOpponent):
        def choose_moves(self, bouts: Any, positions: Any) -> list[str]:
            for bout, here in zip(bouts, positions, strict=True):
                if here.ply == 4:
                    first[bout % 2].append(here.cells)
            return super().choose_moves(bouts, positions)

    one, other = Notes(1), Notes(2)
    openings = resolve_openings("random:4", TABLUT, OPTIONS)
    measure(TABLUT, OPTIONS, one, other, 10, openings=openings)
    assert sorted(first[0]) == sorted(first[1])
    assert len(set(first[0])) == 5


def test_alpha_beta_does_not_repeat_itself() -> None:
    """B4: fixed order and no chance made every bout of the original's yardstick the same."""
    rival = AlphaBetaOpponent(OPTIONS, depth=1, seed=1)
    start = TABLUT.start(OPTIONS, 0)
    assert len(set(rival.choose_moves(range(40), [start] * 40))) > 1


def test_alpha_beta_in_processes_plays_the_same() -> None:
    positions = [open_randomly(6, seed) for seed in range(6)]
    here = AlphaBetaOpponent(OPTIONS, depth=2, seed=5).choose_moves(range(6), positions)
    pool = make_search_pool(2)
    assert pool is not None
    with pool:
        there = AlphaBetaOpponent(OPTIONS, depth=2, seed=5, pool=pool).choose_moves(
            range(6), positions
        )
    assert here == there


def test_networks_play_with_and_without_search() -> None:
    tree = TreeOpponent(TABLUT, "tree", SearchParameters(simulations=16, gumbel=True), Chance())
    plain = PolicyOpponent(TABLUT, "policy", Chance())
    found = measure(TABLUT, OPTIONS, tree, plain, 8)
    assert found.result.bouts == 8


@pytest.mark.parametrize("spec", ["random", "depth:1", "search:20", "greedy", "alphabeta"])
def test_rivals_go_by_name(spec: str) -> None:
    rival = find_opponent(spec, TABLUT, OPTIONS, None)
    rival.start(2)
    here = open_randomly(4, 0)
    if spec == "alphabeta":
        return  # it would think for seconds
    assert rival.choose_moves([0, 1], [here, here])[0] in here.legal(here.to_move[0])


def test_an_unknown_rival_is_named() -> None:
    with pytest.raises(LudusError, match="nobody"):
        find_opponent("nobody", TABLUT, OPTIONS, None)
    with pytest.raises(LudusError, match="depth"):
        find_opponent("depth:2", get("reversi"), get("reversi").Options(), None)


def test_random_rivals_draw_evenly() -> None:
    here = TABLUT.start(OPTIONS, 0)
    moves = RandomOpponent(4).choose_moves(range(3000), [here] * 3000)
    assert len(set(moves)) == 56
