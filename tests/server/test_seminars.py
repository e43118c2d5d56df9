"""Seminars: the staff of a class replays a bout for all who have the code, without names."""

import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest
from websockets.exceptions import ConnectionClosed

from ludus.match.verdict import SeatFault
from ludus.sandbox.bot_fault import FaultKind
from ludus.server.seminars import seminars
from ludus.server.seminars.anonymous_record import make_anonymous, name_seat
from tests.support.accounts import GOOD, Person, good_bot
from tests.support.courses import Course
from tests.support.routes import opened
from tests.support.site import Site, hear, wait_for

MARK = secrets.token_hex(4)
BOT_NAME, PRINTED, NOTE = f"Kraken-{MARK}", f"PRINTED-{MARK}", f"NOTE-{MARK}"
CODE = GOOD.replace(b'print("thinking aloud")', f'print("{PRINTED}")'.encode())


@dataclass
class Lesson:
    """A class one of whose students has a graded bout."""

    course: Course
    student: Person
    public: str
    """The film of a bout against a public rival."""
    hidden: str
    secrets: tuple[str, ...]
    """Words that lead to the student."""

    def open(self, film: str = "") -> dict[str, Any]:
        told: dict[str, Any] = self.course.teacher.post(
            "/api/seminars", {"film": film or self.public}
        )
        return told


@pytest.fixture(scope="module")
def lesson(playing_site: Site) -> Lesson:
    course = Course.begin(playing_site)
    ann = course.student("annabel")
    bot = good_bot(ann, code=CODE, name=BOT_NAME)
    id = course.assign(bouts=2)
    work = course.submit(ann, id, bot["versions"][0]["id"])
    course.wait_until_graded(id)
    path = f"/api/assignments/{id}/submissions/{work['submissions'][0]['id']}/bouts"
    films = [course.teacher.get(f"{path}?level={level}")["bouts"][0]["film"] for level in (1, 2)]
    (_, _, record), *_ = course.records(id, "public")
    digests = tuple(each.digest for each in record.bots)
    words = (BOT_NAME, PRINTED, ann.name, films[0], record.times.began, *digests)
    return Lesson(course, ann, films[0], films[1], words)


def test_followers_see_what_the_leader_shows_and_learn_no_names(
    lesson: Lesson, playing_site: Site
) -> None:
    info = lesson.open()
    guest = Person(playing_site)
    assert guest.get(f"/api/seminars/{info['code'].lower()}")["leads"] is False
    assert info["leads"] and info["film"] == f"seminar-{info['code']}"
    path = f"/ws/seminar/{info['code']}"
    with (
        lesson.course.teacher.socket(path) as leader,
        guest.socket(path) as first,
        lesson.student.socket(path) as second,
    ):
        view = {"step": 3, "shapes": [{"kind": "arrow", "cell": 1, "to": 6}], "analysis": True}
        leader.send(json.dumps(view))
        heard = []
        for socket in (first, second):
            while (told := hear(socket, "seminar"))["view"]["step"] != 3 or told["followers"] < 2:
                pass
            assert told["view"] == view and told["led"]
            heard.append(json.dumps(told))
        first.send(json.dumps({"step": 1}))
        assert hear(first, "error")["error"]["code"] == "forbidden"
        for wrong in ({"step": -1}, {"shapes": [{"kind": "ring", "cell": 16}]}, {"shapes": 3}):
            leader.send(json.dumps(wrong))
            assert hear(leader, "error")["error"]["code"] == "bad_request"
        leader.send(json.dumps({"step": 10**6}))
        while (told := hear(second, "seminar"))["view"]["step"] == 3:
            pass
        assert told["view"]["step"] == len(guest.get(f"/api/films/{info['film']}")["steps"])
    assert not any(word in text for word in lesson.secrets for text in heard)


