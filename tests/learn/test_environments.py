"""The worlds on the accelerator play by the rules of ``ludus.games``, position by position."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludus.errors import LudusError
from ludus.games import get
from ludus.games.base import Game
from ludus.games.tablut.rules import set_up
from tests.support.device_rules import BATCH, BEGIN_WITH_CHANCE, compare_rules, rules, walk
from tests.support.extras import Later, need_extra

need_extra("learn", "jax")
jax, worlds = Later("jax"), Later("ludus.learn.environments")

GOLDEN = Path(__file__).parent.parent / "golden" / "tablut"
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("tablut", {}),
    ("tablut", {"variant": "brandubh"}),
    ("tablut", {"variant": "ardri", "first": "attackers", "limit_result": "attackers"}),
    ("tablut", {"variant": "tawlbwrdd", "corners_hostile": "yes"}),
    ("tablut", {"variant": "hnefatafl", "throne_hostile": "all"}),
    ("tablut", {"throne_pass": "king", "throne_stop": "king", "goal": "corners"}),
    ("tablut", {"throne_hostile": "defenders", "king_against_throne": "no"}),
    ("tablut", {"variant": "ashton", "repetition": "off", "limit": 150}),
    ("tablut", {"variant": "hnefatafl", "king_capture": "four", "corners_hostile": "yes"}),
    ("reversi", {}),
    ("reversi", {"size": 6}),
    ("ataxx", {}),
    ("ataxx", {"size": 5, "limit": 30}),
    ("ataxx", {"size": 8, "limit": 120}),
    ("duel2048", {"rounds": 90}),
    ("eraser", {"turns": 1500}),
    ("eraser", {"turns": 60, "hole": "end"}),
]
MANY = 1024
"""Positions of random bouts; of the golden ones there are more."""


@pytest.mark.parametrize(("name", "given"), VARIANTS)
def test_a_world_agrees_with_the_rules_on_random_positions(
    name: str, given: dict[str, Any]
) -> None:
    compare_rules(name, given, MANY)


def golden() -> list[dict[str, Any]]:
    with gzip.open(GOLDEN / "positions.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_the_world_of_tablut_agrees_with_the_golden_positions() -> None:
    game = get("tablut")
    where = worlds.make_environment(game, game.Options())
    lines = golden()
    rows = [(line, move) for line in lines for move in line["after"]]
    index = np.array([number for number, line in enumerate(lines) for _ in line["after"]])
    positions = [set_up(game.Options(), d["board"], "wb".index(d["side"]), d["ply"]) for d in lines]
    bouts = jax.tree.map(np.asarray, where.from_positions(positions))
    masks, _, _ = rules(where, bouts, np.zeros(len(lines), np.int32))
    for line, mask in zip(lines, masks, strict=True):
        found = [where.sources[a] * 81 + where.targets[a] for a in np.flatnonzero(mask)]
        assert sorted(found) == line["moves"], line["id"]
    taken = jax.tree.map(lambda x: x[index], bouts)
    ends = [divmod(move[0], 81) for _, move in rows]
    ways = [t % 9 if s // 9 == t // 9 else 9 + t // 9 for s, t in ends]
    actions = np.array([s * 18 + way for (s, _), way in zip(ends, ways, strict=True)], np.int32)
    _, played, _ = rules(where, taken, actions)
    scores = {"white": 1, "black": -1, None: 0}
    for row, (line, (_, board, _, reason, winner)) in enumerate(rows):
        if line["end"] is not None:
            continue
        assert "".join(".adK"[c] for c in played.cells[row]) == board
        assert bool(played.over[row]) == (reason is not None)
        assert played.score[row] == scores[winner]


@pytest.mark.parametrize("name", ["tablut", "reversi", "ataxx", "duel2048", "eraser"])
def test_symmetries_move_boards_and_actions_alike(name: str) -> None:
    where, before, _ = walk(name, {}, BATCH)
    before = before[:BATCH]
    bouts = jax.tree.map(np.asarray, where.from_positions([position for position, _ in before]))
    actions = np.array([where.parse_action(p, move) for p, move in before], np.int32)
    mask, played, _ = rules(where, bouts, actions)
    step = max(1, len(where.action_images) // 8)
    for number in range(0, len(where.action_images), step):
        moves = where.action_images[number]
        assert sorted(moves) == list(range(where.actions))

        def turn(cells: np.ndarray, number: int = number) -> np.ndarray:
            symmetry = np.full(len(cells), number)
            return np.asarray(where.transform_states(np.asarray(cells), symmetry))

        turned = bouts._replace(cells=turn(bouts.cells))
        same = turned.cells == bouts.cells[:, : where.sample_size]
        assert same.all() == (number == 0)
        turned_mask, followed, _ = rules(where, turned, moves[actions])
        assert (turned_mask[:, moves] == mask).all()
        if name in BEGIN_WITH_CHANCE:  # what is drawn later is drawn elsewhere
            assert (followed.seat == played.seat).all() and (followed.ply == played.ply).all()
        else:
            assert (followed.cells == turn(played.cells)).all()


def test_the_symmetries_are_the_golden_ones() -> None:
    game = get("tablut")
    where = worlds.make_environment(game, game.Options())
    wanted = json.loads((GOLDEN / "symmetries.json").read_text(encoding="utf-8"))
    assert where.cell_images.tolist() == [each["perm"] for each in wanted]


def test_a_bout_that_is_over_stays_as_it_is() -> None:
    game = get("tablut")
    where = worlds.make_environment(game, game.Options())
    over = set_up(game.Options(), "K" + "." * 79 + "a", 1, 7)
    bouts = jax.tree.map(np.asarray, where.from_positions([over]))
    legal, after, _ = rules(where, bouts, np.array([18 * 80], np.int32))
    assert not legal.any()
    assert (after.cells == np.asarray(bouts.cells)).all()
    assert after.ply[0] == 7 and after.score[0] == 1


def test_repeating_a_pair_of_boards_loses_in_the_world_of_ataxx_as_in_the_rules() -> None:
    game = get("ataxx")
    options = game.Options.parse({"limit": 60})
    where = worlds.make_environment(game, options)
    position, bouts = game.start(options, 0), where.start(1)
    forgetful = bouts._replace(cells=bouts.cells[:, : where.sample_size])
    step = jax.jit(where.step)
    circle = ["a1c1", "g1e1", "c1a1", "e1g1"]
    for move in [*circle, *circle[:3], "f2", *circle, *circle]:
        if not position.to_move:
            break
        action = np.array([where.parse_action(position, move)])
        position.play({position.to_move[0]: move})
        bouts, forgetful = step(bouts, action), step(forgetful, action)
        assert (bouts.cells == where.from_positions([position]).cells).all()
        assert bool(bouts.over[0]) == (position.outcome is not None)
        assert not forgetful.over[0]
    assert position.outcome is not None and position.outcome.reason.startswith("repeats")
    winner = 1 if position.outcome.scores[0] else -1
    assert bouts.score[0] == where.lead(bouts)[0] == winner
    assert (bouts.cells[0, : where.cells] == forgetful.cells[0]).all()


def test_a_world_refuses_rules_that_it_does_not_know() -> None:
    game = get("tablut")
    with pytest.raises(LudusError, match="king_armed"):
        worlds.make_environment(game, game.Options.parse({"king_armed": "no"}))
    with pytest.raises(LudusError, match="training needs repetition=off, got again"):
        worlds.make_environment(game, game.Options.parse({"variant": "ashton"}))


def test_a_game_without_a_world_is_named_with_those_that_have_one() -> None:
    class Nim(Game):
        name = "nim"

    with pytest.raises(LudusError, match="nim cannot be trained yet"):
        worlds.make_environment(Nim(), None)
