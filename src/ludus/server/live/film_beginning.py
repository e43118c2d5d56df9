"""The beginning of a film, from which another bout can be played on."""

from __future__ import annotations

from typing import Any

import msgspec

from ludus.errors import LudusError
from ludus.server.web.room_and_match_requests import BoutBeginning


class FilmDataStep(msgspec.Struct):
    """The part of a film's step that is needed to continue from it."""

    moves: dict[int, str]


class FilmData(msgspec.Struct):
    """The part of a film that is needed to continue from it."""

    game: dict[str, Any]
    options: dict[str, Any]
    seed: int | None
    steps: list[FilmDataStep]
    can: dict[str, bool]


def read_beginning(encoded: bytes, step: int) -> BoutBeginning:
    """The first ``step`` moves of a film. Raises LudusError if it has fewer, or if its game cannot
    be continued."""
    film = msgspec.json.decode(encoded, type=FilmData)
    if not film.can["continue"] or film.seed is None:
        raise LudusError(
            "this bout cannot be continued from one of its positions", "这一局不能从中途继续"
        )
    if step > len(film.steps):
        raise LudusError(
            f"the bout has {len(film.steps)} steps; there is no step {step}",
            f"这一局共 {len(film.steps)} 步，没有第 {step} 步",
        )
    plies = [each.moves for each in film.steps[:step]]
    return BoutBeginning(film.game["name"], film.options, film.seed, plies)
