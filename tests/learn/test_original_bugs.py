"""The faults of the original's code, each with a test that would have caught it.

Numbers are those of the specification: P what its document complains of, B what was found by
running it. B2 and P5a are in test_training, B4 in test_yardstick, P5b in test_tree, the rules
(P1, P2, P5c, P6, B11) in tests/games/tablut.
"""

import importlib
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludus.games import IllegalMove, get
from ludus.games.openings import NO_OPENINGS
from ludus.games.tablut.actions import original_cells, original_number
from ludus.games.tablut.evaluate import rate_moves, worth
from ludus.games.tablut.rules import set_up
from ludus.games.tablut.search import search
from ludus.learn.evaluation import measure
from ludus.learn.opponents import AlphaBetaOpponent, HouseBotOpponent, RandomOpponent
from ludus.learn.tree import Tree

TABLUT = get("tablut")
OPTIONS = TABLUT.Options()
START = TABLUT.start(OPTIONS, 0)


def positions(count: int) -> list[Any]:
    generator = random.Random(4)
    found: list[Any] = []
    while len(found) < count:
        here = TABLUT.start(OPTIONS, 0)
        while here.to_move:
            found.append(here.copy())
            here.play({here.to_move[0]: generator.choice(here.legal(here.to_move[0]))})
    return found[:count]


def test_b1_a_network_sees_its_rival_the_king_and_the_throne() -> None:
    white = TABLUT.search_position(START).looks().sum(1).tolist()
    black = TABLUT.search_position(set_up(OPTIONS, START.cells, 1)).looks().sum(1).tolist()
    assert white == [8, 16, 1, 0, 1, 81, 81]
    assert black == [16, 8, 0, 1, 1, 0, 81]


def test_b1_every_piece_is_in_exactly_one_plane() -> None:
    for here in positions(300):
        looks = TABLUT.search_position(here).looks()
        pieces = np.array([piece != "." for piece in here.cells])
        assert (looks[:4].sum(0) == pieces).all()


def test_b1_both_sides_see_the_same_board_from_their_own_side() -> None:
    for here in positions(100):
        white, black = (
            TABLUT.search_position(set_up(OPTIONS, here.cells, side, 3)) for side in (0, 1)
        )
        if white.over or black.over:
            continue
        seen = white.looks()
        assert (black.looks()[[1, 0, 3, 2, 4]] == seen[:5]).all()


def test_b3_the_evaluation_speaks_for_the_side_that_moves() -> None:
    for here in positions(60):
        side = here.to_move[0]
        for move, score in rate_moves(here)[:5]:
            after = here.copy()
            after.play({side: move})
            if after.to_move:
                assert score == (worth(after.board) if side == 0 else -worth(after.board))


def test_b3_a_captured_piece_counts_no_more() -> None:
    picture = START.cells
    fewer = picture.replace("a", ".", 1)
    one, other = (set_up(OPTIONS, cells, 0).board for cells in (picture, fewer))
    assert one.pieces(1) == other.pieces(1) + 1
    assert worth(one) < worth(other)


def test_b3_greedy_black_beats_random_white() -> None:
    """The original's drew or lost a third of them."""
    greedy = HouseBotOpponent(TABLUT, "greedy")
    found = measure(TABLUT, OPTIONS, greedy, RandomOpponent(1), 60, openings=NO_OPENINGS)
    assert found.seats[1].share >= 0.95


def test_b4_a_quicker_win_is_preferred() -> None:
    rows = ["........."] * 9
    rows[4] = "..K......"
    rows[0], rows[8] = "a.......a", "a.......a"
    found = search(set_up(OPTIONS, "".join(rows), 0, 4), depth=3)
    after = set_up(OPTIONS, "".join(rows), 0, 4)
    after.play({0: found.move})
    assert after.outcome is not None and after.outcome.winner == 0


def test_b4_a_draw_is_worth_neither_a_win_nor_a_loss() -> None:
    here = set_up(TABLUT.Options.parse({"limit": 10}), START.cells, 0, 9)
    assert search(here, depth=2).score == 0


def test_b5_no_piece_moves_from_an_empty_cell() -> None:
    here = TABLUT.start(OPTIONS, 0)
    before = here.digest()
    for move in ("a1a2", "b2b5", "e5e5", "a9a9"):
        with pytest.raises(IllegalMove):
            here.play({0: move})
    assert here.digest() == before and here.to_move == (0,)


