"""People who sit down in a room and answer."""

import json
from typing import Any

from websockets.sync.client import ClientConnection

from tests.support.site import Site

HUMAN = {"kind": "human", "name": "Ann"}


GREEDY = {"kind": "bot", "bot": "greedy"}


def open_room(site: Site, **asked: Any) -> tuple[str, list[str]]:
    """The room's id and the tokens of its people."""
    answer = site.ask("/api/rooms", {"game": "reversi", "seats": [HUMAN, GREEDY], **asked})
    assert answer.status == 201, answer.body
    return answer.json["room"], [seat.get("token", "") for seat in answer.json["seats"]]


def sit(site: Site, room: str, token: str) -> ClientConnection:
    return site.socket(f"/ws/room/{room}?token={token}")


def say(socket: ClientConnection, kind: str, **parts: Any) -> None:
    socket.send(json.dumps({"type": kind, **parts}))


def answer(socket: ClientConnection, asked: dict[str, Any], move: str | None = None) -> None:
    say(socket, "move", n=asked["n"], move=move or asked["legal"][0])
