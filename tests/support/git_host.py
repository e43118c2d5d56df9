"""A host of repositories: git's own HTTP server, and an API that keeps commit statuses."""

import contextlib
import hashlib
import hmac
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.support.git_client import GIT, basic
from tests.support.site import wait_for

STATUS_HEADERS = ("authorization", "private-token")


@dataclass
class GitHost:
    """Repositories in a folder, open to a token."""

    folder: Path
    token: str
    statuses: list[dict[str, Any]] = field(default_factory=list)
    redirect: str = ""
    """Where everything is said to be, if anywhere else."""
    port: int = 0

    @property
    def name(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, project: str) -> str:
        return f"http://{self.name}/{project}.git"

    def wait_for_status(self, project: str, state: str) -> dict[str, Any]:
        """The status of a project's commit, once it says so."""
        found: list[dict[str, Any]] = []

        def sent() -> bool:
            found[:] = [
                each
                for each in self.statuses
                if f"/{project}/" in each["path"] and each["state"] == state
            ]
            return bool(found)

        wait_for(sent)
        return found[-1]

    def make(self, project: str) -> Path:
        """A bare repository."""
        path = self.folder / f"{project}.git"
        assert GIT is not None
        subprocess.run([GIT, "init", "-q", "--bare", "-b", "main", str(path)], check=True)
        return path


class _Handler(BaseHTTPRequestHandler):
    host: GitHost

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if "/statuses/" in self.path:
            sent = {name: self.headers.get(name) for name in STATUS_HEADERS}
            self.host.statuses.append({"path": self.path, **sent, **json.loads(body)})
            self._respond(201, "application/json", b"{}")
        else:
            self._answer(body)

    def _answer(self, body: bytes) -> None:
        if self.host.redirect:
            self._respond(302, "text/plain", b"", {"Location": self.host.redirect})
            return
        if self.headers.get("authorization") != basic("oauth2", self.host.token):
            self._respond(401, "text/plain", b"no")
            return
        path, _, query = self.path.partition("?")
        env = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.host.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(body)),
        }
        assert GIT is not None
        done = subprocess.run([GIT, "http-backend"], input=body, env=env, capture_output=True)
        head, _, rest = done.stdout.partition(b"\r\n\r\n")
        kind = head.decode().partition("Content-Type: ")[2].partition("\r\n")[0]
        self._respond(404 if b"Status: 404" in head else 200, kind, rest)

    def _respond(
        self, status: int, kind: str, body: bytes, more: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        given = {"Content-Type": kind, "Content-Length": str(len(body)), **(more or {})}
        for name, value in given.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@contextlib.contextmanager
def git_host(folder: Path, token: str) -> Iterator[GitHost]:
    host = GitHost(folder, token)
    handler = type("Handler", (_Handler,), {"host": host})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    host.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()


def webhook(kind: str, secret: str, ref: str, after: str) -> tuple[bytes, dict[str, str]]:
    """A push as a host announces it: body and headers."""
    body = json.dumps({"ref": ref, "after": after, "before": "0" * 40, "commits": []}).encode()
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    headers = {
        "github": {"X-GitHub-Event": "push", "X-Hub-Signature-256": f"sha256={digest}"},
        "gitlab": {
            "X-Gitlab-Event": "Tag Push Hook" if "tags" in ref else "Push Hook",
            "X-Gitlab-Token": secret,
        },
        "gitea": {"X-Gitea-Event": "push", "X-Gitea-Signature": digest},
    }[kind]
    return body, {"Content-type": "application/json", **headers}
