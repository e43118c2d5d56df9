"""What the server says fits what it declares: every answer and every socket message that a test
gets is checked against the schema of its type."""

import re
from functools import cache
from typing import Any

import jsonschema_rs
import msgspec
from litestar.handlers import HTTPRouteHandler

from ludus.server.live.messages import ServerMessage
from ludus.server.web.api_schema import is_json, iter_handlers, response_type
from ludus.server.web.app import cached_routes

MESSAGES: msgspec.json.Decoder[Any] = msgspec.json.Decoder(ServerMessage)


@cache
def handlers() -> list[tuple[str, re.Pattern[str], HTTPRouteHandler]]:
    """Every handler with its method and the paths it answers; fixed paths come first."""
    found = [
        (method, re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path))), handler)
        for method, path, handler in iter_handlers(cached_routes())
    ]
    return sorted(found, key=lambda each: "[^/]+" in each[1].pattern)


def find_handler(method: str, path: str) -> HTTPRouteHandler | None:
    address = path.partition("?")[0]
    for known, pattern, handler in handlers():
        if known == method and pattern.fullmatch(address):
            return handler
    return None


@cache
def validator(handler: HTTPRouteHandler, status: int) -> jsonschema_rs.Validator | None:
    annotation = response_type(handler, status)
    if not is_json(annotation):
        return None
    return jsonschema_rs.validator_for(msgspec.json.schema(annotation))


def check_answer(method: str, path: str, status: int, answer: Any) -> None:
    """The JSON of an answer is what its handler declares, or an error that people can read."""
    handler = find_handler(method, path)
    if handler is None:
        return
    if (valid := validator(handler, status)) is not None:
        problems = [
            f"{method} {path}: {problem.message} at {'/'.join(map(str, problem.instance_path))}"
            for problem in valid.iter_errors(answer)
        ]
        assert not problems, problems


def check_message(text: str | bytes) -> None:
    """A message of the server is one of those that it declares."""
    MESSAGES.decode(text)
