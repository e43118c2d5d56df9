"""What the sources must say before a release: one version everywhere, a changelog, a clean tree."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tools.releasing.commands import run

VERSION_LINE = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
ENTRY = re.compile(r"^- ", re.MULTILINE)
RELEASE_HEADING = re.compile(r"(\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)")


def read_version(root: Path) -> str:
    """The version in pyproject.toml."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def find_source_problems(root: Path) -> Iterator[str]:
    """What has to be mended in the files before this version can be released."""
    version = read_version(root)
    found = VERSION_LINE.search((root / "src/ludus/__init__.py").read_text(encoding="utf-8"))
    if found is None or found[1] != version:
        said = found[1] if found else "nothing"
        yield f"pyproject.toml says version {version}, src/ludus/__init__.py says {said}"
    yield from find_changelog_problems((root / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    for name in ("LICENSE", "SECURITY.md", "README.md", "README.zh.md"):
        if not (root / name).is_file():
            yield f"{name} is missing"
    for name in ("page", "docs"):
        if not (root / "src/ludus/server" / name / "index.html").is_file():
            yield f"the {name} is not built; .venv/{name}.log says why"


def find_changelog_problems(text: str, version: str) -> Iterator[str]:
    """The newest heading must be this version with its date, and have lines below it."""
    parts = HEADING.split(text)[1:]
    if not parts:
        yield "CHANGELOG.md has no headings"
        return
    heading, lines = parts[0], parts[1].strip()
    named = RELEASE_HEADING.fullmatch(heading)
    if named is None:
        yield f"CHANGELOG.md begins with “{heading}”; a release needs “{version} (YYYY-MM-DD)”"
    elif named[1] != version:
        yield f"CHANGELOG.md begins with {named[1]}, pyproject.toml says {version}"
    if not ENTRY.search(lines):
        yield f"CHANGELOG.md has no lines under “{heading}”"


def find_tree_problems(root: Path, version: str) -> Iterator[str]:
    """What Git says: changes that are not committed, or tags of another version or commit."""
    changed = run(["git", "status", "--porcelain"], folder=root).splitlines()
    if changed:
        yield f"{len(changed)} files have changes that are not committed, such as{changed[0][2:]}"
    tag = f"v{version}"
    here = run(["git", "tag", "--points-at", "HEAD", "--list", "v*"], folder=root).split()
    if run(["git", "tag", "--list", tag], folder=root).strip() and tag not in here:
        yield f"the tag {tag} exists already, at another commit"
    for other in here:
        if other != tag:
            yield f"this commit has the tag {other}, pyproject.toml says version {version}"
