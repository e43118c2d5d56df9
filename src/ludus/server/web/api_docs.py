"""The API's documentation as a plain page, without scripts or external files."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

import msgspec
from litestar import Request
from litestar.openapi.plugins import JsonRenderPlugin, OpenAPIRenderPlugin

from ludus.server.web.api_schema import make_document

PAGE_HEAD = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Ludus API</title>"""


class PlainDocs(OpenAPIRenderPlugin):
    """The schema as headings, tables and sentences, with a link to the JSON."""

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        return "\n".join(_render_page(make_document(request.app, openapi_schema))).encode()


class JsonDocs(JsonRenderPlugin):
    """The schema as one JSON document."""

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        return super().render(request, make_document(request.app, openapi_schema))


def _render_page(schema: dict[str, Any]) -> Iterator[str]:
    yield PAGE_HEAD
    yield f"<h1>Ludus {escape(schema['info']['version'])}: API</h1>"
    yield '<p>As JSON: <a href="/api/docs/openapi.json">openapi.json</a></p>'
    for path, methods in sorted(schema["paths"].items()):
        for method, operation in methods.items():
            if isinstance(operation, dict):
                yield from _render_operation(path, method, operation)
    schemas = schema.get("components", {}).get("schemas", {})
    for name, facts in sorted(schemas.items()):
        yield f'<h3 id="{escape(name)}">{escape(name)}</h3>'
        yield f"<pre>{escape(_format_json(facts))}</pre>"
    yield "</html>"


def _render_operation(path: str, method: str, operation: dict[str, Any]) -> Iterator[str]:
    yield f"<h2><code>{method.upper()} {escape(path)}</code></h2>"
    yield f"<p>{escape(operation.get('description') or '')}</p>"
    parameters = operation.get("parameters") or []
    if parameters:
        yield "<ul>"
        for each in parameters:
            must = "" if each.get("required") else " (optional)"
            yield f"<li><code>{escape(each['name'])}</code> in the {escape(each['in'])}{must}</li>"
        yield "</ul>"
    if body := operation.get("requestBody"):
        yield f"<pre>{escape(_format_json(body.get('content', {})))}</pre>"
    for status, response in (operation.get("responses") or {}).items():
        if status.startswith("2"):
            yield f"<p>{status}:</p><pre>{escape(_format_json(response.get('content', {})))}</pre>"


def _format_json(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
