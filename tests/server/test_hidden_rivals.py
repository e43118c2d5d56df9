"""Before their time nobody but the staff of a class learns more of hidden rivals than their level:
every address that is read, and every socket, as everybody, at every time."""

import contextlib
import secrets
from dataclasses import dataclass
from typing import Any

import pytest
import sqlalchemy as sql
from websockets.exceptions import ConnectionClosed, InvalidStatus

from ludus.scheduling.schema import BoutRow, GradingRow
from tests.support.accounts import GOOD, Person, good_bot
from tests.support.courses import Course
from tests.support.routes import SOCKETS, opened, reading_routes
from tests.support.site import Site

MARK = secrets.token_hex(4)
NAME, CODE, PRINTED = f"Kraken-{MARK}", f"PLANTED-CODE-{MARK}", f"PLANTED-OUTPUT-{MARK}"
ENGINE = "search:7"
RIVAL = f"# {CODE}".encode() + GOOD.replace(b"thinking aloud", PRINTED.encode())
SECRETS = (NAME, CODE, PRINTED, ENGINE)
TIMES = ("open", "late")
"""Both before hidden rivals are shown: work is accepted, or late work."""
OUTSIDERS = ("nobody", "submitter", "classmate", "teacher of another class")


@dataclass
class Exam:
    """An assignment with hidden rivals whose bouts are played."""

    course: Course
    id: int
    people: dict[str, Person]
    rival: dict[str, Any]
    submission: int
    contests: dict[str, int]
    """The gradings by part."""
    bouts: list[int]
    """Hidden ones."""

    def addresses(self) -> list[str]:
        """All that is read with GET, with the ids of what is hidden."""
        films = [f"bout-{bout}" for bout in self.bouts[:2]]
        return [each for path in reading_routes() for each in self.fill(path, films)]

    def fill(self, path: str, films: list[str]) -> list[str]:
        ids = {
            "assignments": self.id,
            "bots": self.rival["id"],
            "versions": self.rival["versions"][0]["id"],
            "bouts": self.bouts[0],
            "groups": self.course.group["id"],
        }
        subject = path.split("/")[2]
        filled = path.replace("{id:int}", str(ids.get(subject, self.contests["hidden"])))
        filled = filled.replace("{submission:int}", str(self.submission))
        filled = filled.replace("{user:int}", str(self.people["submitter"].user["id"]))
        filled = filled.replace("{rival:str}", str(self.rival["id"])).replace(
            "{game:str}", "reversi"
        )
        name = {"users": self.course.teacher.name, "contests": "report.json"}
        filled = filled.replace("{name:str}", name.get(subject, "reversi"))
        if "{id:str}" in filled:
            return [f"{filled.replace('{id:str}', film)}?step=1&seat=0" for film in films]
        return [filled]

    def searches(self) -> list[str]:
        """Questions whose answers could tell of what is hidden."""
        words = (f"player={NAME}", f"opponent={NAME}", "kind=grading", "player=search")
        contest = self.contests["hidden"]
        return [
            *(f"/api/bouts?{word}" for word in words),
            f"/api/bouts?contest={contest}",
            f"/api/bots?owner={self.course.teacher.name}",
            "/api/bots?game=reversi&limit=100",
            f"/api/bots/{self.own_bot()}/bouts",
            f"/api/bots/{self.own_bot()}/against/{self.rival['id']}",
            f"/git/{self.rival['id']}/x.git/info/refs?service=git-upload-pack",
        ]

    def own_bot(self) -> int:
        found: int = self.people["submitter"].get("/api/bots?mine=1")["items"][0]["id"]
        return found


@pytest.fixture(scope="module")
def exam(playing_site: Site) -> Exam:
    course = Course.begin(playing_site)
    rival = good_bot(course.teacher, code=RIVAL, name=NAME, private="1")
    ann, bob = course.student("ann"), course.student("bob")
    hidden = {"hidden": True, "points": 10}
    id = course.assign(
        rivals=[
            {"bot": "random", "level": 1},
            {"bot": f"v{rival['versions'][0]['id']}", "level": 2, **hidden},
            {"bot": ENGINE, "level": 3, **hidden},
        ],
        late={"days": 1, "percent_a_day": 10},
        bouts=2,
    )
    work = course.submit(ann, id, good_bot(ann)["versions"][0]["id"])
    course.wait_until_graded(id)
    with playing_site.state.site.database.reading() as session:
        rows = session.execute(
            sql.select(GradingRow.part, GradingRow.contest_id).where(GradingRow.assignment_id == id)
        )
        contests = {part: contest for part, contest in rows}
        query = sql.select(BoutRow.id).where(BoutRow.contest_id == contests["hidden"])
        bouts = list(session.scalars(query))
    assert len(bouts) == 4
    people = {
        "nobody": Person(playing_site),
        "submitter": ann,
        "classmate": bob,
        "teacher of another class": Course.begin(playing_site).teacher,
    }
    submission = work["submissions"][0]["id"]
    return Exam(course, id, people, rival, submission, contests, bouts)


