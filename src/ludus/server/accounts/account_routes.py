"""Accounts over HTTP: registration, login and logout, passwords, tokens."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec
from litestar import Response, delete, get, patch, post
from litestar.params import FromPath, JSONBody

from ludus.scheduling.schema import UserRow
from ludus.server.accounts import (
    credentials,
    groups,
    known_devices,
    notices,
    sessions,
    tokens,
    users,
)
from ludus.server.accounts.account_schemas import (
    AccountInfo,
    OpenDoors,
    PasswordResetDone,
    TokenInfo,
)
from ludus.server.accounts.auth import (
    SESSION_ONLY,
    AnyRequest,
    InjectedIdentity,
    get_client_address,
    make_device_cookie,
    make_session_cookie,
    read_credentials,
    read_device_cookies,
)
from ludus.server.accounts.context import SiteContext
from ludus.server.accounts.first_account import CODE_FILE_NAME
from ludus.server.accounts.identity import ORGANISER, STUDENT, Identity
from ludus.server.services import InjectedDatabase, InjectedSite
from ludus.server.state import InjectedState
from ludus.server.vocabulary import Scope
from ludus.server.web.addresses import network_key
from ludus.server.web.errors import Forbidden, TooManyRequests
from ludus.server.web.responses import Done

ShortText = Annotated[str, msgspec.Meta(max_length=200)]


class Registration(msgspec.Struct, forbid_unknown_fields=True):
    """A new account."""

    name: ShortText
    password: ShortText
    shown: ShortText = ""
    email: ShortText = ""
    code: ShortText = ""
    """The code from the terminal, for the first account of a server."""
    invitation: ShortText = ""
    """The invitation code of a class."""


class Login(msgspec.Struct, forbid_unknown_fields=True):
    """A name and a password."""

    name: ShortText
    password: ShortText


class PasswordChange(msgspec.Struct, forbid_unknown_fields=True):
    """The old password and a new one."""

    old: ShortText
    new: ShortText


class PasswordReset(msgspec.Struct, forbid_unknown_fields=True):
    """A one-time code and a new password."""

    code: ShortText
    new: ShortText


class ProfileChange(msgspec.Struct, forbid_unknown_fields=True):
    """A person's own description of themselves."""

    shown: ShortText | None = None
    email: ShortText | None = None
    language: Literal["", "en", "zh"] | None = None


class NewToken(msgspec.Struct, forbid_unknown_fields=True):
    """The purpose, the scopes and the lifetime in days of a new token."""

    label: Annotated[str, msgspec.Meta(max_length=60)] = ""
    scopes: Annotated[tuple[Scope, ...], msgspec.Meta(min_length=1, max_length=4)] = (
        tokens.DEFAULT_SCOPES
    )
    days: Annotated[int, msgspec.Meta(ge=1, le=3650)] | None = None


@get("/me", sync_to_thread=True, scope="")
def get_account(site: InjectedSite, identity: InjectedIdentity) -> AccountInfo:
    """Your account, and the token that the page of a session must send with every change."""
    return describe_account(site, identity)


def describe_account(site: SiteContext, identity: Identity) -> AccountInfo:
    first = site.has_no_accounts()
    user, unread = None, 0
    if identity.is_logged_in:
        with site.database.reading() as session:
            user = users.describe_user(session.get_one(UserRow, identity.id), private=True)
            unread = notices.count_unread(session, identity)
    return AccountInfo(
        user=user,
        csrf=identity.csrf,
        notices=unread,
        first=first,
        needs_code=first,
        open=OpenDoors(register=first or site.settings.register),
        sends_mail=site.sends_mail,
        public_url=site.public_url,
        teaches=identity.staff or bool(identity.assisting),
        studies=bool(identity.groups - identity.assisting),
    )


