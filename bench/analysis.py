"""How well the analysis of records finds blunders, and how its scales are fitted.

    .venv/bin/python -m bench.analysis planted [GAME …] [bouts=200] [seconds=2] [draws=1] \
        [reference=…]
    .venv/bin/python -m bench.analysis scales [GAME …] [bouts=60]

``planted``: in each bout of a game's strong players one random move is replaced by the worst legal
one, and the players go on from there. What that cost is measured by a reference judge, which looks
deeper than the judge under test may, in Duel 2048 than it has time for but at a few moves.
``reference=alphabeta`` takes another kind of judge for Tablut, which is weaker than the network
that it is to check. Counted are the planted moves that cost at least 20 % of the expected score and
that the analysis marks as a mistake or worse, and the players' own moves that it marks as blunders.
In games where the worst move of most positions costs
little, ``draws`` draws the move to be replaced up to so many times, until it costs that much.

``scales``: quick searches play against themselves after random openings, and the curve from their
scores to results is fitted.
"""

from __future__ import annotations

import math
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from ludus.analysis.evaluate import analyse_fully
from ludus.analysis.grading import SERIOUS
from ludus.analysis.judges.alpha_beta import ALPHA_BETA_SEARCHES, create_alpha_beta_judge
from ludus.analysis.judges.base import CpuBudget, MoveJudge
from ludus.analysis.judges.choice import choose_judge
from ludus.analysis.model import Grade
from ludus.bots.bot_like import BotLike, create_players, resolve_bots
from ludus.games import Clock, get
from ludus.games.base import Game
from ludus.games.eraser.search import best
from ludus.match import play
from ludus.match.record import Record

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
    worth = {}
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
    """The worst move in a position of a bout, and what it costs."""

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
    position.play({seat: worst})
    return WorstMove([*honest.moves[:step], worst], position, found.before - found.after)


def plant(name: str, seed: int, reference: str = "", draws: int = 1) -> Planted | None:
    """A bout in which one move is the worst legal one; None if it ended too early."""
    course, game = COURSES[name], get(name)
    options = game.Options.parse(course.options)
    bots = resolve_bots([course.bot] * len(game.seats), game)
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


@dataclass
class Tally:
    """What the analysis found in the bouts of one game."""

    bouts: int = 0
    costly: int = 0
    found: int = 0
    own: int = 0
    own_blunders: int = 0
    own_missed_wins: int = 0
    seconds: float = 0.0
    missed: list[str] = field(default_factory=list)


def try_game(
    name: str, bouts: int, seconds: float, first_seed: int, reference: str, draws: int
) -> Tally:
    course = COURSES[name]
    tally = Tally()
    seed = first_seed
    while tally.bouts < bouts:
        seed += 1
        planted = plant(name, seed, reference, draws)
        if planted is None:
            continue
        tally.bouts += 1
        analysis = analyse_fully(planted.record, seconds=seconds, level=course.tested_level)
        tally.seconds += analysis.budget.seconds
        grades = {move.step: move for move in analysis.moves}
        if tally.bouts % 4 == 0:
            print(f"{name}: {tally}", file=sys.stderr, flush=True)
        if planted.cost >= COSTLY:
            tally.costly += 1
            mark = grades.get(planted.step)
            if mark is not None and mark.grade in SERIOUS:
                tally.found += 1
            else:
                seen = "not judged"
                if mark is not None:
                    seen = f"{mark.before} → {mark.after} at level {mark.level}"
                tally.missed.append(f"seed {seed} step {planted.step} {planted.cost:.2f}: {seen}")
        own = [move for move in analysis.moves if move.step != planted.step]
        tally.own += len(own)
        tally.own_blunders += sum(move.grade is Grade.BLUNDER for move in own)
        tally.own_missed_wins += sum(move.grade is Grade.MISSED_WIN for move in own)
    return tally


