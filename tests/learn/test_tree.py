"""The compiled search tree: what it finds, and what can never trap it."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludus.errors import LudusError
from ludus.games import get
from ludus.games.search_position import TextSearchPosition
from ludus.games.tablut.rules import set_up
from ludus.learn.search import SearchParameters, TreeSearcher, stop_after
from ludus.learn.tree import Tree
from ludus.learn.tree_gumbel import round_sizes
from tests.support.compiled import COMPILED

TABLUT = get("tablut")

ESCAPE = """
    . . . . . . . . .
    . . . . . . . . .
    . a . . . . . . .
    . . . . . . . a .
    . . K . . . . . .
    . . . . . . . . .
    . . a . . . . . .
    . . . . . . . d .
    . . . . . . . . a
"""
CAPTURE = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . a K . . . a
    . . . . d . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . a
"""


def position(picture: str, side: int, ply: int = 10, **options: Any) -> Any:
    return set_up(TABLUT.Options.parse(options), "".join(picture.split()), side, ply)


def searchable(picture: str, side: int, ply: int = 10, **options: Any) -> Any:
    return TABLUT.search_position(position(picture, side, ply, **options))


def random_positions(name: str, count: int, seed: int = 1, **options: Any) -> list[Any]:
    game = get(name)
    generator = random.Random(seed)
    found: list[Any] = []
    while len(found) < count:
        here = game.start(game.Options.parse(options), generator.randrange(100))
        while here.to_move:
            if generator.random() < 0.15:
                found.append(here.copy())
            here.play({here.to_move[0]: generator.choice(here.legal(here.to_move[0]))})
    return found[:count]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("tablut", {}),
        ("tablut", {"variant": "brandubh", "repetition": "draw"}),
        ("tablut", {"variant": "ardri", "repetition": "mover", "limit": 30}),
        ("tablut", {"variant": "hnefatafl", "repetition": "attackers"}),
        ("reversi", {}),
        ("reversi", {"size": 6}),
    ],
)
def test_a_ground_follows_its_position(name: str, options: dict[str, Any]) -> None:
    game = get(name)
    generator = random.Random(name)
    for _ in range(4):
        here = game.start(game.Options.parse(options), 0)
        walk = game.search_position(here)
        while here.to_move:
            seat = here.to_move[0]
            assert walk.seat == seat and not walk.over
            texts = {walk.text(move): move for move in walk.moves()}
            assert list(texts) == here.legal(seat)
            assert walk.hash == game.search_position(here).hash
            text = generator.choice(list(texts))
            walk.play(texts[text])
            here.play({seat: text})
        first, second = here.outcome.scores
        assert walk.over and walk.score == (first > second) - (first < second)


@pytest.mark.parametrize("name", ["tablut", "reversi"])
def test_a_game_s_own_ground_and_the_general_one_agree(name: str) -> None:
    for here in random_positions(name, 20):
        own, general = get(name).search_position(here), TextSearchPosition(here.copy())
        assert [own.text(m) for m in own.moves()] == [general.text(m) for m in general.moves()]
        for _ in range(5):
            if own.over:
                break
            own.play(own.moves()[0])
            general.play(general.moves()[0])
            assert (own.over, own.seat if not own.over else 0) == (
                general.over,
                general.seat if not general.over else 0,
            )
            assert own.score == general.score


def test_a_ground_sees_a_win_at_once() -> None:
    for here in random_positions("tablut", 150):
        seat = here.to_move[0]
        wins = False
        for move in here.legal(seat):
            after = here.copy()
            after.play({seat: move})
            reason = after.outcome.reason if after.outcome else ""
            wins |= reason.startswith("king") and after.outcome.winner == seat
        assert TABLUT.search_position(here).can_win() == wins


def escapes(place: Any, plies: int) -> bool:
    """Whether the defenders win within so many plies, whatever the attackers do."""
    if place.over or plies == 0:
        return bool(place.over and place.score > 0)
    after = []
    for move in place.moves():
        after.append(place.copy())
        after[-1].play(move)
    best = any if place.seat == 0 else all
    return best(escapes(each, plies - 1) for each in after)


