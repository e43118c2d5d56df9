"""Bots submitted by git push: versions, answers, clones, and who may."""

import contextlib
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.orm import Session

from ludus.server.git import version_history
from ludus.server.git.version_history import HistoryCache, PageHistory
from ludus.server.web.traffic_limits import TrafficCaller
from tests.support.accounts import CRASHING, GOOD, Person, newcomer, upload
from tests.support.courses import Course
from tests.support.git_client import (
    Clone,
    git_address,
    make_token,
    need_git,
    remote_lines,
)
from tests.support.site import Site

need_git()


@pytest.fixture(scope="module")
def ann(playing_site: Site) -> Person:
    return newcomer(playing_site, "ann")


@pytest.fixture(scope="module")
def token(ann: Person) -> str:
    return make_token(ann)


def test_a_push_becomes_a_checked_version_and_a_clone_gives_it_back(
    ann: Person, token: str, tmp_path: Path
) -> None:
    bot = upload(ann)
    address = git_address(ann, bot["id"], token)
    clone = Clone.make(tmp_path / "mine", {"bot.py": GOOD, ".gitignore": b"*.log\n"})
    said = clone.git("push", address, "main")
    lines = remote_lines(said)
    assert lines[0] == f"{bot['name']} #2 is being checked…", said
    assert f"{bot['name']} #2 passed its check" in lines
    assert lines[-1] == f"{ann.site.url}/bots/{bot['id']}"
    version = ann.get(f"/api/bots/{bot['id']}")["versions"][0]
    assert (version["number"], version["state"], version["remark"]) == (2, "good", "first")
    assert version["commit"] == clone.head
    assert set(ann.get(f"/api/versions/{version['id']}/files")) == {"bot.py"}
    again = clone.commit({"bot.py": CRASHING}, "worse")
    clone.git("tag", "-a", "v1", "-m", "one")
    said = clone.git("push", address, "main", "v1", LANGUAGE="zh_CN", LC_ALL="zh_CN.UTF-8")
    lines = remote_lines(said)
    assert f"{bot['name']} #3 未通过检查" in lines and "ValueError" in said
    version = ann.get(f"/api/bots/{bot['id']}")["versions"][0]
    assert (version["state"], version["remark"], version["commit"]) == (
        "refused",
        "v1 · worse",
        again,
    )
    assert "up-to-date" in clone.git("push", address, "main")
    fetched = Clone(tmp_path)
    fetched.git("clone", "-q", address, "theirs")
    theirs = Clone(tmp_path / "theirs")
    assert theirs.head == again and theirs.git("tag").split() == ["v1"]
    theirs.commit({"bot.py": GOOD}, "better")
    assert f"{bot['name']} #4 passed" in theirs.git("push", "origin", "main")
    assert "better" in clone.git("pull", address, "main") + clone.git("log", "-1")


def test_a_clone_has_what_was_made_on_the_page_and_can_be_pushed_back(
    ann: Person, token: str, tmp_path: Path
) -> None:
    bot = upload(ann, remark="corners first")
    files = {"bot.py": CRASHING.decode(), "parts/book.py": "LINES = 1\n", "notes.txt": ""}
    ann.post(f"/api/bots/{bot['id']}/versions", {"files": files, "remark": "a book\0"})
    address = git_address(ann, bot["id"], token)
    Clone(tmp_path).git("clone", "-q", address, "mine")
    mine = Clone(tmp_path / "mine")
    assert mine.git("log", "--format=%an|%s|%b").split("\n\n") == [
        f"{ann.name}|Version 2|a book",
        f"{ann.name}|Version 1|corners first",
        "",
    ]
    assert {name: (mine.folder / name).read_text() for name in files} == files
    assert mine.git("fsck", "--strict").strip() == ""
    pushed = mine.commit({"bot.py": GOOD}, "mended")
    assert f"{bot['name']} #3 passed its check" in mine.git("push", "origin", "main")
    ann.post(f"/api/bots/{bot['id']}/versions", {"files": files, "remark": "again"})
    mine.git("pull", "-q")
    assert mine.head == pushed
    mine.git("fetch", "-q")
    subjects = mine.git("log", "--format=%s", "origin/web").split("\n")
    assert subjects[:2] == ["Version 4", "Version 2"]
    assert mine.git("merge-base", "main", "origin/web") == mine.git("rev-parse", "main~1")


