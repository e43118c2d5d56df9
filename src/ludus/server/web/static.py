"""The files of the page, which are built into the package."""

from __future__ import annotations

import gzip
import mimetypes
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ludus.server.web.embedding import embed_vocabulary

PAGE_FOLDER = Path(__file__).parents[1] / "page"
INDEX_NAME = "index.html"
STANDALONE_PAGE = PAGE_FOLDER / "standalone.html"
"""Of a bout; filled in and written as a file."""
REPORT_PAGE = PAGE_FOLDER / "report.html"
"""The same of a contest's report."""
COMPRESSED_MEDIA_TYPES = ("text/", "application/json", "image/svg", "application/javascript")
NOT_BUILT_HTML = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Ludus</title>
<h1>Ludus · 弈场</h1>
<p>The page is not built. In a checkout, run <code>./ludus --rebuild</code>; the
<a href="/api/docs">API</a> works without it.</p>
<p lang="zh">页面尚未构建。请在源码目录运行 <code>./ludus --rebuild</code>；
<a href="/api/docs">API</a> 不受影响。</p></html>"""


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file as it is sent."""

    body: bytes
    gzipped: bytes | None
    """The gzipped content, where that saves enough."""
    media_type: str
    immutable: bool
    """Whether its name changes with its content."""


def find_file(path: str) -> StaticFile:
    """The file at a path of the site; for any other path, the page itself."""
    name = path.strip("/")
    file = _list_files(_build_time_ns()).get(name)
    if file is None:
        file = _list_files(_build_time_ns()).get(INDEX_NAME)
    if file is None:
        return StaticFile(NOT_BUILT_HTML.encode(), None, "text/html", False)
    return _read_file(file, file.stat().st_mtime_ns)


def _build_time_ns() -> int:
    """Changes whenever the page is rebuilt."""
    try:
        return (PAGE_FOLDER / INDEX_NAME).stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=1)
def _list_files(stamp: int) -> dict[str, Path]:
    """All files of the page; only these can be requested, whatever the path."""
    templates = (STANDALONE_PAGE, REPORT_PAGE)
    found = (path for path in PAGE_FOLDER.rglob("*") if path.is_file() and path not in templates)
    return {path.relative_to(PAGE_FOLDER).as_posix(): path for path in found}


@lru_cache(maxsize=256)
def _read_file(path: Path, stamp: int) -> StaticFile:
    body = path.read_bytes()
    if path.name == INDEX_NAME:
        body = embed_vocabulary(body.decode()).encode()
    media = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if path.suffix in (".js", ".mjs"):
        media = "text/javascript"
    packed = gzip.compress(body, 9, mtime=0) if media.startswith(COMPRESSED_MEDIA_TYPES) else None
    return StaticFile(body, packed, media, path.parent.name == "assets")
