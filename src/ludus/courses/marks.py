"""Marks from results: a pure function in exact arithmetic, rounded once at the end.

All numbers that people write (points, percentages) are taken as the decimal fractions that they
wrote, and sums are fractions, so a mark never depends on the order of additions. Only the total is
rounded, half up, to the step of the rule.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from ludus.courses.assignment import AssignmentSettings, Rival
from ludus.rating.intervals import share_interval
from ludus.rating.scores import PairedScore

LineKind = Literal["no_fault", "rival", "late", "ladder", "manual"]
HUNDRED = Fraction(100)


@dataclass(frozen=True, slots=True)
class GradedBout:
    """A bout of a submission against a rival that counts."""

    rival: str
    """The rival's ``bot``."""
    number: int
    """Its number in the match, from 0; two at a time share a seed."""
    score: float
    """The submission's points: 1, ½ or 0."""
    fault: bool = False
    """Whether the submission committed a fault."""


@dataclass(frozen=True, slots=True)
class PersonMarks:
    """What counts for a person besides bouts."""

    ladder_place: int | None = None
    """The place of their best bot among the class on the ladder; None: they are not on it."""
    manual: Mapping[str, float] = field(default_factory=dict)
    """The points that a teacher gave, by the title of the part."""
    override: float | None = None
    """A total that a teacher has set in place of the computed one."""


NOTHING_ELSE = PersonMarks()


@dataclass(frozen=True, slots=True)
class RivalScore:
    """The bouts against one rival."""

    points: Fraction
    bouts: int
    planned: int
    faults: int
    paired: PairedScore

    @property
    def interval(self) -> tuple[float, float]:
        """The share of points in the long run lies between these with 95 %."""
        return _find_interval(self.paired)


@functools.lru_cache(4096)
def _find_interval(score: PairedScore) -> tuple[float, float]:
    """A class has few different scores, and each takes milliseconds."""
    return share_interval(score)


@dataclass(frozen=True, slots=True)
class MarkLine:
    """One reason for points."""

    kind: LineKind
    key: str
    """The rival's ``bot``, or the title of a manual part."""
    points: Fraction | None
    """None: not known yet, or not to be shown yet."""
    most: Fraction
    level: int = 0
    score: RivalScore | None = None
    count: int = 0
    """Faults, days late, or the place on the ladder."""
    played: int = 0
    """Of ``no_fault``: the bouts that were played."""
    final: bool = True
    """Whether nothing that is still to come can change it."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of one submission of one person."""

    lines: tuple[MarkLine, ...]
    total: Fraction
    """Rounded; with an override, that."""
    computed: Fraction
    """The total without an override."""
    most: Fraction
    complete: bool
    """Whether every bout was played and every part judged."""

    @property
    def bout_points(self) -> Fraction:
        """What the bouts gave, after the deduction for being late: submissions are compared by
        this."""
        kinds = ("no_fault", "rival", "late")
        return sum((x.points or Fraction(0) for x in self.lines if x.kind in kinds), Fraction(0))


def exact(number: float) -> Fraction:
    """The decimal fraction that a person wrote: 0.1 is a tenth."""
    return Fraction(repr(float(number)))


def round_half_up(value: Fraction, step: str) -> Fraction:
    """The nearest multiple of a step; of two equally near ones the greater."""
    unit = Fraction(step)
    return math.floor(value / unit + Fraction(1, 2)) * unit


def scaled_points(rival: Rival, share: Fraction) -> Fraction:
    """The points for a share of the score from 0 to 1."""
    low, high = exact(rival.from_percent) / HUNDRED, exact(rival.full_percent) / HUNDRED
    if share >= high:
        return exact(rival.points)
    if share <= low:
        return Fraction(0)
    return exact(rival.points) * (share - low) / (high - low)


def late_days(submitted_s: float, deadline_s: float) -> int:
    """The days after the deadline that have begun."""
    return max(0, math.ceil((submitted_s - deadline_s) / 86400))


