"""Whatever the API's own description allows to be sent, nothing breaks the server."""

import inspect
import json
import re
from typing import Any, get_args

import pytest
from litestar.handlers import HTTPRouteHandler

from ludus.server.game_schemas import GameInfo
from ludus.server.web.api_schema import iter_handlers, response_type
from ludus.server.web.app import cached_routes
from tests.support.accounts import log_in
from tests.support.site import Site

EXAMPLES = {"nobody": 1, "organiser": 2}
"""Of each address; ``python -m bench.arena_fuzz`` tries many more."""


@pytest.mark.parametrize("role", list(EXAMPLES))
def test_nothing_that_the_schema_allows_breaks_the_server(playing_site: Site, role: str) -> None:
    from tests.support.fuzz_api import schema_of, try_all  # takes two seconds to import

    token = ""
    if role == "organiser":
        made = {"label": "fuzz", "scopes": ["read", "upload", "play", "admin"]}
        token = log_in(playing_site, "Olga").post("/api/me/tokens", made)["token"]
    counts = try_all(schema_of(playing_site.url), token, EXAMPLES[role])
    assert sum(counts.values()) > 60
    assert any(status.startswith("2") for status in counts)


def test_every_handler_says_what_it_answers() -> None:
    """Structs, or lists and tables of plain values; a file or a text where it is no JSON."""
    vague = [
        f"{method} {path}: {response_type(handler)}"
        for method, path, handler in iter_handlers(cached_routes())
        if not path.startswith("/api/docs") and is_vague(response_type(handler))
    ]
    assert vague == []


def is_vague(annotation: Any) -> bool:
    return annotation in (Any, dict, list, object) or any(map(is_vague, get_args(annotation)))


def test_a_handler_that_says_nothing_would_be_noticed() -> None:
    assert is_vague(Any) and is_vague(dict[str, Any]) and is_vague(list[dict[str, Any]])
    assert not is_vague(dict[str, str | None]) and not is_vague(list[GameInfo])


def test_the_description_holds_every_answer_and_every_socket_message(shared: Site) -> None:
    document = shared.get("/api/docs/openapi.json")
    schemas = document["components"]["schemas"]
    assert {
        "BotInfo",
        "ContestInfo",
        "Vocabulary",
        "RoomRequest",
        "AskMessage",
        "ErrorResponse",
    } <= set(schemas)
    answers = {
        (path, method): operation["responses"]
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    assert len(answers) > 60
    for responses in answers.values():
        assert responses["default"]["content"]["application/json"]["schema"]
    texts = re.findall(r'"#/components/schemas/(\w+)"', json.dumps(document))
    assert set(texts) <= set(schemas), "no reference leads nowhere"


def test_the_description_says_how_files_and_tokens_are_sent(shared: Site) -> None:
    document = shared.get("/api/docs/openapi.json")
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    forms = {
        path: body["content"]["multipart/form-data"]["schema"]
        for path, methods in document["paths"].items()
        if "multipart/form-data"
        in (body := methods.get("post", {}).get("requestBody", {})).get("content", {})
    }
    readers = {
        path
        for _, path, handler in iter_handlers(cached_routes())
        if re.search(
            "read_form|read_fields_and_files|_read_upload|_read_roster", source_of(handler)
        )
    }
    assert set(forms) == readers and len(readers) == 6
    assert forms["/api/bots"]["required"] == ["game", "name", "files"]
    assert {"enter", "remark"} <= set(forms["/api/bots"]["properties"])


def source_of(handler: HTTPRouteHandler) -> str:
    return inspect.getsource(getattr(handler.fn, "func", handler.fn))  # once it serves
