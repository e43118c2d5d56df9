"""The API's description: Litestar finds the addresses, msgspec describes what they take and give.

Litestar's own schemas lack the structs' docstrings and know nothing of WebSockets, so all
components are made anew from the types that handlers name, together with every socket message.
``tools/page_types.py`` turns the same document into the page's TypeScript.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, get_args, get_origin

import msgspec
from litestar import Litestar, Response
from litestar.handlers import BaseRouteHandler, HTTPRouteHandler
from litestar.openapi import ResponseSpec
from litestar.routes import HTTPRoute

from ludus.server.live.messages import ClientMessage, ServerMessage
from ludus.server.web.responses import ErrorResponse, response_spec

ERROR_SPEC = response_spec(ErrorResponse, "Refused, and why")
REF_TEMPLATE = "#/components/schemas/{name}"


def document_errors(handlers: Iterable[BaseRouteHandler]) -> list[BaseRouteHandler]:
    """The same handlers, described so that every refusal is an ``ErrorResponse``.

    Litestar would describe its own shape of errors, which our exception handlers never send.
    """
    found = list(handlers)
    for handler in found:
        if isinstance(handler, HTTPRouteHandler):
            refused: dict[Any, ResponseSpec] = {400: ERROR_SPEC, "default": ERROR_SPEC}
            handler.responses = refused | dict(handler.responses or {})
    return found


def iter_handlers(app: Litestar) -> Iterator[tuple[str, str, HTTPRouteHandler]]:
    """Method, path and handler of everything that is described."""
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            for handler in route.route_handlers:
                if handler.include_in_schema is not False:
                    for method in sorted(handler.http_methods - {"OPTIONS"}):
                        yield method, route.path_format, handler


def response_type(handler: HTTPRouteHandler, status: int = 0) -> Any:
    """What a handler answers: with its usual status, or with another."""
    specs = dict(handler.responses or {})
    usual = handler.status_code
    if (spec := specs.get(status or usual)) is not None:
        return spec.data_container
    if status not in (0, usual):
        return ErrorResponse
    annotation = handler.parsed_fn_signature.return_type.annotation
    return get_args(annotation)[0] if get_origin(annotation) is Response else annotation


def request_type(handler: HTTPRouteHandler) -> Any | None:
    """The JSON that a handler takes, if any."""
    field = handler.parsed_data_field
    return None if field is None else field.annotation


def request_names(app: Litestar) -> set[str]:
    """The names of the types that are only ever sent to the server."""
    handlers = [handler for _, _, handler in iter_handlers(app)]
    sent = {*map(request_type, handlers), ClientMessage} - {None}
    told = [response_type(handler) for handler in handlers]
    answers = [ServerMessage, *(each for each in told if is_json(each))]
    return set(_components(sent)) - set(_components(answers))


def _components(types: Iterable[Any]) -> dict[str, Any]:
    return msgspec.json.schema_components(types, ref_template=REF_TEMPLATE)[1]


def make_document(app: Litestar, paths: dict[str, Any]) -> dict[str, Any]:
    """The OpenAPI document ``paths`` with components made from the handlers' types."""
    types: list[Any] = [ServerMessage, ClientMessage, ErrorResponse]
    for _, _, handler in iter_handlers(app):
        types += [each for each in (response_type(handler), request_type(handler)) if is_json(each)]
        types += [spec.data_container for spec in (handler.responses or {}).values()]
    components = {**paths.get("components", {}), "schemas": _components(types)}
    return {**paths, "components": components}


def is_json(annotation: Any) -> bool:
    """Whether a type is sent as JSON, not as a file or a text."""
    if isinstance(annotation, type):
        return not issubclass(annotation, (bytes, str, Response))
    return annotation is not None
