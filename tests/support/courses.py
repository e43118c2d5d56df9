"""A class with a teacher, whose students hand in assignments."""

import secrets
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

import sqlalchemy as sql

from ludus.match.record import Record, unpack
from ludus.scheduling.schema import BoutRow, ContestRow, GradingRow, RecordRow
from tests.support.accounts import Person, log_in, new_teacher, newcomer
from tests.support.site import Site, wait_for


def moment(days: float) -> str:
    """A time so many days from now."""
    return (datetime.now(UTC) + timedelta(days=days)).isoformat(timespec="seconds")


def make_settings(*, rivals: list[dict[str, Any]] | None = None, **changes: Any) -> dict[str, Any]:
    """Of a small assignment: one public rival and a hidden one, four bouts against each."""
    return {
        "game": "reversi",
        "options": {"size": 4},
        "openings": "random:2",
        "bouts": 4,
        "rivals": rivals
        or [
            {"bot": "random", "level": 1, "points": 10},
            {"bot": "greedy", "level": 2, "points": 20, "hidden": True},
        ],
        **changes,
    }


@dataclass
class Course:
    """A class, its teacher, and the assignments that it was given."""

    site: Site
    teacher: Person
    group: dict[str, Any]
    bodies: dict[int, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def begin(cls, site: Site, organiser: str = "Olga") -> "Course":
        teacher = new_teacher(log_in(site, organiser))
        teacher = log_in(site, teacher.name)
        group = teacher.post("/api/groups", {"name": f"AI {secrets.token_hex(2)}"})
        return cls(site, teacher, group)

    def student(self, stem: str = "student") -> Person:
        found = newcomer(self.site, stem)
        found.post("/api/groups/join", {"code": self.group["code"]})
        return found

    def assign(self, *, days: float = 7, **settings: Any) -> int:
        """A new assignment; its id."""
        body = {
            "title": f"Task {secrets.token_hex(2)}",
            "deadline": moment(days),
            "settings": make_settings(**settings),
        }
        made = self.teacher.post(f"/api/groups/{self.group['id']}/assignments", body)
        id: int = made["id"]
        # What the server filled in, so that a change keeps it.
        self.bodies[id] = {**body, "settings": made["settings"]}
        return id

    def change(self, id: int, *, days: float | None = None, **settings: Any) -> dict[str, Any]:
        body = self.bodies[id]
        if days is not None:
            body["deadline"] = moment(days)
        body["settings"] = {**body["settings"], **settings}
        changed: dict[str, Any] = self.teacher.post(f"/api/assignments/{id}", body, method="PATCH")
        return changed

    def reveal(self, id: int) -> None:
        """Let the deadline pass, and with it the time after which hidden rivals are shown.

        Times are whole seconds: the deadline is the one that has just begun, so that nothing is
        late, and has passed in the next one.
        """
        time.sleep(1 - time.time() % 1)
        self.change(id, days=0)
        time.sleep(1 - time.time() % 1)

    def submit(self, person: Person, id: int, version: int) -> dict[str, Any]:
        told = person.post(f"/api/assignments/{id}/submissions", {"version": version})
        work: dict[str, Any] = told["work"]
        return work

    def wait_until_graded(self, id: int, seconds: float = 90) -> dict[str, Any]:
        """Until all bouts of all submissions were played, hidden ones too; the marks."""
        wait_for(lambda: not self.running(id), seconds)
        book: dict[str, Any] = self.teacher.get(f"/api/assignments/{id}/marks")
        return book

    def running(self, id: int) -> list[int]:
        """Gradings that are being played, and submissions that wait for their check."""
        with self.site.state.site.database.reading() as session:
            waiting = session.scalars(
                sql.text("SELECT id FROM submissions WHERE state = 'waiting'")
            ).all()
            query = (
                sql.select(ContestRow.id)
                .join(GradingRow, GradingRow.contest_id == ContestRow.id)
                .where(GradingRow.assignment_id == id, ContestRow.state == "running")
            )
            return [*waiting, *session.scalars(query)]

    def records(self, id: int, part: str, owner: str = "") -> list[tuple[str, int, Record]]:
        """The stored bouts: the owner of the code, the number of the bout, its record."""
        query = (
            sql.select(GradingRow.owner, BoutRow.number, RecordRow.data)
            .join(BoutRow, BoutRow.contest_id == GradingRow.contest_id)
            .join(RecordRow, RecordRow.bout_id == BoutRow.id)
            .where(GradingRow.assignment_id == id, GradingRow.part == part, BoutRow.void.is_(False))
            .order_by(BoutRow.contest_id, BoutRow.match_id, BoutRow.number)
        )
        with self.site.state.site.database.reading() as session:
            return [
                (who, number, unpack(bytes(data), "bout"))
                for who, number, data in session.execute(query)
                if not owner or who == owner
            ]

    def points_from_records(self, id: int, person: Person, part: str, rival: str) -> Fraction:
        """A person's score against a rival, from the records alone."""
        total = Fraction(0)
        for _, _, record in self.records(id, part, f"u{person.user['id']}"):
            names = [bot.name for bot in record.bots]
            if rival in names:
                total += Fraction(record.scores[1 - names.index(rival)])
        return total
