"""Play the bouts of the yardsticks that the log does not have yet, and write the tables.

    python -m bench.yardsticks [SUBJECT…] [options]

A subject is a network (FILE.onnx; its game and options are in it), or with ``--game`` tables of
patterns (FILE.patterns:SECONDS), ``search``, ``strong`` or ``alphabeta``. A network thinks for
``--simulations`` a move; with ``--equal-cpu`` all think as long as their rival. ``--rivals`` names
whom it meets; by default all that its game has. Bouts begin with openings of the game's suite, each
from both sides. Killed at any moment, the same command goes on; without a subject only the tables
in docs/ are written anew
from all logs.

Other people's programs are looked for in ``--engines``, one folder each, built as their authors
say: zebra, grhino (or /usr/games), tablut.cpp, TablutAI, AlgiseTablut, uct-tablut.
It needs numpy, onnxruntime and the compiled modules of Ludus, and nothing else.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bench.yardsticks.bout import end_with_parent, play_bout
from bench.yardsticks.log import MISSING, Bouts, LogWriter, add_up_spent, read_log
from bench.yardsticks.players import EngineMissing
from bench.yardsticks.rows import (
    DEFAULT_RIVALS,
    EQUAL_CPU,
    EQUAL_CPU_NET,
    Row,
    Task,
    create_rival,
    make_row,
    open_row,
)
from bench.yardsticks.searchers import create_searcher, describe_search
from bench.yardsticks.table import format_line, write_docs
from ludus.errors import LudusError
from ludus.games import get
from ludus.games.openings import resolve_openings
from ludus.learn.onnx_net import OnnxNet, load_net

LOGS = Path(__file__).parents[1] / "logs" / "yardsticks"


def parse_arguments(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.yardsticks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("subjects", nargs="*")
    parser.add_argument("--game", help="for subjects that are not networks")
    parser.add_argument("-o", "--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--rivals", help="separated by commas")
    parser.add_argument("--simulations", type=int, default=64)
    parser.add_argument("--equal-cpu", action="store_true")
    parser.add_argument("--bouts", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--engines", type=Path, default=Path("engines"))
    parser.add_argument(
        "--openings", default="", help="suite, random:N; the game's own if not given"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--log", type=Path, help="by default a file in bench/logs/yardsticks")
    parser.add_argument("--no-docs", action="store_true", help="leave docs/ as it is")
    return parser.parse_args(words)


def make_rows(given: argparse.Namespace, subject: str) -> list[Row]:
    """The rows of a subject against all its rivals."""
    if subject.endswith(".onnx") and not given.game:
        about = load_net(Path(subject), OnnxNet).metadata
        name, chosen = about["game"], dict(about.get("options", {}))
    else:
        name, chosen = given.game or "", {}
    if not name:
        raise LudusError(f"{subject}: name its game (--game)", f"{subject}：请写明游戏（--game）")
    game = get(name)
    options = game.Options.parse(chosen | dict(each.split("=", 1) for each in given.option))
    openings = resolve_openings(given.openings, game, options).spec
    changed = " ".join([name, *[f"{key}={value}" for key, value in options.as_json().items()]])
    rivals = given.rivals.split(",") if given.rivals else DEFAULT_RIVALS.get(changed, ["random"])
    thinks = describe_thinking(given, subject)
    return [
        make_row(subject, game, options, thinks, rival, openings, given.seed) for rival in rivals
    ]


def describe_thinking(given: argparse.Namespace, subject: str) -> str:
    """How a subject thinks, which its rows are known by."""
    is_net = subject.endswith(".onnx")
    if given.equal_cpu:
        return EQUAL_CPU_NET if is_net else EQUAL_CPU
    if is_net:
        return describe_search(given.simulations)
    if subject.endswith(".patterns"):
        raise LudusError(
            f"{subject}: say how many seconds it may think for a move, such as {subject}:0.1, or"
            " give --equal-cpu",
            f"{subject}：请写明每步可思考多少秒，如 {subject}:0.1，或加上 --equal-cpu",
        )
    return "as its name says"


def list_tasks(given: argparse.Namespace, row: Row, subject: str, played: Bouts) -> Iterator[Task]:
    """The bouts of a row that are not played yet, both of a pair one after the other."""
    for number in range(given.bouts):
        pair, seat = divmod(number, 2)
        if (pair, seat) not in played:
            spent = add_up_spent(played)
            yield Task(row, subject, given.simulations, given.engines.resolve(), pair, seat, spent)


def play_row(
    given: argparse.Namespace, row: Row, subject: str, played: Bouts, log: LogWriter, pool: Any
) -> None:
    """Play what is missing, ``--jobs`` bouts at a time."""
    tasks = list_tasks(given, row, subject, played)
    running: dict[Future[dict[str, Any]], Task] = {}
    while True:
        while len(running) < given.jobs and (task := next(tasks, None)) is not None:
            running[pool.submit(play_bout, task)] = task
        if not running:
            return
        for done in wait(running, return_when=FIRST_COMPLETED).done:
            task = running.pop(done)
            entry = done.result()
            played[task.pair, task.seat] = entry
            log.write(row, entry)


def find_missing(row: Row, subject: str, given: argparse.Namespace) -> str:
    """Why a row cannot be played here; empty if it can."""
    game, options = open_row(row)
    try:
        create_rival(row.rival, game, options, given.engines)
        create_searcher(subject, game, options, given.simulations)
    except (EngineMissing, LudusError) as error:
        return str(error)
    return ""


def choose_log(given: argparse.Namespace, row: Row) -> Path:
    if given.log:
        return Path(given.log)
    subject = row.subject.removesuffix(".onnx")  # tables of patterns may have a network's name
    name = "-".join([row.game, *[str(value) for _, value in row.options], subject])
    return LOGS / f"{re.sub('[.:]', '-', name)}.jsonl"


def play_all(given: argparse.Namespace) -> None:
    with ProcessPoolExecutor(given.jobs, get_context("spawn"), end_with_parent) as pool:
        for subject in given.subjects:
            for row in make_rows(given, subject):
                path = choose_log(given, row)
                played = read_log([path]).get(row, {})
                log = LogWriter(path)
                if missing := find_missing(row, subject, given):
                    log.write(row, {MISSING: missing})
                    print(f"{row.rival}: {missing}", flush=True)
                else:
                    play_row(given, row, subject, played, log, pool)
                    print(format_line(row, played), flush=True)
                log.close()


def main() -> None:
    given = parse_arguments()
    if given.bouts < 2 or given.jobs < 1:
        sys.exit("--bouts must be at least 2, --jobs at least 1")
    try:
        play_all(given)
        if not given.no_docs:
            write_docs(sorted(LOGS.glob("*.jsonl")))
    except (LudusError, EngineMissing) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
