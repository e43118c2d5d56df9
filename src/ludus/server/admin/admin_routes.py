"""Administration over HTTP: people, settings, load, the audit log."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Annotated, Any, BinaryIO, Literal

import msgspec
from litestar import get, patch, post
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.response import Stream

from ludus.scheduling.schema import UserRow
from ludus.server.accounts import users
from ludus.server.accounts.account_schemas import UserPage
from ludus.server.accounts.auth import SESSION_ONLY, InjectedIdentity
from ludus.server.accounts.identity import ADMIN
from ludus.server.admin import audit, overview, site_settings
from ludus.server.admin.admin_schemas import (
    AnnouncedTo,
    AuditPage,
    ChangedUser,
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
    """Changes of an account by the organiser."""

    role: Role | None = None
    active: bool | None = None
    reset: bool = False
    """Whether to create a one-time code for a new password."""


@post("/admin/users/{id:int}", sync_to_thread=True, status_code=200, scope=SESSION_ONLY)
def change_user(
    site: InjectedSite,
    background: InjectedBackground,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[UserChange],
) -> ChangedUser:
    """Change a role, close or reopen an account, or create a code for a forgotten password."""
    identity.require_organiser()
    with site.database.writing() as session:
        user = session.get(UserRow, id)
        if user is None:
            raise not_found("person", "用户")
        users.change_account(session, identity, user, data.role, data.active)
        if data.active is False:
            challenges.stop_challenges_by_author(session, identity, user.id)
        changed = ChangedUser(users.describe_user(user, private=True))
        if data.reset:
            changed.code = users.create_reset_code(session, identity, user)
            changed.activates = not users.has_password(user)
    site.forget_identities()
    background.wake()
    return changed


@get("/admin/settings", sync_to_thread=True, scope=ADMIN)
def get_settings(database: InjectedDatabase, identity: InjectedIdentity) -> SiteSettings:
    """The site's settings."""
    identity.require_organiser()
    with database.reading() as session:
        return site_settings.read_settings(session)


@patch("/admin/settings", sync_to_thread=True, scope=ADMIN)
def change_settings(
    server_state: InjectedState, identity: InjectedIdentity, data: JSONBody[dict[str, Any]]
) -> SiteSettings:
    """Change some settings."""
    identity.require_organiser()
    with server_state.site.database.writing() as session:
        plain = server_state.settings.allow_plain
        changed = site_settings.change_settings(session, identity, data, allow_plain=plain)
    server_state.site.forget_settings()
    return changed


@get("/admin/audit", sync_to_thread=True, scope=ADMIN)
def list_audit(
    database: InjectedDatabase, identity: InjectedIdentity, before: Before = None, limit: Limit = 50
) -> AuditPage:
    """Actions of the staff, newest first."""
    identity.require_organiser()
    with database.reading() as session:
        return audit.list_actions(session, before, limit)


class Announcement(msgspec.Struct, forbid_unknown_fields=True):
    """A message to everybody or to a class."""

    text: Annotated[str, msgspec.Meta(max_length=4000)]
    to: Literal["all"] | int = "all"


@get("/admin", sync_to_thread=True, scope=ADMIN)
def get_overview(server_state: InjectedState, identity: InjectedIdentity) -> SiteOverview:
    """Queues, workers, load, storage and faults."""
    identity.require_organiser()
    background = server_state.background
    with server_state.site.database.reading() as session:
        return overview.make_overview(
            session, server_state.folder, background.state, starting=background.is_starting
        )


@get("/admin/users", sync_to_thread=True, scope=ADMIN)
def list_users(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    search: FromQuery[str] = "",
    before: Before = None,
    limit: Limit = 50,
) -> UserPage:
    """All accounts, newest first."""
    identity.require_organiser()
    with database.reading() as session:
        return overview.list_users(session, search[:80], before, limit)


@get("/admin/export", sync_to_thread=True, scope=ADMIN)
def export_all(database: InjectedDatabase, identity: InjectedIdentity) -> Stream:
    """Everything but code and passwords, as a zip."""
    identity.require_organiser()
    target = tempfile.TemporaryFile()  # noqa: SIM115  (closed when it has been sent)
    with database.reading() as session:
        overview.write_export(session, target)
    with database.writing() as session:
        audit.log_action(session, identity, "exported")
    target.seek(0)
    headers = {"content-disposition": 'attachment; filename="ludus-export.zip"'}
    return Stream(_iter_chunks(target), media_type="application/zip", headers=headers)


def _iter_chunks(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while data := file.read(1 << 16):
            yield data


@post("/admin/notices", sync_to_thread=True, status_code=200, scope=ADMIN)
def announce(
    database: InjectedDatabase, identity: InjectedIdentity, data: JSONBody[Announcement]
) -> AnnouncedTo:
    """Send a notice to everybody or to a class (teachers: to a class of theirs)."""
    identity.require_staff()
    if data.to == "all":
        identity.require_organiser()
    else:
        identity.require_teacher_of(data.to)
    with database.writing() as session:
        return AnnouncedTo(overview.announce(session, identity, data.text, data.to))


HANDLERS = [
    get_overview,
    change_user,
    list_users,
    get_settings,
    change_settings,
    list_audit,
    export_all,
    announce,
]
