"""Makes a suite of balanced openings for a two-seat game with a fixed start position.

    .venv/bin/python tools/make_openings.py reversi --plies 8-10 --count 1000 \\
        --judge depth:6 --bound 40 --play depth:3 --play depth:4 --output openings.txt

1. Random openings of the given lengths are drawn. Those that lead to a position that an earlier one
   leads to, after turning or reflecting the board, are dropped. (For a game that does not say its
   symmetries, ``Game.symmetries``, only equal positions are.)
2. Each is evaluated by the judge, and kept if the absolute evaluation is within the bound;
   ``--filter SPEC=BOUND`` puts a cheaper judge before it.
3. Each is played out by every ``--play``, which plays both seats.
4. Those are selected that favour no seat, by evaluation and results (``ludus.learn.openings``).
5. Every ``--verify`` plays the selected ones out once more, with other random numbers. Its results
   are written into the file, and nothing is selected by them.

Results are kept in OUTPUT.results.jsonl: an interrupted run goes on where it was.
``--measure FILE`` only plays an existing suite out by every ``--verify``.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludus.errors import LudusError
from ludus.games import get
from ludus.games.base import Game
from ludus.games.openings import parse_suite, read_suite_lines
from ludus.learn.openings.judges import __doc__ as judges_text
from ludus.learn.openings.suite import SeatScore, Suite, SuitePlan, make_suite, measure_seats
from ludus.learn.openings.tasks import ResultFile, TaskRunner
from ludus.learn.opponents import make_search_pool
from ludus.rating.scores import WinDrawLoss


def main(arguments: Sequence[str] | None = None) -> int:
    given = make_parser().parse_args(arguments)
    try:
        run(given, sys.argv[1:] if arguments is None else arguments)
    except LudusError as error:
        print(f"make_openings.py: {error}", file=sys.stderr)
        return 1
    return 0


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=judges_text,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("game")
    add("-o", "--option", action="append", default=[], type=parse_pair, metavar="NAME=VALUE")
    add("--plies", type=parse_range, default=(4, 8), metavar="N[-M]", help="length of an opening")
    add("--count", type=int, default=1000, help="openings of the suite")
    add("--judge", default="", metavar="SPEC", help="what evaluates openings")
    add("--bound", type=float, default=0.0, help="the largest absolute evaluation")
    add("--filter", action="append", default=[], type=parse_filter, metavar="SPEC=BOUND")
    add("--play", action="append", default=[], metavar="SPEC", help="default: the judge")
    add("--spare", type=float, default=2.0, help="candidates for each opening of the suite")
    add("--aim", type=float, default=0.5, help="the estimated share of seat 0 to select for")
    add("--verify", action="append", default=[], metavar="SPEC", help="what measures the suite")
    add("--measure", type=Path, metavar="FILE", help="only measure this suite")
    add("--seed", type=int, default=0)
    add("--jobs", type=int, default=1, help="processes")
    add("--output", type=Path, default=Path("openings.txt"))
    return parser


def parse_pair(text: str) -> tuple[str, str]:
    name, equals, value = text.rpartition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {text!r}")
    return name, value


def parse_filter(text: str) -> tuple[str, float]:
    spec, bound = parse_pair(text)
    return spec, float(bound)


def parse_range(text: str) -> tuple[int, int]:
    low, _, high = text.partition("-")
    plies = int(low), int(high or low)
    if not 1 <= plies[0] <= plies[1]:
        raise argparse.ArgumentTypeError(f"expected N or N-M plies, got {text!r}")
    return plies


def run(given: argparse.Namespace, arguments: Sequence[str]) -> None:
    game = get(given.game)
    options = game.Options.parse(dict(given.option))
    results = ResultFile(given.output.with_name(given.output.name + ".results.jsonl"))
    pool = make_search_pool(given.jobs)
    try:
        runner = TaskRunner(game, options, results, pool)
        if given.measure:
            measure(game, options, given.measure, given.verify, runner)
        else:
            make(make_plan(given, game, options), given, runner, arguments)
    finally:
        if pool:
            pool.shutdown(cancel_futures=True)


def report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def make_plan(given: argparse.Namespace, game: Game, options: Any) -> SuitePlan:
    if not given.judge or given.bound <= 0:
        raise LudusError(
            "name a judge and a bound, for example --judge search:400 --bound 0.2",
            "请给出裁定程序和界限，例如 --judge search:400 --bound 0.2",
        )
    return SuitePlan(
        game=game,
        options=options,
        plies=given.plies,
        count=given.count,
        judges=(*given.filter, (given.judge, given.bound)),
        players=tuple(given.play) or (given.judge,),
        spare=given.spare,
        seed=given.seed,
        aim=given.aim,
    )


def make(
    plan: SuitePlan, given: argparse.Namespace, runner: TaskRunner, arguments: Sequence[str]
) -> None:
    suite = make_suite(plan, runner, report)
    lines = [opening.moves for opening in suite.openings]
    verified = [measure_seats(spec, lines, runner, report) for spec in given.verify]
    head = "".join(
        f"# {line}".rstrip() + "\n" for line in describe(plan, suite, verified, arguments)
    )
    text = head + "".join(" ".join(moves) + "\n" for moves in lines)
    given.output.write_text(text, encoding="utf-8")
    print(head, end="")


def describe(
    plan: SuitePlan, suite: Suite, verified: Sequence[SeatScore], arguments: Sequence[str]
) -> list[str]:
    """The comment of the file: how the suite was made and what was measured."""
    low, high = plan.plies
    spec, bound = plan.judges[-1]
    sizes = [abs(opening.evaluation) for opening in suite.openings]
    mean = sum(opening.evaluation for opening in suite.openings) / len(sizes)
    columns = zip(*(opening.results for opening in suite.openings), strict=True)
    selected = [
        SeatScore(player, WinDrawLoss.from_scores(column))
        for player, column in zip(plan.players, columns, strict=True)
    ]
    shifted = plan.aim != 0.5
    length = f"{low}" if low == high else f"{low} to {high}"
    alike = "under symmetry" if plan.game.symmetries else "(symmetries are not known)"
    return [
        f"{len(sizes)} balanced openings of {plan.game.name}, {length} plies long; no two lead to"
        f" positions that are equal {alike}.",
        f"tools/make_openings.py {shlex.join(omit_local(arguments))}",
        "",
        f"Drawn at random: {suite.drawn}. Evaluation by {spec} for seat 0, absolutely at most"
        f" {bound:g}: mean {mean:.3g}, largest {max(sizes):.3g}.",
        "Points of seat 0 when a program plays itself, in the bouts by which they were selected"
        f" (reliability {suite.reliability:.2f}):",
        *(f"  {score.format()}" for score in selected),
        "In bouts by which no opening was selected"
        + (f" (but --aim {plan.aim:g} may have been set after such bouts):" if shifted else ":"),
        *([f"  {score.format()}" for score in verified] or ["  none"]),
    ]


def omit_local(arguments: Sequence[str]) -> list[str]:
    """The arguments without those that change nothing in the suite."""
    local = {place for place, word in enumerate(arguments) if word in ("--output", "--jobs")}
    return [
        word
        for place, word in enumerate(arguments)
        if place not in local and place - 1 not in local
    ]


def measure(
    game: Game, options: Any, file: Path, players: Sequence[str], runner: TaskRunner
) -> None:
    lines = parse_suite(read_suite_lines(file), game, options, str(file))
    for spec in players:
        print(measure_seats(spec, lines, runner, report).format(), flush=True)


if __name__ == "__main__":
    sys.exit(main())
