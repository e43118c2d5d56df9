"""Checks of hosts and origins, and the security headers of responses."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

import msgspec

from ludus.server.web.errors import Forbidden, RequestError

Scope = dict[str, Any]
Send = Callable[[dict[str, Any]], Awaitable[None]]
App = Callable[[Any, Any, Any], Awaitable[None]]

CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "media-src 'self' blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self' blob:",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
SECURITY_HEADERS = [
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
NO_STORE_HEADER = (b"cache-control", b"no-store")
"""For every response but the page's own files: its content depends on who asks."""
UNCACHED_PATH_PREFIXES = ("/api/", "/git/", "/health", "/metrics")
FOREIGN_HOST = Forbidden(
    "this server does not answer to that name; use its address, or allow the name with"
    " --allow-host",
    "本服务器不使用这个名字；请用其地址访问，或用 --allow-host 允许该名字",
    code="foreign_host",
)
FOREIGN_ORIGIN = Forbidden(
    "pages of other sites may not talk to this server",
    "其他网站的页面不能访问本服务器",
    code="foreign_origin",
)


class SecurityMiddleware:
    """Wraps an application: refuses foreign hosts and origins, adds security headers, and forbids
    browsers and proxies to cache the API's responses.

    A foreign name that resolves to our address must not be answered (DNS rebinding), so besides IP
    addresses only configured names are accepted.
    """

    def __init__(self, app: App, names: Iterable[str] = ()) -> None:
        self.app = app
        self.names = {"localhost", socket.gethostname().lower(), *(n.lower() for n in names)}

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        if (why := self.refusal_reason(scope)) is not None:
            await send_refusal(scope, send, why)
            return

        async def guarded(event: dict[str, Any]) -> None:
            if event["type"] == "http.response.start":
                given = {name.lower() for name, _ in event.get("headers", [])}
                more = [each for each in response_headers(scope) if each[0] not in given]
                event = {**event, "headers": [*event.get("headers", []), *more]}
            await send(event)

        await self.app(scope, receive, guarded)

    def refusal_reason(self, scope: Scope) -> RequestError | None:
        """Why this request is refused, or None."""
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        if not self.is_known_host(host):
            return FOREIGN_HOST
        origin = headers.get(b"origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return FOREIGN_ORIGIN
        return None

    def is_known_host(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
            if name in self.names:
                return True
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def response_headers(scope: Scope) -> list[tuple[bytes, bytes]]:
    """The headers of a response that does not set them itself."""
    return (
        [*SECURITY_HEADERS, NO_STORE_HEADER]
        if scope["path"].startswith(UNCACHED_PATH_PREFIXES)
        else SECURITY_HEADERS
    )


async def send_refusal(scope: Scope, send: Send, why: RequestError) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": why.text["en"][:100]})
        return
    headers = [(b"content-type", b"application/json"), *SECURITY_HEADERS, NO_STORE_HEADER]
    body = msgspec.json.encode({"error": why.as_json()})
    await send({"type": "http.response.start", "status": why.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
