"""Talks to an arena over HTTP with a person's token."""

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

T = TypeVar("T")

LOGIN_FILE = "remote.json"
REQUEST_TIMEOUT_S = 60.0
MAX_REPLY_BYTES = 64 << 20
"""Bytes of an answer that are read."""
MAX_ERROR_BYTES = 1 << 20
CODE_PATTERN = re.compile(r"[a-z0-9_]{1,64}")
"""What the code of an error looks like."""


class SavedLogin(msgspec.Struct):
    """What is kept of a login."""

    url: str
    token: str


def open_saved_remote() -> RemoteClient:
    """The arena that one has logged in to."""
    try:
        kept = msgspec.json.decode((ludus_home() / LOGIN_FILE).read_bytes(), type=SavedLogin)
        return RemoteClient(kept.url, kept.token)
    except (OSError, msgspec.MsgspecError, RecursionError):
        raise LudusError(
            "log in first: ludus remote login URL", "请先登录：ludus remote login 地址"
        ) from None


def save_login(url: str, token: str) -> None:
    """Only for one's own eyes."""
    make_folder(ludus_home())
    path = ludus_home() / LOGIN_FILE
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump({"url": url, "token": token}, file)
    path.chmod(0o600)


class NoRedirectHandler(urllib.request.HTTPRedirectHandler):
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


_opener = urllib.request.build_opener(NoRedirectHandler)


class RemoteClient:
    """An arena at an address."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = url.rstrip("/"), token

    def get(self, path: str, kind: type[T]) -> T:
        """What is at a path, of this kind (``answers``); a LudusError if it is anything else."""
        return self._request(path, kind)

    def post(self, path: str, body: Any, kind: type[T]) -> T:
        return self._request(path, kind, json.dumps(body).encode(), "application/json")

    def post_files(
        self, path: str, files: dict[str, bytes], fields: dict[str, str], kind: type[T]
    ) -> T:
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
            why = truncate(str(error) or type(error).__name__, 300)
            raise LudusError(
                f"{self.url} does not answer: {why}", f"{self.url} 没有响应：{why}"
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
                f"what {self.url}{path} answers is not what an arena would ({why});"
                " is there another Ludus, or something else?",
                f"{self.url}{path} 的回答不像弈场的回答（{why}）；那里是否是其他版本或其他程序？",
            ) from None


def _make_error(error: urllib.error.HTTPError) -> LudusError:
    with contextlib.suppress(msgspec.MsgspecError, OSError, HTTPException, RecursionError):
        said = msgspec.json.decode(error.read(MAX_ERROR_BYTES), type=RemoteRefusal).error
        en, zh = (escape_to_one_line(truncate(text, 2000)) for text in (said.en, said.zh))
        code = said.code if CODE_PATTERN.fullmatch(said.code) else ""
        return LudusError(en, zh, code=code)
    return LudusError(f"the arena answered {error.code}", f"弈场返回 {error.code}")


def read_files(path: Path) -> dict[str, bytes]:
    """A file, or every file of a folder by its path in it."""
    if path.is_file():
        return {path.name: path.read_bytes()}
    from ludus.bots.source_files import list_bot_files

    if not path.is_dir():
        raise LudusError(f"there is no {path}", f"没有 {path}")
    return {name: file.read_bytes() for name, file in list_bot_files(path).items()}
