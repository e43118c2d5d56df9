"""What each legal move leads to, computed before a person chooses one.

A page draws a person's move with it at once, without knowing any rules, and shows which moves
score.
"""

from __future__ import annotations

import time

from ludus.bots.players.human import MoveQuestion
from ludus.games.base import Game
from ludus.server.live.film import FrameDiffer
from ludus.server.live.film_schemas import FilmStep

MAX_PREVIEWED_MOVES = 250
"""Positions with more legal moves have no previews."""
PREVIEW_CPU_S = 0.08
"""CPU seconds for the previews of one question; moves that are left have none."""


def can_preview(game: Game, question: MoveQuestion) -> bool:
    """Whether a move alone decides what everybody sees next."""
    if game.hidden or game.turn_source or question.position.to_move != (question.seat,):
        return False
    return len(question.position.legal(question.seat)) <= MAX_PREVIEWED_MOVES


def preview_moves(game: Game, question: MoveQuestion) -> dict[str, FilmStep]:
    """The step of every legal move, as far as time allows."""
    position, seat = question.position, question.seat
    differ = FrameDiffer(position)
    steps: dict[str, FilmStep] = {}
    deadline = time.thread_time() + PREVIEW_CPU_S
    for move in position.legal(seat):
        after = position.copy()
        after.play({seat: move})
        steps[move] = differ.preview_step(after)
        steps[move].moves = {str(seat): game.spoken(move)}
        if time.thread_time() > deadline:
            break
    return steps