def leaks(exam: Exam, body: bytes, asked: str) -> list[str]:
    """What is told that was not in the question itself."""
    text = opened(body)
    films = [f"bout-{bout}" for bout in exam.bouts]
    return [word for word in (*SECRETS, *films) if word in text and word not in asked]


def set_time(exam: Exam, time: str) -> None:
    exam.course.change(exam.id, days={"open": 7, "late": -0.5, "closed": -2}[time])


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("role", OUTSIDERS)
def test_nothing_but_the_level_is_told_before_its_time(exam: Exam, time: str, role: str) -> None:
    set_time(exam, time)
    person = exam.people[role]
    for address in (*exam.addresses(), *exam.searches()):
        answer = person.ask(address)
        assert answer.status < 500, (address, answer.body)
        found = leaks(exam, answer.body, address)
        assert not found, (address, found, answer.body[:500])
        if address.startswith(("/api/films/", f"/api/bouts/{exam.bouts[0]}")):
            assert answer.status in (401, 404), (address, answer.status)
    if role == "submitter":
        told = person.get(f"/api/assignments/{exam.id}")
        assert [(each["level"], each["name"]) for each in told["rivals"]][1:] == [
            (2, None),
            (3, None),
        ]
        notices = person.get("/api/notices")["items"]
        assert sum(each["kind"] == "grading" for each in notices) == 1, "only of the public part"


@pytest.mark.parametrize("role", OUTSIDERS)
def test_changes_and_sockets_do_not_tell_either(exam: Exam, role: str) -> None:
    set_time(exam, "open")
    person = exam.people[role]
    word, bot = f"v{exam.rival['versions'][0]['id']}", exam.rival["id"]
    tries: list[tuple[str, Any]] = [
        ("/api/challenges", {"game": "reversi", "bots": [word, "random"]}),
        ("/api/challenges", {"game": "ataxx", "bots": [bot, "random"]}),
        ("/api/assignments/preview", {**exam.course.bodies[exam.id]["settings"], "seed": 0}),
        (f"/api/bouts/{exam.bouts[0]}/posts", {"text": "x"}),
        (f"/api/films/bout-{exam.bouts[0]}/analysis", {}),
        (f"/api/bots/{bot}/mistakes", {}),
    ]
    for path, body in tries:
        answer = person.ask(path, body)
        assert 400 <= answer.status < 500, (path, answer.status, answer.body)
        assert not leaks(exam, answer.body, path), (path, answer.body)
    for path in SOCKETS:
        filled = path.replace("{id:int}", str(exam.contests["hidden"]))
        filled = filled.replace("{id:str}", f"bout-{exam.bouts[0]}").replace(
            "{game:str}", "reversi"
        )
        heard = []
        endings = contextlib.suppress(ConnectionClosed, InvalidStatus, TimeoutError)
        with endings, person.socket(filled) as socket:
            while True:
                heard.append(str(socket.recv(timeout=0.05)))
        assert not leaks(exam, "\n".join(heard).encode(), filled), (filled, heard)


def test_a_comment_on_a_hidden_bout_is_no_news_for_the_student(exam: Exam) -> None:
    set_time(exam, "open")
    ann = exam.people["submitter"]
    before = len(ann.get("/api/notices")["items"])
    exam.course.teacher.post(f"/api/bouts/{exam.bouts[0]}/posts", {"text": "look at this"})
    assert len(ann.get("/api/notices")["items"]) == before


def test_the_staff_of_the_class_sees_all_of_it_before(exam: Exam) -> None:
    set_time(exam, "open")
    teacher = exam.course.teacher
    answers = [opened(teacher.ask(address).body) for address in exam.addresses()]
    assert all(any(word in text for text in answers) for word in (NAME, CODE, PRINTED, ENGINE))
    assert any(f"bout-{exam.bouts[0]}" in text for text in answers)


def test_afterwards_only_who_handed_in_sees_bouts_and_nobody_code_or_output(exam: Exam) -> None:
    set_time(exam, "closed")
    try:
        for role, person in exam.people.items():
            found = {
                word
                for address in exam.addresses()
                for word in leaks(exam, person.ask(address).body, address)
            }
            assert not found & {CODE, PRINTED}, role
            assert (f"bout-{exam.bouts[0]}" in found, NAME in found) == {
                "submitter": (True, True),
                "classmate": (False, True),
            }.get(role, (False, False)), role
    finally:
        set_time(exam, "open")
