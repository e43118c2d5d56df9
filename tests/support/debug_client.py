"""The part of the Debug Adapter Protocol that an editor speaks to stop and look."""

import json
import socket
import time
from typing import Any, Self


class DebugClient:
    """An editor that has attached itself to a process that listens."""

    def __init__(self, port: int) -> None:
        self._socket = self._connect(port)
        self._file = self._socket.makefile("rb")
        self._sent = 0
        self._thread = self._frame = 0
        self._request("initialize", adapterID="debugpy")
        self._send("attach", justMyCode=True)
        self._receive("event", "initialized")
        self._send("configurationDone")

    @staticmethod
    def _connect(port: int) -> socket.socket:
        until = time.monotonic() + 30
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=30)
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def wait_for_stop(self) -> tuple[str, str, int]:
        """The function, file and line where the process has stopped."""
        self._thread = self._receive("event", "stopped")["body"]["threadId"]
        top = self._request("stackTrace", threadId=self._thread)["body"]["stackFrames"][0]
        self._frame = top["id"]
        return top["name"], top["source"]["path"], top["line"]

    def evaluate(self, expression: str) -> str:
        answer = self._request("evaluate", expression=expression, frameId=self._frame)
        return str(answer["body"]["result"])

    def resume(self) -> None:
        self._request("continue", threadId=self._thread)

    def _request(self, command: str, **arguments: Any) -> dict[str, Any]:
        self._send(command, **arguments)
        return self._receive("response", command)

    def _send(self, command: str, **arguments: Any) -> None:
        self._sent += 1
        message = {"seq": self._sent, "type": "request", "command": command, "arguments": arguments}
        body = json.dumps(message).encode()
        self._socket.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def _receive(self, kind: str, name: str) -> dict[str, Any]:
        while True:
            size = 0
            while line := self._file.readline().strip():
                if line.lower().startswith(b"content-length"):
                    size = int(line.split(b":")[1])
            message: dict[str, Any] = json.loads(self._file.read(size))
            if message["type"] == kind and name in (message.get("event"), message.get("command")):
                return message