def test_what_a_ground_foresees_comes() -> None:
    """Held to a search of all moves: three plies for the defenders, two for the attackers."""
    seen = {-1: 0, 0: 0, 1: 0}
    for here in random_positions("tablut", 60, seed=5, variant="brandubh", goal="border"):
        place = TABLUT.search_position(here)
        known = place.foresight()
        if place.seat == 0:
            assert (known == 1) == (place.can_win() or escapes(place, 3))
        elif not place.can_win():
            assert (known == -1) == escapes(place, 2)
        seen[known] += 1
    assert min(seen.values()) > 0


def test_a_root_keeps_out_of_danger_whatever_the_network_says() -> None:
    """Moves after which the rival wins at once are not tried as long as there are others."""
    dangers = 0
    for here in random_positions("tablut", 200, seed=6):
        place, seat = TABLUT.search_position(here), here.to_move[0]
        if place.foresight():
            continue
        lost = set()
        for text in here.legal(seat):
            after = here.copy()
            after.play({seat: text})
            if after.to_move and TABLUT.search_position(after).can_win():
                lost.add(text)
        if not 0 < len(lost) < len(here.legal(seat)):
            continue
        dangers += 1
        tree = TreeSearcher(TABLUT, SearchParameters(simulations=8), Even()).search(here)
        likely = zip(tree.texts(), tree.priors(), strict=True)
        assert {text for text, prior in likely if prior == 0} == lost
    assert dangers > 5


@pytest.mark.parametrize("gumbel", [False, True])
@pytest.mark.parametrize(("picture", "side"), [(ESCAPE, 0), (CAPTURE, 1)])
def test_a_win_in_one_is_played(picture: str, side: int, gumbel: bool) -> None:
    here = position(picture, side)
    style = SearchParameters(simulations=200, gumbel=gumbel, considered=128)
    move = TreeSearcher(TABLUT, style, Even()).choose(here)
    here.play({side: move})
    assert here.outcome is not None and here.outcome.winner == side


class Even:
    """A network to which all moves look alike and every position is even."""

    def evaluate(self, seen: Any) -> tuple[Any, Any]:
        self.asked = len(seen)
        return np.zeros((len(seen), 9**3 * 2), np.float32), np.zeros(len(seen), np.float32)


class Peaked:
    """A network that always prefers one corner of the policy: the original's trap."""

    def evaluate(self, seen: Any) -> tuple[Any, Any]:
        logits = np.linspace(60, 0, 9**3 * 2, dtype=np.float32)
        return np.tile(logits, (len(seen), 1)), np.zeros(len(seen), np.float32)


@pytest.mark.parametrize("gumbel", [False, True])
def test_no_cycle_and_no_limit_traps_a_search(gumbel: bool) -> None:
    """P5b: a peaked prior over positions that repeat led the original into endless recursion."""
    here = TABLUT.start(TABLUT.Options.parse({"limit": 12}), 0)
    style = SearchParameters(simulations=600, gumbel=gumbel)
    searcher = TreeSearcher(TABLUT, style, Peaked())
    while here.to_move:
        tree = searcher.search(here)
        assert tree.depth <= 12 - here.ply
        here.play({here.to_move[0]: tree.position.text(tree.moves()[searcher.pick_move(tree)])})
    assert here.outcome.reason in ("limit", "king_border", "king_captured")


def test_the_limit_of_plies_is_seen_in_time() -> None:
    """Two plies before the end a capture in three is worth nothing."""
    tree = Tree(searchable(ESCAPE, 1, ply=99))
    tree.think(300)
    assert abs(tree.worth()) < 1e-6 or tree.worth() == pytest.approx(0.0)
    assert tree.depth == 1


def test_visits_add_up_and_values_stay_in_range() -> None:
    for here in random_positions("tablut", 10):
        tree = Tree(TABLUT.search_position(here), seed=3)
        tree.think(500, rollouts=True)
        assert tree.visits().sum() == 500 - 1  # the first simulation looks at the root itself
        assert (np.abs(tree.values()) <= 1).all()
        assert tree.priors().sum() == pytest.approx(1, abs=1e-5)


