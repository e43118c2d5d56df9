"""The application: JSON under ``/api``, WebSockets under ``/ws``, the page everywhere else."""

from __future__ import annotations

import contextlib
import logging
import traceback
from collections.abc import AsyncIterator
from functools import cache
from typing import Any

from litestar import Litestar, Request, Response, Router, get
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.params import FromPath

import ludus
from ludus.errors import LudusError
from ludus.escape import printable
from ludus.home import refuse_others_folder
from ludus.loading import uncollected
from ludus.scheduling.database import StoreTrouble
from ludus.server.accounts.auth import ARENA, arena_of, meant, provide_asker, within_scope
from ludus.server.admin import health_routes
from ludus.server.records.opened_files import MOST
from ludus.server.state import Arena
from ludus.server.web import public_routes, public_sockets, static
from ludus.server.web.access_log import Logged, opened
from ludus.server.web.api_docs import PlainDocs
from ludus.server.web.errors import NotFound, Refusal, TooOften, unreadable
from ludus.server.web.handlers import ALL as CLUB
from ludus.server.web.handlers import SOCKETS
from ludus.server.web.security import App, Guard
from ludus.server.web.throttle import Throttle

log = logging.getLogger("ludus.app")

BODY = 64 << 10
"""Bytes of a request, where nothing else is said."""
NO_BODY = "data: 'data'"
"""What litestar says of a request that should have a body and has none."""
EMPTY = {"en": "it has no body", "zh": "没有正文"}
HTTP_WORDS = {
    400: ("the request is not understood", "无法理解该请求"),
    404: ("there is no such address", "没有这个地址"),
    405: ("that cannot be done here", "此处不支持该操作"),
    413: ("that is too large", "内容过大"),
}


def make_app(arena: Arena) -> App:
    """The server's application, with its guard in front; a LudusError where the home or the log is
    not ours alone to write."""
    refuse_others_folder(arena.folder)
    served = Application(arena, routes())
    return Logged(Guard(served, arena.settings.names), arena.meter, opened(arena.settings.log))


class Application:
    """One arena behind the routes, which all arenas of a process share: every request carries the
    arena that it is for."""

    def __init__(self, arena: Arena, app: App) -> None:
        self.arena, self.app = arena, app
        self._life = Litestar(lifespan=[self._running], openapi_config=None, logging_config=None)

    @contextlib.asynccontextmanager
    async def _running(self, app: Litestar) -> AsyncIterator[None]:
        async with self.arena.running():
            yield

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._life(scope, receive, send)
            return
        scope.setdefault("state", {})[ARENA] = self.arena
        await self.app(scope, receive, send)


@cache
def routes() -> Litestar:
    """Every address and what answers there: made once, for that takes a third of a second."""
    with uncollected():
        return new_routes()


def new_routes() -> Litestar:
    return Litestar(
        [
            Router(
                "/api",
                route_handlers=[*public_routes.HANDLERS, *CLUB],
                guards=[meant, within_scope],
            ),
            Router("/ws", route_handlers=[*public_sockets.HANDLERS, *SOCKETS]),
            *health_routes.HANDLERS,
            page,
        ],
        dependencies={
            "arena": Provide(arena_of, sync_to_thread=False),
            "asker": Provide(provide_asker),
        },
        exception_handlers={
            LudusError: _sentence,
            HTTPException: _http,
            RecursionError: _unreadable,
            UnicodeDecodeError: _unreadable,
            Exception: _bug,
        },
        middleware=[Throttle],
        openapi_config=OpenAPIConfig(
            title="Ludus",
            version=ludus.__version__,
            path="/api/docs",
            render_plugins=[PlainDocs(path="/"), JsonRenderPlugin()],
            use_handler_docstrings=True,
        ),
        request_max_body_size=BODY,
        multipart_form_part_limit=MOST,
        logging_config=None,
        debug=False,
    )


def _sentence(request: Request[Any, Any, Any], error: LudusError) -> Response[Any]:
    status = error.status if isinstance(error, Refusal) else 400
    if isinstance(error, StoreTrouble):
        status = 503
    wait = error.wait if isinstance(error, TooOften) else 0
    headers = {"retry-after": str(wait)} if wait else {}
    return Response({"error": error.text}, status_code=status, headers=headers)


def _http(request: Request[Any, Any, Any], error: HTTPException) -> Response[Any]:
    en, zh = HTTP_WORDS.get(error.status_code, HTTP_WORDS[400])
    if error.status_code == 400 and error.detail:
        said = "; ".join(_detail(each) for each in error.extra or ()) or error.detail
        more = EMPTY if said == NO_BODY else unreadable(said)
        en, zh = f"{en}: {more['en']}", f"{zh}：{more['zh']}"
    return Response({"error": {"en": en, "zh": zh}}, status_code=error.status_code)


def _unreadable(
    request: Request[Any, Any, Any], error: RecursionError | UnicodeDecodeError
) -> Response[Any]:
    """Only what is sent to us can be nested so deeply, or be no text."""
    (en, zh), why = HTTP_WORDS[400], unreadable(error)
    text = {"en": f"{en}: {why['en']}", "zh": f"{zh}：{why['zh']}"}
    return Response({"error": text}, status_code=400)


def _detail(extra: Any) -> str:
    if not isinstance(extra, dict):
        return str(extra)
    return ": ".join(str(extra[name]) for name in ("key", "message") if extra.get(name))


def _bug(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    lines = "".join(traceback.format_exception(error)).splitlines()
    shown = "\n".join(f"| {printable(line)}" for line in lines)  # no name can look like our words
    log.error("a request failed: %s\n%s", type(error).__name__, shown)
    text = {
        "en": "something went wrong inside Ludus; the terminal of the server shows what",
        "zh": "Ludus 内部出错了；详情见服务器的终端",
    }
    return Response({"error": text}, status_code=500)


@get(["/", "/{path:path}"], include_in_schema=False)
async def page(request: Request[Any, Any, Any], path: FromPath[str] = "") -> Response[bytes]:
    """The page's files; every other address is the page's own."""
    if path.startswith(("/api/", "/ws/")):
        raise NotFound(f"there is no {path}", f"没有 {path}")
    file = static.find(path)
    cache = "public, max-age=31536000, immutable" if file.forever else "no-cache"
    headers = {"cache-control": cache, "vary": "accept-encoding"}
    if file.packed and "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
        return Response(file.packed, media_type=file.media, headers=headers)
    return Response(file.body, media_type=file.media, headers=headers)
