"""Teams and classes over HTTP."""

from __future__ import annotations

from typing import Annotated

import msgspec
from litestar import delete, get, patch, post
from litestar.params import FromPath, FromQuery, JSONBody

from ludus.server.accounts import groups
from ludus.server.accounts.account_schemas import GroupInfo, TeamInfo
from ludus.server.accounts.auth import InjectedIdentity
from ludus.server.accounts.identity import ADMIN, PLAY
from ludus.server.services import InjectedDatabase, InjectedSite
from ludus.server.vocabulary import GroupRole
from ludus.server.web.errors import NotFound, permission_denied
from ludus.server.web.responses import Done


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
def list_groups(
    database: InjectedDatabase, identity: InjectedIdentity, archived: FromQuery[bool] = False
) -> list[GroupInfo]:
    """Your classes; all of them for the organiser. ``archived``: those of past terms instead."""
    identity.require_login()
    with database.reading() as session:
        return groups.list_groups(session, identity, archived=archived)


@post("/groups", sync_to_thread=True, status_code=201, scope=ADMIN)
def make_group(
    site: InjectedSite, identity: InjectedIdentity, data: JSONBody[NameRequest]
) -> GroupInfo:
    """Create a class (teachers). You teach it, and so do other teachers who join it."""
    identity.require_staff()
    with site.database.writing() as session:
        group = groups.make_group(session, identity, data.name)
        described = groups.describe_group(session, group, identity)
        # the request's identity is older than the class
        described.mine, described.code, described.role = True, group.join_code, "teacher"
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
    described.role = described.role or "student"
    return described


@get("/groups/{id:int}", sync_to_thread=True)
def get_group(
    database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int]
) -> GroupInfo:
    """A class; its staff also gets its members, with their student numbers and real names."""
    identity.require_login()
    with database.reading() as session:
        group = groups.get_group(session, id)
        if not identity.organiser and id not in identity.groups:
            raise permission_denied()
        described = groups.describe_group(session, group, identity)
        if identity.assists(id):
            described.people = groups.describe_members(session, group)
            described.steps = groups.find_first_steps(session, group)
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
        group = groups.get_group_in_use(session, id)
        groups.renew_code(session, identity, group)
        return groups.describe_group(session, group, identity)


class GroupChange(msgspec.Struct, forbid_unknown_fields=True):
    """Changes of a class; fields that are left out do not change."""

    name: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    archived: bool | None = None
    """True: nothing in it can be changed any more, and lists leave it out."""


class MemberChange(msgspec.Struct, forbid_unknown_fields=True):
    """What a member does in a class from now on."""

    role: GroupRole


@patch("/groups/{id:int}", sync_to_thread=True, scope=ADMIN)
def change_group(
    site: InjectedSite,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[GroupChange],
) -> GroupInfo:
    """Rename a class, archive it at the end of its term, or bring it back (its teachers)."""
    identity.require_teacher_of(id)
    with site.database.writing() as session:
        moves_only = data.archived is False or (data.archived and data.name is None)
        get = groups.get_group if moves_only else groups.get_group_in_use
        group = get(session, id)
        groups.change_group(session, identity, group, data.name, data.archived)
        return groups.describe_group(session, group, identity)


@patch("/groups/{id:int}/members/{user:int}", sync_to_thread=True, scope=ADMIN)
def change_member(
    site: InjectedSite,
    identity: InjectedIdentity,
    id: FromPath[int],
    user: FromPath[int],
    data: JSONBody[MemberChange],
) -> Done:
    """Give a member of a class another role in it (its teachers)."""
    identity.require_teacher_of(id)
    with site.database.writing() as session:
        group = groups.get_group_in_use(session, id)
        groups.change_role(session, identity, group, user, data.role)
    site.forget_identities()
    return Done()


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
    change_group,
    change_member,
]
