"""Write the page's TypeScript types from the API's description: ``.venv/bin/python
tools/page_types.py``. ``tests/page/test_types.py`` fails where the file is not current."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ludus.server.web.api_schema import make_document, request_names
from ludus.server.web.app import cached_routes

TARGET = Path(__file__).resolve().parent.parent / "build" / "api-types.ts"
HEAD = """/** Every answer, request and socket message of the server.
 *
 * Written by tools/page_types.py from the server's own types: change those, then run it. */
"""
PRIMITIVES = {
    "integer": "number",
    "number": "number",
    "string": "string",
    "boolean": "boolean",
    "null": "null",
}


def render(document: dict[str, Any], requests: set[str]) -> str:
    """The TypeScript file. Fields with a default may be left out of ``requests``; in all other
    types they are always there."""
    schemas = document["components"]["schemas"]
    parts = [HEAD, "export interface Text {\n  en: string;\n  zh: string;\n}\n"]
    for name, schema in sorted(schemas.items()):
        parts.append("\n".join(_render_schema(name, schema, name in requests)) + "\n")
    return "\n".join(parts)


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


def current_types() -> str:
    """What the file should say."""
    app = cached_routes()
    return render(make_document(app, {}), request_names(app))


if __name__ == "__main__":
    TARGET.write_text(current_types(), encoding="utf-8")
    sys.stdout.write(f"{TARGET}\n")
