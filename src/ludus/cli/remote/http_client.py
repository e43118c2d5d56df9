"""HTTP client of a Ludus server, with the user's token."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import urllib.error
import urllib.request
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO, Any, TypeVar

import msgspec

from ludus.cli.remote.answers import RemoteRefusal
from ludus.errors import LudusError
from ludus.escape import escape_to_one_line, truncate
from ludus.home import ludus_home, make_folder
from ludus.os_errors import describe_os_error

T = TypeVar("T")

LOGIN_FILE = "remote.json"
REQUEST_TIMEOUT_S = 60.0
MAX_REPLY_BYTES = 64 << 20
"""The largest reply that is read."""
MAX_ERROR_BYTES = 1 << 20
CODE_PATTERN = re.compile(r"[a-z0-9_]{1,64}")
"""What the code of an error looks like."""


class SavedLogin(msgspec.Struct):
    """A saved login: address and token."""

    url: str
    token: str


def open_saved_remote() -> RemoteClient:
    """The server that the user has logged in to."""
    try:
        kept = msgspec.json.decode((ludus_home() / LOGIN_FILE).read_bytes(), type=SavedLogin)
        return RemoteClient(kept.url, kept.token)
    except (OSError, msgspec.MsgspecError, RecursionError):
        raise LudusError(
            "log in first: ludus remote login URL", "请先登录：ludus remote login 地址"
        ) from None


def save_login(url: str, token: str) -> None:
    """Save a login with mode 0600."""
    make_folder(ludus_home())
    path = ludus_home() / LOGIN_FILE
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump({"url": url, "token": token}, file)
    path.chmod(0o600)


class NoRedirectHandler(urllib.request.HTTPRedirectHandler):
    """Does not follow redirects, which would send the token to another address."""

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


_opener = urllib.request.build_opener(NoRedirectHandler)


class RemoteClient:
    """A Ludus server at an address."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = url.rstrip("/"), token

    def get(self, path: str, kind: type[T]) -> T:
        """GET a path; LudusError if the reply is not of this kind (see ``answers``)."""
        return self._request(path, kind)

    def post(self, path: str, body: Any, kind: type[T]) -> T:
        return self._request(path, kind, json.dumps(body).encode(), "application/json")

    def post_files(
        self, path: str, files: dict[str, bytes], fields: dict[str, str], kind: type[T]
    ) -> T:
        """POST a form with files."""
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
        return self._request(path, kind, body, f"multipart/form-data; boundary={boundary}")

    def _request(self, path: str, kind: type[T], body: bytes | None = None, media: str = "") -> T:
        headers = {"Authorization": f"Bearer {self.token}"} | (
            {"Content-Type": media} if media else {}
        )
        try:
            request = urllib.request.Request(self.url + path, body, headers)
            with _opener.open(request, timeout=REQUEST_TIMEOUT_S) as reply:
                data = reply.read(MAX_REPLY_BYTES + 1)
        except urllib.error.HTTPError as error:
            raise _make_error(error) from None
        except (OSError, ValueError, HTTPException) as error:
            cause = getattr(error, "reason", None)  # of a URLError
            told = describe_os_error(cause if isinstance(cause, OSError) else error)
            why = told.map(lambda said: truncate(said, 300))
            raise LudusError(
                f"{self.url} does not answer: {why.en}", f"{self.url} 没有响应：{why.zh}"
            ) from None
        return self._decode(path, data, kind)

    def _decode(self, path: str, data: bytes, kind: type[T]) -> T:
        try:
            if len(data) > MAX_REPLY_BYTES:
                raise ValueError(f"more than {MAX_REPLY_BYTES >> 20} MB")
            return msgspec.json.decode(data, type=kind)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            why = truncate(str(error), 300)
            raise LudusError(
                f"unexpected reply from {self.url}{path} ({why});"
                " is there another Ludus, or something else?",
                f"{self.url}{path} 的回答无法识别（{why}）；那里是否是其他版本或其他程序？",
            ) from None


def _make_error(error: urllib.error.HTTPError) -> LudusError:
    with contextlib.suppress(msgspec.MsgspecError, OSError, HTTPException, RecursionError):
        said = msgspec.json.decode(error.read(MAX_ERROR_BYTES), type=RemoteRefusal).error
        en, zh = (escape_to_one_line(truncate(text, 2000)) for text in (said.en, said.zh))
        code = said.code if CODE_PATTERN.fullmatch(said.code) else ""
        return LudusError(en, zh, code=code)
    return LudusError(f"the arena answered {error.code}", f"弈场返回 {error.code}")


def read_files(path: Path) -> dict[str, bytes]:
    """The files to upload by path: a single file, or all files of a folder."""
    if path.is_file():
        return {path.name: path.read_bytes()}
    from ludus.bots.source_files import list_bot_files

    if not path.is_dir():
        raise LudusError(f"{path} not found", f"找不到 {path}")
    return {name: file.read_bytes() for name, file in list_bot_files(path).items()}
