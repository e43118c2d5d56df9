"""The files of the page and of the docs site, which are built into the package."""

from __future__ import annotations

import gzip
import mimetypes
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from litestar import Response

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
    files = list_files(PAGE_FOLDER)
    file = files.get(path.strip("/"))
    if file is None or file in (STANDALONE_PAGE, REPORT_PAGE):
        file = files.get(INDEX_NAME)
    if file is None:
        return StaticFile(NOT_BUILT_HTML.encode(), None, "text/html", False)
    return _read_page_file(file, file.stat().st_mtime_ns)


def respond_with_file(
    file: StaticFile, accept_encoding: str | None, cache: str = "no-cache", status: int = 200
) -> Response[bytes]:
    """The file as a response, packed if the client accepts that. ``cache`` says how long a file may
    be kept whose name does not change with its content."""
    headers = {
        "cache-control": "public, max-age=31536000, immutable" if file.immutable else cache,
        "vary": "accept-encoding",
    }
    body = file.body
    if file.gzipped and "gzip" in (accept_encoding or ""):
        headers["content-encoding"] = "gzip"
        body = file.gzipped
    return Response(body, media_type=file.media_type, headers=headers, status_code=status)


def list_files(folder: Path) -> dict[str, Path]:
    """All files of a folder that was built; only these can be requested, whatever the path."""
    try:
        built_ns = (folder / INDEX_NAME).stat().st_mtime_ns
    except OSError:
        return {}
    return _list_files(folder, built_ns)


@lru_cache(maxsize=2)
def _list_files(folder: Path, built_ns: int) -> dict[str, Path]:
    """As ``list_files``; the time changes whenever the folder is built anew."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path for path in found}


@lru_cache(maxsize=256)
def _read_page_file(path: Path, stamp: int) -> StaticFile:
    body = path.read_bytes()
    if path.name == INDEX_NAME:
        body = embed_vocabulary(body.decode()).encode()
    return pack_file(path.name, body, path.parent.name == "assets")


def pack_file(name: str, body: bytes, immutable: bool) -> StaticFile:
    """A file with the media type that its name says."""
    media = mimetypes.guess_type(name)[0] or "application/octet-stream"
    if name.endswith((".js", ".mjs")):
        media = "text/javascript"
    packed = gzip.compress(body, 9, mtime=0) if media.startswith(COMPRESSED_MEDIA_TYPES) else None
    return StaticFile(body, packed, media, immutable)
