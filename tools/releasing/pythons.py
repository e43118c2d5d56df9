"""The Pythons that a release is built for and tried with."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.releasing.commands import ReleaseError, run

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
ASK_VERSION = "import sys; print('%d.%d' % sys.version_info[:2]); print(sys.executable)"


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python on this machine, and an environment of it with what builds wheels."""

    version: str
    path: Path
    builder: Path

    @property
    def tag(self) -> str:
        """How wheels name it: ``cp311``."""
        return "cp" + self.version.replace(".", "")


def find_pythons(named: Iterable[str]) -> dict[str, Path]:
    """An interpreter for each version that is to be had: those named, then those on the path."""
    found: dict[str, Path] = {}
    for candidate in (*named, *filter(shutil.which, (f"python{each}" for each in VERSIONS))):
        try:
            said = run([candidate, "-c", ASK_VERSION])
        except (OSError, ReleaseError):
            if candidate in named:
                raise ReleaseError(f"{candidate} is not a Python that runs") from None
            continue
        version, path = said.split("\n")[:2]
        if version in VERSIONS:
            found.setdefault(version, Path(path))
    return dict(sorted(found.items()))


def prepare_builders(pythons: dict[str, Path], root: Path, folder: Path) -> Iterator[Interpreter]:
    """An environment of each Python with the setuptools and the Cython of requirements.lock."""
    lock = folder / "build.lock"
    lock.write_text(select_build_tools((root / "requirements.lock").read_text(encoding="utf-8")))
    for version, path in pythons.items():
        place = folder / f"build-{version}"
        builder = place / "bin/python"
        if not builder.exists():
            run([path, "-m", "venv", "--without-pip", place])
            install_into(builder, "--no-deps", "--require-hashes", "-r", lock)
        yield Interpreter(version, path, builder)


def install_into(python: Path, *wanted: str | Path) -> None:
    """Install with the pip of this environment, which need not be in the other."""
    run([sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-compile", *wanted])


def select_build_tools(lock: str) -> str:
    """The entries of a lock that compile Ludus, with their hashes."""
    chosen: list[str] = []
    wanted = False
    for line in lock.splitlines():
        if line[:1].isalpha():
            wanted = line.startswith(("cython==", "setuptools=="))
        if wanted:
            chosen.append(line)
    return "\n".join(chosen) + "\n"
