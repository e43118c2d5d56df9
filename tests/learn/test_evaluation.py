"""The yardstick: rivals that play by the rules, both sides, fair openings."""

import random
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
from ludus.learn.pace import SearchPace, choose_paced
from ludus.learn.progress import is_shown
from ludus.learn.search import (
    SearchParameters,
    TreeSearcher,
    playing_parameters,
)

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


def test_the_end_of_a_bout_is_played_out_exactly_with_a_network() -> None:
    """However little a network knows: from a few empty cells on no result is given away."""
    game = get("reversi")
    generator = random.Random(3)
    starts = []
    while len(starts) < 12:
        position = game.start(game.Options(), 0)
        while position.to_move and str(position).count(".") > 9:
            (seat,) = position.to_move
            position.play({seat: generator.choice(position.legal(seat))})
        if position.to_move:
            starts.append(position)
    style = playing_parameters(4)
    alone = [TreeSearcher(game, style, Chance()).choose(each) for each in starts]
    together = TreeOpponent(game, "tree", style, Chance())
    together.start(len(starts))
    assert together.choose_moves(range(len(starts)), starts) == alone
    for position, move in zip(starts, alone, strict=True):
        solver = game.exact_solver(position)
        before = solver.solve(position, 1 << 40)
        after = position.copy()
        after.play({position.to_move[0]: move})
        assert kept_score(solver, after, position.to_move[0]) == before.score


def kept_score(solver: Any, position: Any, seat: int) -> float:
    """What a seat gets from here on if both play perfectly."""
    if not position.to_move:
        return float(position.outcome.scores[seat])
    score = solver.solve(position, 1 << 40).score
    return float(score if position.to_move[0] == seat else 1 - score)


def test_a_solved_end_says_nothing_about_the_cost_of_simulations() -> None:
    game = get("reversi")
    searcher = TreeSearcher(game, playing_parameters(4), Chance())
    pace = SearchPace(searcher.style)
    position = game.start(game.Options(), 0)
    choose_paced(searcher, pace, position, 10.0)
    cost = pace.cpu_s_per_simulation
    while str(position).count(".") > 6:
        (seat,) = position.to_move
        position.play({seat: position.legal(seat)[0]})
    choose_paced(searcher, pace, position, 10.0)
    assert pace.cpu_s_per_simulation == cost > 0


def test_every_wave_of_a_short_run_is_shown_and_the_last_of_a_long_one() -> None:
    assert all(is_shown(wave, 4) for wave in range(1, 5))
    assert [wave for wave in range(1, 46) if is_shown(wave, 45)] == [1, 2, 10, 20, 30, 40, 45]