def show_planted(
    names: Sequence[str], bouts: int, seconds: float, first_seed: int, reference: str, draws: int
) -> None:
    print(
        "| game | bouts | cost ≥ 20 % | marked | own moves | blunders | missed wins | CPU s |",
        "|---|---|---|---|---|---|---|---|",
        sep="\n",
    )
    for name in names or COURSES:
        tally = try_game(name, bouts, seconds, first_seed, reference, draws)
        print(
            f"| {name} | {tally.bouts} | {tally.costly} |"
            f" {tally.found} ({tally.found / max(1, tally.costly):.0%}) | {tally.own} |"
            f" {tally.own_blunders} ({tally.own_blunders / max(1, tally.own):.1%}) |"
            f" {tally.own_missed_wins} | {tally.seconds / tally.bouts:.1f} |",
            flush=True,
        )
        for missed in tally.missed:
            print(f"  missed: {missed}", file=sys.stderr, flush=True)


def show_scales(names: Sequence[str], bouts: int) -> None:
    """The scale with which scores explain results best, in the whole and by the time left."""
    for name in names or ALPHA_BETA_SEARCHES:
        seen = [each for seed in range(bouts) for each in play_quick_bout(name, seed)]
        print(f"{name}: {len(seen)} positions, scale {fit_scale(seen):.4g}")
        seen.sort(key=lambda each: each[2])
        for part in range(4):
            chosen = seen[part * len(seen) // 4 : (part + 1) * len(seen) // 4]
            left = sum(each[2] for each in chosen) / max(1, len(chosen))
            print(f"  {left:.0f} steps left: scale {fit_scale(chosen):.4g}", flush=True)


RANDOM_MOVES = 8

Scored = tuple[float, float, int]
"""The score of a position for its mover, what the mover got, and the steps that were left."""


def play_quick_bout(name: str, seed: int) -> list[Scored]:
    """A bout of quick searches, with random moves at its start."""
    game = get(name)
    options = game.Options.parse(COURSES[name].options)
    generator = random.Random(seed)
    position: Any = game.start(options, seed)
    seen: list[tuple[float, int]] = []
    budget = CpuBudget()
    search = ALPHA_BETA_SEARCHES[name](position)
    while position.to_move:
        seat = position.to_move[0]
        move, score = search.search_to_depth(position, search.depths[1], budget)
        if abs(score) < search.certain:
            seen.append((score, seat))
        if len(seen) < RANDOM_MOVES:
            move = generator.choice(position.legal(seat))
        position.play({seat: move})
    scores = position.outcome.scores
    count = len(seen)
    return [(score, scores[seat], count - i) for i, (score, seat) in enumerate(seen)]


def fit_scale(seen: Sequence[Scored]) -> float:
    """The scale of the logistic curve under which the results are likeliest."""

    def loss(scale: float) -> float:
        total = 0.0
        for score, result, _ in seen:
            expected = 1 / (1 + math.exp(-max(-30.0, min(30.0, score / scale))))
            total -= result * math.log(expected + 1e-9)
            total -= (1 - result) * math.log(1 - expected + 1e-9)
        return total

    scales = [10 ** (exponent / 20) for exponent in range(-10, 120)]
    return min(scales, key=loss)


def main(arguments: list[str]) -> None:
    settings = {"bouts": "200", "seconds": "2", "seed": "0", "reference": "", "draws": "1"}
    for each in [each for each in arguments if "=" in each]:
        name, _, value = each.partition("=")
        settings[name] = value
    command, *names = [each for each in arguments if "=" not in each] or ["planted"]
    began = time.process_time()
    if command == "planted":
        seconds, seed = float(settings["seconds"]), int(settings["seed"])
        reference, draws = settings["reference"], int(settings["draws"])
        show_planted(names, int(settings["bouts"]), seconds, seed, reference, draws)
    else:
        show_scales(names, int(settings["bouts"]))
    print(f"{time.process_time() - began:.0f} CPU s", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
