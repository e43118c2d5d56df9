"""All messages of a match as a file: one JSON object per line.

``{"i": 3, "dir": "J>L", "frame": true, "b64": …, "n": 42}``: the bytes with their headers.
``dir`` is ``J>L``, ``L>J``, ``J>A0``, ``A0>J`` …; what is sent to players has no frames.
"""

from __future__ import annotations

import base64
import gzip
import itertools
from pathlib import Path
from typing import IO, Any

import msgspec

from ludus.compat.saiblo.frames import TO_JUDGER, encode_frame
from ludus.errors import LudusError
from ludus.home import refuse_irregular
from ludus.os_errors import describe_os_error


class Transcript:
    """A ``Tap`` that writes to a file, compressed if its name ends with .gz."""

    def __init__(self, path: Path, **meta: Any) -> None:
        self._file = _open(path)
        self._count = itertools.count()
        self._write({"meta": meta})

    def __call__(self, direction: str, body: bytes, target: int = TO_JUDGER) -> None:
        framed = not direction.startswith("J>A")
        raw = encode_frame(body) if framed else body
        if direction == "L>J":
            raw = raw[:4] + target.to_bytes(4, "big", signed=True) + body
        line: dict[str, Any] = {"i": next(self._count), "dir": direction}
        if framed:
            line["frame"] = True
        self._write(line | {"b64": base64.b64encode(raw).decode(), "n": len(raw)})

    def _write(self, line: dict[str, Any]) -> None:
        self._file.write(msgspec.json.encode(line) + b"\n")

    def close(self) -> None:
        self._file.close()


def _open(path: Path) -> IO[bytes]:
    refuse_irregular(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".gz":
            return gzip.open(path, "wb")  # type: ignore[return-value]
        return path.open("wb")
    except OSError as error:
        why = describe_os_error(error)
        raise LudusError(f"cannot write {path}: {why.en}", f"无法写入 {path}：{why.zh}") from None