@post("/register", sync_to_thread=True, status_code=201, scope=SESSION_ONLY)
def register(
    request: AnyRequest, server_state: InjectedState, data: JSONBody[Registration]
) -> Response[AccountInfo]:
    """Create an account and log in. The first account is the organiser's."""
    site, address = server_state.site, get_client_address(request)
    first = site.has_no_accounts() and _check_first_account_code(request, site, data.code)
    _refuse_registration(site, data)  # before anything costly, and before the attempt is counted
    with _limit_registrations(site, address, invited=bool(data.invitation)):
        hashed = credentials.hash_password(data.password)
        with site.database.writing() as session:
            role = STUDENT if users.has_accounts(session) else ORGANISER
            if role == ORGANISER and not first:
                raise needs_code()
            user = users.create_user(
                session, data.name, hashed, shown=data.shown, email=data.email, role=role
            )
            if data.invitation:
                groups.add_member(
                    session, groups.find_group_by_code(session, data.invitation), user.id
                )
            secret = sessions.start_session(session, user.id)
            device = known_devices.remember_login(session, user.id, address, "")
            identity = sessions.make_identity(
                session, user, "session", credentials.derive_csrf_token(secret)
            )
    if first:
        site.first_account.delete_code()
    server_state.start_background()
    return login_response(request, site, identity, secret, device)


def _check_first_account_code(request: AnyRequest, site: SiteContext, code: str) -> bool:
    """True, or Forbidden: only the person who started the server may create the first account."""
    client, server = request.scope["client"], request.scope["server"]
    here = (server[0], server[1] or 0) if server else None
    if not site.first_account.allows(code, client, here):
        raise needs_code()
    return True


def needs_code() -> Forbidden:
    return Forbidden(
        "the first account needs the code in the link that the server's terminal shows;"
        f" the code is also in the file {CODE_FILE_NAME} in the server's data folder",
        "创建第一个账号需要服务器终端所示链接中的启动码；启动码也在服务器数据文件夹的文件"
        f" {CODE_FILE_NAME} 中",
    )


def _refuse_registration(site: SiteContext, data: Registration) -> None:
    """Refuse what can be checked cheaply: a wrong invitation, a taken name, a weak password."""
    credentials.check_password(data.password, data.name)
    if not site.database.exists():
        return
    with site.database.reading() as session:
        if data.invitation:
            groups.find_group_by_code(session, data.invitation)
        elif users.has_accounts(session) and not site.settings.register:
            raise Forbidden(
                "registration needs an invitation here; ask a teacher for the code of a class",
                "此处注册需要邀请码；请向教师索取班级邀请码",
            )
        role = STUDENT if users.has_accounts(session) else ORGANISER
        users.check_free_name(session, data.name, role)


@contextlib.contextmanager
def _limit_registrations(site: SiteContext, address: str, *, invited: bool) -> Iterator[None]:
    """Limit registrations per address and hour; those with a class's code are counted
    separately."""
    limit = site.rate_limits.invited_registrations if invited else site.rate_limits.registrations
    try:
        with limit.count_try(network_key(address)):
            yield
    except TooManyRequests as error:
        raise TooManyRequests(
            "too many accounts were made from this address; use a class's invitation code,"
            f" or try again in {error.wait} s",
            f"此地址注册的账号过多；请使用班级邀请码，或在 {error.wait} 秒后再试",
            wait=error.wait,
        ) from None


@post("/login", sync_to_thread=True, status_code=200, scope=SESSION_ONLY)
def login(request: AnyRequest, site: InjectedSite, data: JSONBody[Login]) -> Response[AccountInfo]:
    """Log in. This always starts a new session, even if the request has one."""
    address = get_client_address(request)
    devices = read_device_cookies(request.scope)
    with site.database.reading() as session:
        attempt = known_devices.describe_attempt(session, data.name, address, devices)
    with site.login_backoff.limit_attempt(attempt), site.database.reading() as session:
        user_id = users.authenticate(session, data.name, data.password)
    old, _ = read_credentials(request.scope)
    with site.database.writing() as session:
        if old:
            sessions.end_session(session, old)
        secret = sessions.start_session(session, user_id)
        device = known_devices.remember_login(session, user_id, address, devices.get(user_id, ""))
        user = session.get_one(UserRow, user_id)
        identity = sessions.make_identity(
            session, user, "session", credentials.derive_csrf_token(secret)
        )
    site.forget_identities()
    return login_response(request, site, identity, secret, device)


