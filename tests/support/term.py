"""A term: sixty students of a class who hand in bots, and all that a teacher may download."""

import csv
import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tests.support.accounts import PASSWORD, Person, upload
from tests.support.courses import moment
from tests.support.git_client import Clone, git_address, make_token
from tests.support.own_marks import OwnBout, OwnSubmission
from tests.support.site import Site, wait_for

SIZE = 60
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
BOT = """import random


class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        moves = position.legal(self.seat)
        {}
"""
FIRST, MIDDLE, LAST, ANY = (
    BOT.format(f"return {choice}").encode()
    for choice in (
        "moves[0]",
        "moves[len(moves) // 2]",
        "moves[-1]",
        "random.SystemRandom().choice(moves)",
    )
)
# These are faultless on the generous clock of a check, and not on that of an assignment.
CRASHES, HANGS, CHEATS = (
    BOT.format(f"{act}\n        return moves[0]").encode()
    for act in (
        "assert clock.mine > 1",
        "while clock.mine < 1: pass",
        "if clock.mine < 1 and self.seat == 1: return 'z9z9z9'",
    )
)
REFUSED = BOT.format("return moves.nothing").encode()
"""Does not pass its check."""


@dataclass
class Student:
    """A line of the roster, and the person who uses its link."""

    number: str
    name: str
    section: str
    person: Person = field(default_factory=lambda: Person(None))  # type: ignore[arg-type]

    @property
    def id(self) -> int:
        return int(self.person.user["id"])

    def activate(self, site: Site, link: str) -> None:
        """Choose a name and a password with the link of one's own."""
        self.person = Person(site, f"s-{self.number}")
        chosen = {"code": link.partition("#code=")[2], "password": PASSWORD}
        self.person.post("/api/activation", {**chosen, "name": self.person.name})

    def log_in(self, site: Site, name: str) -> None:
        self.person = Person(site, name)
        self.person.post("/api/login", {"name": name, "password": PASSWORD})


def make_students() -> list[Student]:
    """Sixty people of three sections; two have the same name."""
    surnames, given = "赵钱孙李周吴郑王冯陈", ("子涵", "一诺", "浩然", "思远", "雨桐", "梓萱")
    names = [f"{surname}{each}" for each in given for surname in surnames]
    names[-1] = names[0]
    return [
        Student(f"2026{place:06d}", name, f"计6{place % 3 + 1}") for place, name in enumerate(names)
    ]


def write_roster(students: Sequence[Student]) -> bytes:
    """As Excel saves a CSV file in China."""
    lines = ["行政班,学 号,电子邮箱,姓名"]
    lines += [f"{each.section},{each.number},,{each.name}" for each in students]
    return "\r\n".join(lines).encode("gbk")


