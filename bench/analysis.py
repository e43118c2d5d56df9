"""How well the analysis of records finds blunders, and how its scales are fitted.

    .venv/bin/python -m bench.analysis planted [GAME …] [bouts=200] [seconds=8] [seed=0] [draws=1] \
        [reference=…] [jobs=1] [records=FOLDER] [out=FILE]
    .venv/bin/python -m bench.analysis scales [GAME …] [bouts=60]

``planted``: in each bout of a game's strong players one random move is replaced by the worst legal
one, and the players go on from there. What that cost is measured by a reference judge, which looks
deeper than the judge under test may, in Duel 2048 than it has time for at most moves. In Duel 2048
and Paper.io, where that is an estimate, the results of strong players must confirm it
(``bench/confirmed_costs.py``).
``reference=alphabeta`` takes another kind of judge for Tablut, which is weaker than the network
that it is to check. Counted are the planted moves that cost at least 20 % of the expected score and
that the analysis marks as a mistake or worse, and the players' own moves that it marks as blunders.
In games where the worst move of most positions costs little, ``draws`` draws the move to be
replaced up to so many times, until it costs that much.

``jobs`` bouts are tried at a time. ``records`` keeps the bouts, so that another judge can be tried
on the same ones. ``out`` gets a line for each bout; the same command goes on where it was stopped.

``scales``: quick searches play against themselves after random openings, and the curve from their
scores to results is fitted.
"""

from __future__ import annotations

import itertools
import math
import multiprocessing
import os
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from bench.planted_moves import COSTLY, COURSES, keep_planted
from ludus.analysis.evaluate import analyse_fully
from ludus.analysis.grading import SERIOUS
from ludus.analysis.judges.alpha_beta import ALPHA_BETA_SEARCHES
from ludus.analysis.judges.base import CpuBudget
from ludus.analysis.model import Grade
from ludus.games import get


class Trial(msgspec.Struct, frozen=True):
    """One bout to be made and judged."""

    game: str
    seed: int
    seconds: float
    draws: int
    reference: str


class TrialResult(msgspec.Struct, frozen=True):
    """What the analysis found in one bout."""

    trial: Trial
    steps: int = 0
    """0 for a bout that ended too early to replace a move."""
    step: int = 0
    """The step of the planted move."""
    cost: float = 0.0
    found: bool = False
    """Whether the planted move was marked as a mistake or worse."""
    seen: str = ""
    """What the analysis said about the planted move."""
    own: int = 0
    own_blunders: int = 0
    own_missed_wins: int = 0
    seconds: float = 0.0


def try_bout(trial: Trial, records: Path | None) -> TrialResult:
    """Make a bout with a planted move, or take the one that was kept, and judge it."""
    planted = keep_planted(trial.game, trial.seed, trial.reference, trial.draws, records)
    if planted is None:
        return TrialResult(trial)
    level = COURSES[trial.game].tested_level
    analysis = analyse_fully(planted.record, seconds=trial.seconds, level=level)
    mark = next((move for move in analysis.moves if move.step == planted.step), None)
    own = [move for move in analysis.moves if move.step != planted.step]
    return TrialResult(
        trial,
        steps=analysis.steps,
        step=planted.step,
        cost=planted.cost,
        found=mark is not None and mark.grade in SERIOUS,
        seen=f"{mark.before} → {mark.after} at level {mark.level}" if mark else "not judged",
        own=len(own),
        own_blunders=sum(move.grade is Grade.BLUNDER for move in own),
        own_missed_wins=sum(move.grade is Grade.MISSED_WIN for move in own),
        seconds=analysis.budget.seconds,
    )


