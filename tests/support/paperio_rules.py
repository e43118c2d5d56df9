"""Paper.io on the device and compiled, side by side."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np

from ludus.games import get
from ludus.games.paperio.rules import MOVES
from tests.support.extras import Later

jax, worlds = Later("jax"), Later("ludus.learn.environments")
GAME = get("paperio")
STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
TURNS = (3, 0, 1)


def random_move(position: Any, generator: random.Random) -> int:
    """Mostly a move that neither leaves the field nor meets the own band."""
    field = position.field
    seat = field.steps & 1
    x, y, heading = field.heads[seat]
    safe = []
    for move, turn in enumerate(TURNS):
        dx, dy = STEPS[(heading + turn) % 4]
        inside = 0 <= x + dx < field.width and 0 <= y + dy < field.height
        if inside and field.bands[(x + dx) * field.height + y + dy] != seat + 1:
            safe.append(move)
    return generator.choice(safe) if safe and generator.random() > 0.01 else generator.randrange(3)


def random_positions(given: dict[str, Any], count: int, seed: int) -> list[Any]:
    """Positions of unfinished random bouts, at random moments."""
    options = GAME.Options.parse(given)
    generator = random.Random(seed)
    found: list[Any] = []
    while len(found) < count:
        position = GAME.start(options, generator.getrandbits(30))
        for _ in range(generator.randrange(80)):
            before = position.copy()
            position.play({position.to_move[0]: MOVES[random_move(position, generator)]})
            if not position.to_move:
                position = before
                break
        found.append(position)
    return found


def compare_rules(
    given: dict[str, Any], positions: int, batch: int, seed: int
) -> tuple[int, Counter[str]]:
    """Play random bouts side by side and assert that everything agrees after every ply.

    Returns the number of positions compared, and how bouts ended.
    """
    options = GAME.Options.parse(given)
    environment = worlds.make_environment(GAME, options)
    step = jax.jit(environment.step)
    generator = random.Random(seed)
    played = [GAME.start(options, generator.getrandbits(30)) for _ in range(batch)]
    bouts = environment.from_positions(played)
    compared, ends = 0, Counter[str]()
    while compared < positions:
        moves = [random_move(each, generator) for each in played]
        for each, move in zip(played, moves, strict=True):
            each.play({each.to_move[0]: MOVES[move]})
        bouts = step(bouts, np.array(moves))
        wanted = environment.from_positions(played)
        for name in wanted._fields:
            same = np.asarray(getattr(wanted, name)) == np.asarray(getattr(bouts, name))
            assert same.all(), (name, played[int(np.argwhere(~same)[0][0])])
        compared += batch
        over = [number for number, each in enumerate(played) if not each.to_move]
        ends.update(played[number].outcome.reason for number in over)
        for number in over:
            played[number] = GAME.start(options, generator.getrandbits(30))
        if over:
            bouts = environment.from_positions(played)
    return compared, ends
