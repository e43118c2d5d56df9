"""The organiser's desk."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import get, patch, post
from litestar.params import FromPath, JSONBody, QueryParameter

from ludus.arena.club import audit, people, rules
from ludus.arena.club.api.asking import Asker
from ludus.arena.club.paging import MOST
from ludus.arena.club.tables import UserRow
from ludus.arena.club.viewer import Role
from ludus.arena.refusals import no_such
from ludus.arena.services import Served

Before = Annotated[int | None, QueryParameter(ge=0, le=1 << 53)]
Limit = Annotated[int, QueryParameter(ge=1, le=MOST)]


class UserChange(msgspec.Struct, forbid_unknown_fields=True):
    """What the organiser changes about somebody."""

    role: Role | None = None
    active: bool | None = None
    reset: bool = False
    """Make a one-time code for a new password."""


@post("/desk/users/{id:int}", sync_to_thread=True, status_code=200)
def change_user(
    arena: Served, asker: Asker, id: FromPath[int], data: JSONBody[UserChange]
) -> dict[str, Any]:
    """Another role, an account closed or opened, a code for a forgotten password."""
    asker.must_be_organiser()
    with arena.club.database.writing() as session:
        user = session.get(UserRow, id)
        if user is None:
            raise no_such("person", "用户")
        people.change(session, asker, user, data.role, data.active)
        told: dict[str, Any] = {"user": people.as_json(user, private=True)}
        if data.reset:
            told["code"] = people.reset_code(session, asker, user)
    arena.club.forget_viewers()
    return told


@get("/desk/settings", sync_to_thread=True)
def settings(arena: Served, asker: Asker) -> dict[str, Any]:
    """How the club is set."""
    asker.must_be_organiser()
    with arena.club.database.reading() as session:
        found: dict[str, Any] = msgspec.to_builtins(rules.read(session))
        return found


@patch("/desk/settings", sync_to_thread=True)
def change_settings(arena: Served, asker: Asker, data: JSONBody[dict[str, Any]]) -> dict[str, Any]:
    """Change some settings."""
    asker.must_be_organiser()
    with arena.club.database.writing() as session:
        found: dict[str, Any] = msgspec.to_builtins(rules.change(session, asker, data))
    arena.club.forget_rules()
    return found


@get("/desk/audit", sync_to_thread=True)
def audit_lines(
    arena: Served, asker: Asker, before: Before = None, limit: Limit = 50
) -> dict[str, Any]:
    """What the staff did, newest first."""
    asker.must_be_organiser()
    with arena.club.database.reading() as session:
        return audit.lines(session, before, limit)


HANDLERS = [change_user, settings, change_settings, audit_lines]
