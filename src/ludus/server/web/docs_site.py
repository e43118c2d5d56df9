"""The docs site under ``/docs``: static files in English and Chinese, made by ``tools/docs``."""

from __future__ import annotations

import gzip
import re
from functools import lru_cache
from pathlib import Path

from litestar import Response, get
from litestar.params import FromPath

from ludus.lang import LANGUAGES, Text
from ludus.server.accounts.auth import AnyRequest
from ludus.server.web.static import StaticFile, list_files, pack_file, respond_with_file

DOCS_FOLDER = Path(__file__).parents[1] / "docs"
INDEX_NAME = "index.html"
MISSING_NAME = "404.html"
PACKED = ".gz"
"""What the names of pages that a wheel has gzipped end with."""
SHORT_CACHE = "public, max-age=300"
"""For files whose names do not change with their content: a new version shows within minutes."""
NAMED_BY_CONTENT = re.compile(r"\.[0-9a-f]{8}\.(min\.)?(js|css)$")
ARENA_MARK = b"<!-- arena -->"
"""Where a page of the site has room for the link back."""
ARENA_NAME = Text("Arena", "弈场")
NOT_BUILT_HTML = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Ludus</title>
<h1>Ludus · 弈场</h1>
<p>The docs are not built. In a checkout, run <code>./ludus --rebuild</code>; the same pages are the
text files in <code>docs/en</code>. <a href="/">Back to the arena</a></p>
<p lang="zh">文档尚未构建。请在源码目录运行 <code>./ludus --rebuild</code>；同样的内容见
<code>docs/zh</code> 中的文本文件。<a href="/">返回弈场</a></p></html>"""


@get(["/docs", "/docs/{path:path}"], include_in_schema=False)
async def serve_docs(request: AnyRequest, path: FromPath[str] = "") -> Response[bytes]:
    """A file of the docs site; ``/docs`` leads to the reader's language."""
    name = path.strip("/")
    accepted = request.headers.get("accept-encoding")
    files = list_files(DOCS_FOLDER)
    if not files:
        page = StaticFile(NOT_BUILT_HTML.encode(), None, "text/html", False)
        return respond_with_file(page, accepted, status=503)
    if name in ("", *LANGUAGES):
        return _redirect(f"{name or preferred_language(request)}/{INDEX_NAME}")
    if (file := files.get(name) or files.get(name + PACKED)) is not None:
        return respond_with_file(_read_file(file), accepted, SHORT_CACHE)
    if f"{name}.html" in files or f"{name}.html{PACKED}" in files:
        return _redirect(f"{name}.html")  # a guessed address, as other sites have them
    language = name.partition("/")[0]
    if language not in LANGUAGES:
        language = preferred_language(request)
    missing = f"{language}/{MISSING_NAME}"
    page = _read_file(files.get(missing) or files[missing + PACKED])
    return respond_with_file(page, accepted, status=404)


def preferred_language(request: AnyRequest) -> str:
    """The language of the reader's browser, where it is one of ours; else English."""
    wanted = request.headers.get("accept-language", "").lower()
    for each in wanted.split(","):
        if (found := each.strip()[:2]) in LANGUAGES:
            return found
    return LANGUAGES[0]


def _redirect(name: str) -> Response[bytes]:
    headers = {"location": f"/docs/{name}", "vary": "accept-language", "cache-control": "no-cache"}
    return Response(b"", status_code=307, headers=headers, media_type="text/plain")


def _read_file(path: Path) -> StaticFile:
    return _read_version(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=256)
def _read_version(path: Path, stamp: int) -> StaticFile:
    body, name = path.read_bytes(), path.name
    if path.suffix == PACKED:
        body, name = gzip.decompress(body), path.stem
    if name.endswith(".html") and (arena := ARENA_NAME.get(path.parent.name)):
        link = f'<a class="arena" href="/">{arena}</a>'
        body = body.replace(ARENA_MARK, link.encode(), 1)
    return pack_file(name, body, NAMED_BY_CONTENT.search(name) is not None)