@dataclass
class Task:
    """An assignment as its teacher wrote it, and what was handed in for it."""

    teacher: Person
    group: int
    title: str
    settings: dict[str, Any]
    id: int = 0
    deadline: str = ""
    extensions: dict[str, str] = field(default_factory=dict)
    """Later deadlines, by student number."""
    bots: dict[str, int] = field(default_factory=dict)
    """The bot of each person, by name of the account."""
    played: dict[int, list[OwnBout]] = field(default_factory=dict)
    """The bouts of submissions whose records were read, until they are played again."""

    @property
    def path(self) -> str:
        return f"/api/assignments/{self.id}"

    def give(self, days: float) -> None:
        """To the class, with a deadline so many days from now; one that has passed is set later."""
        self.deadline = moment(max(days, 1))
        made = self.teacher.post(f"/api/groups/{self.group}/assignments", self._body())
        self.id, self.settings["seed"] = made["id"], made["settings"]["seed"]
        if days < 0:
            self.change(deadline=moment(days))

    def change(self, *, deadline: str = "", **rule: Any) -> None:
        self.deadline = deadline or self.deadline
        self.settings["rule"] = {**self.settings["rule"], **rule}
        self.teacher.post(self.path, self._body(), method="PATCH")

    def _body(self) -> dict[str, Any]:
        return {"title": self.title, "deadline": self.deadline, "settings": self.settings}

    def extend(self, student: Student, days: float, reason: str) -> None:
        """A deadline of this student alone, so many days from now."""
        given = {"deadline": moment(days), "reason": reason}
        path = f"{self.path}/people/{student.id}/deadline"
        told = self.teacher.post(path, given, method="PUT")["extension"]
        assert told["reason"] == reason
        self.extensions[student.number] = told["deadline"]

    def deadline_of(self, student: Student) -> str:
        return self.extensions.get(student.number, self.deadline)

    def hand_in(self, person: Person, code: bytes, **fields: str) -> dict[str, Any]:
        """Upload a version, of a new bot the first time, and submit it before it is checked."""
        if bot := self.bots.get(person.name):
            version = person.send(f"/api/bots/{bot}/versions", {"bot.py": code}).json["id"]
        else:
            version = self._create_bot(person, code, **fields)["versions"][0]["id"]
        told = person.post(f"{self.path}/submissions", {"version": version})
        newest: dict[str, Any] = told["work"]["submissions"][0]
        return newest

    def push(self, person: Person, code: bytes, folder: Path, **fields: str) -> str:
        """Hand in by git; what git said. The bot is made on the page first."""
        if person.name not in self.bots:
            self._create_bot(person, FIRST, **fields)
        clone = Clone.make(folder, {"bot.py": code})
        address = git_address(person, self.bots[person.name], make_token(person))
        return clone.git("push", "-o", f"submit={self.id}", address, "main")

    def _create_bot(self, person: Person, code: bytes, **fields: str) -> dict[str, Any]:
        name = f"{self.settings['game']} of {person.name}"
        made = upload(person, code, game=self.settings["game"], name=name, **fields)
        self.bots[person.name] = made["id"]
        return made

    def play_again(self, bouts: int) -> None:
        """Regrade all, until so many bouts were played a second time."""
        self.teacher.post(f"{self.path}/regrade", {"again": True})
        wait_for(lambda: self.teacher.get(f"{self.path}/marks")["replayed"] == bouts, 300)
        self.played.clear()

    def wait_until_late(self) -> None:
        """The deadline is over, and late work is accepted."""
        wait_for(lambda: self.teacher.get(self.path)["state"] == "late")

    def graded(self, student: Student) -> list[OwnSubmission]:
        """The graded submissions of a student, the oldest first, once all their bouts were
        played; each bout from its record."""
        path, found = f"{self.path}/people/{student.id}", []

        def is_over() -> bool:
            found[:] = self.teacher.get(path)["submissions"]
            return all(
                each["state"] == "refused"
                or (each["state"] == "grading" and each["played"] == each["planned"])
                for each in found
            )

        wait_for(is_over, 300)
        graded = [each for each in reversed(found) if each["state"] == "grading"]
        return [OwnSubmission(one["id"], one["at"], self._find_bouts(one["id"])) for one in graded]

    def _find_bouts(self, submission: int) -> list[OwnBout]:
        if submission not in self.played:
            self.played[submission] = self._read_bouts(submission)
        return self.played[submission]

    def _read_bouts(self, submission: int) -> list[OwnBout]:
        listed = self.teacher.get(f"{self.path}/submissions/{submission}/bouts")
        return [
            OwnBout.read(self.teacher.ask(f"/api/films/{bout['film']}/raw").body, listed["levels"])
            for bout in listed["bouts"]
        ]


def read_csv(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))


def read_xlsx(data: bytes) -> list[dict[str, str]]:
    """The cells of a workbook's only sheet, under the headings of its first row."""
    with zipfile.ZipFile(io.BytesIO(data)) as box:
        sheet = ElementTree.fromstring(box.read("xl/worksheets/sheet1.xml"))
    rows: list[dict[str, str]] = []
    for row in sheet.iter(f"{SHEET}row"):
        rows.append({})
        for cell in row.iter(f"{SHEET}c"):
            column = cell.get("r", "").rstrip("0123456789")
            rows[-1][column] = "".join(cell.itertext())
    head, *lines = rows
    return [{title: line.get(column, "") for column, title in head.items()} for line in lines]


def read_json(data: bytes) -> Any:
    """With numbers as they are written."""
    return json.loads(data, parse_float=Fraction, parse_int=Fraction)