def test_b6_everything_imports_into_an_empty_folder(tmp_path: Path) -> None:
    root = Path(str(importlib.import_module("ludus").__file__)).parent.parent
    code = (
        "import ludus.learn.tree, ludus.learn.search, ludus.learn.opponents, ludus.learn.evaluation"
    )
    subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={"PYTHONPATH": str(root)}, check=True
    )
    assert list(tmp_path.iterdir()) == []


def test_b7_a_policy_to_learn_from_is_never_one_hot_by_temperature() -> None:
    tree = Tree(TABLUT.search_position(START))
    tree.think(800)
    assert (tree.visits() > 0).sum() > 10
    improved = tree.improved()
    assert improved.max() < 0.9 and improved.sum() == pytest.approx(1, abs=1e-4)


def test_b8_a_sample_takes_hundreds_of_bytes_not_26_kilobytes() -> None:
    jax = pytest.importorskip("jax", reason="the extra `learn` is not installed")
    from ludus.learn.environments import make_environment
    from ludus.learn.samples import empty_samples

    room = empty_samples(make_environment(TABLUT, OPTIONS), 100)
    assert sum(leaf.nbytes for leaf in jax.tree.leaves(room)) / 100 < 300


def test_b9_the_optimiser_lives_as_long_as_the_network_and_decays_its_weights() -> None:
    jax = pytest.importorskip("jax", reason="the extra `learn` is not installed")
    pytest.importorskip("optax", reason="the extra `learn` is not installed")
    from ludus.learn import net
    from ludus.learn.environments import make_environment
    from ludus.learn.settings import LearnSettings
    from ludus.learn.train_step import create_train_state, make_optimiser

    shape = net.make_shape(make_environment(TABLUT, OPTIONS), 1, 8)
    settings = LearnSettings(warmup=0, last_rate=1.0, decay=0.1)

    @jax.jit
    def without_a_gradient() -> Any:
        state = create_train_state(shape, settings, jax.random.key(1))
        still = jax.tree.map(lambda x: x * 0, state.weights)
        changes, _ = make_optimiser(settings).update(still, state.optimiser, state.weights)
        return state.weights["stem"], changes["stem"]

    stem, changes = without_a_gradient()
    kernel, gain = np.asarray(changes["kernel"]), changes["gain"]
    assert (np.sign(kernel) == -np.sign(stem["kernel"])).all()
    assert not np.asarray(gain).any()


@pytest.mark.parametrize("limit", [20, 100, 250])
def test_b10_the_plane_of_time_knows_the_limit(limit: int) -> None:
    options = TABLUT.Options.parse({"limit": limit})
    for ply in (0, limit // 2, limit - 1):
        looks = TABLUT.search_position(set_up(options, START.cells, ply % 2, ply)).looks()
        assert looks[6] == pytest.approx(1 - ply / limit)


def test_b10_positions_that_differ_in_their_ply_are_different_to_a_search() -> None:
    early, late = (TABLUT.search_position(set_up(OPTIONS, START.cells, 0, ply)) for ply in (0, 98))
    assert early.hash != late.hash


def test_b12_every_setting_has_a_default() -> None:
    from ludus.learn.settings import settings_from_dict

    assert settings_from_dict({}).game == "tablut"


def test_p3_a_random_symmetry_is_drawn_when_a_sample_is_read() -> None:
    """No copies are stored: a window holds as many samples as were played."""
    jax = pytest.importorskip("jax", reason="the extra `learn` is not installed")
    from ludus.learn.environments import make_environment
    from ludus.learn.samples import Samples, apply_symmetry

    where = make_environment(TABLUT, OPTIONS)
    bouts = where.from_positions([positions(12)[11]] * 4)
    nothing = jax.numpy.zeros((4, 24), jax.numpy.uint16)
    given = Samples(
        bouts.cells, bouts.seat, bouts.ply, nothing, nothing, nothing[:, :3], nothing[:, 0]
    )
    seen = apply_symmetry(where, given, jax.numpy.array([0, 1, 2, 3]))
    assert len({row.tobytes() for row in np.asarray(seen.cells)}) == 4


def test_p4_the_anchors_are_ordered() -> None:
    """Each depth beats the one two below it, from both sides together."""
    for deep, shallow in ((2, 1), (3, 1)):
        found = measure(
            TABLUT,
            OPTIONS,
            AlphaBetaOpponent(OPTIONS, depth=deep, seed=1),
            AlphaBetaOpponent(OPTIONS, depth=shallow, seed=2),
            30,
        )
        assert found.result.share > 0.6


def test_p5d_number_zero_is_a_number_like_any_other() -> None:
    assert original_cells(0, 9) == (0, 0)
    assert original_number(*original_cells(6560, 9), 9) == 6560