def test_virtual_losses_leave_no_trace() -> None:
    """Leaves gathered many at a time are worth what they are worth one at a time."""
    here = random_positions("tablut", 1, seed=8)[0]
    for width in (1, 4, 16):
        tree = Tree(TABLUT.search_position(here), width=width, alert=False)
        seen = np.zeros((width, 7 * 81), np.float32)
        answers = np.random.default_rng(0)
        tree.begin(300)
        while not tree.done:
            found = tree.gather(seen)
            worth = answers.uniform(-1, 1, found).astype(np.float32)
            tree.answer(np.zeros((found, 1458), np.float32), worth)
        assert tree.waiting == 0
        assert tree.visits().sum() == 299
        assert (np.abs(tree.values()) <= 1 + 1e-6).all()


def test_only_the_legal_moves_of_a_node_are_kept() -> None:
    tree = Tree(TABLUT.search_position(TABLUT.start(TABLUT.Options(), 0)))
    tree.think(1000)
    assert tree.edges < tree.nodes * 60


def test_priors_are_the_networks_over_legal_moves() -> None:
    here = TABLUT.start(TABLUT.Options(), 0)
    tree = Tree(TABLUT.search_position(here))
    tree.gather(np.zeros((1, 7 * 81), np.float32))
    logits = np.random.default_rng(1).normal(size=(1, 1458)).astype(np.float32)
    tree.answer(logits, np.array([0.25], np.float32))
    wanted = np.exp(logits[0, tree.actions()])
    assert np.allclose(tree.priors(), wanted / wanted.sum(), atol=1e-6)
    assert tree.worth() == pytest.approx(0.25)


def test_a_subtree_is_kept_when_its_move_is_played() -> None:
    here = TABLUT.start(TABLUT.Options(), 0)
    tree = Tree(TABLUT.search_position(here), seed=1)
    tree.think(600, rollouts=True)
    index = tree.best()
    move, visits = tree.moves()[index], int(tree.visits()[index])
    nodes = tree.nodes
    tree.advance(move)
    assert 0 < tree.nodes < nodes
    assert tree.visits().sum() == visits - 1
    here.play({0: TABLUT.search_position(here).text(move)})
    assert tree.texts() == here.legal(1)
    tree.think(500, rollouts=True)
    assert tree.visits().sum() == visits - 1 + 500


@pytest.mark.skipif(not COMPILED, reason="takes minutes as plain Python")
def test_a_searcher_finds_its_place_again_two_moves_later() -> None:
    here = TABLUT.start(TABLUT.Options(), 0)
    searcher = TreeSearcher(TABLUT, SearchParameters(simulations=4000, explore=6.0))
    here.play({0: searcher.choose(here)})
    reply = searcher.tree.seek  # the reply that was looked at most is certainly in the tree
    assert callable(reply)
    tree = searcher.tree
    tree.advance(tree.moves()[tree.best()])
    answer = tree.texts()[tree.best()]
    known = tree.nodes
    here.play({1: answer})
    searcher.choose(here)
    assert searcher.tree is tree and known > 1


def test_a_search_repeats_itself_with_its_seed() -> None:
    here = random_positions("tablut", 1)[0]
    style = SearchParameters(simulations=300, noise=0.25, temperature=1.0)

    def found(seed: int) -> list[int]:
        searcher = TreeSearcher(TABLUT, style, Even(), seed=seed)
        tree = searcher.search(here)
        return [*tree.visits().tolist(), searcher.pick_move(tree)]

    assert found(1) == found(1)
    assert found(1) != found(2)


def test_noise_changes_the_root_alone() -> None:
    here = TABLUT.start(TABLUT.Options(), 0)
    tree = TreeSearcher(
        TABLUT, SearchParameters(simulations=100, noise=0.5), Even(), seed=1
    ).search(here)
    assert tree.priors().std() > 0.001
    assert tree.priors().sum() == pytest.approx(1, abs=1e-5)


def test_temperature_draws_by_visits() -> None:
    here = TABLUT.start(TABLUT.Options(), 0)
    searcher = TreeSearcher(
        TABLUT, SearchParameters(simulations=400, temperature=1.0), Even(), seed=1
    )
    tree = searcher.search(here)
    drawn = {searcher.pick_move(tree) for _ in range(200)}
    assert len(drawn) > 10
    assert all(tree.visits()[index] > 0 for index in drawn)


