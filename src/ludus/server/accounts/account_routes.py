"""Accounts: register, log in and out, tokens."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import msgspec
from litestar import Response, delete, get, patch, post
from litestar.params import FromPath, JSONBody

from ludus.server.accounts import credentials, groups, known_devices, notices, tokens, users
from ludus.server.accounts.auth import (
    SESSION_ONLY,
    AnyRequest,
    Asker,
    address_of,
    cookie_for,
    device_cookie,
    devices_of,
    secrets_of,
)
from ludus.server.accounts.context import Club
from ludus.server.accounts.first_account import FILE
from ludus.server.accounts.identity import ORGANISER, STUDENT, Viewer
from ludus.server.state import Served
from ludus.server.tables import UserRow
from ludus.server.web.addresses import network_of
from ludus.server.web.errors import NotAllowed, TooOften

Word = Annotated[str, msgspec.Meta(max_length=200)]


class Registration(msgspec.Struct, forbid_unknown_fields=True):
    """A new account."""

    name: Word
    password: Word
    shown: Word = ""
    email: Word = ""
    code: Word = ""
    """Of the terminal, for the first account of a server."""
    invitation: Word = ""
    """The code of a class."""


class Login(msgspec.Struct, forbid_unknown_fields=True):
    """A name and a password."""

    name: Word
    password: Word


class Passwords(msgspec.Struct, forbid_unknown_fields=True):
    """The old one and a new one."""

    old: Word
    new: Word


class Reset(msgspec.Struct, forbid_unknown_fields=True):
    """A one-time code and a new password."""

    code: Word
    new: Word


class Profile(msgspec.Struct, forbid_unknown_fields=True):
    """What people say about themselves."""

    shown: Word | None = None
    email: Word | None = None
    language: Literal["", "en", "zh"] | None = None


class NewToken(msgspec.Struct, forbid_unknown_fields=True):
    """What a token is for, what it may do, and for how many days."""

    label: Annotated[str, msgspec.Meta(max_length=60)] = ""
    scopes: Annotated[tuple[tokens.Scope, ...], msgspec.Meta(min_length=1, max_length=4)] = (
        tokens.USUAL
    )
    days: Annotated[int, msgspec.Meta(ge=1, le=3650)] | None = None


@get("/me", sync_to_thread=True, scope="")
def me(arena: Served, asker: Asker) -> dict[str, Any]:
    """Who you are, and what the page of a session must send with every change."""
    return about(arena.club, asker)


def about(club: Club, asker: Viewer) -> dict[str, Any]:
    first = club.empty()
    user, unread = None, 0
    if asker.known:
        with club.database.reading() as session:
            user = users.as_json(session.get_one(UserRow, asker.id), private=True)
            unread = notices.unread(session, asker)
    return {
        "user": user,
        "csrf": asker.csrf,
        "notices": unread,
        "first": first,
        "needs_code": first,
        "open": {"register": first or club.rules.register},
    }


@post("/register", sync_to_thread=True, status_code=201, scope=SESSION_ONLY)
def register(
    request: AnyRequest, arena: Served, data: JSONBody[Registration]
) -> Response[dict[str, Any]]:
    """Make an account and log in. The first one is the organiser's."""
    club, address = arena.club, address_of(request)
    first = club.empty() and _may_be_first(request, club, data.code)
    _refuse_registration(club, data)  # before anything costly, and before it counts
    with _counted(club, address, invited=bool(data.invitation)):
        hashed = credentials.hashed(data.password)
        with club.database.writing() as session:
            role = STUDENT if users.anybody(session) else ORGANISER
            if role == ORGANISER and not first:
                raise needs_code()
            user = users.add(
                session, data.name, hashed, shown=data.shown, email=data.email, role=role
            )
            if data.invitation:
                groups.add_member(session, groups.invited(session, data.invitation), user.id)
            secret = users.begin(session, user.id)
            device = known_devices.remember(session, user.id, address, "")
            viewer = users.seen_as(session, user, "session", credentials.csrf_of(secret))
    if first:
        club.first_account.over()
    arena.club_begins()
    return _logged_in(request, club, viewer, secret, device)


def _may_be_first(request: AnyRequest, club: Club, code: str) -> bool:
    """True, or NotAllowed: the first account is the organiser's, and not anybody's to make."""
    client, server = request.scope["client"], request.scope["server"]
    here = (server[0], server[1] or 0) if server else None
    if not club.first_account.allows(code, client, here):
        raise needs_code()
    return True


def needs_code() -> NotAllowed:
    return NotAllowed(
        "the first account needs the code in the link that the server's terminal shows;"
        f" it is also in {FILE} in the server's home",
        f"创建第一个账号需要服务器终端所示链接中的启动码；它也保存在服务器主目录的 {FILE} 中",
    )


def _refuse_registration(club: Club, data: Registration) -> None:
    """What can be told without work: a wrong invitation, a name that is taken, a weak password."""
    credentials.check_password(data.password, data.name)
    if not club.database.exists():
        return
    with club.database.reading() as session:
        if data.invitation:
            groups.invited(session, data.invitation)
        elif users.anybody(session) and not club.rules.register:
            raise NotAllowed(
                "accounts are made by invitation here; ask for a class's code",
                "此处注册需要邀请码；请向教师索取班级邀请码",
            )
        role = STUDENT if users.anybody(session) else ORGANISER
        users.free_name(session, data.name, role)


