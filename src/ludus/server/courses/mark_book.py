"""The marks of an assignment, computed from the stored bouts whenever they are asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.courses.assignment import HIDDEN, AssignmentSettings
from ludus.courses.marks import (
    GradedBout,
    Marks,
    PersonMarks,
    choose_counted,
    compute_marks,
)
from ludus.lang import Text
from ludus.scheduling.schema import (
    AssignmentRow,
    BoutRow,
    ContestRow,
    DeadlineExtensionRow,
    EntrantRow,
    GradingRow,
    PersonMarkRow,
    SubmissionPersonRow,
    SubmissionRow,
)
from ludus.scheduling.schema.contests import RUNNING, STOPPED
from ludus.server.courses import gradings, ladder_places, person_times
from ludus.server.courses.assignment_schemas import MarkStatus

CodeKey = tuple[str, str]
"""The owner and the digest of a code."""


@dataclass(slots=True)
class CodeResults:
    """The bouts of one code, of the latest complete round."""

    bouts: list[GradedBout] = field(default_factory=list)
    contests: list[int] = field(default_factory=list)
    stopped: Text | None = None
    replayed: int = 0
    changed: int = 0
    """Bouts of it that were played again when it was last regraded, and those that ended
    otherwise."""
    played: int = 0
    planned: int = 0
    """Of gradings under way: the bouts that were played, and all of them."""


@dataclass(slots=True)
class PersonWork:
    """The submissions of a person, oldest first, and what counts."""

    submissions: list[SubmissionRow]
    marks: dict[int, Marks]
    """By submission."""
    counted: int | None
    total: Marks
    """The marks that count; without a submission, those of no bouts."""
    added: PersonMarkRow | None
    extension: DeadlineExtensionRow | None
    days_late: dict[int, int]
    """By submission."""

    @property
    def status(self) -> MarkStatus:
        """How far it is graded; a total that a teacher has set is final."""
        if self.added is not None and self.added.override is not None:
            return "graded"
        if not self.submissions:
            return "nothing"
        is_checking = any(row.state == "waiting" for row in self.submissions)
        if self.counted is None:
            return "checking" if is_checking else "refused"
        if not any(line.score is not None and line.score.bouts for line in self.total.lines):
            return "queued"
        return "graded" if self.total.complete and not is_checking else "so_far"


class MarkBook:
    """All results of an assignment, or of some people, and their marks."""

    def __init__(
        self,
        session: Session,
        assignment: AssignmentRow,
        *,
        show_hidden: bool,
        people: Sequence[int] | None = None,
    ) -> None:
        self.session, self.assignment, self.show_hidden = session, assignment, show_hidden
        self.settings: AssignmentSettings = gradings.parse_settings(assignment)
        self.submissions = load_submissions(session, assignment.id, people)
        """By user id."""
        codes = {code_key(row) for rows in self.submissions.values() for row in rows}
        self.results = load_results(
            session, assignment.id, self.settings, codes, show_hidden=show_hidden
        )
        self._places = self._load_places()
        query = sql.select(PersonMarkRow).where(PersonMarkRow.assignment_id == assignment.id)
        self._added = {row.user_id: row for row in session.scalars(query)}
        self._extensions = person_times.load_extensions(session, assignment.id)

    def _load_places(self) -> Mapping[int, int]:
        if not self.settings.rule.ladder:
            return {}
        if (fixed := self.assignment.ladder_places) is not None:
            return {int(user): place for user, place in fixed.items()}
        return ladder_places.find_class_places(
            self.session, self.settings.game, self.assignment.group_id
        )

    def work_of(self, user_id: int) -> PersonWork:
        """The work of a person; without a person, an empty one."""
        rows, added = self.submissions.get(user_id, []), self._added.get(user_id)
        person = PersonMarks(
            self._places.get(user_id),
            added.manual if added else {},
            added.override if added else None,
        )
        extension = self._extensions.get(user_id)
        deadline = person_times.find_times(self.assignment, extension).deadline
        late = {row.id: person_times.count_days_late(row.created_at, deadline) for row in rows}
        graded = [row for row in rows if row.state == "grading"]
        marks = {row.id: self._mark(row, person, late[row.id]) for row in graded}
        counted = choose_counted(list(marks.items()), self.settings)
        nothing = compute_marks(self.settings, (), person, show_hidden=self.show_hidden)
        total = nothing if counted is None else marks[counted]
        return PersonWork(rows, marks, counted, total, added, extension, late)

    def _mark(self, row: SubmissionRow, person: PersonMarks, days_late: int) -> Marks:
        return compute_marks(
            self.settings,
            self.results[code_key(row)].bouts,
            person,
            days_late=days_late,
            show_hidden=self.show_hidden,
        )


def code_key(row: SubmissionRow) -> CodeKey:
    return row.owner, row.digest


def load_submissions(
    session: Session, assignment_id: int, people: Sequence[int] | None = None
) -> dict[int, list[SubmissionRow]]:
    """The submissions of everyone, or of some people, by user id, oldest first."""
    query = (
        sql.select(SubmissionRow, SubmissionPersonRow.user_id)
        .join(SubmissionPersonRow, SubmissionPersonRow.submission_id == SubmissionRow.id)
        .where(SubmissionRow.assignment_id == assignment_id)
        .order_by(SubmissionRow.id)
    )
    if people is not None:
        query = query.where(SubmissionPersonRow.user_id.in_(people))
    found: dict[int, list[SubmissionRow]] = {}
    for row, user_id in session.execute(query):
        found.setdefault(user_id, []).append(row)
    return found


def load_results(
    session: Session,
    assignment_id: int,
    settings: AssignmentSettings,
    codes: Iterable[CodeKey],
    *,
    show_hidden: bool,
) -> defaultdict[CodeKey, CodeResults]:
    """The counting bouts of some codes."""
    wanted = set(codes)
    query = (
        sql.select(GradingRow, ContestRow.state, ContestRow.stop_reason)
        .join(ContestRow, ContestRow.id == GradingRow.contest_id)
        .where(GradingRow.assignment_id == assignment_id, GradingRow.deal == settings.deal)
        .order_by(GradingRow.round)
    )
    if not show_hidden:
        query = query.where(GradingRow.part != HIDDEN)
    rows = [row for row in session.execute(query) if (row[0].owner, row[0].digest) in wanted]
    contests = [grading.contest_id for grading, _, _ in rows]
    bouts = load_bouts(session, contests)
    planned = {part: settings.bouts * len(settings.rivals_of(part)) for part in gradings.PARTS}
    rounds: dict[tuple[str, str, str], list[list[GradedBout]]] = {}
    found: defaultdict[CodeKey, CodeResults] = defaultdict(CodeResults)
    known = {rival.bot for rival in settings.rivals}
    for grading, state, reason in rows:
        played = [bout for bout in bouts[grading.contest_id] if bout.rival in known]
        key = (grading.owner, grading.digest)
        found[key].contests.append(grading.contest_id)
        if state == STOPPED:
            found[key].stopped = Text.of(reason or {})
        elif state == RUNNING:
            found[key].played += len(played)
            found[key].planned += planned[grading.part]
        rounds.setdefault((*key, grading.part), []).append(played)
    for (owner, digest, part), tries in rounds.items():
        _add_round(found[owner, digest], tries, planned[part])
    return found


def _add_round(results: CodeResults, rounds: Sequence[list[GradedBout]], planned: int) -> None:
    """Take the bouts of the latest complete round; if none is, of that with the most bouts."""
    complete = [played for played in rounds if len(played) >= planned]
    fullest: list[GradedBout] = max(reversed(rounds), key=len)
    results.bouts += complete[-1] if complete else fullest
    if len(complete) > 1:
        results.replayed += len(complete[-1])
        results.changed += count_changed(*complete[-2:])


def count_changed(earlier: Sequence[GradedBout], later: Sequence[GradedBout]) -> int:
    """How many bouts ended otherwise when they were played again."""
    before = {(bout.rival, bout.number): bout for bout in earlier}
    return sum(before.get((bout.rival, bout.number)) != bout for bout in later)


def load_bouts(session: Session, contests: Sequence[int]) -> defaultdict[int, list[GradedBout]]:
    """The bouts of gradings from the submission's side, by contest."""
    found: defaultdict[int, list[GradedBout]] = defaultdict(list)
    rivals: dict[tuple[int, str], str] = {}
    heroes: dict[int, str] = {}
    for start in range(0, len(contests), 500):  # databases limit the number of parameters
        some = contests[start : start + 500]
        query = sql.select(EntrantRow).where(EntrantRow.contest_id.in_(some))
        for row in session.scalars(query.order_by(EntrantRow.id)):
            if heroes.setdefault(row.contest_id, row.name) != row.name:
                rivals[row.contest_id, row.name] = gradings.identify_entrant(row)
        columns = (BoutRow.contest_id, BoutRow.number, BoutRow.names, BoutRow.scores)
        played = sql.select(*columns, BoutRow.faults).where(
            BoutRow.contest_id.in_(some), BoutRow.void.is_(False)
        )
        for contest_id, number, names, scores, faults in session.execute(played):
            seat = names.index(heroes[contest_id])
            fault = any(each["seat"] == seat for each in faults)
            rival = rivals[contest_id, names[1 - seat]]
            found[contest_id].append(GradedBout(rival, number, scores[seat], fault))
    return found