def test_a_gumbel_search_tries_what_sequential_halving_says() -> None:
    here = TABLUT.start(TABLUT.Options(), 0)
    tree = TreeSearcher(
        TABLUT, SearchParameters(simulations=64, gumbel=True, considered=8), Even()
    ).search(here)
    tried = sorted(tree.tried()[tree.tried() > 0].tolist(), reverse=True)
    sizes = round_sizes(8, 64)
    assert tried == [sum(count > rank for count in sizes) for rank in range(8)]


def test_transpositions_are_evaluated_once() -> None:
    here = TABLUT.start(TABLUT.Options.parse({"variant": "brandubh"}), 0)
    tree = TreeSearcher(TABLUT, SearchParameters(simulations=6000), Even()).search(here)
    assert tree.nodes > 6000
    assert tree.asked < 0.9 * 6000


def test_a_search_obeys_the_clock() -> None:
    here = TABLUT.start(TABLUT.Options(), 0)
    tree = TreeSearcher(TABLUT, SearchParameters(simulations=10**9)).search(here, stop_after(0.05))
    assert tree.visits().sum() > 0


def test_games_in_which_seats_move_at_once_are_refused() -> None:
    class Together:
        to_move = (0, 1)

    with pytest.raises(LudusError, match="one after the other"):
        TextSearchPosition(Together())


def test_a_search_of_one_simulation_has_a_move_too() -> None:
    here = TABLUT.start(TABLUT.Options(), 0)
    assert TreeSearcher(TABLUT, SearchParameters(simulations=1)).choose(here) in here.legal(0)


def test_a_win_at_once_is_all_that_a_root_considers() -> None:
    """Even of one simulation, with a network that would rather do anything else."""
    for picture, side in ((ESCAPE, 0), (CAPTURE, 1)):
        here = position(picture, side)
        tree = TreeSearcher(TABLUT, SearchParameters(simulations=1, gumbel=True), Even()).search(
            here
        )
        here.play({side: tree.position.text(tree.moves()[tree.best()])})
        assert here.outcome is not None and here.outcome.winner == side
        assert tree.improved()[tree.best()] > 0.4


def test_search_is_better_than_chance() -> None:
    """As either side, against random play."""
    won = 0
    for number in range(6):
        here = TABLUT.start(TABLUT.Options(), 0)
        seat = number % 2
        generator = random.Random(number)
        searcher = TreeSearcher(TABLUT, SearchParameters(simulations=200, explore=6.0), seed=number)
        while here.to_move:
            mover = here.to_move[0]
            if mover == seat:
                move = searcher.choose(here)
            else:
                move = generator.choice(here.legal(mover))
            here.play({mover: move})
        won += here.outcome.winner == seat
    assert won >= 5


def looked_up() -> list[list[int]]:
    """Visits of some searches, with rollouts and with a network of chance."""
    found = []
    for number, here in enumerate(random_positions("tablut", 3, variant="brandubh")):
        rolled = Tree(TABLUT.search_position(here), seed=number)
        rolled.think(30, rollouts=True)
        found.append(rolled.visits().tolist())
        rolled.advance(rolled.moves()[rolled.best()])
        rolled.think(10, rollouts=True)
        found.append(rolled.visits().tolist())
        for gumbel in (False, True):
            style = SearchParameters(simulations=24, gumbel=gumbel, considered=4)
            found.append(TreeSearcher(TABLUT, style, Chance()).search(here).visits().tolist())
    return found


class Chance:
    """Answers that depend on the position alone."""

    def evaluate(self, seen: Any) -> tuple[Any, Any]:
        rows = [np.random.default_rng(int(1e6 * row.sum())).normal(size=1000) for row in seen]
        chances = np.array(rows, np.float32)
        return chances, np.tanh(chances[:, 0])


def test_uncompiled_the_tree_finds_the_same() -> None:
    code = "from tests.learn.test_tree import looked_up; print(looked_up())"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "LUDUS_UNCOMPILED": "1"},
        cwd=Path(__file__).parent.parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(ran.stdout) == looked_up()
