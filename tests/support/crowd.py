"""Many bouts at once, some of whose bots are hostile."""

from __future__ import annotations

import random
import re
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ludus import sandbox
from ludus.bots.resolve import resolve_bot
from ludus.games import Clock, get
from ludus.match.pool import make_match_task
from ludus.match.record import Record
from ludus.match.series import PlannedBout, derive_bout_seed
from ludus.match.spec import MatchSpec
from ludus.sandbox import JailLevel, Limits
from ludus.workers.pool import LocalPool, run_tasks

GAME = get("duel2048")


BAD = Path(__file__).resolve().parents[1] / "bots" / "bad"


CLOCK = Clock(budget=1.0, patience=1.0)


HOSTILE = 0.3
"""The share of hostile bots in a crowd."""


GOOD = ("normal", "chatters", "idle_threads")


def word(path: Path, name: str) -> str:
    found = re.search(rf'^{name} = "(.*)"', path.read_text(), re.MULTILINE)
    return found[1] if found else ""


def verdict_of(name: str, level: JailLevel) -> str:
    """What a bot deserves when it sits on the first seat."""
    path = BAD / f"{name}.py"
    return (level is JailLevel.PLAIN and word(path, "PLAIN")) or word(path, "VERDICT")


def hostile() -> list[str]:
    """All of them, but those that are refused before they are run."""
    names = sorted(path.stem for path in BAD.glob("*.py") if word(path, "VERDICT"))
    return [name for name in names if name not in (*GOOD, "no_output_method")]


@dataclass(slots=True)
class Crowd:
    """What became of a crowd."""

    bouts: int = 0
    hostile: int = 0
    """Seats taken by hostile bots."""
    wrong: int = 0
    """Bouts that did not end as they should."""
    late: int = 0
    """Well-behaved bots that lost on time."""
    wall: float = 0.0
    cpu: float = 0.0


def crowd(bouts: int, jobs: int, seed: int = 1) -> Crowd:
    """Matches of two bouts between bots drawn from the good and the hostile, ``jobs`` at once."""
    level = sandbox.list_levels()[0]
    drawn = matches(bouts // 2, random.Random(seed))
    specs = [spec_of(pair, derive_bout_seed(seed, number)) for number, pair in enumerate(drawn)]
    found = Crowd()
    began, cpu = time.perf_counter(), cpu_time()
    with LocalPool(jobs) as pool:
        for number, played in run_tasks(pool, map(make_match_task, specs)):
            names = [specs[number].sources[i].name for i in played.planned.order]
            count(found, names, played.record, level)
    found.wall, found.cpu = time.perf_counter() - began, cpu_time() - cpu
    return found


def matches(count: int, draw: random.Random) -> list[tuple[str, str]]:
    """Every hostile bot has its turn before one comes again."""
    bad: list[str] = []
    seats = [number < round(HOSTILE * 2 * count) for number in range(2 * count)]
    draw.shuffle(seats)
    names = []
    for is_hostile in seats:
        bad = bad or draw.sample(hostile(), len(hostile()))
        names.append(bad.pop() if is_hostile else draw.choice(GOOD))
    return list(zip(names[::2], names[1::2], strict=True))


def spec_of(names: tuple[str, str], seed: int) -> MatchSpec:
    return MatchSpec(
        game=GAME.name,
        version=GAME.version,
        options={"rounds": 20},
        sources=tuple(resolve_bot(str(BAD / f"{name}.py"), GAME) for name in names),
        bouts=(PlannedBout(0, seed, (0, 1)), PlannedBout(1, seed, (1, 0))),
        clock=CLOCK,
        limits=Limits(memory=256 << 20),
    )


def count(found: Crowd, names: Sequence[str], record: Record, level: JailLevel) -> None:
    found.bouts += 1
    found.hostile += sum(name not in GOOD for name in names)
    deserved = [verdict_of(name, level) for name in names]
    wanted = "load" if "load" in deserved else deserved[0]
    if record.verdict not in wanted.split("|"):
        found.wrong += 1
        why = [fault.why["en"] for fault in record.faults]
        print(f"{names}: {record.verdict} instead of {wanted}: {why}", file=sys.stderr)
    for fault in record.faults:
        found.late += fault.kind == "timeout" and names[fault.seat] in GOOD


def cpu_time() -> float:
    """Of this process and of all that came from it and has ended."""
    sandbox.close_zygote()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
