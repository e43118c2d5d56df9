"""Which submissions look alike: a hint for a teacher's eyes, never a verdict.

Programs are read as tokens, with names and literals made equal, and cut into overlapping runs of
``RUN`` tokens of which a few are kept by their hashes (winnowing). Two programs share as much as
the smaller one's kept runs are in the other.
"""

from __future__ import annotations

import itertools
import keyword
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ludus.bots.limited import Bounds, Exceeded, bounded, call
from ludus.server.bots.bundle import unpacked

RUN = 12
WINDOW = 8
COMMON = 0.3
"""A run that so many of all programs have is the template's, not somebody's own."""
FEWEST = 8
"""Programs with fewer runs say nothing."""
TOKEN = re.compile(
    r"""(?P<skip>\s++|\#[^\n]*+|//[^\n]*+|/\*.*?(?:\*/|\Z))
    |(?P<text>\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)
        |"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?)
    |(?P<number>\d[\w.]*)|(?P<word>[^\W\d]\w*)|(?P<sign>.)""",
    re.DOTALL | re.VERBOSE,
)
"""Every alternative also takes what lacks its end, so that no character is looked at twice."""
MOST_TEXT = 1 << 20
"""Bytes of a program that are looked at."""
BOUNDS = Bounds(cpu=60, wall=120.0, memory=4 << 30)
"""For comparing all programs with each other."""
KEPT = {*keyword.kwlist, "int", "float", "double", "void", "const", "auto", "let", "function"}
SUFFIXES = (".py", ".cpp", ".cc", ".c", ".hpp", ".h", ".mjs", ".js", ".java", ".rs", ".go")


@dataclass(frozen=True, slots=True)
class Print:
    """A program's kept runs, each with the lines where it stands."""

    runs: Mapping[int, tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Alike:
    """Two programs that share a part."""

    a: int
    b: int
    share: float
    where: list[tuple[str, int, str, int]]
    """File and line in one and in the other."""


def print_of(files: Mapping[str, bytes]) -> Print:
    runs: dict[int, tuple[str, int]] = {}
    room = MOST_TEXT
    for name in sorted(files):
        if name.endswith(SUFFIXES):
            text = files[name][:room]
            room -= len(text)
            for mark, line in _kept(text.decode(errors="replace")):
                runs.setdefault(mark, (name, line))
    return Print(runs)


def print_of_packed(data: bytes) -> Print | None:
    """Of a packed program, read in a limited process; None if it cannot be."""
    try:
        return call(_print_of, data)
    except Exceeded:
        return None


def _print_of(data: bytes) -> Print:
    return print_of(unpacked(data))


def pairs(prints: Mapping[int, Print]) -> list[Alike]:
    """Pairs that are alike, found in a limited process."""
    return bounded(BOUNDS, _alike, dict(prints))


def _alike(prints: dict[int, Print]) -> list[Alike]:
    return alike(prints)


def _tokens(text: str) -> Iterable[tuple[str, int]]:
    line = 1
    for found in TOKEN.finditer(text):
        kind, said = found.lastgroup, found[0]
        if kind == "word":
            yield (said if said in KEPT else "n"), line
        elif kind == "text":
            yield "s", line
        elif kind == "number":
            yield "0", line
        elif kind == "sign":
            yield said, line
        line += said.count("\n")


def _kept(text: str) -> Iterable[tuple[int, int]]:
    """Of every window of runs the one with the smallest hash."""
    tokens = list(_tokens(text))
    marks = [
        (zlib.crc32(" ".join(word for word, _ in tokens[i : i + RUN]).encode()), tokens[i][1])
        for i in range(max(0, len(tokens) - RUN + 1))
    ]
    windows = (marks[i : i + WINDOW] for i in range(max(1, len(marks) - WINDOW + 1)))
    return dict.fromkeys(min(window) for window in windows if window)


def alike(prints: Mapping[int, Print], *, least: float = 0.4, most: int = 100) -> list[Alike]:
    """Pairs that share at least so much, most first. Templates that many have do not count."""
    spread = Counter(mark for each in prints.values() for mark in each.runs)
    limit = max(3, COMMON * len(prints)) if len(prints) > 4 else len(prints)
    own = {
        key: {mark for mark in each.runs if spread[mark] <= limit} for key, each in prints.items()
    }
    holders: dict[int, list[int]] = defaultdict(list)
    for key, marks in own.items():
        for mark in marks:
            holders[mark].append(key)
    shared: Counter[tuple[int, int]] = Counter()
    for keys in holders.values():
        shared.update(itertools.combinations(sorted(keys), 2))
    found = []
    for (a, b), count in shared.items():
        size = min(len(own[a]), len(own[b]))
        if size >= FEWEST and count / size >= least:
            found.append(Alike(a, b, round(count / size, 3), _places(prints, own, a, b)))
    return sorted(found, key=lambda each: -each.share)[:most]


def _places(
    prints: Mapping[int, Print], own: Mapping[int, set[int]], a: int, b: int
) -> list[tuple[str, int, str, int]]:
    places = {(*prints[a].runs[mark], *prints[b].runs[mark]) for mark in own[a] & own[b]}
    return sorted(places)[:20]
