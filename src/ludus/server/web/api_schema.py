"""The API's OpenAPI document: paths from Litestar, schemas from msgspec.

Litestar's own schemas lack the structs' docstrings and the WebSocket messages, so all components
are made from the types that handlers name and every socket message. ``tools/page_types.py`` turns
the same document into the page's TypeScript.
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
    """The handlers, documented so that every error response is an ``ErrorResponse``.

    Litestar would document its own error format, which our exception handlers never send.
    """
    found = list(handlers)
    for handler in found:
        if isinstance(handler, HTTPRouteHandler):
            refused: dict[Any, ResponseSpec] = {400: ERROR_SPEC, "default": ERROR_SPEC}
            handler.responses = refused | dict(handler.responses or {})
    return found


def iter_handlers(app: Litestar) -> Iterator[tuple[str, str, HTTPRouteHandler]]:
    """Method, path and handler of every documented route."""
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            for handler in route.route_handlers:
                if handler.include_in_schema is not False:
                    for method in sorted(handler.http_methods - {"OPTIONS"}):
                        yield method, route.path_format, handler


def response_type(handler: HTTPRouteHandler, status: int = 0) -> Any:
    """The type of a handler's response, with its usual status or another."""
    specs = dict(handler.responses or {})
    usual = handler.status_code
    if (spec := specs.get(status or usual)) is not None:
        return spec.data_container
    if status not in (0, usual):
        return ErrorResponse
    annotation = handler.parsed_fn_signature.return_type.annotation
    return get_args(annotation)[0] if get_origin(annotation) is Response else annotation


def request_type(handler: HTTPRouteHandler) -> Any | None:
    """The type of the JSON that a handler takes, if any."""
    field = handler.parsed_data_field
    return None if field is None else field.annotation


def request_names(app: Litestar) -> set[str]:
    """The names of the types that are only sent to the server."""
    handlers = [handler for _, _, handler in iter_handlers(app)]
    sent = {*map(request_type, handlers), ClientMessage} - {None}
    responses = [response_type(handler) for handler in handlers]
    answers = [ServerMessage, *(each for each in responses if is_json(each))]
    return set(_make_components(sent)) - set(_make_components(answers))


def _make_components(types: Iterable[Any]) -> dict[str, Any]:
    return msgspec.json.schema_components(types, ref_template=REF_TEMPLATE)[1]


def make_document(app: Litestar, paths: dict[str, Any]) -> dict[str, Any]:
    """The OpenAPI document ``paths`` with components made from the handlers' types."""
    types: list[Any] = [ServerMessage, ClientMessage, ErrorResponse]
    for _, _, handler in iter_handlers(app):
        types += [each for each in (response_type(handler), request_type(handler)) if is_json(each)]
        types += [spec.data_container for spec in (handler.responses or {}).values()]
    components = {
        **paths.get("components", {}),
        "schemas": _make_components(types),
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
    }
    operations = {path: dict(methods) for path, methods in paths.get("paths", {}).items()}
    for method, path, handler in iter_handlers(app):
        if (form := handler.opt.get("form")) is not None and path in operations:
            operation = operations[path][method.lower()]
            operations[path][method.lower()] = {**operation, "requestBody": form.describe()}
    # Most of what may be read needs no token.
    return {
        **paths,
        "paths": operations,
        "components": components,
        "security": [{}, {"token": []}],
    }


def is_json(annotation: Any) -> bool:
    """Whether a type is sent as JSON, not as a file or text."""
    if isinstance(annotation, type):
        return not issubclass(annotation, (bytes, str, Response))
    return annotation is not None
