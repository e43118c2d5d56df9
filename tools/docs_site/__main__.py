"""Build the docs site: both languages, the reference from the code, search.

tools/docs [--out FOLDER]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ludus.lang import LANGUAGES
from tools.docs_site.finishing import finish
from tools.docs_site.generator import BuildFailed, generate
from tools.docs_site.sources import ROOT, digest_sources, write_sources

DEFAULT_OUT = ROOT / "src" / "ludus" / "server" / "docs"
"""Where the server looks for it."""
DIGEST_NAME = "sources.sha256"
"""Says from what a site was built."""


def build(out: Path, packages: Path | None = None) -> None:
    """Build the site into a folder, which is replaced. BuildFailed says which link is dead."""
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor() as threads:
        folders = {language: Path(work) / language for language in LANGUAGES}
        for language, folder in folders.items():
            write_sources(language, folder / "docs")
        sites = threads.map(lambda item: generate(*item, packages), folders.items())
        finish(dict(zip(folders, sites, strict=True)), out)
    (out / DIGEST_NAME).write_text(digest_sources() + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools/docs", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT, help="the folder to (re)place")
    parser.add_argument("--packages", type=Path, help="where the generator is installed")
    arguments = parser.parse_args()
    try:
        build(arguments.out.resolve(), arguments.packages)
    except BuildFailed as error:
        print(f"tools/docs: {error}", file=sys.stderr)
        return 1
    print(f"Wrote {arguments.out}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
