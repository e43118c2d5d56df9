"""The page's TypeScript types are those of the server."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ludus.server.web.app import cached_routes

TOOL = Path(__file__).resolve().parents[2] / "tools" / "page_types.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("page_types", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_generated_file_is_current(tool: ModuleType) -> None:
    current = tool.render(cached_routes())
    assert tool.TARGET.read_text(encoding="utf-8") == current, "run tools/page_types.py"
    assert '  "GET /bots/{id}": { answer: BotInfo; body: undefined };' in current


NUMBER, WORD = {"type": "integer"}, {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "rendered"),
    [
        ({"anyOf": [NUMBER, {"type": "null"}]}, "number | null"),
        ({"type": "array", "items": {"anyOf": [NUMBER, WORD]}}, "(number | string)[]"),
        ({"type": "array", "prefixItems": [NUMBER, WORD]}, "[number, string]"),
        ({"type": "object", "additionalProperties": {"$ref": "#/x/A"}}, "Record<string, A>"),
        ({"enum": ["a", "b"]}, '"a" | "b"'),
        ({}, "unknown"),
    ],
)
def test_a_schema_becomes_a_type(tool: ModuleType, schema: object, rendered: str) -> None:
    assert tool.render_type(schema) == rendered


def test_only_requests_may_leave_fields_out(tool: ModuleType) -> None:
    schema = {"properties": {"a": {"type": "integer", "default": 1}}}
    assert "  a?: number;" in list(tool._render_schema("A", schema, True))
    assert "  a: number;" in list(tool._render_schema("A", schema, False))
