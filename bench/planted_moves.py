"""Bouts of strong players in which one random move is replaced by the worst legal one."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from bench.confirmed_costs import PLAYERS_ON, confirm_cost
from ludus.analysis.judges.alpha_beta import create_alpha_beta_judge
from ludus.analysis.judges.base import CpuBudget, MoveJudge
from ludus.analysis.judges.choice import choose_judge
from ludus.bots.bot_like import BotLike, create_players, resolve_bots
from ludus.games import Clock, get
from ludus.games.base import Game
from ludus.games.eraser.search import best
from ludus.match import play
from ludus.match.record import Record, pack, unpack, write_atomically

COSTLY = 0.20
"""A planted move that costs at least so much must be found."""


@dataclass(frozen=True)
class Course:
    """How a game is tried."""

    bot: BotLike
    seconds: float
    """The bot's time for a bout."""
    options: dict[str, Any]
    opening: int
    """Random first moves, so that bouts differ."""
    tested_level: int
    """The most thorough level of the judge under test …"""
    reference_level: int
    """… and that of the reference."""


def look_four_turns_ahead(position: Any) -> str:
    """A player of Eraser that is stronger than the house bots."""
    return best(position, 4)


COURSES = {
    "reversi": Course("strong", 1.0, {}, 6, 3, 4),
    "ataxx": Course("strong", 1.0, {}, 4, 3, 4),
    "tablut": Course("learned", 2.0, {}, 4, 3, 4),
    "duel2048": Course("strong", 1.0, {"rounds": 100}, 0, 3, 3),
    "eraser": Course(look_four_turns_ahead, 60.0, {}, 0, 2, 3),
    "paperio": Course("hunter", 60.0, {"turns": 300}, 0, 2, 3),
}


@dataclass(frozen=True)
class Planted:
    """A bout with a planted move."""

    record: Record
    step: int
    cost: float


def create_reference(game: Game, position: Any, kind: str) -> MoveJudge:
    """The judge that says what a move cost."""
    judge = create_alpha_beta_judge(game, position) if kind == "alphabeta" else None
    return judge or choose_judge(game, position)


def find_worst_move(judge: MoveJudge, position: Any, level: int) -> str:
    """The legal move after which the seat to move expects least, at a quick level."""
    seat = position.to_move[0]
    budget = CpuBudget()
    worth: dict[str, float] = {}
    for move in position.legal(seat):
        after = position.copy()
        after.play({seat: move})
        if after.outcome is not None:
            worth[move] = after.outcome.scores[seat]
        else:
            worth[move] = judge.evaluate(after, level, budget)[seat]
    return min(worth, key=lambda move: worth[move])


def make_opening(game: Game, options: Any, seed: int, plies: int) -> list[str]:
    """Random first moves that do not end the bout."""
    generator = random.Random(seed)
    position = game.start(options, seed)
    moves: list[str] = []
    while len(moves) < plies:
        move = generator.choice(position.legal(position.to_move[0]))
        after: Any = position.copy()
        after.play({position.to_move[0]: move})
        if after.outcome is None:
            position = after
            moves.append(move)
    return moves


@dataclass(frozen=True)
class WorstMove:
    """The worst move in a position of a bout, and what it costs: what the reference says, or what
    the results of strong players say, if that is less."""

    moves: list[str]
    """All moves up to it."""
    after: Any
    """The position after it."""
    cost: float


def draw_worst_move(
    name: str, honest: Record, options: Any, step: int, reference: str
) -> WorstMove | None:
    """The worst move after so many of a bout; None where there is no choice."""
    game = get(name)
    position: Any = game.start(options, honest.seed)
    for move in honest.moves[:step]:
        position.play({position.to_move[0]: move})
    seat = position.to_move[0]
    if len(position.legal(seat)) < 2:
        return None
    judge = create_reference(game, position, reference)
    worst = find_worst_move(judge, position, 1)
    level = COURSES[name].reference_level
    found = judge.judge(position, {seat: worst}, seat, level, CpuBudget())
    cost = found.before - found.after
    if cost >= COSTLY and name in PLAYERS_ON:
        cost = min(cost, confirm_cost(name, position, honest.moves[step], worst, COSTLY))
    position.play({seat: worst})
    return WorstMove([*honest.moves[:step], worst], position, cost)


def plant(name: str, seed: int, reference: str = "", draws: int = 1) -> Planted | None:
    """A bout in which one move is the worst legal one; None if it ended too early."""
    course, game = COURSES[name], get(name)
    options = game.Options.parse(course.options)
    bots = resolve_bots([course.bot] * len(game.seats), game, options)
    players = create_players(bots, game, isolate=False, jail=None)
    clock = Clock(budget=course.seconds)
    opening = make_opening(game, options, seed, course.opening)
    honest = play(game, options, seed, players, clock, opening=opening)
    choices = range(len(opening), len(honest.moves) - 1)
    generator, worst = random.Random(seed), None
    for _ in range(draws if choices else 0):
        worst = draw_worst_move(name, honest, options, generator.choice(choices), reference)
        if worst is not None and worst.cost >= COSTLY:
            break
    if worst is None:
        return None
    if worst.after.outcome is None:
        record = play(game, options, seed, players, clock, opening=worst.moves)
    else:
        record = end_with(honest, worst)
    record = msgspec.structs.replace(record, opening=len(opening)).with_checksum()
    return Planted(record, len(worst.moves), worst.cost)


def end_with(honest: Record, worst: WorstMove) -> Record:
    """The record of a bout that the planted move ended."""
    count, outcome = len(worst.moves), worst.after.outcome
    times = msgspec.structs.replace(
        honest.times, cpu=honest.times.cpu[:count], wall=honest.times.wall[:count]
    )
    return msgspec.structs.replace(
        honest,
        moves=worst.moves,
        times=times,
        scores=list(outcome.scores),
        reason=outcome.reason,
        detail=dict(outcome.detail),
        faults=[],
        digest=worst.after.digest(),
    )


class KeptBout(msgspec.Struct, frozen=True):
    """A planted bout in a file; without a record if the bout ended too early."""

    record: bytes = b""
    step: int = 0
    cost: float = 0.0


def keep_planted(
    name: str, seed: int, reference: str, draws: int, folder: Path | None
) -> Planted | None:
    """``plant``, or what it gave when it was called before with the same folder."""
    if folder is None:
        return plant(name, seed, reference, draws)
    confirmed = "-confirmed" if name in PLAYERS_ON else ""
    path = folder / f"{name}-{seed}-draws{draws}{reference}{confirmed}.planted"
    if not path.exists():
        planted = plant(name, seed, reference, draws)
        kept = KeptBout()
        if planted is not None:
            kept = KeptBout(pack(planted.record), planted.step, planted.cost)
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(path, msgspec.msgpack.encode(kept))
    kept = msgspec.msgpack.decode(path.read_bytes(), type=KeptBout)
    if not kept.record:
        return None
    return Planted(unpack(kept.record, path.name), kept.step, kept.cost)
