"""A text that pins everything observable in one random bout, to be read and compared.

The first steps are written in full, the rest as digests, so that the text stays small.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from typing import Any

from ludus.errors import LudusError
from ludus.games.base import Game, Outcome, Position
from ludus.games.host import Ply
from ludus.games.rules_failure import describe_missing_move

MAX_FULL_STEPS = 200
"""Steps written in full, at most …"""
MAX_FULL_CHARACTERS = 40_000
"""… and characters they may take."""
STEPS_PER_LINE = 20
"""Later steps to a line."""
MAX_STEPS = 4_000
"""Steps after which a playthrough stops, whether or not the bout is over."""


def random_ply(position: Position, generator: random.Random) -> dict[int, str]:
    """A legal move for each seat to move. ``random()`` draws the same on every Python."""
    choices = {seat: position.legal(seat) for seat in position.to_move}
    if not all(choices.values()):
        raise LudusError(
            "this game does not say which moves are legal, so no bout can be played at random",
            "此游戏不说明哪些着法合法，因此无法随机走子",
        )
    return {s: moves[int(generator.random() * len(moves))] for s, moves in choices.items()}


def playthrough(game: Game, options: Any, seed: int) -> str:
    """What happens in the random bout of this game, options and seed."""
    lines = [
        f"game: {game.name}",
        f"version: {game.version}",
        f"options: {json.dumps(options.as_json(), sort_keys=True)}",
        f"seed: {seed}",
        f"scene: {fingerprint(game.scene(options))}",
        "",
    ]
    position = game.start(options, seed)
    generator = random.Random(f"{game.name}/{seed}")
    room, step, chain = MAX_FULL_CHARACTERS, 0, ""
    while position.to_move and step < MAX_STEPS:
        full = "\n".join(describe_position(game, position, step)) if room > 0 else ""
        for seat in position.to_move:
            if not (game.turn_source or position.legal(seat)):
                raise describe_missing_move(game.name, seat, step)
        ply = random_ply(position, generator)
        room = room - len(full) if step < MAX_FULL_STEPS else 0
        if room > 0:
            lines += [full, f"play: {format_ply(ply)}", ""]
        position.play(ply)
        step += 1
        chain = fingerprint([chain, format_ply(ply), position.digest()])
        if room <= 0 and step % STEPS_PER_LINE == 0:
            lines.append(f"after step {step}: {chain} view {fingerprint_views(game, position)}")
    if lines[-1]:
        lines.append("")
    return "\n".join([*lines, *describe_end(game, position, step), ""])


def describe_position(game: Game, position: Position, step: int) -> Iterator[str]:
    """A position in full."""
    yield f"step {step}"
    yield from describe_board(position)
    yield f"to move: {' '.join(map(str, position.to_move)) or 'nobody'}"
    for seat in position.to_move:
        yield f"legal {seat}: {' '.join(position.legal(seat))}"
    yield f"view: {fingerprint_views(game, position)}"
    yield f"digest: {position.digest()}"


def describe_end(game: Game, position: Position, step: int) -> Iterator[str]:
    """The last position and how the bout ended."""
    yield from describe_position(game, position, step)
    outcome = position.outcome
    if outcome is None:
        yield f"not over after {step} steps"
    else:
        yield from describe_outcome(game, outcome)


def describe_outcome(game: Game, outcome: Outcome) -> Iterator[str]:
    yield f"scores: {' '.join(f'{score:g}' for score in outcome.scores)}"
    yield f"reason: {outcome.reason} {canonical_json(dict(outcome.detail))}"
    for lang, sentence in sorted(game.explain(outcome).items()):
        yield f"{lang}: {sentence}"


def describe_board(position: Position) -> Iterator[str]:
    """The position as it prints itself, or else its layers."""
    if type(position).__str__ is not object.__str__:
        yield str(position)
        return
    for name, cells in position.view()["layers"].items():
        yield f"{name}: {' '.join(cell or '.' for cell in cells)}"


def fingerprint_views(game: Game, position: Position) -> str:
    """A fingerprint of what spectators see."""
    return fingerprint([position.view(seat) for seat in (None, *range(len(game.seats)))])


def format_ply(ply: Ply) -> str:
    return " ".join(f"{seat}:{move}" for seat, move in sorted(ply.items()))


def canonical_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def fingerprint(value: Any) -> str:
    """Sixteen digits that change when anything in a JSON value does."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:16]
