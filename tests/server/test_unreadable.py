"""What cannot be read is answered with a sentence that says what is wrong with it."""

import json
from typing import Any

import pytest

from tests.support.rooms import open_room, sit
from tests.support.site import Site, hear

BODIES = {
    b'{"name":"\xff","password":"x"}': "UTF-8",
    b'{"name":"\\ud800","password":"x"}': "surrogate",
    b'{"name":"a"': "too early",
    b"": "no body",
}


@pytest.mark.parametrize("path", ["/api/login", "/api/register", "/api/rooms"])
@pytest.mark.parametrize("body", BODIES, ids=BODIES.values())
def test_a_body_that_is_no_json_is_refused_in_words(shared: Site, path: str, body: bytes) -> None:
    headers = {"Content-type": "application/json"}
    answer = shared.ask(path, body, headers=headers, method="POST")
    assert answer.status == 400, answer.body
    error: dict[str, str] = answer.json["error"]
    assert BODIES[body] in error["en"] and not error["zh"].isascii()
    assert "'data'" not in error["en"] and "truncated" not in error["en"] + error["zh"]


@pytest.mark.parametrize(
    "sent,said",
    [
        (b'{"type":"ping"}', "as text"),
        ('{"type":"say","text":"\\udfff"}', "surrogate"),
        ('{"type":"ping"', "too early"),
        ('{"more":' + "[" * 60_000, "nested"),
    ],
    ids=["bytes", "surrogate", "cut", "deep"],
)
def test_a_message_that_is_no_json_is_refused_in_words(shared: Site, sent: Any, said: str) -> None:
    room, tokens = open_room(shared)
    with sit(shared, room, tokens[0]) as socket:
        socket.send(sent)
        error = hear(socket, "error")["error"]
        assert said in error["en"] and not error["zh"].isascii()
        socket.send(json.dumps({"type": "ping"}))
        assert hear(socket, "pong")


@pytest.mark.parametrize("given", ["Token ludus-x", "ludus-x", "Bearer", "bearer ludus-x"])
def test_credentials_of_another_kind_are_refused_and_not_taken_for_a_guest(
    shared: Site, given: str
) -> None:
    for path in ("/api/me", "/api/games"):
        answer = shared.ask(path, headers={"Authorization": given})
        assert answer.status == 401 and "令牌" in answer.json["error"]["zh"], path


def test_what_a_browser_shows_to_a_proxy_is_not_for_us(shared: Site) -> None:
    assert shared.ask("/api/games", headers={"Authorization": "Basic YTpi"}).status == 200
