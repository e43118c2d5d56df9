"""Accounts: who may make one, how they are kept, and what guards them."""

import contextlib
import json
import os
import re
import socket
import stat
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sql
from sqlalchemy.orm import Session
from websockets.exceptions import ConnectionClosed

from ludus.scheduling.schema import PasswordResetRow, SessionRow, TokenRow, UserRow
from ludus.server.accounts import credentials, first_account, rate_limit, sessions
from ludus.server.accounts.first_account import CODE_FILE_NAME, read_code
from ludus.server.accounts.identity import Identity
from ludus.server.admin import site_settings
from ludus.server.state import ServerSettings
from ludus.server.web.errors import NotFound, TooManyRequests
from tests.support.accounts import PASSWORD, Person, log_in, register
from tests.support.site import Site, served


@pytest.fixture
def organiser(site: Site) -> Iterator[Person]:
    yield register(site, "Olga")


@pytest.fixture(scope="module")
def settled(shared: Site) -> Site:
    """With an organiser, and for tests that change nothing."""
    register(shared, "Olga")
    return shared


def test_without_accounts_nothing_is_made_and_everybody_plays(site: Site, home: Path) -> None:
    me = site.get("/api/me")
    assert me["user"] is None and me["first"] is True and me["open"] == {"register": True}
    assert not (home / "arena.db").exists()
    assert site.ask("/api/matches", {"game": "reversi", "bots": ["random", "random"]}).status == 201


def test_the_first_account_is_the_organisers_and_the_second_a_students(
    site: Site, organiser: Person
) -> None:
    assert organiser.user["role"] == "organiser"
    student = register(site, "小明", shown="小明同学", email="ming@example.org")
    assert student.user["role"] == "student" and student.user["email"] == "ming@example.org"
    assert site.get("/api/me")["first"] is False


@pytest.mark.parametrize("name", ["olga", "ＯLGA", "", "a/b", "<b>x</b>", "x" * 31, ".."])
def test_a_name_that_is_taken_or_unfit_is_refused(settled: Site, name: str) -> None:
    answer = settled.ask("/api/register", {"name": name, "password": PASSWORD})
    assert answer.status in (400, 409) and answer.json["error"].keys() == {"code", "en", "zh"}


@pytest.mark.parametrize("password", ["short", "aaaaaaaaaaaa", "Olga-Olga"[:4] * 0 + "Wilhelmina"])
def test_a_password_that_is_easily_guessed_is_refused(settled: Site, password: str) -> None:
    answer = settled.ask("/api/register", {"name": "wilhelmina", "password": password})
    assert answer.status == 400


