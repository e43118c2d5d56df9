"""The page of the HTTP interface, from the server's OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from ludus.lang import Text
from ludus.server.web.api_schema import make_document
from ludus.server.web.app import cached_routes
from tools.docs_site.tables import format_table

Schema = dict[str, Any]
METHODS = ("get", "post", "put", "patch", "delete", "head")
INTRODUCTION = Text(
    """# REST

Every route of a server, with what it takes and answers. A running server has the same as an OpenAPI
document, `/api/docs/openapi.json`. Who may do what, and how a program logs in with a token:
[the arena online](arena.md). A refused request is answered with an [ErrorResponse](#errorresponse)
and a status of 400 or above.
""",
    """# REST

服务器的全部路由、所需的参数与返回的内容。运行中的服务器提供同样内容的 OpenAPI 文档：
`/api/docs/openapi.json`。谁能做什么、程序如何用令牌登录，见[在线弈场](arena.md)。被拒绝的请求返回
[ErrorResponse](#errorresponse)，状态码不小于 400。以下说明取自代码，为英文。
""",
)
WORDS = {
    "name": Text("name", "名称"),
    "place": Text("in", "位置"),
    "type": Text("type", "类型"),
    "meaning": Text("meaning", "含义"),
    "body": Text("Takes", "请求正文"),
    "answer": Text("Answers", "返回"),
    "required": Text("required", "必填"),
    "types": Text("Types", "类型"),
    "other": Text("The server itself", "服务器本身"),
}


@cache
def openapi_document() -> Schema:
    """The document that a server shows at ``/api/docs/openapi.json``."""
    routes = cached_routes()
    return make_document(routes, routes.openapi_schema.to_schema())


def format_rest_page(language: str) -> str:
    """All routes by their first word, then all types."""
    return INTRODUCTION[language] + "".join(_RestPage(language).lines())


class _RestPage:
    def __init__(self, language: str) -> None:
        self.document = openapi_document()
        self.language = language

    def lines(self) -> Iterator[str]:
        chapter = None
        for path, operations in sorted(self.document["paths"].items(), key=_order):
            if chapter != (chapter := _chapter(path)):
                yield f"\n## {chapter or self._word('other')}\n"
            for method in METHODS:
                if method in operations:
                    yield from self._operation(path, method, operations[method])
        yield f"\n## {self._word('types')}\n"
        for name, schema in sorted(self.document["components"]["schemas"].items()):
            yield from self._type(name, schema)

    def _word(self, name: str) -> str:
        return WORDS[name][self.language]

    def _operation(self, path: str, method: str, operation: Schema) -> Iterator[str]:
        yield f"\n### `{method.upper()} {path}`\n\n"
        yield f"{_prose(operation.get('description') or '')}\n"
        rows = [
            (f"`{each['name']}`", self._place(each), f"`{_type_name(each.get('schema', {}))}`")
            for each in operation.get("parameters") or ()
        ]
        yield format_table((self._word("name"), self._word("place"), self._word("type")), rows)
        if body := operation.get("requestBody"):
            yield f"\n{self._word('body')} {_content(body)}\n"
        for status, response in (operation.get("responses") or {}).items():
            if status.startswith("2"):
                yield f"\n{self._word('answer')} {status} {_content(response)}\n"

    def _place(self, parameter: Schema) -> str:
        required = f", {self._word('required')}" if parameter.get("required") else ""
        return parameter["in"] + required

    def _type(self, name: str, schema: Schema) -> Iterator[str]:
        yield f"\n### {name}\n\n{_prose(schema.get('description', ''))}\n"
        if "properties" not in schema:
            yield f"\n`{_type_name(schema)}`\n"
            return
        required = set(schema.get("required", ()))
        rows = [
            (
                f"`{field}`" + (f" ({self._word('required')})" if field in required else ""),
                _linked_type(facts),
            )
            for field, facts in schema["properties"].items()
        ]
        yield format_table((self._word("name"), self._word("type")), rows)


def _order(item: tuple[str, Schema]) -> tuple[bool, str]:
    return _chapter(item[0]) == "", item[0]


def _chapter(path: str) -> str:
    """``/api/bots`` for all that begins with it; empty for what is not of the API."""
    found = re.match(r"/api/\w+", path)
    return found[0] if found else ""


def _prose(text: str) -> str:
    """A docstring as Markdown."""
    return re.sub(r"``(.+?)``", r"`\1`", text, flags=re.DOTALL).replace("<", "&lt;")


def _content(message: Schema) -> str:
    """What a request or response carries: its type, by media type."""
    found = message.get("content") or {}
    return ", ".join(
        f"{_linked_type(facts.get('schema', {}))} (`{media}`)" for media, facts in found.items()
    )


def _linked_type(schema: Schema) -> str:
    """A type, linked where it is one of the page's own."""
    name = _type_name(schema)
    own = set(re.findall(r"#/components/schemas/(\w+)", str(schema)))
    if name in own:
        return f"[{name}](#{name.lower()})"
    links = " ".join(f"[{each}](#{each.lower()})" for each in sorted(own) if each in name)
    return f"`{name}`" + (f": {links}" if links else "")


def _type_name(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return repr(schema["const"])
    if "enum" in schema:
        return " or ".join(repr(each) for each in schema["enum"])
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(map(_type_name, schema[several])))
    kind = schema.get("type", "any")
    if kind == "array":
        return f"array of {_type_name(schema.get('items') or {})}"
    if kind == "object" and isinstance(values := schema.get("additionalProperties"), dict):
        return f"object of {_type_name(values)}"
    return str(kind)
