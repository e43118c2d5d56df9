"""Reads fields and files of a request, sent as a form or as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
from litestar.datastructures import UploadFile

from ludus.errors import LudusError
from ludus.server.accounts.auth import AnyRequest
from ludus.server.web.errors import PayloadTooLarge, describe_decode_error
from ludus.server.web.multipart import read_form

MAX_FILES = 500
NamedFiles = list[tuple[str, bytes]]


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a form with files, for the API's description: what a handler's ``form`` is."""

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    def describe(self) -> dict[str, Any]:
        """The request body as OpenAPI has it."""
        files = {"type": "array", "items": {"type": "string", "format": "binary"}}
        fields = {name: {"type": "string"} for name in (*self.required, *self.optional)}
        schema = {
            "type": "object",
            "properties": {**fields, "files": files},
            "required": [*self.required, "files"],
        }
        return {"content": {"multipart/form-data": {"schema": schema}}, "required": True}


async def read_fields_and_files(request: AnyRequest) -> tuple[dict[str, str], NamedFiles]:
    """The fields and the files of a request: multipart, or JSON with ``files: {path: text}``."""
    if request.headers.get("content-type", "").startswith("application/json"):
        return await _read_json(request)
    fields: dict[str, str] = {}
    files: NamedFiles = []
    form = await read_form(request)
    for name, value in form.multi_items():
        if isinstance(value, UploadFile):
            if len(files) >= MAX_FILES:
                raise PayloadTooLarge(f"at most {MAX_FILES} files", f"最多 {MAX_FILES} 个文件")
            files.append((value.filename, await value.read()))
            await value.close()
        else:
            fields[name] = str(value)
    return fields, files


async def _read_json(request: AnyRequest) -> tuple[dict[str, str], NamedFiles]:
    try:
        given = msgspec.json.decode(await request.body(), type=dict[str, Any])
        texts = msgspec.convert(given.pop("files", {}), dict[str, str])
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        why = describe_decode_error(error)
        raise LudusError(
            f"the request is not understood: {why['en']}", f"无法理解：{why['zh']}"
        ) from None
    if len(texts) > MAX_FILES:
        raise PayloadTooLarge(f"at most {MAX_FILES} files", f"最多 {MAX_FILES} 个文件")
    try:
        files = [(path, text.encode()) for path, text in texts.items()]
    except UnicodeEncodeError:
        raise LudusError("a file is not text", "文件不是文本") from None
    return {name: _field_text(value) for name, value in given.items() if value is not None}, files


def _field_text(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else ""
    return str(value)