def test_the_film_of_a_seminar_says_nothing_that_leads_to_a_person(
    lesson: Lesson, playing_site: Site
) -> None:
    info = lesson.open()
    assert len(info["students"]) == 1
    film = f"/api/films/{info['film']}"
    assert lesson.course.teacher.ask(f"{film}/analysis", {}, method="POST").status == 202
    guest = Person(playing_site)
    wait_for(lambda: guest.get(f"{film}/analysis")["analysis"] is not None, 60)
    asked = ("", "?seat=0", "/raw", "/html", "/notes", "/analysis", "/gestures?step=0&seat=0")
    answers = [guest.ask(f"{film}{each}") for each in asked]
    answers.append(guest.ask(f"/api/seminars/{info['code']}"))
    for answer in answers:
        assert answer.status == 200
        assert not [word for word in lesson.secrets if word in opened(answer.body)]
    shown = guest.get(film)
    assert [player["name"] for player in shown["players"]] == ["A", "B"]
    real = lesson.course.teacher.get(f"/api/films/{lesson.public}")
    assert [step["moves"] for step in shown["steps"]] == [step["moves"] for step in real["steps"]]
    told = opened(lesson.course.teacher.ask(f"/api/films/{lesson.public}").body)
    assert BOT_NAME in told, "the words that are looked for are there"


def test_only_the_staff_of_a_class_opens_a_seminar_and_not_before_its_time(
    lesson: Lesson, playing_site: Site
) -> None:
    stranger = Course.begin(playing_site).teacher
    for person, status in (
        (Person(playing_site), 401),
        (lesson.student, 403),
        (stranger, 404),
    ):
        answer = person.ask("/api/seminars", {"film": lesson.public})
        assert answer.status == status, (person.name, answer.body)
    early = lesson.course.teacher.ask("/api/seminars", {"film": lesson.hidden})
    assert early.status == 409 and b"not public yet" in early.body
    info = lesson.open()
    path = f"/api/seminars/{info['code']}"
    assert lesson.student.ask(path, {}, method="DELETE").status == 403
    with lesson.student.socket(f"/ws/seminar/{info['code']}") as socket:
        hear(socket, "seminar")
        lesson.course.teacher.post(path, {}, "DELETE")
        with pytest.raises(ConnectionClosed):
            while True:
                socket.recv(timeout=20)
    assert lesson.student.ask(path).status == 404
    assert lesson.student.ask(f"/api/films/{info['film']}").status == 404
    with lesson.student.socket(f"/ws/seminar/{info['code']}") as socket:
        assert "is over" in hear(socket, "error")["error"]["en"]


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(seminars, "MAX_CONNECTIONS", 1)
    monkeypatch.setattr(seminars, "MAX_SEMINARS_PER_LEADER", 1)
    yield


def test_seminars_and_their_followers_are_limited_and_end(
    lesson: Lesson, playing_site: Site, small_limits: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = lesson.open(), lesson.open()
    guest = Person(playing_site)
    assert guest.ask(f"/api/seminars/{first['code']}").status == 404, "the oldest has made room"
    path = f"/ws/seminar/{second['code']}"
    with guest.socket(path) as here:
        hear(here, "seminar")
        with guest.socket(path) as refused:
            assert hear(refused, "error")["error"]["code"] == "too_many_requests"
    monkeypatch.setattr(seminars, "MAX_SEMINARS", 0)
    answer = lesson.course.teacher.ask("/api/seminars", {"film": lesson.public})
    assert answer.status == 429
    monkeypatch.undo()
    monkeypatch.setattr(seminars, "LIFETIME_S", 0.0)
    ended = lesson.open()
    assert guest.ask(f"/api/seminars/{ended['code']}").status == 404
    assert guest.ask(f"/api/films/{ended['film']}").status == 404


def test_an_anonymous_record_has_no_words_of_its_bots_and_replays(lesson: Lesson) -> None:
    (_, _, record), *_ = lesson.course.records(next(iter(lesson.course.bodies)), "public")
    why = {"en": PRINTED, "zh": PRINTED}
    fault = SeatFault(0, FaultKind.ILLEGAL, why, move=PRINTED, trace=PRINTED)
    copy = make_anonymous(msgspec.structs.replace(record, faults=[fault]))
    text = msgspec.json.encode(copy).decode()
    assert not [word for word in lesson.secrets if word in text]
    assert copy.faults[0].kind is FaultKind.ILLEGAL and copy.moves == record.moves
    assert copy.bout_id != record.bout_id
    assert [name_seat(seat) for seat in (0, 1, 25, 26)] == ["A", "B", "Z", "A1"]
