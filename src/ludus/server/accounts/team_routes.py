"""Teams and classes over HTTP."""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
from litestar import delete, get, post
from litestar.params import FromPath, JSONBody

from ludus.errors import LudusError
from ludus.server.accounts import groups, roster_text, users
from ludus.server.accounts.account_schemas import GroupInfo, RosterReport, TeamInfo
from ludus.server.accounts.auth import AnyRequest, InjectedIdentity
from ludus.server.accounts.identity import ADMIN, PLAY
from ludus.server.services import InjectedDatabase, InjectedSite
from ludus.server.web.errors import NotFound, permission_denied
from ludus.server.web.forms import read_fields_and_files
from ludus.server.web.responses import Done

MAX_ROSTER_BYTES = 1 << 20
"""Bytes of a class list."""


class NameRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A name for something new."""

    name: Annotated[str, msgspec.Meta(max_length=100)]


class JoinRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The code of a team or class."""

    code: Annotated[str, msgspec.Meta(max_length=100)]


@get("/teams", sync_to_thread=True)
def list_teams(database: InjectedDatabase, identity: InjectedIdentity) -> list[TeamInfo]:
    """The teams you are in."""
    identity.require_login()
    with database.reading() as session:
        return groups.list_teams(session, identity)


@post("/teams", sync_to_thread=True, status_code=201, scope=PLAY)
def make_team(
    site: InjectedSite, identity: InjectedIdentity, data: JSONBody[NameRequest]
) -> TeamInfo:
    """Create a team, with you as its captain."""
    identity.require_login()
    with site.database.writing() as session:
        team = groups.make_team(session, identity, data.name)
        session.flush()
        described = groups.describe_team(session, team, identity)
    site.forget_identities()
    return described


@post("/teams/join", sync_to_thread=True, status_code=200, scope=PLAY)
def join_team(
    site: InjectedSite, identity: InjectedIdentity, data: JSONBody[JoinRequest]
) -> TeamInfo:
    """Join a team by its code."""
    identity.require_login()
    trying = site.rate_limits.invitation_codes.count_try(str(identity.id), NotFound)
    with trying, site.database.writing() as session:
        team = groups.join_team(session, identity, data.code)
        session.flush()
        described = groups.describe_team(session, team, identity)
    site.forget_identities()
    return described


@delete("/teams/{id:int}/members/{user:int}", sync_to_thread=True, status_code=200, scope=PLAY)
def leave_team(
    site: InjectedSite, identity: InjectedIdentity, id: FromPath[int], user: FromPath[int]
) -> Done:
    """Leave a team, or remove a member (its captain)."""
    identity.require_login()
    with site.database.writing() as session:
        groups.leave_team(session, identity, id, user)
    site.forget_identities()
    return Done()


@get("/groups", sync_to_thread=True)
def list_groups(database: InjectedDatabase, identity: InjectedIdentity) -> list[GroupInfo]:
    """Your classes; all of them for the organiser."""
    identity.require_login()
    with database.reading() as session:
        return groups.list_groups(session, identity)


@post("/groups", sync_to_thread=True, status_code=201, scope=ADMIN)
def make_group(
    site: InjectedSite, identity: InjectedIdentity, data: JSONBody[NameRequest]
) -> GroupInfo:
    """Create a class (teachers). You teach it, and so do other teachers who join it."""
    identity.require_staff()
    with site.database.writing() as session:
        group = groups.make_group(session, identity, data.name)
        described = groups.describe_group(session, group, identity)
        described.mine, described.code = (
            True,
            group.join_code,
        )  # the request's identity is older than the class
    site.forget_identities()
    return described


@post("/groups/join", sync_to_thread=True, status_code=200, scope=PLAY)
def join_group(
    site: InjectedSite, identity: InjectedIdentity, data: JSONBody[JoinRequest]
) -> GroupInfo:
    """Join a class by its invitation code."""
    identity.require_login()
    trying = site.rate_limits.invitation_codes.count_try(str(identity.id), NotFound)
    with trying, site.database.writing() as session:
        group = groups.find_group_by_code(session, data.code)
        groups.add_member(session, group, identity.id)
        described = groups.describe_group(session, group, identity)
    site.forget_identities()
    described.mine = True
    return described


@get("/groups/{id:int}", sync_to_thread=True)
def get_group(
    database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int]
) -> GroupInfo:
    """A class; its teachers also get its members."""
    identity.require_login()
    with database.reading() as session:
        group = groups.get_group(session, id)
        if not identity.organiser and id not in identity.groups:
            raise permission_denied()
        described = groups.describe_group(session, group, identity)
        if identity.teaches(id):
            people_ = groups.members(session, group)
            described.people = [
                users.describe_user(user, private=identity.organiser) for user in people_
            ]
        return described


@delete("/groups/{id:int}/members/{user:int}", sync_to_thread=True, status_code=200, scope=PLAY)
def leave_group(
    site: InjectedSite, identity: InjectedIdentity, id: FromPath[int], user: FromPath[int]
) -> Done:
    """Leave a class, or remove a member and renew the code (its teachers)."""
    identity.require_login()
    with site.database.writing() as session:
        groups.remove_member(session, identity, id, user)
    site.forget_identities()
    return Done()


@post("/groups/{id:int}/code", sync_to_thread=True, status_code=200, scope=ADMIN)
def renew_code(
    database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int]
) -> GroupInfo:
    """Replace the invitation code; the old one is not valid any more (its teachers)."""
    identity.require_teacher_of(id)
    with database.writing() as session:
        group = groups.get_group(session, id)
        groups.renew_code(session, identity, group)
        return groups.describe_group(session, group, identity)


@post(
    "/groups/{id:int}/roster", request_max_body_size=MAX_ROSTER_BYTES, status_code=200, scope=ADMIN
)
async def import_roster(
    request: AnyRequest, site: InjectedSite, identity: InjectedIdentity, id: FromPath[int]
) -> RosterReport:
    """Import a class list (CSV in the field ``files``): name, shown, email, password (its
    teachers).

    People without a password in the list get a one-time code to choose one. People who have an
    account are invited by a notice; with an organiser's list they join at once.
    """
    identity.require_teacher_of(id)
    _, files = await read_fields_and_files(request)
    if len(files) != 1:
        raise LudusError("send one CSV file", "请发送一个 CSV 文件")

    def read() -> RosterReport:
        listed = groups.Roster(roster_text.decode_roster(files[0][1]))
        with site.database.writing() as session:
            return listed.import_into(session, identity, groups.get_group(session, id))

    described = await asyncio.to_thread(read)
    site.forget_identities()
    return described


HANDLERS = [
    list_teams,
    make_team,
    join_team,
    leave_team,
    list_groups,
    make_group,
    join_group,
    get_group,
    leave_group,
    renew_code,
    import_roster,
]
