"""The application: JSON under ``/api``, WebSockets under ``/ws``, repositories under ``/git``, the
docs under ``/docs``, and the page everywhere else."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator
from functools import cache
from typing import Any

from litestar import Litestar, Response, Router, get
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.params import FromPath

import ludus
from ludus.errors import LudusError
from ludus.games.rules_failure import explain_rules_failure
from ludus.gc_pause import disable_gc
from ludus.home import refuse_others_folder
from ludus.lang import Text
from ludus.scheduling.database import DatabaseUnavailable
from ludus.server.accounts.auth import (
    STATE_KEY,
    AnyRequest,
    csrf_guard,
    get_state,
    provide_identity,
    scope_guard,
)
from ludus.server.admin import health_routes
from ludus.server.error_schema import ErrorDetail
from ludus.server.git import git_door
from ludus.server.records.opened_files import MAX_UPLOADED_FILES
from ludus.server.services import SERVICES
from ludus.server.state import ServerState
from ludus.server.web import docs_site, public_routes, public_sockets, static
from ludus.server.web.access_log import AccessLog, open_log
from ludus.server.web.api_docs import JsonDocs, PlainDocs
from ludus.server.web.api_schema import document_errors
from ludus.server.web.errors import (
    NotFound,
    PayloadTooLarge,
    RequestError,
    TooManyRequests,
    describe_decode_error,
)
from ludus.server.web.handler_list import API_HANDLERS, SOCKET_HANDLERS
from ludus.server.web.responses import ErrorResponse
from ludus.server.web.security import App, SecurityMiddleware
from ludus.server.web.traffic_middleware import TrafficMiddleware

log = logging.getLogger(__name__)

MAX_BODY_BYTES = 64 << 10
"""The most bytes of a request body, unless a route says otherwise."""
EMPTY_BODY_TEXT: Text = Text("it has no body", "没有正文")
STATUS_ERRORS = {
    400: RequestError("the request is not understood", "无法理解该请求"),
    404: NotFound("there is no such address", "没有这个地址"),
    405: RequestError("that cannot be done here", "此处不支持该操作", code="method_not_allowed"),
    413: PayloadTooLarge("that is too large", "内容过大"),
}
INTERNAL_ERROR = RequestError(
    "something went wrong inside Ludus; the terminal of the server shows what",
    "Ludus 内部出错了；详情见服务器的终端",
    code="internal_error",
)


def make_app(server_state: ServerState) -> App:
    """The server's application with its security middleware and access log. LudusError if the home
    or the log may be written by other users."""
    refuse_others_folder(server_state.folder)
    served = Application(server_state, cached_routes())
    return AccessLog(
        SecurityMiddleware(served, server_state.settings.host_names),
        server_state.request_metrics,
        open_log(server_state.settings.log),
    )


class Application:
    """One server behind the routes, which all servers of a process share: each request carries the
    ``ServerState`` that it is for."""

    def __init__(self, server_state: ServerState, app: App) -> None:
        self.state, self.app = server_state, app
        self._lifespan_app = Litestar(
            lifespan=[self._lifespan], openapi_config=None, logging_config=None
        )

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Litestar) -> AsyncIterator[None]:
        async with self.state.run_services():
            yield

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan_app(scope, receive, send)
            return
        scope.setdefault("state", {})[STATE_KEY] = self.state
        await self.app(scope, receive, send)


@cache
def cached_routes() -> Litestar:
    """All routes; created once per process, because that takes a third of a second."""
    with disable_gc():
        return create_routes()


def create_routes() -> Litestar:
    return Litestar(
        [
            Router(
                "/api",
                route_handlers=document_errors([*public_routes.HANDLERS, *API_HANDLERS]),
                guards=[csrf_guard, scope_guard],
            ),
            Router("/ws", route_handlers=[*public_sockets.HANDLERS, *SOCKET_HANDLERS]),
            *document_errors(health_routes.HANDLERS),
            git_door.make_router(),
            docs_site.serve_docs,
            serve_page,
        ],
        dependencies={
            "server_state": Provide(get_state, sync_to_thread=False),
            "identity": Provide(provide_identity),
            **SERVICES,
        },
        exception_handlers={
            LudusError: _handle_ludus_error,
            HTTPException: _handle_http_error,
            RecursionError: _handle_decode_error,
            UnicodeDecodeError: _handle_decode_error,
            Exception: _handle_unexpected_error,
        },
        middleware=[TrafficMiddleware],
        openapi_config=OpenAPIConfig(
            title="Ludus",
            version=ludus.__version__,
            path="/api/docs",
            render_plugins=[PlainDocs(path="/"), JsonDocs()],
            use_handler_docstrings=True,
        ),
        request_max_body_size=MAX_BODY_BYTES,
        multipart_form_part_limit=MAX_UPLOADED_FILES,
        logging_config=None,
        debug=False,
    )


def _handle_ludus_error(request: AnyRequest, error: LudusError) -> Response[ErrorResponse]:
    status = error.status if isinstance(error, RequestError) else 400
    if isinstance(error, DatabaseUnavailable):
        status = 503
    wait = error.wait if isinstance(error, TooManyRequests) else 0
    headers = {"retry-after": str(wait)} if wait else {}
    return _respond(error, status, headers)


def _respond(
    error: LudusError, status: int, headers: dict[str, str] | None = None
) -> Response[ErrorResponse]:
    body = ErrorResponse(ErrorDetail.from_error(error))
    return Response(body, status_code=status, headers=headers)


def _handle_http_error(request: AnyRequest, error: HTTPException) -> Response[ErrorResponse]:
    found = STATUS_ERRORS.get(error.status_code, STATUS_ERRORS[400])
    if error.status_code == 400 and error.detail:
        detail = "; ".join(_format_detail(each) for each in error.extra or ()) or error.detail
        found = _explain(EMPTY_BODY_TEXT if _lacks_body(request) else describe_decode_error(detail))
    return _respond(found, error.status_code)


def _handle_decode_error(
    request: AnyRequest, error: RecursionError | UnicodeDecodeError
) -> Response[ErrorResponse]:
    """Answer 400: only the request's own content can be nested too deeply, or not be text."""
    return _respond(_explain(describe_decode_error(error)), 400)


def _explain(why: Text) -> RequestError:
    text = STATUS_ERRORS[400].text
    return RequestError(f"{text['en']}: {why['en']}", f"{text['zh']}：{why['zh']}")


def _lacks_body(request: AnyRequest) -> bool:
    """Whether a request that needs a body has none."""
    if request.route_handler.parsed_data_field is None:
        return False
    length = request.headers.get("content-length", "0")
    return length == "0" and "transfer-encoding" not in request.headers


def _format_detail(extra: Any) -> str:
    if not isinstance(extra, dict):
        return str(extra)
    return ": ".join(str(extra[name]) for name in ("key", "message") if extra.get(name))


def _handle_unexpected_error(request: AnyRequest, error: Exception) -> Response[ErrorResponse]:
    explained = explain_rules_failure(error)
    what = explained or "failed"
    log.error("%s %s: %s", request.method, request.url.path[:300], what, exc_info=error)
    return _respond(explained or INTERNAL_ERROR, 500)


@get(["/", "/{path:path}"], include_in_schema=False)
async def serve_page(request: AnyRequest, path: FromPath[str] = "") -> Response[bytes]:
    """The page's files; every other address shows the page itself, whose router handles it."""
    if path.startswith(("/api/", "/ws/")):
        raise NotFound(f"there is no {path}", f"没有 {path}")
    return static.respond_with_file(static.find_file(path), request.headers.get("accept-encoding"))
