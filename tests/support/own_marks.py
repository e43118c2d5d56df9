"""Marks computed a second time: from records and from what a teacher wrote, with nothing of
``ludus``."""

import gzip
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

DAY = timedelta(days=1)


def read_record(data: bytes) -> dict[str, Any]:
    """What is written in a ``.ludus`` file, with exact numbers."""
    found: dict[str, Any] = json.loads(gzip.decompress(data), parse_float=Fraction)
    return found


@dataclass(frozen=True)
class OwnBout:
    """A bout of a submission, read from its record."""

    level: int
    seed: int
    opening: tuple[str, ...]
    seat: int
    score: Fraction
    faults: tuple[str, ...]
    """The kinds of the faults of the submission."""

    @classmethod
    def read(cls, data: bytes, levels: Mapping[str, int]) -> "OwnBout":
        """``levels``: those of the rivals by name."""
        record = read_record(data)
        names = [bot["name"] for bot in record["bots"]]
        [rival] = [seat for seat, name in enumerate(names) if name in levels]
        return cls(
            levels[names[rival]],
            record["seed"],
            tuple(record["moves"][: record.get("opening", 0)]),
            1 - rival,
            Fraction(record["scores"][1 - rival]),
            tuple(each["kind"] for each in record["faults"] if each["seat"] == 1 - rival),
        )


@dataclass(frozen=True)
class OwnSubmission:
    """A submission that was graded."""

    id: int
    at: str
    bouts: Sequence[OwnBout]


@dataclass
class OwnMarks:
    """The points of a student, reason by reason."""

    submission: int | None
    days_late: int
    no_fault: Fraction | None
    levels: dict[int, Fraction | None]
    shares: dict[int, Fraction | None]
    late: Fraction
    manual: dict[str, Fraction | None]
    computed: Fraction
    total: Fraction

    @property
    def lines(self) -> list[Fraction | None]:
        """As a student reads them, one after the other."""
        late = [self.late] if self.days_late else []
        levels = [self.levels[level] for level in sorted(self.levels)]
        return [self.no_fault, *levels, *late, *self.manual.values()]


def fraction(number: float | int | str) -> Fraction:
    """The decimal number that was written."""
    return Fraction(str(number))


def rounded(value: Fraction, step: str) -> Fraction:
    """To a multiple of the step; what lies in the middle goes up."""
    return Fraction(math.floor(value / Fraction(step) + Fraction(1, 2))) * Fraction(step)


def count_days_late(at: str, deadline: str) -> int:
    behind = datetime.fromisoformat(at) - datetime.fromisoformat(deadline)
    return max(0, -(-behind // DAY))


def own_marks(
    settings: Mapping[str, Any],
    deadline: str,
    submissions: Sequence[OwnSubmission],
    manual: Mapping[str, float],
    override: float | None,
) -> OwnMarks:
    """The marks of a student who handed these in, the oldest first."""
    counted = settings.get("counted", 1)
    found = _empty(settings)
    best: Fraction | None = None
    for submission in submissions[-counted:] if counted else submissions:
        marks = _grade(settings, submission, count_days_late(submission.at, deadline))
        gained = _sum([marks.no_fault, *marks.levels.values(), marks.late])
        if best is None or gained >= best:
            found, best = marks, gained
    for part in settings["rule"].get("manual", ()):
        given = manual.get(part["title"])
        found.manual[part["title"]] = None if given is None else fraction(given)
    whole = max(Fraction(0), _sum(found.lines))
    found.computed = rounded(whole, settings["rule"]["round_to"])
    found.total = found.computed if override is None else fraction(override)
    return found


def _empty(settings: Mapping[str, Any]) -> OwnMarks:
    levels: dict[int, Fraction | None] = {each["level"]: None for each in settings["rivals"]}
    nothing = Fraction(0)
    return OwnMarks(None, 0, None, levels, dict(levels), nothing, {}, nothing, nothing)


def _grade(settings: Mapping[str, Any], submission: OwnSubmission, days: int) -> OwnMarks:
    found, rule, bouts = _empty(settings), settings["rule"], submission.bouts
    found.submission, found.days_late = submission.id, days
    clean = sum(not bout.faults for bout in bouts)
    planned = settings["bouts"] * len(settings["rivals"])
    assert len(bouts) == planned, (len(bouts), planned)
    share = Fraction(clean, planned) if rule.get("no_fault_share") else Fraction(clean == planned)
    found.no_fault = fraction(rule["no_fault"]) * share
    for rival in settings["rivals"]:
        played = [bout.score for bout in bouts if bout.level == rival["level"]]
        reached = _sum(played) / len(played)
        found.shares[rival["level"]] = reached
        found.levels[rival["level"]] = fraction(rival["points"]) * _between(rival, reached)
    percent = min(Fraction(100), days * fraction(settings["late"]["percent_a_day"]))
    found.late = -percent / 100 * _sum([found.no_fault, *found.levels.values()])
    return found


def _between(rival: Mapping[str, Any], share: Fraction) -> Fraction:
    """How far a share of the score lies on the way from the lower line to the upper one."""
    low = fraction(rival.get("from_percent", 0)) / 100
    high = fraction(rival.get("full_percent", 100)) / 100
    if low == high:
        return Fraction(share >= high)
    return min(Fraction(1), max(Fraction(0), (share - low) / (high - low)))


def _sum(points: Sequence[Fraction | None]) -> Fraction:
    return sum((each for each in points if each is not None), Fraction(0))
