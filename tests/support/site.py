"""A server under test, and people who talk to it."""

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from websockets.sync.client import ClientConnection, connect

from ludus import logs
from ludus.server.serve import Server, listen, make_config
from ludus.server.state import ServerSettings, ServerState
from tests.support.api_types import check_answer, check_message


@dataclass
class Answer:
    """What came back over HTTP."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def check(self, method: str, path: str) -> None:
        """It is what the API's description says."""
        media = self.headers.get("content-type", "")
        if media.startswith("application/json") and "content-encoding" not in self.headers:
            check_answer(method, path, self.status, self.json)


@dataclass
class Site:
    """A server under test."""

    port: int
    state: ServerState
    home: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self,
        path: str,
        body: Any = None,
        *,
        headers: dict[str, str] | None = None,
        method: str | None = None,
    ) -> Answer:
        data = json.dumps(body).encode() if body is not None and type(body) is not bytes else body
        request = Request(self.url + path, data, headers or {}, method=method)
        if body is not None and "Content-type" not in request.headers:
            request.add_header("Content-type", "application/json")
        try:
            with urlopen(request, timeout=30) as reply:
                answer = Answer(reply.status, lower(reply.headers), reply.read())
        except HTTPError as error:
            answer = Answer(error.code, lower(error.headers), error.read())
        answer.check(request.get_method(), path)
        return answer

    def get(self, path: str) -> Any:
        answer = self.ask(path)
        assert answer.status == 200, answer.body
        return answer.json

    def socket(self, path: str, **rest: Any) -> ClientConnection:
        return connect(f"ws://127.0.0.1:{self.port}{path}", max_size=None, proxy=None, **rest)


def lower(headers: Any) -> dict[str, str]:
    return {name.lower(): ", ".join(headers.get_all(name)) for name in headers}


def hear(socket: ClientConnection, kind: str | None = None, timeout: float = 20) -> Any:
    """The next message, or the next of a kind."""
    deadline = time.monotonic() + timeout
    while True:
        text = socket.recv(timeout=max(0.01, deadline - time.monotonic()))
        check_message(text)
        told = json.loads(text)
        if kind is None or told["type"] == kind:
            return told


def wait_for(true: Any, seconds: float = 20.0) -> None:
    """Until something becomes true; asks ever less often, for asking costs the machine too."""
    deadline, pause = time.monotonic() + seconds, 0.005
    while not true():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(pause)
        pause = min(0.2, 1.5 * pause)


@contextlib.contextmanager
def served(home: Path, settings: ServerSettings) -> Iterator[Site]:
    """A real server on a free port."""
    logs.configure("ludus")  # anew, since repeated records of earlier servers would count
    server_state = ServerState(settings)
    listener = listen(port=0)
    server = Server(make_config(server_state))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        wait_for(lambda: server.started)
        yield Site(listener.getsockname()[1], server_state, home)
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()
    assert not thread.is_alive(), "the server did not stop"


@contextlib.contextmanager
def served_for_module(home: Path, settings: ServerSettings) -> Iterator[Site]:
    """As ``served``, with the environment that fixtures of one test set otherwise."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LUDUS_HOME", str(home))
        patch.setenv("LUDUS_LANG", "en")
        with served(home, settings) as site:
            yield site
