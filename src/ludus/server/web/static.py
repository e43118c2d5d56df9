"""The files of the page, built into the package."""

from __future__ import annotations

import gzip
import mimetypes
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

PAGE = Path(__file__).parent / "page"
INDEX = "index.html"
STANDALONE = PAGE / "standalone.html"
WORTH_PACKING = ("text/", "application/json", "image/svg", "application/javascript")
NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Ludus</title>
<h1>Ludus · 弈场</h1>
<p>The page is not built. In a checkout, run <code>./ludus --rebuild</code>; the
<a href="/api/docs">API</a> works without it.</p>
<p lang="zh">页面尚未构建。请在源码目录运行 <code>./ludus --rebuild</code>；
<a href="/api/docs">API</a> 不受影响。</p></html>"""


@dataclass(frozen=True, slots=True)
class File:
    """A file as it is sent."""

    body: bytes
    packed: bytes | None
    """The same, gzipped, where that is worth it."""
    media: str
    forever: bool
    """Its name changes with its content."""


def find(path: str) -> File:
    """The file at a path of the site; every path that is none shows the page itself."""
    name = path.strip("/")
    file = _files(_stamp()).get(name)
    if file is None:
        file = _files(_stamp()).get(INDEX)
    if file is None:
        return File(NOT_BUILT.encode(), None, "text/html", False)
    return _read(file, file.stat().st_mtime_ns)


def _stamp() -> int:
    """Changes whenever the page is built anew."""
    try:
        return (PAGE / INDEX).stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=1)
def _files(stamp: int) -> dict[str, Path]:
    """Every file there is: what is not among them cannot be asked for, whatever its path says."""
    found = (path for path in PAGE.rglob("*") if path.is_file() and path != STANDALONE)
    return {path.relative_to(PAGE).as_posix(): path for path in found}


@lru_cache(maxsize=256)
def _read(path: Path, stamp: int) -> File:
    body = path.read_bytes()
    media = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if path.suffix in (".js", ".mjs"):
        media = "text/javascript"
    packed = gzip.compress(body, 9, mtime=0) if media.startswith(WORTH_PACKING) else None
    return File(body, packed, media, path.parent.name == "assets")
