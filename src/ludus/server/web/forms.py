"""Files and words that come together, as a form or as JSON."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar.datastructures import UploadFile

from ludus.errors import LudusError
from ludus.server.accounts.auth import AnyRequest
from ludus.server.web.errors import TooMuch, unreadable
from ludus.server.web.multipart import form_of

MOST_FILES = 500
Files = list[tuple[str, bytes]]


async def sent_files(request: AnyRequest) -> tuple[dict[str, str], Files]:
    """The fields and the files of a request: multipart, or JSON with ``files: {path: text}``."""
    if request.headers.get("content-type", "").startswith("application/json"):
        return await _json(request)
    fields: dict[str, str] = {}
    files: Files = []
    form = await form_of(request)
    for name, value in form.multi_items():
        if isinstance(value, UploadFile):
            if len(files) >= MOST_FILES:
                raise TooMuch(f"at most {MOST_FILES} files", f"最多 {MOST_FILES} 个文件")
            files.append((value.filename, await value.read()))
            await value.close()
        else:
            fields[name] = str(value)
    return fields, files


async def _json(request: AnyRequest) -> tuple[dict[str, str], Files]:
    try:
        given = msgspec.json.decode(await request.body(), type=dict[str, Any])
        texts = msgspec.convert(given.pop("files", {}), dict[str, str])
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        why = unreadable(error)
        raise LudusError(f"this is not understood: {why['en']}", f"无法理解：{why['zh']}") from None
    if len(texts) > MOST_FILES:
        raise TooMuch(f"at most {MOST_FILES} files", f"最多 {MOST_FILES} 个文件")
    try:
        files = [(path, text.encode()) for path, text in texts.items()]
    except UnicodeEncodeError:
        raise LudusError("a file is not text", "文件不是文本") from None
    return {name: _word(value) for name, value in given.items() if value is not None}, files


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else ""
    return str(value)
