"""Authentication, CSRF protection and the scopes of tokens."""

from __future__ import annotations

import asyncio
import base64
import hmac
from http.cookies import CookieError, SimpleCookie
from typing import Any

from litestar import Request
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie
from litestar.enums import ScopeType
from litestar.handlers import BaseRouteHandler
from litestar.types import Scope

from ludus.server.accounts.identity import ANONYMOUS, READ, Identity
from ludus.server.accounts.sessions import SESSION_LIFETIME_S
from ludus.server.state import InjectedIdentity, InjectedState, ServerState
from ludus.server.web.errors import Forbidden, invalid_token

SESSION_COOKIE = "ludus"
DEVICE_COOKIE_PREFIX = "ludus_device_"
DEVICE_COOKIE_MAX_AGE_S = 365 * 86400
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
STATE_KEY = "ludus.server"
"""The key of a request's ``ServerState`` in its scope's state."""
GIT_PATH_PREFIX = "/git/"
"""Where repositories are."""
PROXY_AUTH_SCHEMES = ("basic", "digest", "negotiate", "ntlm")
IDENTITY_KEY = "ludus.identity"
"""The key of a request's identity in its scope's state, so that it is looked up once."""

__all__ = ["AnyRequest", "InjectedIdentity"]
AnyRequest = Request[Any, Any, Any]


def get_state(scope: Scope) -> ServerState:
    """The server that a request is for."""
    server_state: ServerState = scope["state"][STATE_KEY]
    return server_state


async def identify_request(scope: Scope, server_state: ServerState) -> Identity:
    """The identity behind a request's bearer token or else its cookie.

    Raises NotLoggedIn for an invalid token: a program that sends one would otherwise mistake a
    guest's view for its owner's. Raises Forbidden for a WebSocket with a token that lacks the scope
    ``read``.
    """
    known: Identity | None = scope["state"].get(IDENTITY_KEY)
    if known is None:
        known = await _look_up_identity(scope, server_state)
        if scope["type"] == ScopeType.WEBSOCKET and not known.has_scope(READ):
            raise missing_scope(READ)
        scope["state"][IDENTITY_KEY] = known
    return known


async def _look_up_identity(scope: Scope, server_state: ServerState) -> Identity:
    cookie, bearer = read_credentials(scope)
    if not cookie and bearer is None:
        return ANONYMOUS
    found = await asyncio.to_thread(server_state.site.identify, cookie, bearer)
    if bearer is not None and not found.is_logged_in:
        raise invalid_token()
    return found


def read_credentials(scope: Scope) -> tuple[str, str | None]:
    """The session's secret and the token of a request; None if it has no token.

    Credentials of any kind but ``Bearer`` count as an invalid token, except for those that browsers
    send to a proxy in front of the server, which has checked them. Git sends its token as a
    password, and never a cookie.
    """
    given = _get_header(scope, b"authorization")
    kind, _, bearer = given.partition(" ")
    if scope["path"].startswith(GIT_PATH_PREFIX):
        return "", _decode_git_token(bearer) if kind.lower() == "basic" else None
    jar = _parse_cookies(scope)
    cookie = jar[SESSION_COOKIE].value if SESSION_COOKIE in jar else ""
    if not given or kind.lower() in PROXY_AUTH_SCHEMES:
        return cookie[:200], None
    return cookie[:200], bearer.strip()[:200] if kind.lower() == "bearer" else ""


def _decode_git_token(encoded: str) -> str:
    """The password of basic credentials or, if it is empty, the name: both are usual places for a
    token."""
    try:
        text = base64.b64decode(encoded.strip()[:2000], validate=True).decode()
    except ValueError:
        return ""
    name, _, password = text.partition(":")
    return (password or name)[:200]


def _get_header(scope: Scope, wanted: bytes) -> str:
    return next((v.decode("latin-1") for name, v in scope["headers"] if name == wanted), "")


def _parse_cookies(scope: Scope) -> SimpleCookie:
    jar = SimpleCookie()
    try:
        jar.load(_get_header(scope, b"cookie"))
    except CookieError:
        jar.clear()
    return jar


async def provide_identity(scope: Scope, server_state: InjectedState) -> Identity:
    return await identify_request(scope, server_state)


async def csrf_guard(
    connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler
) -> None:
    """Refuse a change that does not come from the session's own page."""
    if not isinstance(connection, Request) or connection.method in SAFE_METHODS:
        return
    identity = await identify_request(connection.scope, get_state(connection.scope))
    if identity.auth_method != "session":
        return
    given = connection.headers.get("x-csrf", "")
    if not hmac.compare_digest(given.encode(), identity.csrf.encode()):
        raise Forbidden(
            "this request did not come from the page you have open; reload the page",
            "该请求不是由你打开的页面发出的；请重新载入页面",
            code="missing_csrf",
        )


SESSION_ONLY = "session"
"""The scope of everything that no token may do: passwords, e-mail, tokens, roles, closing accounts.
A token that could create reset codes could log in as its owner and survive its own revocation."""


async def scope_guard(
    connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler
) -> None:
    """Refuse requests that a token's scopes do not cover.

    Every route that changes something names the scope it needs (``scope=`` of its handler); without
    one, no token may use it. Routes that only read need ``read`` unless they say otherwise; every
    token has the empty scope.
    """
    identity = await identify_request(connection.scope, get_state(connection.scope))
    if identity.auth_method != "token":
        return
    reading = not isinstance(connection, Request) or connection.method in SAFE_METHODS
    needed = handler.opt.get("scope", READ if reading else SESSION_ONLY)
    if not needed:
        return
    if needed == SESSION_ONLY:
        raise Forbidden(
            "a token cannot do that; do it on the page",
            "令牌不能进行此操作；请在网页上进行",
            code="missing_scope",
        )
    if not identity.has_scope(needed):
        raise missing_scope(needed)


def missing_scope(scope: str) -> Forbidden:
    return Forbidden(
        f"this token was not made for that: it lacks the scope {scope!r}",
        f"该令牌没有此权限：缺少 {scope!r}",
        code="missing_scope",
    )


def make_session_cookie(request: AnyRequest, secret: str) -> Cookie:
    """The session's cookie; an empty secret deletes it."""
    return Cookie(
        SESSION_COOKIE,
        value=secret,
        max_age=SESSION_LIFETIME_S if secret else 0,
        path="/",
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )


def make_device_cookie(request: AnyRequest, user_id: int, secret: str) -> Cookie:
    """The cookie that identifies a browser as one that has logged in to this account before."""
    return Cookie(
        f"{DEVICE_COOKIE_PREFIX}{user_id}",
        value=secret,
        max_age=DEVICE_COOKIE_MAX_AGE_S,
        path="/api/login",
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )


def read_device_cookies(scope: Scope) -> dict[int, str]:
    """The secrets of a browser's device cookies, by account id."""
    return {
        int(id): morsel.value[:200]
        for name, morsel in _parse_cookies(scope).items()
        if (id := name.removeprefix(DEVICE_COOKIE_PREFIX)) != name
        and id.isdecimal()
        and len(id) < 16
    }


def get_client_address(request: AnyRequest) -> str:
    return request.client.host if request.client else ""
