"""A class whose submissions are graded while server, background process and workers are killed."""

from __future__ import annotations

import functools
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.courses.assignment import AssignmentSettings, GradingRule, Rival
from ludus.scheduling.schema import AssignmentRow, BoutRow, ContestRow, GradingRow, UserRow
from ludus.server.accounts import groups, users
from ludus.server.accounts.identity import Identity
from ludus.server.admin.site_settings import SiteSettings
from ludus.server.bots import bots, upload
from ludus.server.courses import assignments, submissions
from ludus.server.courses.mark_book import MarkBook
from ludus.server.database import Database
from tests.support.courses import moment
from tests.support.server_process import BOT, Server
from tests.support.site import wait_for

RIVALS = ("random", "greedy", *(f"search:{number}" for number in range(1, 9)))


@dataclass(frozen=True)
class GradingSize:
    """How much is graded. Students share so many different codes."""

    students: int
    codes: int
    rivals: int
    bouts: int

    @property
    def total(self) -> int:
        return self.students * self.rivals * self.bouts


def fill_class(address: str, size: GradingSize) -> int:
    """A class in which everybody has handed in; the id of the assignment. Every second rival is
    hidden. Accounts and versions are written as if their checks had ended."""
    database = Database(address)
    with database.writing() as session:
        teacher = users.create_user(session, "teacher", "!", role="teacher")
        staff = Identity(teacher.id, "teacher", "teacher")
        group = groups.make_group(session, staff, "Class")
        staff = Identity(
            teacher.id,
            "teacher",
            "teacher",
            groups=frozenset({group.id}),
            teaching=frozenset({group.id}),
            assisting=frozenset({group.id}),
        )
        settings = AssignmentSettings(
            game="reversi",
            options={"size": 4},
            openings="random:2",
            seed=2026,
            bouts=size.bouts,
            rivals=tuple(
                Rival(bot=bot, level=level, hidden=level % 2 == 0)
                for level, bot in enumerate(RIVALS[: size.rivals], 1)
            ),
            rule=GradingRule(no_fault=5, round_to="0.01"),
        )
        times = assignments.AssignmentTimes.parse(None, moment(7), None, 0)
        row = assignments.create_assignment(
            session, staff, group.id, settings, times, title="Task", about="", published=True
        )
        for number in range(size.students):
            _hand_in(session, group.id, row, number, number % size.codes)
        id = row.id
    database.close()
    return id


def _hand_in(session: Session, group_id: int, row: AssignmentRow, number: int, taste: int) -> None:
    name = f"student{number}"
    user = users.create_user(session, name, "!")
    groups.add_member(session, groups.get_group(session, group_id), user.id)
    person = Identity(user.id, name, "student", groups=frozenset({group_id}))
    rules = SiteSettings()
    bot = bots.create_bot(session, person, rules, game="reversi", name=f"bot of {name}")
    files = {"bot.py": BOT.format(taste=taste).encode()}
    bundle = upload.receive_upload(list(files.items()), 1 << 20)
    version = bots.add_version(session, person, rules, bot, bundle)
    version.state = bots.GOOD
    submissions.submit_version(session, person, row, version.id)


def count_played(database: Database) -> int:
    with database.reading() as session:
        return session.scalar(sql.select(sql.func.count(BoutRow.id))) or 0


def is_over(database: Database, assignment_id: int) -> bool:
    query = (
        sql.select(sql.func.count())
        .select_from(GradingRow)
        .join(ContestRow, ContestRow.id == GradingRow.contest_id)
        .where(GradingRow.assignment_id == assignment_id, ContestRow.state != "over")
    )
    with database.reading() as session:
        return not session.scalar(query)


def _kill_server(server: Server) -> bool:
    server.kill()
    server.start()
    return True


def _kill_one(pids: Sequence[int]) -> bool:
    if not pids:
        return False
    os.kill(pids[0], signal.SIGKILL)
    return True


def check_marks(database: Database, assignment_id: int, size: GradingSize) -> dict[int, Fraction]:
    """Every bout is there once, and equal codes have equal marks; the marks by code."""
    with database.reading() as session:
        key = (BoutRow.contest_id, BoutRow.match_id, BoutRow.number)
        counts = sql.select(sql.func.count()).where(~BoutRow.void).group_by(*key)
        assert Counter(session.scalars(counts)) == {1: size.total}, "played once each"
        row = session.get_one(AssignmentRow, assignment_id)
        book = MarkBook(session, row, show_hidden=True)
        names = {user.id: user.name for user in session.scalars(sql.select(UserRow))}
        by_code: dict[int, set[Fraction]] = {}
        for user_id in book.submissions:
            number = int(names[user_id].removeprefix("student"))
            marks = book.work_of(user_id).total
            assert marks.complete, (names[user_id], marks)
            by_code.setdefault(number % size.codes, set()).add(marks.total)
    assert all(len(totals) == 1 for totals in by_code.values()), by_code
    return {code: totals.pop() for code, totals in by_code.items()}


@dataclass
class GradingProgress:
    """How far a grading has come."""

    assignment_id: int = 0
    """Zero until its class has handed in."""
    seconds: float = 0.0
    killed: dict[str, int] = field(default_factory=dict)
    """How often each kind of process was killed."""


@dataclass
class GradingRun:
    """The grading of a class during which server, background process and a worker are killed one
    after the other, whenever a further part of the bouts was played."""

    server: Server
    size: GradingSize
    kills: int
    patience: float = 120.0
    report: Callable[[GradingRun, int], None] = lambda run, played: None
    """Called now and then with the number of bouts that were played."""
    progress: GradingProgress = field(default_factory=GradingProgress)
    marks: dict[int, Fraction] = field(default_factory=dict)
    """By code; once it was played."""

    def play(self) -> None:
        """Grade the class; where ``progress`` says so, go on with it."""
        if not self.progress.assignment_id:
            self.progress.assignment_id = fill_class(self.server.database, self.size)
        began = time.monotonic() - self.progress.seconds
        self.server.start()
        database = Database(self.server.database)

        def has_played(goal: int) -> bool:
            played = count_played(database)
            self.progress.seconds = time.monotonic() - began
            self.report(self, played)
            return played >= goal

        try:
            for number in range(sum(self.progress.killed.values()), self.kills):
                goal = self.size.total * (number + 1) // (self.kills + 1)
                wait_for(functools.partial(has_played, goal), self.patience)
                self._kill(number)
            wait_for(functools.partial(has_played, self.size.total), self.patience)
            wait_for(lambda: is_over(database, self.progress.assignment_id), self.patience)
            self.marks = check_marks(database, self.progress.assignment_id, self.size)
        finally:
            self.server.stop()
            database.close()

    def _kill(self, number: int) -> None:
        acts: Sequence[tuple[str, Callable[[], bool]]] = (
            ("server", lambda: _kill_server(self.server)),
            ("worker", lambda: _kill_one(self.server.workers())),
            ("background", lambda: _kill_one([p for p in [self.server.background_pid()] if p])),
        )
        name, act = acts[number % len(acts)]
        wait_for(act, 60)
        self.progress.killed[name] = self.progress.killed.get(name, 0) + 1
