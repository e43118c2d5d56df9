"""The reports that ``round_match`` writes, byte for byte as the original's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

RULER = "=" * 50
KINDS = ("win", "lose", "violate", "timeout", "error")

Result = dict[Any, Any]
"""The return value of ``Platform.play``."""


def summary(paths: Sequence[Any], results: Sequence[Result], repeat: int) -> str:
    """``_.txt``: every bout, then every player as first and as second."""
    lines = [RULER, f"total matches: {len(results)}"]
    lines += [_bout_line(result) for result in results]
    lines.append(RULER)
    bouts_each = repeat * (len(paths) - 1)
    for number, path in enumerate(paths):
        lines += [f"player{number} from path {path}", ""]
        for title, first in (("offensive", True), ("defensive", False)):
            cases = [result for result in results if result[first]["index"][0] == number]
            lines += [f"{title} cases:", *_cases(cases, first, bouts_each)]
        lines.append(RULER)
    return "".join(f"{line}\n" for line in lines)


def _bout_line(result: Result) -> str:
    first, second = result[True]["index"][0], result[False]["index"][0]
    return f"name: {result['name']} -> player{first} to player{second} -> {result['rounds']} rounds"


def _cases(results: Sequence[Result], first: bool, bouts: int) -> Iterator[str]:
    times = [result[first]["time"] for result in results if result[first]["time"]]
    average = sum(times) / len(times) if times else 0
    wins = sum(result[first]["win"] for result in results)
    yield f"    average time: {average:.3f}"
    yield f"        win rate: {100 * wins / bouts:.2f}%"
    for kind in KINDS:
        names = [result["name"] for result in results if result[first][kind]]
        yield f"        {kind}: {len(names)} at"
        yield from (f"            {name}" for name in names or [""])


def exceptions(results: Sequence[Result]) -> str:
    """``_Exceptions.txt``: what each player raised in each bout."""
    parts = []
    for result in results:
        first, second = (result[side]["exception"] or "pass\n" for side in (True, False))
        parts.append(f"-> {result['name']}\n\noffensive:\n{first}\ndefensive:\n{second}{RULER}\n")
    return "".join(parts)
