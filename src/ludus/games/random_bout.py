"""Random bouts, in which the contract's checks meet a game's positions."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from ludus.games.base import Game, Position
from ludus.games.board_language import require
from ludus.games.host import Ply
from ludus.games.playthrough import random_ply

MAX_RANDOM_STEPS = 20_000
"""Steps after which a random bout counts as endless."""
SAMPLED_POSITIONS = 12
"""Positions of each bout that are looked at closely."""


@dataclasses.dataclass(frozen=True, slots=True)
class RandomBout:
    """A random bout, as it must happen again when its moves are played again."""

    game: Game
    options: Any
    seed: int
    plies: list[Ply]
    digests: list[str]
    """The digests of every position, the first and the last included."""
    moves: list[str]
    """Every text that was a legal move at some time, in order of appearance."""

    def __str__(self) -> str:
        return f"{self.game.name} with {self.options.as_json()} and seed {self.seed}"


def option_sets(game: Game) -> list[Any]:
    """The defaults and what the game's ``odd`` asks for, each once."""
    sets = [game.Options(), *(game.Options.parse(given) for given in game.odd)]
    return [options for i, options in enumerate(sets) if options not in sets[:i]]


def random_bout(game: Game, options: Any, seed: int, longest: int = MAX_RANDOM_STEPS) -> RandomBout:
    """Play random moves to the end."""
    bout = RandomBout(game, options, seed, [], [], [])
    generator = random.Random(f"{game.name}/{seed}")
    position = game.start(options, seed)
    known: dict[str, None] = {}
    bout.digests.append(position.digest())
    while position.to_move:
        require(len(bout.plies) < longest, f"{bout}: no end after {longest} random steps")
        for seat in position.to_move:
            legal = position.legal(seat)
            require(len(legal) > 0, f"{bout}: seat {seat} is to move and has no legal move")
            known |= dict.fromkeys(legal)
        ply = random_ply(position, generator)
        position.play(ply)
        bout.plies.append(ply)
        bout.digests.append(position.digest())
    bout.moves.extend(known)
    return bout


@cache
def random_bouts(
    game: Game, seeds: tuple[int, ...] = (1, 2), longest: int = MAX_RANDOM_STEPS
) -> tuple[RandomBout, ...]:
    """Random bouts under each option set; made once for all checks."""
    return tuple(random_bout(game, o, seed, longest) for o in option_sets(game) for seed in seeds)


def replay(bout: RandomBout) -> Iterator[tuple[int, Position]]:
    """Each step's number with the position before it; the last is the end.

    It is the same object throughout, which callers must not change.
    """
    position = bout.game.start(bout.options, bout.seed)
    yield 0, position
    for step, ply in enumerate(bout.plies, 1):
        position.play(ply)
        yield step, position


def sample_positions(
    bout: RandomBout, samples: int = SAMPLED_POSITIONS
) -> Iterator[tuple[int, Position]]:
    """Some positions of a bout: its first steps, some in between, and its end."""
    last = len(bout.plies)
    spread = {round(last * i / max(samples - 1, 1)) for i in range(samples)}
    wanted = spread | set(range(min(4, last)))
    return ((step, position) for step, position in replay(bout) if step in wanted)


def observe(position: Position, seats: int) -> dict[str, Any]:
    """Everything that can be observed of a position."""
    return {
        "digest": position.digest(),
        "to_move": position.to_move,
        "outcome": position.outcome,
        "legal": [position.legal(seat) for seat in range(seats)],
        "views": [position.view(seat) for seat in (None, *range(seats))],
    }


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The names of what differs between two observations."""
    return ", ".join(key for key in before if before[key] != after[key])
