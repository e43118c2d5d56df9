"""Installing a wheel into an empty environment, and how large that is."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ludus.packages import DISTRIBUTION_NAME
from tools.releasing.commands import ReleaseError, Words, run

MAX_ENVIRONMENT_MB = 120
"""What the files of Ludus and of all that it needs may take, without extras, in 10⁶ bytes."""


@dataclass(frozen=True, slots=True)
class InstallSource:
    """A wheel of Ludus, its Python, and a folder with all other wheels that it needs."""

    wheel: Path
    python: Path
    others: Path


def collect_wheels(wheel: Path, python: Path, folder: Path) -> InstallSource:
    """Bring what the wheel needs, so that every try installs the same, quickly."""
    folder.mkdir(parents=True, exist_ok=True)
    place = make_environment(python, folder / "python")
    here: Words = [sys.executable, "-m", "pip", "--python", place]
    run([*here, "wheel", "-q", "-w", folder, "--find-links", folder, "--prefer-binary", wheel])
    for own in folder.glob(f"{DISTRIBUTION_NAME.replace('-', '_')}-*.whl"):
        own.unlink()
    return InstallSource(wheel, python, folder)


def make_environment(python: Path, folder: Path) -> Path:
    """An empty environment, made anew; answers its interpreter."""
    shutil.rmtree(folder, ignore_errors=True)
    run([python, "-m", "venv", "--without-pip", folder])
    return folder / "bin/python"


def install_wheel(source: InstallSource, python: Path, *options: str) -> None:
    """Install from files alone: nothing is downloaded, and nothing is built."""
    here: Words = [sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-index"]
    only: Words = ["--only-binary", ":all:", "--find-links", source.others]
    run([*here, *only, *options, source.wheel])


def find_size_problems(source: InstallSource, folder: Path) -> Iterator[str]:
    """Install into an empty environment as pip does, and say if that takes too much room."""
    began = time.monotonic()
    install_wheel(source, make_environment(source.python, folder))
    megabytes = measure_megabytes(folder)
    seconds = time.monotonic() - began
    print(f"  {source.wheel.name}: {megabytes:.1f} MB in {seconds:.0f} s", flush=True)
    if megabytes > MAX_ENVIRONMENT_MB:
        yield f"{source.wheel.name} takes {megabytes:.1f} MB installed, not {MAX_ENVIRONMENT_MB}"


def find_runner_problems(source: InstallSource, tools: Path, work: Path) -> Iterator[str]:
    """Run Ludus without installing it, by ``uvx`` and by ``pipx run``."""
    settings = {
        "UV_CACHE_DIR": str(work / "uv"),
        "UV_FIND_LINKS": str(source.others),
        "UV_OFFLINE": "1",
        "PIPX_HOME": str(work / "pipx"),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(source.others),
    }
    python: Words = ["--python", source.python]
    commands: dict[str, Words] = {
        "uvx": [tools / "uvx", "--no-config", *python, "--from", source.wheel, "ludus"],
        "pipx run": [tools / "pipx", "run", *python, "--spec", source.wheel, "ludus"],
    }
    for name, command in commands.items():
        try:
            said = run([*command, "--version"], environment={**os.environ, **settings})
        except ReleaseError as error:
            yield f"{name}: {error}"
        else:
            if "ludus" not in said:
                yield f"{name} said: {said[-500:]}"


def measure_megabytes(folder: Path) -> float:
    """The size of all files below a folder, each file once."""
    seen: dict[int, int] = {}
    for place, _, names in os.walk(folder):
        for name in names:
            facts = os.lstat(os.path.join(place, name))
            seen[facts.st_ino] = facts.st_size
    return sum(seen.values()) / 1e6
