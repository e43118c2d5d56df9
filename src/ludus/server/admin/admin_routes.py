"""The organiser's pages: people, settings, load, similar submissions, the audit log."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Annotated, Any, BinaryIO, Literal

import msgspec
from litestar import get, patch, post
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.response import Stream

from ludus.scheduling.schema import UserRow
from ludus.server import playable_games
from ludus.server.accounts import users
from ludus.server.accounts.account_schemas import UserPage
from ludus.server.accounts.auth import SESSION_ONLY, InjectedIdentity
from ludus.server.accounts.identity import ADMIN
from ludus.server.admin import audit, overview, site_settings
from ludus.server.admin.admin_schemas import (
    AnnouncedTo,
    AuditPage,
    ChangedUser,
    SimilarSubmissions,
    SiteOverview,
)
from ludus.server.admin.site_settings import SiteSettings
from ludus.server.contests import challenges
from ludus.server.paging import MAX_PAGE_ITEMS
from ludus.server.services import InjectedBackground, InjectedDatabase, InjectedSite
from ludus.server.state import InjectedState
from ludus.server.vocabulary import Role
from ludus.server.web.errors import not_found

Before = Annotated[int | None, QueryParameter(ge=0, le=1 << 53)]
Limit = Annotated[int, QueryParameter(ge=1, le=MAX_PAGE_ITEMS)]


class UserChange(msgspec.Struct, forbid_unknown_fields=True):
    """What the organiser changes about somebody."""

    role: Role | None = None
    active: bool | None = None
    reset: bool = False
    """Make a one-time code for a new password."""


@post("/admin/users/{id:int}", sync_to_thread=True, status_code=200, scope=SESSION_ONLY)
def change_user(
    site: InjectedSite,
    background: InjectedBackground,
    asker: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[UserChange],
) -> ChangedUser:
    """Another role, an account closed or opened, a code for a forgotten password."""
    asker.require_organiser()
    with site.database.writing() as session:
        user = session.get(UserRow, id)
        if user is None:
            raise not_found("person", "用户")
        users.change_account(session, asker, user, data.role, data.active)
        if data.active is False:
            challenges.stop_challenges_by_author(session, asker, user.id)
        told = ChangedUser(users.describe_user(user, private=True))
        if data.reset:
            told.code = users.reset_code(session, asker, user)
    site.forget_identities()
    background.wake()
    return told


@get("/admin/settings", sync_to_thread=True, scope=ADMIN)
def settings(database: InjectedDatabase, asker: InjectedIdentity) -> SiteSettings:
    """How the club is set."""
    asker.require_organiser()
    with database.reading() as session:
        return site_settings.read_settings(session)


@patch("/admin/settings", sync_to_thread=True, scope=ADMIN)
def change_settings(
    arena: InjectedState, asker: InjectedIdentity, data: JSONBody[dict[str, Any]]
) -> SiteSettings:
    """Change some settings."""
    asker.require_organiser()
    with arena.site.database.writing() as session:
        plain = arena.settings.allow_plain
        changed = site_settings.change_settings(session, asker, data, allow_plain=plain)
    arena.site.forget_settings()
    return changed


@get("/admin/audit", sync_to_thread=True, scope=ADMIN)
def list_audit(
    database: InjectedDatabase, asker: InjectedIdentity, before: Before = None, limit: Limit = 50
) -> AuditPage:
    """What the staff did, newest first."""
    asker.require_organiser()
    with database.reading() as session:
        return audit.list_actions(session, before, limit)


class Announcement(msgspec.Struct, forbid_unknown_fields=True):
    """Words to everybody or to a class."""

    text: Annotated[str, msgspec.Meta(max_length=4000)]
    to: Literal["all"] | int = "all"


@get("/admin", sync_to_thread=True, scope=ADMIN)
def get_overview(arena: InjectedState, asker: InjectedIdentity) -> SiteOverview:
    """Queue, workers, load, storage, faults."""
    asker.require_organiser()
    with arena.site.database.reading() as session:
        return overview.make_overview(session, arena.folder, arena.background.state)


@get("/admin/users", sync_to_thread=True, scope=ADMIN)
def list_users(
    database: InjectedDatabase,
    asker: InjectedIdentity,
    search: FromQuery[str] = "",
    before: Before = None,
    limit: Limit = 50,
) -> UserPage:
    """Everybody, newest first."""
    asker.require_organiser()
    with database.reading() as session:
        return overview.list_users(session, search[:80], before, limit)


@get("/admin/similar", sync_to_thread=True, scope=ADMIN)
def lookalikes(
    database: InjectedDatabase, asker: InjectedIdentity, game: FromQuery[str]
) -> list[SimilarSubmissions]:
    """Submissions of different owners that look alike: a hint, never a verdict (teachers: of their
    classes)."""
    asker.require_staff()
    name = playable_games.get_playable_game(game).name
    with database.reading() as session:
        return overview.find_lookalikes(session, asker, name)


@get("/admin/export", sync_to_thread=True, scope=ADMIN)
def export(database: InjectedDatabase, asker: InjectedIdentity) -> Stream:
    """Everything but code and passwords as a zip."""
    asker.require_organiser()
    target = tempfile.TemporaryFile()  # noqa: SIM115  (closed when it has been sent)
    with database.reading() as session:
        overview.write_export(session, target)
    with database.writing() as session:
        audit.log_action(session, asker, "exported")
    target.seek(0)
    headers = {"content-disposition": 'attachment; filename="ludus-export.zip"'}
    return Stream(_chunks(target), media_type="application/zip", headers=headers)


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while data := file.read(1 << 16):
            yield data


@post("/admin/notices", sync_to_thread=True, status_code=200, scope=ADMIN)
def announce(
    database: InjectedDatabase, asker: InjectedIdentity, data: JSONBody[Announcement]
) -> AnnouncedTo:
    """Tell everybody, or a class, something (teachers: a class of theirs)."""
    asker.require_staff()
    if data.to == "all":
        asker.require_organiser()
    else:
        asker.require_teacher_of(data.to)
    with database.writing() as session:
        return AnnouncedTo(overview.announce(session, asker, data.text, data.to))


HANDLERS = [
    get_overview,
    change_user,
    list_users,
    settings,
    change_settings,
    list_audit,
    lookalikes,
    export,
    announce,
]