@contextlib.contextmanager
def _counted(club: Club, address: str, *, invited: bool) -> Iterator[None]:
    """Accounts of one address in an hour: those with a class's code apart from all others."""
    limit = club.guesses.invited if invited else club.guesses.registers
    try:
        with limit.counting(network_of(address)):
            yield
    except TooOften as error:
        raise TooOften(
            "too many accounts were made from this address; use a class's invitation code,"
            f" or try again in {error.wait} s",
            f"此地址注册的账号过多；请使用班级邀请码，或在 {error.wait} 秒后再试",
            wait=error.wait,
        ) from None


@post("/login", sync_to_thread=True, status_code=200, scope=SESSION_ONLY)
def login(request: AnyRequest, arena: Served, data: JSONBody[Login]) -> Response[dict[str, Any]]:
    """Log in; always a new session, whatever cookie came along."""
    club, address = arena.club, address_of(request)
    devices = devices_of(request.scope)
    with club.database.reading() as session:
        attempt = known_devices.attempt(session, data.name, address, devices)
    with club.logins.trying(attempt), club.database.reading() as session:
        user_id = users.let_in(session, data.name, data.password)
    old, _ = secrets_of(request.scope)
    with club.database.writing() as session:
        if old:
            users.end(session, old)
        secret = users.begin(session, user_id)
        device = known_devices.remember(session, user_id, address, devices.get(user_id, ""))
        user = session.get_one(UserRow, user_id)
        viewer = users.seen_as(session, user, "session", credentials.csrf_of(secret))
    club.forget_viewers()
    return _logged_in(request, club, viewer, secret, device)


def _logged_in(
    request: AnyRequest, club: Club, viewer: Viewer, secret: str, device: str
) -> Response[dict[str, Any]]:
    cookies = [device_cookie(request, viewer.id, device), cookie_for(request, secret)]
    return Response(about(club, viewer), cookies=cookies)


@post("/logout", sync_to_thread=True, status_code=200, scope=SESSION_ONLY)
def logout(request: AnyRequest, arena: Served) -> Response[dict[str, Any]]:
    """End this session."""
    secret, _ = secrets_of(request.scope)
    if secret and arena.club.database.exists():
        with arena.club.database.writing() as session:
            users.end(session, secret)
        arena.club.forget_viewers()
    return Response({"ok": True}, cookies=[cookie_for(request, "")])


@patch("/me", sync_to_thread=True, scope=SESSION_ONLY)
def change_me(arena: Served, asker: Asker, data: JSONBody[Profile]) -> dict[str, Any]:
    """Change what is shown of you."""
    asker.must_be_known()
    with arena.club.database.writing() as session:
        user = session.get_one(UserRow, asker.id)
        if data.shown is not None:
            user.shown = users.shown_name(session, data.shown, asker.id, user.role)
        if data.email is not None:
            user.email = users.checked_email(data.email)
        if data.language is not None:
            user.language = data.language
    return about(arena.club, asker)


@post("/me/password", sync_to_thread=True, status_code=200, scope=SESSION_ONLY)
def change_password(
    request: AnyRequest, arena: Served, asker: Asker, data: JSONBody[Passwords]
) -> dict[str, Any]:
    """Change your password; every other session of yours ends, and every token."""
    asker.must_be_known()
    club = arena.club
    secret, _ = secrets_of(request.scope)
    trying = club.guesses.old_passwords.counting(str(asker.id), NotAllowed)
    with trying, club.database.writing() as session:
        users.change_password(session, asker, data.old, data.new, secret)
    club.forget_viewers()
    return {"ok": True}


@post("/reset", sync_to_thread=True, status_code=200, scope=SESSION_ONLY)
def reset(arena: Served, data: JSONBody[Reset]) -> dict[str, Any]:
    """Choose a new password with a code that the organiser made.

    Wrong codes are not counted: whoever typed some could else keep everybody behind the same
    address from using right ones, and a code has too many bits to be guessed at any rate. A wrong
    one costs no more than reading a row.
    """
    club = arena.club
    with club.database.reading() as session:
        users.reset_of(session, data.code)
    with club.database.writing() as session:
        user = users.reset(session, data.code, data.new)
        name = user.name
    club.forget_viewers()
    return {"ok": True, "name": name}


@get("/me/tokens", sync_to_thread=True, scope=SESSION_ONLY)
def list_tokens(arena: Served, asker: Asker) -> list[dict[str, Any]]:
    """Your tokens for programs, without their texts."""
    asker.must_be_known()
    with arena.club.database.reading() as session:
        return tokens.of(session, asker)


@post("/me/tokens", sync_to_thread=True, status_code=201, scope=SESSION_ONLY)
def add_token(arena: Served, asker: Asker, data: JSONBody[NewToken]) -> dict[str, Any]:
    """A new token; its text is in this answer and nowhere else."""
    asker.must_be_known()
    with arena.club.database.writing() as session:
        return tokens.add(session, asker, data.label, data.scopes, data.days)


@delete("/me/tokens/{id:int}", sync_to_thread=True, status_code=200, scope=SESSION_ONLY)
def drop_token(arena: Served, asker: Asker, id: FromPath[int]) -> dict[str, Any]:
    """Withdraw a token."""
    asker.must_be_known()
    with arena.club.database.writing() as session:
        tokens.drop(session, asker, id)
    arena.club.forget_viewers()
    return {"ok": True}


HANDLERS = [
    me,
    register,
    login,
    logout,
    change_me,
    change_password,
    reset,
    list_tokens,
    add_token,
    drop_token,
]
