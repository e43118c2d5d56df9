"""A small OpenAI-compatible server that answers as a test wants it to."""

import contextlib
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LEGAL_MOVES = re.compile(r"(?:Legal moves|Choose one of): (.*)")


@dataclass
class Answered:
    """What the server sends: a status, headers and a body."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0


@dataclass
class Asked:
    """A request as the server saw it."""

    path: str
    authorization: str
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, str]]:
        return list(self.body["messages"])

    @property
    def legal(self) -> list[str]:
        """The legal moves that the last message names."""
        found = LEGAL_MOVES.findall(self.messages[-1]["content"])
        return found[-1].split() if found else []


def say(text: str, tokens: tuple[int, int] = (100, 10)) -> Answered:
    """A whole chat completion."""
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    choice = {"index": 0, "message": {"role": "assistant", "content": text}}
    return Answered(body=json.dumps({"choices": [choice], "usage": usage}).encode())


Behaviour = Callable[[Asked, int], Answered]
"""What is answered to a request; the number counts requests from 0."""


@dataclass
class LlmServer:
    """The server that runs: its address, and all that it was asked."""

    address: str
    asked: list[Asked] = field(default_factory=list)


@contextlib.contextmanager
def serve_model(behave: Behaviour) -> Iterator[LlmServer]:
    server: LlmServer

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked = Asked(self.path, self.headers.get("Authorization", ""), json.loads(body))
            server.asked.append(asked)
            answer = behave(asked, len(server.asked) - 1)
            time.sleep(answer.delay)
            with contextlib.suppress(OSError):
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

        def log_message(self, *_: object) -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listening.daemon_threads = True
    server = LlmServer(f"http://127.0.0.1:{listening.server_port}/v1")
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()