def login_response(
    request: AnyRequest, site: SiteContext, identity: Identity, secret: str, device: str
) -> Response[AccountInfo]:
    """The account of a session that has just begun, with the cookies of its browser."""
    cookies = [
        make_device_cookie(request, identity.id, device),
        make_session_cookie(request, secret),
    ]
    return Response(describe_account(site, identity), cookies=cookies)


@post("/logout", sync_to_thread=True, status_code=200, scope=SESSION_ONLY)
def logout(request: AnyRequest, site: InjectedSite) -> Response[Done]:
    """End this session."""
    secret, _ = read_credentials(request.scope)
    if secret and site.database.exists():
        with site.database.writing() as session:
            sessions.end_session(session, secret)
        site.forget_identities()
    return Response(Done(), cookies=[make_session_cookie(request, "")])


@patch("/me", sync_to_thread=True, scope=SESSION_ONLY)
def change_profile(
    site: InjectedSite, identity: InjectedIdentity, data: JSONBody[ProfileChange]
) -> AccountInfo:
    """Change your public profile."""
    identity.require_login()
    with site.database.writing() as session:
        user = session.get_one(UserRow, identity.id)
        if data.shown is not None:
            user.display_name = users.check_display_name(
                session, data.shown, identity.id, user.role
            )
        if data.email is not None:
            users.change_email(user, data.email)
        if data.language is not None:
            user.language = data.language
    return describe_account(site, identity)


@post("/me/password", sync_to_thread=True, status_code=200, scope=SESSION_ONLY)
def change_password(
    request: AnyRequest,
    site: InjectedSite,
    identity: InjectedIdentity,
    data: JSONBody[PasswordChange],
) -> Done:
    """Change your password; all your other sessions and all tokens end."""
    identity.require_login()
    secret, _ = read_credentials(request.scope)
    trying = site.rate_limits.old_passwords.count_try(str(identity.id), Forbidden)
    with trying, site.database.writing() as session:
        users.change_password(session, identity, data.old, data.new, secret)
    site.forget_identities()
    return Done()


@post("/reset", sync_to_thread=True, status_code=200, scope=SESSION_ONLY)
def reset_password(site: InjectedSite, data: JSONBody[PasswordReset]) -> PasswordResetDone:
    """Choose a new password with a code from the organiser.

    Wrong codes are not limited: a limit would let one person keep everybody behind the same address
    from using valid codes, and a code has too many bits to be guessed. A wrong one costs one
    database read.
    """
    with site.database.reading() as session:
        users.find_reset(session, data.code)
    with site.database.writing() as session:
        user = users.reset_password(session, data.code, data.new)
        name = user.name
    site.forget_identities()
    return PasswordResetDone(name)


@get("/me/tokens", sync_to_thread=True, scope=SESSION_ONLY)
def list_tokens(database: InjectedDatabase, identity: InjectedIdentity) -> list[TokenInfo]:
    """Your tokens for programs, without their texts."""
    identity.require_login()
    with database.reading() as session:
        return tokens.list_tokens(session, identity)


@post("/me/tokens", sync_to_thread=True, status_code=201, scope=SESSION_ONLY)
def add_token(
    database: InjectedDatabase, identity: InjectedIdentity, data: JSONBody[NewToken]
) -> TokenInfo:
    """A new token; its text is in this response only."""
    identity.require_login()
    with database.writing() as session:
        return tokens.create_token(session, identity, data.label, data.scopes, data.days)


@delete("/me/tokens/{id:int}", sync_to_thread=True, status_code=200, scope=SESSION_ONLY)
def revoke_token(site: InjectedSite, identity: InjectedIdentity, id: FromPath[int]) -> Done:
    """Revoke a token."""
    identity.require_login()
    with site.database.writing() as session:
        tokens.revoke_token(session, identity, id)
    site.forget_identities()
    return Done()


HANDLERS = [
    get_account,
    register,
    login,
    logout,
    change_profile,
    change_password,
    reset_password,
    list_tokens,
    add_token,
    revoke_token,
]
