"""Talks to an arena over HTTP with a person's token."""

from __future__ import annotations

import json
import os
import secrets
import urllib.error
import urllib.request
from http.client import HTTPMessage
from pathlib import Path
from typing import IO, Any

from ludus.errors import LudusError
from ludus.home import home, make_folder

FILE = "remote.json"
SECONDS = 60.0
MOST = 64 << 20
"""Bytes of an answer that are read."""


def known() -> Remote:
    """The arena that one has logged in to."""
    try:
        kept = json.loads((home() / FILE).read_text(encoding="utf-8"))
        return Remote(kept["url"], kept["token"])
    except (OSError, ValueError, KeyError):
        raise LudusError(
            "log in first: ludus remote login URL", "请先登录：ludus remote login 地址"
        ) from None


def keep(url: str, token: str) -> None:
    """Only for one's own eyes."""
    make_folder(home())
    path = home() / FILE
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump({"url": url, "token": token}, file)
    path.chmod(0o600)


class Unredirected(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: whoever is at the other address would be given the token."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> None:
        raise LudusError(
            f"{req.full_url} leads to {newurl}, where your token is not sent;"
            " log in with the address that is meant",
            f"{req.full_url} 重定向到 {newurl}，不会把令牌发到那里；请用正确的地址登录",
        )


_opener = urllib.request.build_opener(Unredirected)


class Remote:
    """An arena at an address."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = url.rstrip("/"), token

    def get(self, path: str) -> Any:
        return self._ask(path)

    def post(self, path: str, body: Any, method: str = "POST") -> Any:
        return self._ask(path, json.dumps(body).encode(), "application/json", method)

    def send(self, path: str, files: dict[str, bytes], fields: dict[str, str]) -> Any:
        """A form with files."""
        boundary = secrets.token_hex(16)
        body = b""
        for name, value in fields.items():
            head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'
            body += f"{head}{value}\r\n".encode()
        for name, data in files.items():
            shown = name.replace('"', "")
            head = (
                f'--{boundary}\r\nContent-Disposition: form-data; name="files";'
                f' filename="{shown}"\r\nContent-Type: application/octet-stream\r\n\r\n'
            )
            body += head.encode() + data + b"\r\n"
        body += f"--{boundary}--\r\n".encode()
        return self._ask(path, body, f"multipart/form-data; boundary={boundary}")

    def _ask(
        self, path: str, body: bytes | None = None, kind: str = "", method: str | None = None
    ) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"} | (
            {"Content-Type": kind} if kind else {}
        )
        request = urllib.request.Request(self.url + path, body, headers, method=method)
        try:
            with _opener.open(request, timeout=SECONDS) as reply:
                return json.loads(reply.read(MOST))
        except urllib.error.HTTPError as error:
            raise _said(error) from None
        except (OSError, ValueError) as error:
            raise LudusError(
                f"{self.url} does not answer: {error}", f"{self.url} 没有响应：{error}"
            ) from None


def _said(error: urllib.error.HTTPError) -> LudusError:
    try:
        text = json.loads(error.read(MOST))["error"]
        return LudusError(str(text["en"]), str(text["zh"]))
    except (ValueError, KeyError, TypeError):
        return LudusError(f"the arena answered {error.code}", f"弈场返回 {error.code}")


def files_at(path: Path) -> dict[str, bytes]:
    """A file, or every file of a folder by its path in it."""
    if path.is_file():
        return {path.name: path.read_bytes()}
    from ludus.bots.own_files import files_of

    if not path.is_dir():
        raise LudusError(f"there is no {path}", f"没有 {path}")
    return {name: file.read_bytes() for name, file in files_of(path).items()}
