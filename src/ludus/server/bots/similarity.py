"""Finds similar submissions: a hint for a teacher, never a verdict.

Programs are read as tokens, with all names and literals made equal, and cut into overlapping runs
of ``TOKENS_PER_RUN`` tokens, of which a few are kept by their hashes (winnowing). The similarity of
two programs is the share of the smaller one's kept runs that the other has, too.
"""

from __future__ import annotations

import itertools
import keyword
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from ludus.bots.limited_calls import Bounds, BoundsExceeded, call, call_with_bounds
from ludus.server.bots.upload import unpack_files

TOKENS_PER_RUN = 12
RUNS_PER_WINDOW = 8
TEMPLATE_SHARE = 0.3
"""A run that this share of all programs contains belongs to the template, and does not count."""
MIN_RUNS = 8
"""Programs with fewer runs are too short to compare."""
TOKEN = re.compile(
    r"""(?P<skip>\s++|\#[^\n]*+|//[^\n]*+|/\*.*?(?:\*/|\Z))
    |(?P<text>\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)
        |"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?)
    |(?P<number>\d[\w.]*)|(?P<word>[^\W\d]\w*)|(?P<sign>.)""",
    re.DOTALL | re.VERBOSE,
)
"""Every alternative also matches without its end, so that no character is read twice."""
MAX_PLACES = 20
"""The most places of a pair that are shown."""
MAX_PROGRAM_BYTES = 1 << 20
"""The most bytes of a program that are compared."""
BOUNDS = Bounds(cpu=60, wall=120.0, memory=4 << 30)
"""Limits for comparing all programs with each other."""
KEPT_WORDS = {*keyword.kwlist, "int", "float", "double", "void", "const", "auto", "let", "function"}
SUFFIXES = (".py", ".cpp", ".cc", ".c", ".hpp", ".h", ".mjs", ".js", ".java", ".rs", ".go")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A program's kept runs."""

    runs: Mapping[int, tuple[str, int, int]]
    """By hash: the file, the first and the last line."""


MatchingPlace = tuple[str, int, int, str, int, int]
"""The file, the first and the last line in one program, and in another one."""


@dataclass(frozen=True, slots=True)
class SimilarPair:
    """Two similar programs."""

    a: int
    b: int
    share: float
    where: list[MatchingPlace]


def fingerprint_files(files: Mapping[str, bytes]) -> Fingerprint:
    runs: dict[int, tuple[str, int, int]] = {}
    room = MAX_PROGRAM_BYTES
    for name in sorted(files):
        if name.endswith(SUFFIXES):
            text = files[name][:room]
            room -= len(text)
            for mark, first, last in _select_runs(text.decode(errors="replace")):
                runs.setdefault(mark, (name, first, last))
    return Fingerprint(runs)


def fingerprint_packed(data: bytes) -> Fingerprint | None:
    """The fingerprint of a packed program, made in a limited process; None if it cannot be read."""
    try:
        return call(_fingerprint_zip, data)
    except BoundsExceeded:
        return None


def _fingerprint_zip(data: bytes) -> Fingerprint:
    return fingerprint_files(unpack_files(data))


def find_similar_limited(
    prints: Mapping[int, Fingerprint], base: Collection[int] = ()
) -> list[SimilarPair]:
    """As ``find_similar``, in a limited process."""
    return call_with_bounds(BOUNDS, _find_similar, dict(prints), frozenset(base))


def _find_similar(prints: dict[int, Fingerprint], base: frozenset[int]) -> list[SimilarPair]:
    return find_similar(prints, base)


def _iter_tokens(text: str) -> Iterable[tuple[str, int]]:
    line = 1
    for found in TOKEN.finditer(text):
        kind, token = found.lastgroup, found[0]
        if kind == "word":
            yield (token if token in KEPT_WORDS else "n"), line
        elif kind == "text":
            yield "s", line
        elif kind == "number":
            yield "0", line
        elif kind == "sign":
            yield token, line
        line += token.count("\n")


def _select_runs(text: str) -> Iterable[tuple[int, int, int]]:
    """The run with the smallest hash in every window of runs, with its first and last line."""
    tokens = list(_iter_tokens(text))
    marks = [
        (
            zlib.crc32(" ".join(word for word, _ in tokens[i : i + TOKENS_PER_RUN]).encode()),
            tokens[i][1],
            tokens[min(i + TOKENS_PER_RUN, len(tokens)) - 1][1],
        )
        for i in range(max(0, len(tokens) - TOKENS_PER_RUN + 1))
    ]
    windows = (
        marks[i : i + RUNS_PER_WINDOW] for i in range(max(1, len(marks) - RUNS_PER_WINDOW + 1))
    )
    return dict.fromkeys(min(window) for window in windows if window)


def find_similar(
    prints: Mapping[int, Fingerprint],
    base: Collection[int] = (),
    *,
    least: float = 0.4,
    most: int = 100,
) -> list[SimilarPair]:
    """Pairs that share at least ``least``, most similar first. Runs of ``base``, the code that
    people were given, do not count, nor do those that many share."""
    spread = Counter(mark for each in prints.values() for mark in each.runs)
    limit = max(3, TEMPLATE_SHARE * len(prints)) if len(prints) > 4 else len(prints)
    own = {
        key: {mark for mark in each.runs if spread[mark] <= limit and mark not in base}
        for key, each in prints.items()
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
        if size >= MIN_RUNS and count / size >= least:
            found.append(SimilarPair(a, b, round(count / size, 3), _find_places(prints, own, a, b)))
    return sorted(found, key=lambda each: -each.share)[:most]


def _find_places(
    prints: Mapping[int, Fingerprint], own: Mapping[int, set[int]], a: int, b: int
) -> list[MatchingPlace]:
    places = {(*prints[a].runs[mark], *prints[b].runs[mark]) for mark in own[a] & own[b]}
    return _join_places(sorted(places))[:MAX_PLACES]


def _join_places(places: Iterable[MatchingPlace]) -> list[MatchingPlace]:
    """Places that continue each other in both programs as one."""
    found: list[MatchingPlace] = []
    for place in places:
        file, first, last, other, other_first, other_last = place
        if found:
            here, begin, end, there, other_begin, other_end = found[-1]
            follows = (here, there) == (file, other) and first <= end + 1
            if follows and other_begin <= other_first <= other_end + 1:
                ends = max(end, last), max(other_end, other_last)
                found[-1] = (here, begin, ends[0], there, other_begin, ends[1])
                continue
        found.append(place)
    return found
