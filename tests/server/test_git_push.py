"""Bots submitted by git push: versions, answers, clones, and who may."""

from pathlib import Path

import pytest

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