class Trials:
    """The trials of one command: side by side, and none of them twice."""

    def __init__(self, jobs: int, records: Path | None, out: Path | None) -> None:
        self.jobs, self.records, self.out = jobs, records, out
        self.known: dict[Trial, TrialResult] = {}
        if out is not None and out.exists():
            results = map(msgspec.json.Decoder(TrialResult).decode, out.read_bytes().splitlines())
            self.known = {result.trial: result for result in results}

    def try_bouts(self, trials: Iterator[Trial], bouts: int) -> list[TrialResult]:
        """The results of the first trials of which so many bouts are long enough."""
        results: list[TrialResult] = []
        while missing := bouts - sum(result.steps > 0 for result in results):
            chosen = list(itertools.islice(trials, missing))
            self._try_unknown([trial for trial in chosen if trial not in self.known])
            results += [self.known[trial] for trial in chosen]
        return results

    def _try_unknown(self, trials: list[Trial]) -> None:
        if not trials:
            return
        work = ((trial, self.records) for trial in trials)
        with multiprocessing.get_context("spawn").Pool(min(self.jobs, len(trials))) as pool:
            for done, result in enumerate(pool.imap_unordered(try_work, work), 1):
                self.known[result.trial] = result
                if self.out is not None:
                    with self.out.open("ab") as file:
                        file.write(msgspec.json.encode(result) + b"\n")
                if result.cost >= COSTLY or done % 10 == 0:
                    found = "found" if result.found else "MISSED" if result.cost >= COSTLY else "-"
                    print(
                        f"{done}/{len(trials)} {describe(result)} {found}",
                        file=sys.stderr,
                        flush=True,
                    )


def try_work(work: tuple[Trial, Path | None]) -> TrialResult:
    """``try_bout`` in a process of its own."""
    return try_bout(*work)


def describe(result: TrialResult) -> str:
    """The planted move of a bout in a line."""
    place = f"{result.trial.game} seed {result.trial.seed} step {result.step} of {result.steps}"
    return f"{place}, cost {result.cost:.2f}: {result.seen}"


def show_planted(names: Iterable[str], bouts: int, first: Trial, trials: Trials) -> None:
    print(
        "| game | bouts | cost ≥ 20 % | marked | own moves | judged | blunders, of judged, of all"
        " | missed wins | CPU s |",
        "|---|---|---|---|---|---|---|---|---|",
        sep="\n",
    )
    for name in names:
        seeds = itertools.count(first.seed + 1)
        wanted = (msgspec.structs.replace(first, game=name, seed=seed) for seed in seeds)
        results = [result for result in trials.try_bouts(wanted, bouts) if result.steps]
        costly = [result for result in results if result.cost >= COSTLY]
        found = sum(result.found for result in costly)
        moves = sum(result.steps - 1 for result in results)
        own = sum(result.own for result in results)
        blunders = sum(result.own_blunders for result in results)
        print(
            f"| {name} | {len(results)} | {len(costly)} |"
            f" {found} ({found / max(1, len(costly)):.0%}) | {moves} | {own} |"
            f" {blunders} ({blunders / max(1, own):.1%}, {blunders / max(1, moves):.1%}) |"
            f" {sum(result.own_missed_wins for result in results)} |"
            f" {sum(result.seconds for result in results) / max(1, len(results)):.1f} |",
            flush=True,
        )
        for result in costly:
            if not result.found:
                print(f"  missed: {describe(result)}", file=sys.stderr)


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
    settings = {
        "bouts": "200",
        "seconds": "8",
        "seed": "0",
        "reference": "",
        "draws": "1",
        "jobs": "1",
        "records": "",
        "out": "",
    }
    for each in [each for each in arguments if "=" in each]:
        name, _, value = each.partition("=")
        if name not in settings:
            sys.exit(f"unknown setting {name!r}; there are {', '.join(settings)}")
        settings[name] = value
    command, *names = [each for each in arguments if "=" not in each] or ["planted"]
    bouts = int(settings["bouts"])
    if command == "scales":
        show_scales(names, bouts)
        return
    first = Trial(
        "",
        int(settings["seed"]),
        float(settings["seconds"]),
        int(settings["draws"]),
        settings["reference"],
    )
    folder, out = (Path(settings[name]) if settings[name] else None for name in ("records", "out"))
    show_planted(names or COURSES, bouts, first, Trials(int(settings["jobs"]), folder, out))
    used = os.times()
    print(f"{sum(used[:4]):.0f} CPU s", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
