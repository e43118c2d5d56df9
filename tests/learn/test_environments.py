"""The worlds on the accelerator play by the rules of ``ludus.games``, position by position."""

from __future__ import annotations

import gzip
import json
import operator
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ludus.errors import LudusError
from ludus.games import get
from ludus.games.tablut.rules import set_up
from tests.support.extras import Later, need_extra

if TYPE_CHECKING:
    from ludus.learn.environments import BoutArrays, Environment

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
    ("reversi", {}),
    ("reversi", {"size": 6}),
]
MANY = 1024
"""Positions of random bouts; of the golden ones there are more."""
BATCH = 256


def walk(name: str, given: dict[str, Any], least: int) -> tuple[Environment, list[Any], list[Any]]:
    """Positions of random bouts, and for each a move and what follows it."""
    game = get(name)
    options = game.Options.parse(given)
    generator = random.Random(f"{name}{given}")
    before, after = [], []
    while len(before) < least:
        position = game.start(options, 0)
        while position.to_move:
            seat = position.to_move[0]
            move = generator.choice(position.legal(seat))
            before.append((position.copy(), move))
            position.play({seat: move})
            after.append(position.copy())
    return worlds.make_environment(game, options), before, after


@cache
def compiled(where: Environment) -> Callable[..., Any]:
    return jax.jit(lambda b, a: (where.legal(b), where.step(b, a), where.observe(b)))


def rules(
    where: Environment, bouts: BoutArrays, actions: np.ndarray
) -> tuple[np.ndarray, BoutArrays, np.ndarray]:
    """What is legal, what follows the actions, how it looks.

    Always so many bouts at once, some of them again: a world's rules are compiled once for all.
    """
    count = len(actions)
    rows = np.arange(-(-count // BATCH) * BATCH) % count
    parts = []
    for some in rows.reshape(-1, BATCH):
        given = jax.tree.map(operator.itemgetter(some), (bouts, actions))
        parts.append(jax.tree.map(np.asarray, compiled(where)(*given)))
    whole = jax.tree.map(lambda *some: np.concatenate(some)[:count], *parts)
    return whole[0], whole[1], whole[2].astype(np.float32)


@pytest.mark.parametrize(("name", "given"), VARIANTS)
def test_a_world_agrees_with_the_rules_on_random_positions(
    name: str, given: dict[str, Any]
) -> None:
    where, before, after = walk(name, given, MANY)
    before, after = before[:MANY], after[:MANY]
    game = get(name)
    bouts = jax.tree.map(np.asarray, where.from_positions([position for position, _ in before]))
    actions = np.array([where.parse_action(p, move) for p, move in before], np.int32)
    masks, played, seen = rules(where, bouts, actions)
    expected = where.from_positions(after)
    for field in worlds.BoutArrays._fields:
        wanted = np.asarray(getattr(expected, field))
        found = getattr(played, field)
        if field == "seat":  # who would be next matters only while the bout goes on
            going = ~np.asarray(expected.over)
            wanted, found = wanted[going], found[going]
        assert (wanted == found).all(), field
    for row, (position, _) in enumerate(before):
        searched = game.search_position(position)
        wanted = sorted(map(searched.action_of, searched.moves()))
        assert np.flatnonzero(masks[row]).tolist() == wanted
        if row % 97 == 0:
            moves = position.legal(position.to_move[0])
            assert sorted(where.parse_action(position, move) for move in moves) == wanted
            assert sorted(where.format_action(position, a) for a in wanted) == sorted(moves)
            planes = seen[row].transpose(2, 0, 1).reshape(where.planes, -1)
            assert np.allclose(planes, searched.looks(), atol=4e-3)


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


@pytest.mark.parametrize(("name", "given"), [("tablut", {}), ("reversi", {})])
def test_symmetries_move_boards_and_actions_alike(name: str, given: dict[str, Any]) -> None:
    where, before, _ = walk(name, given, BATCH)
    before = before[:BATCH]
    bouts = jax.tree.map(np.asarray, where.from_positions([position for position, _ in before]))
    actions = np.array([where.parse_action(p, move) for p, move in before], np.int32)
    mask, played, _ = rules(where, bouts, actions)
    for images, moves in zip(where.cell_images, where.action_images, strict=True):
        assert sorted(moves) == list(range(where.actions))
        turned = bouts._replace(cells=bouts.cells[:, images])
        turned_mask, followed, _ = rules(where, turned, moves[actions])
        assert (turned_mask[:, moves] == mask).all()
        assert (followed.cells == played.cells[:, images]).all()


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


def test_a_world_refuses_rules_that_it_does_not_know() -> None:
    game = get("tablut")
    with pytest.raises(LudusError, match="king_capture"):
        worlds.make_environment(game, game.Options.parse({"king_capture": "four"}))
    with pytest.raises(LudusError, match="camps of variant=ashton"):
        worlds.make_environment(game, game.Options.parse({"variant": "ashton"}))
    with pytest.raises(LudusError, match="eraser"):
        worlds.make_environment(get("eraser"), get("eraser").Options())
