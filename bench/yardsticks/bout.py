"""Plays one bout of a row and says what came of it."""

from __future__ import annotations

import ctypes
import hashlib
import signal
from functools import cache
from pathlib import Path
from typing import Any

from bench.yardsticks.players import PlayerFault, Ply, YardstickPlayer
from bench.yardsticks.rows import EQUAL_CPU, EQUAL_CPU_NET, Row, Task, create_rival, open_row
from bench.yardsticks.searchers import create_searcher
from ludus.games.base import IllegalMove
from ludus.games.openings import play_opening, resolve_openings

FIRST_BUDGET_S = 0.05
"""What the subject gets for a move before the rival has made any."""
Spent = tuple[float, int, float, int]


@cache
def _subject(row: Row, spec: str, simulations: int) -> YardstickPlayer:
    """Kept by a worker process, because it learns how long its simulations take."""
    game, options = open_row(row)
    return create_searcher(spec, game, options, simulations)


@cache
def _rival(row: Row, engines: Path) -> YardstickPlayer:
    game, options = open_row(row)
    return create_rival(row.rival, game, options, engines)


def play_bout(task: Task) -> dict[str, Any]:
    """The entry of a bout for the log. A player at fault has lost."""
    row = task.row
    game, options = open_row(row)
    openings = resolve_openings(row.openings, game, options)
    seed = openings.choose_seed(row.seed + task.pair, str(row.seed), task.pair)
    opening = openings.draw(seed)
    position = play_opening(game, options, seed, opening)
    history = _list_plies(game.start(options, seed), opening)
    subject = _subject(row, task.subject, task.simulations)
    rival = _rival(row, task.engines)
    players = [rival, rival]
    players[task.seat] = subject
    fault, moves = "", [0, 0]
    started: list[YardstickPlayer] = []
    try:
        for seat, player in enumerate(players):
            started.append(player)
            player.start(seat, history, position.copy())
        fault = _play(task, players, position, history, moves)
    except PlayerFault as error:  # ours do not raise it
        fault = f"{1 - task.seat} {error}"
    finally:
        for player in started:
            player.end(history, position)
    score = (
        position.outcome.scores[task.seat]
        if not fault and position.outcome
        else float(not fault.startswith(str(task.seat)))
    )
    texts = [f"{seat}{move}" for seat, move in history]
    return {
        "pair": task.pair,
        "seat": task.seat,
        "score": score,
        "reason": position.outcome.reason if position.outcome else "fault",
        "moves": [moves[task.seat], moves[1 - task.seat]],
        "cpu": [round(subject.cpu, 4), round(rival.cpu, 4)],
        "start_cpu": round(rival.start_cpu, 4),
        "bout": hashlib.sha256(" ".join(texts).encode()).hexdigest()[:16],
        **({"fault": fault} if fault else {}),
    }


def _list_plies(position: Any, opening: tuple[str, ...]) -> list[Ply]:
    plies: list[Ply] = []
    for move in opening:
        (seat,) = position.to_move
        position.play({seat: move})
        plies.append((seat, move))
    return plies


def _play(
    task: Task,
    players: list[YardstickPlayer],
    position: Any,
    history: list[Ply],
    moves: list[int],
) -> str:
    """Play to the end; returns who was at fault and why, or nothing."""
    while position.to_move:
        (seat,) = position.to_move
        seconds = None
        if seat == task.seat and task.row.thinks in (EQUAL_CPU, EQUAL_CPU_NET):
            seconds = next_budget(_add_up(task, players, moves))
        move = players[seat].choose(history, position.copy(), seconds)
        try:
            position.play({seat: move})
        except IllegalMove as error:
            return f"{seat} {error}"
        history.append((seat, move))
        moves[seat] += 1
    return ""


def _add_up(task: Task, players: list[YardstickPlayer], moves: list[int]) -> Spent:
    """What both have spent in this row, this bout included."""
    own, own_moves, other, other_moves = task.spent
    seat, rival = task.seat, 1 - task.seat
    return (
        own + players[seat].cpu,
        own_moves + moves[seat],
        other + players[rival].cpu,
        other_moves + moves[rival],
    )


def next_budget(spent: Spent) -> float:
    """CPU seconds for the subject's next move, so that both spend as much for a move on average.

    What it has spent too much or too little before is made up for, but never by more than half of
    a move's time, so that no move is played without thinking.
    """
    own, own_moves, other, other_moves = spent
    if not other_moves:
        return FIRST_BUDGET_S
    mean = other / other_moves
    return min(max(mean * (own_moves + 1) - own, 0.5 * mean), 1.5 * mean)


def end_with_parent() -> None:
    """A worker ends when the parent is killed, and is not asked by Ctrl-C itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
