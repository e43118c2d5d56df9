"""The rules on the accelerator beside those of ``ludus.games``, position by position."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ludus.games import get
from ludus.games.ataxx.rules import AtaxxPosition
from tests.support.extras import Later

if TYPE_CHECKING:
    from ludus.learn.environments import BoutArrays, Environment

jax, worlds = Later("jax"), Later("ludus.learn.environments")

BATCH = 256
BEGIN_WITH_CHANCE = ("duel2048", "eraser")


def walk(
    name: str, given: dict[str, Any], least: int, seed: int = 0
) -> tuple[Environment, list[Any], list[Any]]:
    """Positions of random bouts, and for each a move and what follows it."""
    game = get(name)
    options = game.Options.parse(given)
    where = worlds.make_environment(game, options)
    generator = random.Random(f"{name}{given}{seed or ''}")
    before, after = [], []
    while len(before) < least:
        if name in BEGIN_WITH_CHANCE:
            position = where.first_position(generator.getrandbits(32))
        else:
            position = game.start(options, 0)
        while position.to_move:
            seat = position.to_move[0]
            move = generator.choice(interesting_moves(position, generator))
            before.append((position.copy(), move))
            position.play({seat: move})
            after.append(position.copy())
    return where, before, after


def interesting_moves(position: Any, generator: random.Random) -> list[str]:
    """The legal moves; in Eraser mostly those that erase something, of which there are few, and
    for some plies of Ataxx always the first jump, which soon repeats."""
    if hasattr(position, "operations") and generator.random() < 0.8:
        return list(position.operations())
    moves = list(position.legal(position.to_move[0]))
    if isinstance(position, AtaxxPosition) and position.ply % 32 >= 20:
        return [move for move in moves if len(move) == 4][:1] or moves
    return moves


@cache
def compiled(where: Environment) -> Callable[..., Any]:
    return jax.jit(lambda b, a: (where.legal(b), where.step(b, a), where.observe(b)))


def rules(
    where: Environment, bouts: BoutArrays, actions: np.ndarray, batch: int = BATCH
) -> tuple[np.ndarray, BoutArrays, np.ndarray]:
    """What is legal, what follows the actions, how it looks.

    Always so many bouts at once, some of them again: a world's rules are compiled once for all.
    """
    count = len(actions)
    rows = np.arange(-(-count // batch) * batch) % count
    parts = []
    for some in rows.reshape(-1, batch):
        given = jax.tree.map(operator.itemgetter(some), (bouts, actions))
        parts.append(jax.tree.map(np.asarray, compiled(where)(*given)))
    whole = jax.tree.map(lambda *some: np.concatenate(some)[:count], *parts)
    return whole[0], whole[1], whole[2].astype(np.float32)


def compare_rules(
    name: str, given: dict[str, Any], count: int, batch: int = BATCH, seed: int = 0
) -> None:
    """Fail if what is legal, what follows a move or what a network sees differs in a position."""
    where, before, after = walk(name, given, count, seed)
    before, after = before[:count], after[:count]
    game = get(name)
    bouts = jax.tree.map(np.asarray, where.from_positions([position for position, _ in before]))
    actions = np.array([where.parse_action(p, move) for p, move in before], np.int32)
    masks, played, seen = rules(where, bouts, actions, batch)
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
            codes = np.frombuffer(searched.codes(), np.int8)
            alone = bouts._replace(cells=codes[None], seat=bouts.seat[[row]], ply=bouts.ply[[row]])
            alone = alone._replace(over=bouts.over[[row]], score=bouts.score[[row]])
            assert (rules(where, alone, actions[[row]], batch)[2][0] == seen[row]).all()
