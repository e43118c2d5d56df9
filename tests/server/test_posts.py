"""Comments on bouts, announcements in contests and classes, and what a person's page shows."""

from typing import Any

import pytest

from ludus.scheduling.schema import RatingRow
from ludus.server.accounts.rate_limit import RateLimits
from tests.support.accounts import Person, new_teacher, newcomer, upload
from tests.support.ladder_rows import write_bout, write_ladder
from tests.support.site import Site

MARKUP = "<b>well</b> played & won\nsecond line \u202e"


@pytest.fixture(scope="module")
def owners(shared: Site, organiser: Person) -> tuple[Person, Person]:
    return newcomer(shared, "owner"), newcomer(shared, "rival")


@pytest.fixture(scope="module")
def bots(owners: tuple[Person, Person]) -> list[dict[str, Any]]:
    return [upload(owner) for owner in owners]


@pytest.fixture(scope="module")
def bout(shared: Site, bots: list[dict[str, Any]]) -> int:
    """One that the first owner's bot won, on a ladder with its house bot."""
    rows = {
        f"{bot['name']}@1": (elo, bot["id"], bot["versions"][0]["id"])
        for bot, elo in zip(bots, (1300.0, 1500.0), strict=True)
    }
    database = shared.state.site.database
    ladder = write_ladder(database, "reversi", {**rows, "random": (1000.0, None, None)})
    mine, theirs = rows
    write_bout(database, ladder, (mine, "random"), (1.0, 0.0))
    write_bout(database, ladder, (theirs, mine), (1.0, 0.0))
    return write_bout(database, ladder, (mine, theirs), (1.0, 0.0))


def texts(person: Person, path: str) -> list[str]:
    return [post["text"] for post in person.get(path)["items"]]


def test_people_comment_on_a_bout_and_the_staff_moderates(
    shared: Site, organiser: Person, owners: tuple[Person, Person], bout: int
) -> None:
    owner, rival = owners
    guest, stranger, path = Person(shared), newcomer(shared), f"/api/bouts/{bout}/posts"
    stranger.post("/api/me", {"shown": f"Shown {stranger.name}"}, "PATCH")
    assert guest.ask(path, {"text": "hello"}).status == 401
    made = stranger.post(path, {"text": MARKUP})
    assert made["mine"] and texts(guest, path) == ["<b>well</b> played & won\nsecond line"]
    page = guest.get(path)
    assert not page["may_write"] and not page["may_moderate"] and not page["items"][0]["mine"]
    stranger.post(path, {"text": "and again"})
    link = f"/watch/bout-{bout}"
    told = [n for n in owner.get("/api/notices")["items"] if n["link"] == link]
    assert [n["kind"] for n in told] == ["comment"], "one notice for both"
    assert told[0]["text"]["zh"].startswith(f"Shown {stranger.name} ")
    first = f"/api/posts/{made['id']}"
    for other in (rival, guest):
        assert other.ask(first, {}, method="DELETE").status in (401, 403)
        assert other.ask(first, {"hidden": True}, method="PATCH").status in (401, 403)
    organiser.post(first, {"hidden": True}, "PATCH")
    assert texts(guest, path) == texts(rival, path) == ["and again"]
    assert len(texts(stranger, path)) == 2, "the author sees that it is hidden"
    assert organiser.get(path)["items"][1]["hidden"]
    assert rival.ask(first, {}, method="DELETE").status == 404
    organiser.delete(first)
    stranger.delete(f"/api/posts/{stranger.get(path)['items'][0]['id']}")
    assert texts(organiser, path) == []
    done = [(line["what"], line["detail"].get("user")) for line in audit(organiser)]
    assert ("post hidden", stranger.name) in done and ("post deleted", stranger.name) in done
    assert sum(what == "post deleted" for what, _ in done) == 1, "one's own is not logged"


def audit(organiser: Person) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = organiser.get("/api/admin/audit")["items"]
    return found


def test_comments_are_bounded(shared: Site, organiser: Person, bout: int) -> None:
    path, writer = f"/api/bouts/{bout - 2}/posts", newcomer(shared)
    for text in ("", " \n ", "\u200b", "x" * 2001):
        assert writer.ask(path, {"text": text}).status == 400
    assert writer.ask("/api/bouts/999999/posts", {"text": "where?"}).status == 404
    most = RateLimits().posts.times
    statuses = [writer.ask(path, {"text": f"{n}"}).status for n in range(most + 1)]
    assert statuses == [201] * most + [429]
    page = writer.get(f"{path}?limit=5")
    assert [post["text"] for post in page["items"]] == [str(most - 1 - n) for n in range(5)]
    assert writer.get(f"{path}?limit=5&before={page['next']}")["items"][0]["text"] == str(most - 6)


def test_announcements_reach_a_class_and_nobody_else(shared: Site, organiser: Person) -> None:
    teacher, outsider = new_teacher(organiser), new_teacher(organiser)
    pupil, stranger = newcomer(shared), newcomer(shared)
    group = teacher.post("/api/groups", {"name": "Announced"})
    pupil.post("/api/groups/join", {"code": group["code"]})
    path = f"/api/groups/{group['id']}/posts"
    made = teacher.post(path, {"text": "B 204 from now on"})
    assert texts(pupil, path) == ["B 204 from now on"]
    (told,) = [n for n in pupil.get("/api/notices")["items"] if n["kind"] == "announcement"]
    assert told["text"]["en"] == "Announced: B 204 from now on"
    assert told["link"] == f"/groups/{group['id']}"
    for other, status in ((stranger, 403), (outsider, 403), (Person(shared), 401)):
        assert other.ask(path).status == status
        assert other.ask(path, {"text": "no"}).status == status
        assert other.ask(f"/api/posts/{made['id']}", {}, method="DELETE").status == status
    assert pupil.ask(path, {"text": "no"}).status == 403
    asked = {"title": "Night", "game": "reversi", "group": group["id"]}
    contest = teacher.post("/api/contests", asked)
    path = f"/api/contests/{contest['id']}/posts"
    assert pupil.ask(path, {"text": "no"}).status == outsider.ask(path).status - 1 == 403
    teacher.post(path, {"text": "it starts at eight"})
    assert texts(pupil, path) == ["it starts at eight"]


def test_a_persons_page_shows_ratings_and_the_best_wins(
    shared: Site, owners: tuple[Person, Person], bots: list[dict[str, Any]], bout: int
) -> None:
    profile = Person(shared).get(f"/api/users/{owners[0].name}")
    (rating,) = profile["ratings"]
    assert (rating["game"], rating["elo"]) == ("reversi", 1300.0)
    assert rating["bot"]["id"] == bots[0]["id"]
    assert (rating["place"], rating["of"]) == (1, 3)
    assert [round(point["elo"]) for point in rating["history"]][-2:] == [1300, 1300]
    assert [(win["elo"], win["bout"]["id"]) for win in profile["wins"]] == [
        (1500.0, bout),
        (1000.0, bout - 2),
    ]
    with shared.state.site.database.writing() as session:
        for row in session.query(RatingRow).filter(RatingRow.entrant == f"{bots[0]['name']}@1"):
            row.bouts = 0
    assert Person(shared).get(f"/api/users/{owners[0].name}")["ratings"] == []
    rivals = Person(shared).get(f"/api/users/{owners[1].name}")["wins"]
    assert [win["bout"]["id"] for win in rivals] == [bout - 1]
    assert "email" not in profile["user"] and "mail_notices" not in profile["user"]
