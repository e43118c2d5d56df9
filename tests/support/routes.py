"""The addresses that the application answers, and all words of an answer."""

import gzip
import io
import zipfile
from collections.abc import Iterator

from litestar.routes import HTTPRoute, WebSocketRoute

from ludus.server.accounts.auth import SAFE_METHODS
from ludus.server.web.app import cached_routes


def changing_routes() -> dict[tuple[str, str], str | None]:
    """Method and path of every route that changes something, with its scope."""
    return {
        (method, route.path): handler.opt.get("scope")
        for route in cached_routes().routes
        if route.path.startswith("/api") and isinstance(route, HTTPRoute)
        for handler in route.route_handlers
        for method in handler.http_methods - SAFE_METHODS
    }


def reading_routes() -> list[str]:
    """The paths of the API that are read with GET, but for those of its own description."""
    return sorted(
        {
            route.path
            for route in cached_routes().routes
            if isinstance(route, HTTPRoute) and route.path.startswith("/api/")
            for handler in route.route_handlers
            if "GET" in handler.http_methods and not route.path.startswith("/api/docs")
        }
    )


def sockets() -> Iterator[str]:
    for route in cached_routes().routes:
        if isinstance(route, WebSocketRoute):
            yield route.path


SOCKETS = sorted(set(sockets()))


def opened(body: bytes) -> str:
    """All words of an answer, those in zips and packed records too."""
    if body.startswith(b"\x1f\x8b"):
        return opened(gzip.decompress(body))
    if body.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(body)) as box:
            return "\n".join(opened(box.read(name)) for name in box.namelist())
    return body.decode("latin-1")