def test_of_versions_that_are_too_much_a_clone_has_the_newest(
    ann: Person, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = upload(ann)
    ann.post(f"/api/bots/{bot['id']}/versions", {"files": {"bot.py": "1"}})
    add = version_history.add_page_versions
    monkeypatch.setattr(
        version_history,
        "add_page_versions",
        lambda database, bot, repository, most: add(database, bot, repository, 100),
    )
    Clone(tmp_path).git("clone", "-q", git_address(ann, bot["id"], token), "mine")
    assert Clone(tmp_path / "mine").git("log", "--format=%s").split("\n") == ["Version 2", ""]


def test_versions_are_packed_once_for_a_clone_in_a_turn_and_after_reading_the_database(
    ann: Person, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = upload(ann)
    state, caller = ann.site.state, TrafficCaller(f"account {ann.user['id']}")
    reading, make = state.site.database.reading, version_history.make_history
    reads: Counter[int] = Counter()
    seen: list[tuple[int, bool]] = []

    @contextlib.contextmanager
    def counted() -> Iterator[Session]:
        me = threading.get_ident()
        reads[me] += 1
        try:
            with reading() as session:
                yield session
        finally:
            reads[me] -= 1

    def watched(*given: Any) -> PageHistory:
        has_turn = not state.traffic.git_requests.is_free_for(caller)
        seen.append((reads[threading.get_ident()], has_turn))
        return make(*given)

    monkeypatch.setattr(state.site.database, "reading", counted)
    monkeypatch.setattr(version_history, "make_history", watched)
    Clone(tmp_path).git("clone", "-q", git_address(ann, bot["id"], token), "mine")
    assert seen == [(0, True)]


def test_histories_are_kept_up_to_a_number_of_bytes() -> None:
    cache = HistoryCache(10)
    for bot in (1, 2):
        cache.keep((bot, ()), PageHistory("", b"12345"))
    assert cache.find((1, ())) is not None
    cache.keep((3, ()), PageHistory("", b"1"))
    assert [bot for bot in (1, 2, 3) if cache.find((bot, ())) is not None] == [1, 3]
    cache.keep((4, ()), PageHistory("", bytes(11)))
    assert cache.size == 0 and cache.find((4, ())) is None


def test_a_push_hands_in_for_an_assignment_or_is_refused(
    playing_site: Site, tmp_path: Path
) -> None:
    course = Course.begin(playing_site)
    ann = course.student("ann")
    bot = upload(ann)
    address = git_address(ann, bot["id"], make_token(ann))
    id = course.assign(attempts_a_day=1)
    title = course.bodies[id]["title"]
    clone = Clone.make(tmp_path, {"bot.py": GOOD})
    for option, sentence in (
        ("submit=99999", "(it cannot be handed in for assignment 99999: there is no such assign"),
        (
            "enter",
            "(the options of a push are submit=NUMBER, with the number of an assignment, and",
        ),
    ):
        assert sentence in clone.git("push", "-o", option, address, "main", fails=True)
    said = clone.git("push", "-o", f"submit={id}", address, "main")
    assert remote_lines(said)[0] == f"handed in for “{title}”", said
    clone.commit({"bot.py": GOOD + b"#"}, "second")
    said = clone.git("push", "-o", f"submit={id}", address, "main", fails=True)
    assert "all 1 submissions of today are used" in said
    assert len(ann.get(f"/api/bots/{bot['id']}")["versions"]) == 2, "nothing of it was stored"
    clone.git("push", address, "main")
    assert len(ann.get(f"/api/assignments/{id}")["work"]["submissions"]) == 1


def test_a_late_push_is_handed_in_only_if_it_says_so(playing_site: Site, tmp_path: Path) -> None:
    course = Course.begin(playing_site)
    ann = course.student("ann")
    bot = upload(ann)
    address = git_address(ann, bot["id"], make_token(ann))
    id = course.assign(late={"days": 2, "percent_a_day": 10})
    clone = Clone.make(tmp_path, {"bot.py": GOOD})
    clone.git("push", "-o", f"submit={id}", address, "main")
    course.change(id, days=-0.5)
    clone.commit({"bot.py": GOOD + b"#"}, "late")
    said = clone.git("push", "-o", f"submit={id}", address, "main", fails=True)
    words = ann.get(f"/api/assignments/{id}")["late"]["en"]
    assert "1 day late: 10 % off" in words and "even if an earlier one was on time" in words
    assert f"({words} To hand it in all the same, add -o late=yes)" in said
    assert len(ann.get(f"/api/bots/{bot['id']}")["versions"]) == 2, "nothing of it was stored"

    # A version that was pushed before is handed in by a tag.
    clone.git("push", address, "main")
    clone.git("tag", "hand-in")
    said = clone.git("push", "-o", f"submit={id}", "-o", "late=yes", address, "hand-in")
    assert words in remote_lines(said), "the same words as on the page"
    work = ann.get(f"/api/assignments/{id}")["work"]["submissions"]
    assert [each["version"]["number"] for each in work] == [3, 2]
    assert len(ann.get(f"/api/bots/{bot['id']}")["versions"]) == 3


def test_the_name_of_a_team_cannot_break_a_commit(ann: Person, token: str, tmp_path: Path) -> None:
    team = ann.post("/api/teams", {"name": "<b> us> <"})["id"]
    bot = upload(ann, team=str(team))
    Clone(tmp_path).git("clone", "-q", git_address(ann, bot["id"], token), "ours")
    ours = Clone(tmp_path / "ours")
    assert ours.git("log", "--format=%an <%ae>") == f"b us <team-{team}@ludus.invalid>\n"
    assert ours.git("fsck", "--strict").strip() == ""
