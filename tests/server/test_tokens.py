"""Tokens: each does what it was made for, ends, and makes no others."""

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sql
from websockets.exceptions import ConnectionClosed

from ludus.scheduling.database import connect
from ludus.scheduling.migrate import migrate
from ludus.scheduling.schema import TokenRow
from ludus.server.accounts import tokens
from ludus.server.accounts.auth import SESSION_ONLY
from ludus.server.accounts.identity import SCOPES
from ludus.server.database import Database
from tests.support.accounts import GOOD, Person, newcomer, register
from tests.support.routes import changing_routes
from tests.support.site import Site, hear


@pytest.fixture(scope="module", autouse=True)
def olga(shared: Site) -> Iterator[Person]:
    """The first account, in whatever order the tests come."""
    yield register(shared, "Olga")


def program(person: Person, *scopes: str) -> Person:
    made = person.post("/api/me/tokens", {"label": "x", "scopes": scopes})
    return Person(person.site, token=made["token"])


CHALLENGE = {"game": "reversi", "bots": ["random", "random"], "bouts": 1}


def done(asked: Person) -> set[str]:
    """Which scopes a program turns out to have."""
    sent = asked.send("/api/bots", {"bot.py": GOOD}, {"game": "reversi", "name": f"b{id(asked)}"})
    tried = {
        "read": asked.ask("/api/bots").status,
        "upload": sent.status,
        "play": asked.ask("/api/challenges", CHALLENGE).status,
        "admin": asked.ask("/api/groups", {"name": "Class"}).status,
    }
    assert set(tried.values()) <= {200, 201, 403}, tried
    return {scope for scope, status in tried.items() if status != 403}


@pytest.mark.parametrize("scope", SCOPES)
def test_a_token_does_what_it_was_made_for(shared: Site, olga: Person, scope: str) -> None:
    assert done(program(olga, scope)) == {scope}


def test_a_token_is_for_uploads_and_play_where_nothing_is_said(olga: Person) -> None:
    made = olga.post("/api/me/tokens", {"label": "x"})
    assert made["scopes"] == ["read", "upload", "play"] and made["until"] is None
    assert done(Person(olga.site, token=made["token"])) == {"read", "upload", "play"}


def test_an_organisers_token_without_admin_has_no_staff_powers(shared: Site, olga: Person) -> None:
    asked = program(olga, "read", "upload", "play")
    student = newcomer(shared)
    for path in ("/api/admin", "/api/admin/users", "/api/admin/export", "/metrics"):
        headers = {"X-Forwarded-For": "192.0.2.1"}
        assert asked.ask(path, headers=headers).status == 403, path
    made = student.post("/api/teams", {"name": "Theirs"})
    path = f"/api/teams/{made['id']}/members/{student.user['id']}"
    assert asked.ask(path, method="DELETE").status == 403
    assert "email" not in asked.get(f"/api/users/{student.name}")["user"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/me/tokens", None),
        ("POST", "/api/me/tokens", {"label": "more"}),
        ("DELETE", "/api/me/tokens/1", None),
        ("POST", "/api/me/password", {"old": "a long password", "new": "another password"}),
        ("PATCH", "/api/me", {"email": "mallory@example.org"}),
        ("POST", "/api/me/mail", {"email": "mallory@example.org", "language": "en"}),
        ("PATCH", "/api/me/mail", {"notices": True}),
        ("POST", "/api/admin/users/1", {"reset": True}),
        ("POST", "/api/admin/users/1", {"role": "organiser"}),
        ("POST", "/api/admin/users/1", {"active": True}),
    ],
)
def test_no_token_touches_the_account(
    olga: Person, method: str, path: str, body: dict[str, Any] | None
) -> None:
    answer = program(olga, *SCOPES).ask(path, body, method=method)
    assert answer.status == 403 and answer.json["error"].keys() == {"code", "en", "zh"}


def test_every_route_that_changes_something_says_which_scope_it_needs() -> None:
    found = changing_routes()
    assert len(found) > 30
    wrong = [name for name, scope in found.items() if scope not in (*SCOPES, SESSION_ONLY)]
    assert not wrong
    account = {path for (_, path), scope in found.items() if scope == SESSION_ONLY}
    own = ("me", "login", "logout", "register", "reset", "mail", "activation")
    others = {path for path in account if path.split("/")[2] not in own}
    assert others == {
        "/api/admin/users/{id:int}",
        "/api/bots/{id:int}/git/remote",
        "/api/webhooks/{id:int}",
    }


def test_a_token_ends_on_its_day(olga: Person, shared: Site) -> None:
    made = olga.post("/api/me/tokens", {"label": "short", "days": 1})
    asked = Person(shared, token=made["token"])
    assert asked.get("/api/me")["user"] is not None and made["until"] > made["made"]
    with shared.state.site.database.writing() as session:
        row = session.get_one(TokenRow, made["id"])
        row.expires_at = "2020-01-01T00:00:00Z"
    shared.state.site.forget_identities()
    assert asked.ask("/api/me").status == 401


@pytest.mark.parametrize("given", ["", "ludus-wrong", "x" * 5000, "ludus-\xe9"])
def test_a_wrong_token_is_refused_and_not_taken_for_a_guest(shared: Site, given: str) -> None:
    newcomer(shared)  # whose cookie does not count beside a token
    for path, body in (
        ("/api/me", None),
        ("/api/games", None),
        ("/api/films/none", None),
        ("/api/rooms", {"game": "reversi", "seats": []}),
    ):
        answer = shared.ask(path, body, headers={"Authorization": f"Bearer {given}"})
        assert answer.status == 401, (path, answer.body)
        assert "expired" in answer.json["error"]["en"] and "令牌" in answer.json["error"]["zh"]


def test_a_wrong_token_opens_no_socket(shared: Site, olga: Person) -> None:
    blind = program(olga, "upload").token
    for token, said in (("ludus-wrong", "expired"), (blind, "'read'")):
        bearer = {"Authorization": f"Bearer {token}"}
        with shared.socket("/ws/live", additional_headers=bearer) as socket:
            assert said in hear(socket)["error"]["en"]
            with pytest.raises(ConnectionClosed) as closed:
                socket.recv(timeout=20)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 4403


def test_a_student_makes_no_token_with_the_powers_of_a_later_role(shared: Site) -> None:
    student = newcomer(shared)
    assert student.ask("/api/me/tokens", {"label": "x", "scopes": ["admin"]}).status == 403
    assert student.ask("/api/me/tokens", {"label": "x", "scopes": ["all"]}).status == 400
    assert student.ask("/api/me/tokens", {"label": "x", "scopes": []}).status == 400


def test_old_tokens_keep_what_they_could_but_for_making_tokens(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    address = str(tmp_path_factory.mktemp("old") / "arena.db")
    engine = connect(address)
    migrate(engine, "0003")
    with engine.begin() as connection:
        connection.execute(
            sql.text(
                "INSERT INTO users (name, folded, shown, email, role, password, active, language,"
                " joined) VALUES ('Olga', 'olga', '', '', 'organiser', '!', 1, '', '2026')"
            )
        )
        connection.execute(
            sql.text("INSERT INTO tokens (user_id, label, digest, made) VALUES (1, '', :d, '')"),
            {"d": tokens.credentials.digest("ludus-old")},
        )
    engine.dispose()
    database = Database(address)
    with database.reading() as session:
        identity = tokens.identify_by_token(session, "ludus-old")
    database.close()
    assert identity.organiser and identity.scopes == set(SCOPES)