def test_secrets_are_kept_as_hashes_alone(
    site: Site, cheap_passwords: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(credentials, "ARGON2_COST", cheap_passwords)
    organiser = register(site, "Olga")
    token = organiser.post("/api/me/tokens", {"label": "laptop"})["token"]
    code = organiser.post(f"/api/admin/users/{organiser.user['id']}", {"reset": True})["code"]
    with site.state.site.database.reading() as session:
        user = session.scalars(sql.select(UserRow)).one()
        assert user.password_hash.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
        digests = [session.scalars(sql.select(t.digest)).one() for t in (SessionRow, TokenRow)]
        digests.append(session.scalars(sql.select(PasswordResetRow.digest)).one())
    assert digests == [credentials.digest(s) for s in (organiser.cookie, token, code)]
    assert not {organiser.cookie, token, code} & set(digests)


def test_one_logs_out_and_in_again(site: Site, organiser: Person) -> None:
    old = organiser.cookie
    organiser.post("/api/logout")
    assert site.ask("/api/me", headers={"Cookie": f"ludus={old}"}).json["user"] is None
    again = log_in(site, "OLGA")
    assert again.get("/api/me")["user"]["name"] == "Olga"


def test_a_session_is_never_taken_over_from_before_the_login(site: Site, organiser: Person) -> None:
    """Session fixation: whoever planted a cookie has nothing of the login that follows."""
    mallory = Person(site, cookie="planted")
    mallory.post("/api/login", {"name": "Olga", "password": PASSWORD})
    assert mallory.cookie not in ("", "planted")
    assert site.ask("/api/me", headers={"Cookie": "ludus=planted"}).json["user"] is None
    before = organiser.cookie
    organiser.post("/api/login", {"name": "Olga", "password": PASSWORD})
    assert organiser.cookie != before
    assert site.ask("/api/me", headers={"Cookie": f"ludus={before}"}).json["user"] is None


def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(site: Site) -> None:
    asked = {"name": "Olga", "password": PASSWORD, "code": read_code(site.home)}
    answer = site.ask("/api/register", asked)
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie and "path=/" in cookie
    assert "secure" not in cookie  # plain HTTP; a browser would not send it back


def test_a_change_without_the_pages_token_is_refused(site: Site, organiser: Person) -> None:
    cookie = {"Cookie": f"ludus={organiser.cookie}"}
    for headers in (cookie, {**cookie, "X-Csrf": "wrong"}):
        answer = site.ask("/api/teams", {"name": "Us"}, headers=headers)
        assert answer.status == 403 and "error" in answer.json
    assert organiser.get("/api/teams") == []
    assert organiser.post("/api/teams", {"name": "Us"})["name"] == "Us"


def test_a_token_acts_for_its_owner_until_it_is_withdrawn(site: Site, organiser: Person) -> None:
    made = organiser.post("/api/me/tokens", {"label": "laptop"})
    program = Person(site, token=made["token"])
    assert program.get("/api/me")["user"]["name"] == "Olga"
    program.post("/api/teams", {"name": "By a program"})
    [told] = organiser.get("/api/me/tokens")
    assert told["used"] and "token" not in told
    assert made | {"used": told["used"]} == told | {"token": made["token"]}
    organiser.delete(f"/api/me/tokens/{made['id']}")
    for answer in (program.ask("/api/me"), program.ask("/api/teams", {"name": "Later"})):
        assert answer.status == 401 and "token" in answer.json["error"]["en"]


def test_whether_a_name_exists_is_not_told(site: Site, organiser: Person) -> None:
    known = site.ask("/api/login", {"name": "Olga", "password": "wrong password"})
    unknown = site.ask("/api/login", {"name": "Nobody", "password": "wrong password"})
    assert (known.status, known.body) == (unknown.status, unknown.body)


def test_tries_are_forgotten_after_a_while() -> None:
    clock = [0.0]
    tries = rate_limit.RateLimit(2, 60, lambda: clock[0])

    def fail(key: str) -> None:
        with pytest.raises(NotFound), tries.count_try(key, NotFound):
            raise NotFound("no", "无")

    for _ in range(5):
        with tries.count_try("x", NotFound):
            pass  # what succeeds is no wrong try
    fail("x")
    fail("x")
    with pytest.raises(TooManyRequests) as refused, tries.count_try("x", NotFound):
        pass
    assert refused.value.wait == 31
    fail("y")
    clock[0] = 31
    fail("x")


def test_what_fails_is_no_account_made() -> None:
    tries = rate_limit.RateLimit(2, 60, lambda: 0.0)
    for _ in range(5):
        with pytest.raises(ValueError), tries.count_try("x"):
            raise ValueError
    for _ in range(2):
        with tries.count_try("x"):
            pass
    with pytest.raises(TooManyRequests), tries.count_try("x"):
        pass


def test_a_changed_password_ends_the_other_sessions_and_the_tokens(
    site: Site, organiser: Person
) -> None:
    elsewhere = log_in(site, "Olga")
    program = Person(site, token=organiser.post("/api/me/tokens", {"label": "x"})["token"])
    new = "another long password"
    assert organiser.ask("/api/me/password", {"old": "wrong", "new": new}).status == 403
    organiser.post("/api/me/password", {"old": PASSWORD, "new": new})
    assert elsewhere.get("/api/me")["user"] is None
    assert program.ask("/api/me").status == 401
    assert organiser.get("/api/me")["user"] is not None
    assert log_in(site, "Olga", new)
    assert site.ask("/api/login", {"name": "Olga", "password": PASSWORD}).status == 403


def test_the_organiser_helps_somebody_who_forgot(site: Site, organiser: Person) -> None:
    student = register(site, "Sam")
    code = organiser.post(f"/api/admin/users/{student.user['id']}", {"reset": True})["code"]
    assert re.fullmatch(r"[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}", code)
    program = Person(site, token=student.post("/api/me/tokens", {"label": "x"})["token"])
    assert program.get("/api/me")["user"]["name"] == "Sam"
    assert site.ask("/api/reset", {"code": "aaaa-bbbb-cccc", "new": PASSWORD}).status == 404
    fresh = "a password chosen anew"
    assert Person(site).post("/api/reset", {"code": code.upper(), "new": fresh})["name"] == "Sam"
    assert student.get("/api/me")["user"] is None
    assert program.ask("/api/me").status == 401
    assert log_in(site, "Sam", fresh)
    assert site.ask("/api/reset", {"code": code, "new": PASSWORD}).status == 404


def test_a_reset_code_works_where_many_wrong_ones_were_typed(site: Site, organiser: Person) -> None:
    code = organiser.post(f"/api/admin/users/{organiser.user['id']}", {"reset": True})["code"]
    wrong = {"code": "aaaa-bbbb-cccc", "new": PASSWORD}
    assert {site.ask("/api/reset", wrong).status for _ in range(100)} == {404}
    assert site.ask("/api/reset", {"code": code, "new": PASSWORD}).status == 200


def test_a_closed_account_is_shut_out_at_once(site: Site, organiser: Person) -> None:
    student = register(site, "Sam")
    organiser.post(f"/api/admin/users/{student.user['id']}", {"active": False})
    assert student.get("/api/me")["user"] is None
    assert site.ask("/api/login", {"name": "Sam", "password": PASSWORD}).status == 403


@pytest.mark.parametrize("end", ["logout", "password", "token", "closed"])
def test_open_sockets_end_with_what_opened_them(site: Site, organiser: Person, end: str) -> None:
    sam = register(site, "Sam")
    made = sam.post("/api/me/tokens", {"label": "x"})
    room = {"game": "reversi", "seats": [{"kind": "human"}, {"kind": "bot", "bot": "random"}]}
    path = f"/ws/room/{sam.post('/api/rooms', room)['room']}"
    bearer = {"Authorization": f"Bearer {made['token']}"}
    with contextlib.ExitStack() as stack:
        page = [stack.enter_context(sam.socket(each)) for each in ("/ws/me", path)]
        program = [
            stack.enter_context(site.socket(each, additional_headers=bearer))
            for each in ("/ws/me", path)
        ]
        others = [stack.enter_context(organiser.socket("/ws/me"))]
        match end:
            case "logout":
                sam.post("/api/logout")
                ended, kept = page, program
            case "password":
                sam.post("/api/me/password", {"old": PASSWORD, "new": "another password"})
                ended, kept = program, page
            case "token":
                sam.delete(f"/api/me/tokens/{made['id']}")
                ended, kept = program, page
            case _:
                organiser.post(f"/api/admin/users/{sam.user['id']}", {"active": False})
                ended, kept = page + program, []
        for socket in ended:
            with pytest.raises(ConnectionClosed) as closed:
                while True:
                    socket.recv(timeout=20)
            assert closed.value.rcvd is not None and closed.value.rcvd.code == 1008
        for socket in kept + others:
            assert socket.ping().wait(20)


def test_nobody_is_taken_for_somebody_else(site: Site, organiser: Person) -> None:
    organiser.post("/api/me", {"shown": "Prof. Olga"}, method="PATCH")
    register(site, "cop")
    for name, status in [
        ("Ol\u3164ga", 400),  # Hangul filler
        ("\u115f\u115f", 400),
        ("Оlga", 400),  # a Cyrillic O
        ("Prof.οlga", 400),  # a Greek one
        ("сор", 409),  # all of it Cyrillic
        ("Саша", 201),
        ("小明", 201),
    ]:
        asked = {"name": name, "password": PASSWORD}
        assert site.ask("/api/register", asked).status == status, name
    sam = register(site, "Sam")
    for shown, status in [
        ("OLGA", 409),
        ("Ol\u2800ga", 409),
        ("Оlga", 400),
        ("prof. olga", 409),
        ("Сор", 409),
        ("sam", 200),
        ("Sam Саша", 200),
    ]:
        assert sam.ask("/api/me", {"shown": shown}, method="PATCH").status == status, shown
    asked = {"name": "Sue", "password": PASSWORD, "shown": "olga"}
    assert site.ask("/api/register", asked).status == 409
    assert sam.ask("/api/teams", {"name": "\u3164\u2800"}).status == 400


def test_a_seat_cannot_bear_an_accounts_name(site: Site, organiser: Person) -> None:
    organiser.post("/api/me", {"shown": "Professor"}, method="PATCH")
    sam = register(site, "Sam")
    bot = {"kind": "bot", "bot": "random"}

    def seated(person: Person, name: str) -> str:
        seats = [{"kind": "human", "name": name}, bot]
        room = person.post("/api/rooms", {"game": "reversi", "seats": seats})["room"]
        found = next(each for each in person.get("/api/rooms") if each["id"] == room)
        return str(found["seats"][0]["name"])

    for name in ("olga", "Оlga", "Ol\u3164ga", "professor"):
        for person in (Person(site), sam):
            assert seated(person, name).endswith(" (guest)"), name
    assert seated(organiser, "Olga") == "Olga" and seated(Person(site), "Ann") == "Ann"


def test_there_is_always_an_organiser(site: Site, organiser: Person) -> None:
    own = f"/api/admin/users/{organiser.user['id']}"
    assert organiser.ask(own, {"role": "student"}).status == 409
    assert organiser.ask(own, {"active": False}).status == 409


def test_registering_can_be_left_to_invitations(site: Site, organiser: Person) -> None:
    organiser.post("/api/admin/settings", {"register": False}, method="PATCH")
    asked = {"name": "Sam", "password": PASSWORD}
    assert site.ask("/api/register", asked).status == 403
    code = organiser.post("/api/groups", {"name": "Class 1"})["code"]
    assert site.ask("/api/register", {**asked, "invitation": "wrong"}).status == 404
    sam = register(site, "Sam", invitation=code)
    assert [group["name"] for group in sam.get("/api/groups")] == ["Class 1"]


FIRST = {"name": "Olga", "password": PASSWORD}


@pytest.fixture(params=[True, False], ids=["loopback", "network"])
def unclaimed(request: pytest.FixtureRequest, home: Path) -> Iterator[Site]:
    """A server on which nobody has an account."""
    with served(home, ServerSettings(demo=False, loopback=request.param)) as site:
        yield site


def test_the_first_account_needs_the_code_of_the_terminal(unclaimed: Site) -> None:
    """It is the organiser's, so it is for whoever started the server; wherever others are."""
    assert unclaimed.get("/api/me")["needs_code"] is True
    for given in ({}, {"code": "aaaa-aaaa-aaaa"}, {"invitation": "aaaa-aaaa-aaaa"}):
        answer = unclaimed.ask("/api/register", {**FIRST, **given})
        assert answer.status == 403 and CODE_FILE_NAME in answer.json["error"]["zh"]
    file = unclaimed.home / CODE_FILE_NAME
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    code = read_code(unclaimed.home)
    assert code == unclaimed.state.site.first_account.code
    assert unclaimed.ask("/api/register", {**FIRST, "code": code.upper()}).status == 201
    assert not file.exists() and unclaimed.get("/api/me")["needs_code"] is False
    assert unclaimed.ask("/api/register", {"name": "Sam", "password": PASSWORD}).status == 201


def test_the_link_of_the_browser_is_worth_nothing_to_other_users(unclaimed: Site) -> None:
    """They can read it: it is an argument of the browser's command."""
    asked = {**FIRST, "code": unclaimed.state.site.first_account.browser_pass}
    if os.geteuid() == 0:
        assert asked_as(1001, unclaimed.port, json.dumps(asked).encode()) == 403
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(first_account, "find_connection_owner", lambda *_: os.geteuid() + 1)
        assert unclaimed.ask("/api/register", asked).status == 403
    assert unclaimed.ask("/api/register", asked).status == 201


def test_of_many_first_accounts_at_once_one_is_the_organisers(site: Site) -> None:
    code = read_code(site.home)

    def made(number: int) -> str:
        asked = {"name": f"Olga-{number}", "password": PASSWORD, "code": code}
        return str(site.ask("/api/register", asked).json["user"]["role"])

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(made, range(6))) == ["organiser"] + ["student"] * 5


