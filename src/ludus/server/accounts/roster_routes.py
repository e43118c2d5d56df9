"""Class lists and activation over HTTP."""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
from litestar import Response, post
from litestar.params import FromPath, JSONBody

from ludus.errors import LudusError
from ludus.server.accounts import (
    activation,
    credentials,
    groups,
    known_devices,
    rosters,
    sessions,
)
from ludus.server.accounts.account_routes import login_response
from ludus.server.accounts.account_schemas import (
    AccountInfo,
    ActivationInfo,
    NewAccount,
    RosterPreview,
    RosterReport,
)
from ludus.server.accounts.auth import (
    SESSION_ONLY,
    AnyRequest,
    InjectedIdentity,
    get_client_address,
)
from ludus.server.accounts.identity import ADMIN, READ
from ludus.server.services import InjectedDatabase, InjectedSite
from ludus.server.web.forms import Form, read_fields_and_files
from ludus.server.web.responses import Done

MAX_ROSTER_BYTES = 1 << 20
"""Bytes of a class list."""
ShortText = Annotated[str, msgspec.Meta(max_length=200)]


class ActivationCode(msgspec.Struct, forbid_unknown_fields=True):
    """The code of an activation link."""

    code: ShortText


class Activation(msgspec.Struct, forbid_unknown_fields=True):
    """The code of an activation link, with the name and password that its holder chose."""

    code: ShortText
    name: ShortText
    password: ShortText


async def _read_roster(request: AnyRequest) -> rosters.Roster:
    _, files = await read_fields_and_files(request)
    if len(files) != 1:
        raise LudusError(
            "send one class list (CSV, TSV or XLSX)", "请发送一份名单（CSV、TSV 或 XLSX）"
        )
    return await asyncio.to_thread(rosters.Roster, files[0][1])


@post(
    "/groups/{id:int}/roster/preview",
    request_max_body_size=MAX_ROSTER_BYTES,
    status_code=200,
    scope=READ,
    form=Form(),
)
async def preview_roster(
    request: AnyRequest, site: InjectedSite, identity: InjectedIdentity, id: FromPath[int]
) -> RosterPreview:
    """What an import of a class list would do; it changes nothing (its teachers)."""
    identity.require_teacher_of(id)
    listed = await _read_roster(request)

    def plan() -> RosterPreview:
        with site.database.reading() as session:
            return listed.preview(session, identity, groups.get_group_in_use(session, id))

    return await asyncio.to_thread(plan)


@post(
    "/groups/{id:int}/roster",
    request_max_body_size=MAX_ROSTER_BYTES,
    status_code=200,
    scope=ADMIN,
    form=Form(),
)
async def import_roster(
    request: AnyRequest, site: InjectedSite, identity: InjectedIdentity, id: FromPath[int]
) -> RosterReport:
    """Import a class list, CSV, TSV or XLSX in the field ``files`` (its teachers).

    Its columns are understood in English and Chinese, in any order: student number, name, e-mail,
    class; account, display name, password. People without a password in the list get a code to
    activate their account. People who have an account are invited by a notice; with an organiser's
    list, and from another class of the same teacher, they join at once.
    """
    identity.require_teacher_of(id)
    listed = await _read_roster(request)

    described = await asyncio.to_thread(listed.import_into, site.database, identity, id)
    site.forget_identities()
    return described


@post("/groups/{id:int}/codes", sync_to_thread=True, status_code=200, scope=ADMIN)
def reissue_codes(
    database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int]
) -> list[NewAccount]:
    """New activation codes for all members who have not chosen a password yet; their old codes are
    not valid any more (its teachers)."""
    identity.require_teacher_of(id)
    with database.writing() as session:
        return activation.reissue_codes(session, identity, groups.get_group_in_use(session, id))


@post("/groups/{id:int}/members/{user:int}/code", sync_to_thread=True, status_code=200, scope=ADMIN)
def reissue_code(
    database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int], user: FromPath[int]
) -> NewAccount:
    """A new activation code for a member who has not chosen a password yet; the old one is not
    valid any more (its teachers)."""
    identity.require_teacher_of(id)
    with database.writing() as session:
        group = groups.get_group_in_use(session, id)
        return activation.reissue_code(session, identity, group, user)


@post("/activation/look", sync_to_thread=True, status_code=200, scope=SESSION_ONLY)
def look_up_activation(
    database: InjectedDatabase, data: JSONBody[ActivationCode]
) -> ActivationInfo:
    """Whom an activation code is for. Wrong codes are not limited, for the reasons of
    ``/reset``."""
    with database.reading() as session:
        return activation.describe_account(session, data.code)


@post("/activation", sync_to_thread=True, status_code=200, scope=SESSION_ONLY)
def activate(
    request: AnyRequest, site: InjectedSite, data: JSONBody[Activation]
) -> Response[AccountInfo]:
    """Choose the name and the password of an account with its activation code, and log in."""
    address = get_client_address(request)
    with site.database.reading() as session:
        activation.find_account(session, data.code)
    credentials.check_password(data.password, data.name)
    hashed = credentials.hash_password(data.password)
    with site.database.writing() as session:
        user = activation.activate(session, data.code, data.name, hashed)
        secret = sessions.start_session(session, user.id)
        device = known_devices.remember_login(session, user.id, address, "")
        identity = sessions.make_identity(
            session, user, "session", credentials.derive_csrf_token(secret)
        )
    site.forget_identities()
    return login_response(request, site, identity, secret, device)


@post("/activation/claim", sync_to_thread=True, status_code=200, scope=SESSION_ONLY)
def claim_place(
    site: InjectedSite, identity: InjectedIdentity, data: JSONBody[ActivationCode]
) -> Done:
    """Join the class of an activation code with the account that you have; the new one is
    closed."""
    identity.require_login()
    with site.database.writing() as session:
        activation.claim(session, identity, data.code)
    site.forget_identities()
    return Done()


HANDLERS = [
    preview_roster,
    import_roster,
    reissue_codes,
    reissue_code,
    look_up_activation,
    activate,
    claim_place,
]
