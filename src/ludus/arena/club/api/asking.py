"""Who sends a request, and whether it was they who meant it."""

from __future__ import annotations

import asyncio
import hmac
from http.cookies import CookieError, SimpleCookie
from typing import Any

from litestar import Request
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie
from litestar.handlers import BaseRouteHandler
from litestar.types import Scope

from ludus.arena.club.people import LASTS
from ludus.arena.club.viewer import NOBODY, Viewer
from ludus.arena.refusals import NotAllowed
from ludus.arena.services import Arena, Asker, Served

COOKIE = "ludus"
READING = {"GET", "HEAD", "OPTIONS"}
KEPT = "ludus.viewer"
"""Where the viewer of a request is kept, so that it is looked up once."""

__all__ = ["AnyRequest", "Asker"]
AnyRequest = Request[Any, Any, Any]


async def viewer_of(scope: Scope, arena: Arena) -> Viewer:
    """By the cookie or the bearer token of a request; a token counts before a cookie."""
    known: Viewer | None = scope["state"].get(KEPT)
    if known is None:
        known = await _look(scope, arena)
        scope["state"][KEPT] = known
    return known


async def _look(scope: Scope, arena: Arena) -> Viewer:
    cookie, bearer = secrets_of(scope)
    if not cookie and not bearer:
        return NOBODY
    return await asyncio.to_thread(arena.club.viewer, cookie, bearer)


def secrets_of(scope: Scope) -> tuple[str, str]:
    """The session's secret and the token of a request."""
    headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
    kind, _, bearer = headers.get(b"authorization", "").partition(" ")
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(headers.get(b"cookie", ""))
    except CookieError:
        jar.clear()
    cookie = jar[COOKIE].value if COOKIE in jar else ""
    return cookie[:200], bearer.strip()[:200] if kind.lower() == "bearer" else ""


async def provide_asker(scope: Scope, arena: Served) -> Viewer:
    return await viewer_of(scope, arena)


async def meant(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Refuse a change that a session's own page did not ask for (CSRF)."""
    if not isinstance(connection, Request) or connection.method in READING:
        return
    viewer = await viewer_of(connection.scope, connection.app.state.arena)
    if viewer.by != "session":
        return
    given = connection.headers.get("x-csrf", "")
    if not hmac.compare_digest(given.encode(), viewer.csrf.encode()):
        raise NotAllowed(
            "this request did not come from the page you have open; load it again",
            "该请求不是由你打开的页面发出的；请重新载入页面",
        )


def cookie_for(request: AnyRequest, secret: str) -> Cookie:
    """The session's cookie; with an empty secret one that ends it."""
    return Cookie(
        COOKIE,
        value=secret,
        max_age=LASTS if secret else 0,
        path="/",
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )


def address_of(request: AnyRequest) -> str:
    return request.client.host if request.client else ""