def asked_as(user: int, port: int, body: bytes) -> int:
    """The status that another user of this machine gets."""
    program = (
        "import sys, urllib.request, urllib.error\n"
        f"asked = urllib.request.Request('http://127.0.0.1:{port}/api/register',"
        " sys.stdin.buffer.read(), {'Content-Type': 'application/json'})\n"
        "try:\n    print(urllib.request.urlopen(asked, timeout=20).status)\n"
        "except urllib.error.HTTPError as error:\n    print(error.code)\n"
    )
    python = ["/usr/bin/python3", "-I", "-c", program]
    said = subprocess.run(python, input=body, user=user, capture_output=True, check=True, cwd="/")
    return int(said.stdout)


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_the_kernel_tells_whose_a_connection_is(family: socket.AddressFamily) -> None:
    host = "127.0.0.1" if family == socket.AF_INET else "::1"
    with socket.create_server((host, 0), family=family) as listener:
        server = listener.getsockname()[:2]
        with socket.create_connection(server) as client:
            ours = client.getsockname()[:2]
            assert first_account.find_connection_owner(ours, server) == os.geteuid()
            assert first_account.find_connection_owner((host, 1), server) is None
            assert first_account.find_connection_owner(("unknown", 0), server) is None


def test_nobody_is_remembered_whose_session_ended_meanwhile(site: Site, organiser: Person) -> None:
    """Another thread has read who somebody is, and keeps it after the session has ended."""
    context = site.state.site
    found = sessions.identify_by_session

    def slow(session: Session, secret: str) -> Identity:
        read = found(session, secret)
        patch.undo()
        Person(site, cookie=organiser.cookie, csrf=organiser.csrf).post("/api/logout")
        return read

    context.forget_identities()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sessions, "identify_by_session", slow)
        assert context.identify(organiser.cookie, None).is_logged_in
    assert not context.identify(organiser.cookie, None).is_logged_in


def test_no_rules_are_remembered_that_were_changed_meanwhile(site: Site, organiser: Person) -> None:
    context = site.state.site
    found = site_settings.read_settings

    def slow(session: Session) -> site_settings.SiteSettings:
        read = found(session)
        patch.undo()
        organiser.post("/api/admin/settings", {"guests": False}, method="PATCH")
        return read

    context.forget_settings()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site_settings, "read_settings", slow)
        assert context.settings.guests is True
    assert context.settings.guests is False
