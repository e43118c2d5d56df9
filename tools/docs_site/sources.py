"""The pages as the generator reads them: copies of docs/, whose links fit the site."""

from __future__ import annotations

import hashlib
import os.path
import re
import shutil
import tomllib
from pathlib import Path

from tools.docs_site.markdown_lists import widen_lists
from tools.docs_site.reference import GENERATED_PAGES

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
BROKEN_LINE = re.compile(r"(?<=[\u3001-\u9fff\uff00-\uffef])\n *(?=[\u3001-\u9fff\uff00-\uffef])")
"""Where a Chinese sentence goes on in the next line: a browser would show a space."""
FENCED = re.compile(r"(^ *(?:```|~~~).*?^ *(?:```|~~~) *$)", re.MULTILINE | re.DOTALL)


def digest_sources() -> str:
    """Changes with every page, picture and part of the builder."""
    digest = hashlib.sha256()
    for folder in (DOCS, Path(__file__).parent):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0")
                digest.update(path.read_bytes())
    return digest.hexdigest()


def write_sources(language: str, folder: Path) -> None:
    """Write all pages of a language, and their pictures, into a folder."""
    folder.mkdir(parents=True)
    for path in sorted((DOCS / language).glob("*.md")):
        text = path.read_text(encoding="utf-8")
        (folder / path.name).write_text(convert_page(text, language), encoding="utf-8")
    for name, generate in GENERATED_PAGES.items():
        (folder / f"{name}.md").write_text(generate(language), encoding="utf-8")
    shutil.copytree(DOCS / "images", folder / "images")


def convert_page(text: str, language: str) -> str:
    """A page of docs/ as the generator reads it."""
    parts = FENCED.split(widen_lists(text))
    source = source_address()
    # Every other part is a block of code.
    parts[::2] = [BROKEN_LINE.sub("", part) for part in parts[::2]]
    parts[::2] = [LINK.sub(lambda m: _convert_link(m, language, source), p) for p in parts[::2]]
    return "".join(parts)


def source_address() -> str | None:
    """Where files of the repository can be read, if pyproject.toml says so."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    address = project.get("urls", {}).get("Source")
    return f"{address.rstrip('/')}/blob/main/" if address else None


def _convert_link(link: re.Match[str], language: str, source: str | None) -> str:
    picture, words, target = link.groups()
    if "://" in target or target.startswith("#"):
        return link[0]
    path = os.path.normpath(os.path.join("docs", language, target))
    if path.startswith("docs/images/"):
        return f"{picture}[{words}](images/{path.removeprefix('docs/images/')})"
    if path.startswith(f"docs/{language}/"):
        return link[0]
    if other := re.fullmatch(r"docs/(\w+)/([\w-]+)\.md(#.*)?", path):
        return f"[{words}](../{other[1]}/{other[2]}.html{other[3] or ''})"
    if source:
        return f"[{words}]({source}{path})"
    return words if words.strip("`") == path else f"{words} (`{path}`)"
