"""Write the page's TypeScript types from the API's description:
``.venv/bin/python tools/page_types.py``. A test fails where the file is not current."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from litestar import Litestar

from ludus.games.board_shapes import BoardShape
from ludus.server.contests.report_schemas import ContestReport
from ludus.server.live.board_schemas import Gesture
from ludus.server.live.film_schemas import FilmKind
from ludus.server.live.messages import SeatKind, ServerMessage
from ludus.server.rooms.room_schemas import RoomState
from ludus.server.vocabulary import (
    ContestState,
    GroupRole,
    MadeWith,
    Role,
    RosterColumn,
    Scope,
    VersionState,
)
from ludus.server.web.api_schema import (
    REF_TEMPLATE,
    is_json,
    iter_handlers,
    make_document,
    request_names,
    request_type,
    response_type,
)
from ludus.server.web.app import cached_routes

TARGET = Path(__file__).resolve().parent.parent / "web" / "src" / "api" / "generated.ts"
HEAD = """/** Every answer, request and socket message of the server.
 *
 * Written by tools/page_types.py from the server's own types: change those, then run it. */

export interface Text {
  en: string;
  zh: string;
}
"""
PRIMITIVES = {
    "integer": "number",
    "number": "number",
    "string": "string",
    "boolean": "boolean",
    "null": "null",
}
ALIASES = {
    "ContestState": ContestState,
    "FilmKind": FilmKind,
    "Gesture": Gesture,
    "GroupRole": GroupRole,
    "Role": Role,
    "RosterColumn": RosterColumn,
    "RoomState": RoomState,
    "Scope": Scope,
    "SeatKind": SeatKind,
    "ServerMessage": ServerMessage,
    "VersionState": VersionState,
    "MadeWith": MadeWith,
}
"""Types that the page names although they are not structs."""

EMBEDDED = (ContestReport, BoardShape)
"""Types that the page shows although the API does not return them by themselves."""


def render(app: Litestar) -> str:
    """The TypeScript file. Fields with a default may be left out of requests; in all other types
    they are always there."""
    requests = request_names(app)
    parts = [HEAD]
    schemas = make_document(app, {})["components"]["schemas"]
    schemas |= msgspec.json.schema_components(EMBEDDED, ref_template=REF_TEMPLATE)[1]
    for name, schema in sorted(schemas.items()):
        parts.append("\n".join(_render_schema(name, schema, name in requests)) + "\n")
    for name, annotation in ALIASES.items():
        parts.append(f"export type {name} =\n  | {_union_of(annotation)};\n")
    return "\n".join([*parts, "\n".join(_render_routes(app)) + "\n"])


def _union_of(annotation: Any) -> str:
    return render_annotation(annotation).replace(" | ", "\n  | ")


def _render_schema(name: str, schema: dict[str, Any], is_request: bool) -> Iterator[str]:
    if said := schema.get("description"):
        yield f"/** {said} */"
    if "properties" not in schema and "enum" in schema:
        yield f"export type {name} = {render_type(schema)};"
        return
    yield f"export interface {name} {{"
    required = set(schema.get("required", ()))
    for field, facts in schema.get("properties", {}).items():
        always = field in required or ("default" in facts and not is_request)
        yield f"  {field}{'' if always else '?'}: {render_type(facts)};"
    yield "}"


def _render_routes(app: Litestar) -> Iterator[str]:
    """Every address that answers with JSON, and the JSON that it takes."""
    yield "/** By method and path under `/api`: what is answered, and what is sent. */"
    yield "export interface Routes {"
    for method, path, handler in sorted(iter_handlers(app), key=lambda each: each[:2]):
        answer = response_type(handler)
        if path.startswith("/api/") and not path.startswith("/api/docs") and is_json(answer):
            sent = request_type(handler)
            body = "undefined" if sent is None else render_annotation(sent)
            facts = f"{{ answer: {render_annotation(answer)}; body: {body} }}"
            yield f'  "{method} {path.removeprefix("/api")}": {facts};'
    yield "}"


def render_annotation(annotation: Any) -> str:
    (schema,), _ = msgspec.json.schema_components([annotation], ref_template=REF_TEMPLATE)
    return render_type(schema)


def render_type(schema: dict[str, Any]) -> str:
    """A JSON schema as a TypeScript type."""
    if schema.get("title") == "Text":
        return "Text"
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if choices := schema.get("anyOf"):
        return " | ".join(dict.fromkeys(map(render_type, choices)))
    if values := schema.get("enum"):
        return " | ".join(json.dumps(value) for value in values)
    if schema.get("type") == "array":
        if items := schema.get("prefixItems"):
            return f"[{', '.join(map(render_type, items))}]"
        item = render_type(schema["items"]) if schema.get("items") else "unknown"
        return f"({item})[]" if " | " in item else f"{item}[]"
    if schema.get("type") == "object":
        values = schema.get("additionalProperties")
        return f"Record<string, {render_type(values) if values else 'unknown'}>"
    return PRIMITIVES[schema["type"]] if "type" in schema else "unknown"


if __name__ == "__main__":
    TARGET.write_text(render(cached_routes()), encoding="utf-8")
    sys.stdout.write(f"{TARGET}\n")