def compute_marks(
    settings: AssignmentSettings,
    bouts: Sequence[GradedBout],
    person: PersonMarks = NOTHING_ELSE,
    *,
    days_late: int = 0,
    show_hidden: bool = True,
) -> Marks:
    """The marks for the bouts of a submission. Without ``show_hidden``, as if hidden rivals had
    not been met."""
    rivals = sorted(settings.rivals, key=lambda rival: rival.level)
    shown = {rival.bot for rival in rivals if show_hidden or not rival.hidden}
    seen = [bout for bout in bouts if bout.rival in shown]
    lines = [] if not settings.rule.no_fault else [_no_fault_line(settings, seen, len(shown))]
    lines += [_rival_line(settings, rival, seen, rival.bot in shown) for rival in rivals]
    if days_late:
        lines.append(_late_line(settings, lines, days_late))
    lines += _person_lines(settings, person)
    total = sum((line.points or Fraction(0) for line in lines), Fraction(0))
    computed = round_half_up(max(total, Fraction(0)), settings.rule.round_to)
    return Marks(
        tuple(lines),
        computed if person.override is None else exact(person.override),
        computed,
        total_points(settings),
        all(line.final and line.points is not None for line in lines),
    )


def total_points(settings: AssignmentSettings) -> Fraction:
    """The most points that can be had."""
    rule = settings.rule
    ladder = max((exact(band.points) for band in rule.ladder), default=Fraction(0))
    rivals = sum((exact(rival.points) for rival in settings.rivals), Fraction(0))
    manual = sum((exact(part.points) for part in rule.manual), Fraction(0))
    return exact(rule.no_fault) + rivals + ladder + manual


def _no_fault_line(
    settings: AssignmentSettings, bouts: Sequence[GradedBout], shown: int
) -> MarkLine:
    """Given when all bouts were played: an unplayed bout may still bring a fault."""
    most, faults = exact(settings.rule.no_fault), sum(bout.fault for bout in bouts)
    planned = settings.bouts * shown
    complete = len(bouts) >= planned
    points: Fraction | None
    if not bouts:
        points = None
    elif settings.rule.no_fault_share:
        points = most * Fraction(len(bouts) - faults, planned)
    elif faults:
        points = Fraction(0)
    else:
        points = most if complete else None
    final = (complete and shown == len(settings.rivals)) or points == 0 < faults
    return MarkLine("no_fault", "", points, most, count=faults, played=len(bouts), final=final)


def _rival_line(
    settings: AssignmentSettings, rival: Rival, bouts: Sequence[GradedBout], shown: bool
) -> MarkLine:
    most = exact(rival.points)
    if not shown:
        return MarkLine("rival", rival.bot, None, most, level=rival.level, final=False)
    score = score_rival([bout for bout in bouts if bout.rival == rival.bot], settings.bouts)
    points = scaled_points(rival, score.points / settings.bouts) if score.bouts else None
    final = score.bouts >= settings.bouts
    return MarkLine("rival", rival.bot, points, most, level=rival.level, score=score, final=final)


def score_rival(bouts: Sequence[GradedBout], planned: int) -> RivalScore:
    """The score against one rival, with its interval from mirrored pairs."""
    paired = PairedScore.from_bouts((b.number // 2, b.number % 2, b.score) for b in bouts)
    points = sum((Fraction(bout.score) for bout in bouts), Fraction(0))
    return RivalScore(points, len(bouts), planned, sum(b.fault for b in bouts), paired)


def _late_line(settings: AssignmentSettings, lines: Sequence[MarkLine], days_late: int) -> MarkLine:
    gained = sum((line.points or Fraction(0) for line in lines), Fraction(0))
    percent = min(HUNDRED, exact(settings.late.percent_a_day) * days_late)
    taken = -gained * percent / HUNDRED
    return MarkLine("late", "", taken, Fraction(0), count=days_late)


def _person_lines(settings: AssignmentSettings, person: PersonMarks) -> list[MarkLine]:
    lines = []
    if bands := settings.rule.ladder:
        place, most = person.ladder_place, max(exact(band.points) for band in bands)
        gains = (exact(b.points) for b in bands if place is not None and place <= b.place)
        points = max(gains, default=Fraction(0))
        lines.append(MarkLine("ladder", "", points, most, count=place or 0))
    for part in settings.rule.manual:
        given = person.manual.get(part.title)
        points_given = None if given is None else exact(given)
        final = given is not None
        lines.append(MarkLine("manual", part.title, points_given, exact(part.points), final=final))
    return lines


def choose_counted(graded: Sequence[tuple[int, Marks]], settings: AssignmentSettings) -> int | None:
    """Which submission counts, of pairs of an id and marks, oldest first: the best of the latest
    ones; of equal ones the latest."""
    latest = graded[-settings.counted :] if settings.counted else graded
    if not latest:
        return None
    order = {id: place for place, (id, _) in enumerate(latest)}
    return max(latest, key=lambda each: (each[1].bout_points, order[each[0]]))[0]
