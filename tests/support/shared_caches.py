"""What costs much to compile is compiled once in a run, by the test that needs it first.

All workers share a folder that is new in every run: of compiled bots for tests that call
``keep_builds``, and of compiled networks. Both are kept for later runs, in ``.venv``. JAX names a
network by all that it was compiled from, the code included. What compiles bots is code of Ludus,
and once that changes they are compiled anew, so that nothing of an older version is ever met.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludus.bots.languages.cpp import Cpp

ROOT = Path(__file__).parents[2]
PLACE = "LUDUS_TEST_CACHES"
"""Names the folder to all processes of a run."""
MAX_KEPT_NETWORKS = 5000
"""A whole run compiles about a thousand; when the code changes, other ones."""
BUILDING = (
    "src/ludus/bots",
    "src/ludus/sandbox",
    "src/ludus/sdk",
    "src/ludus/compat/botzone/headers",
)
"""The code that compiles bots, and what is compiled with them."""


def pytest_configure(config: pytest.Config) -> None:
    if PLACE not in os.environ:
        folder = Path(tempfile.mkdtemp(prefix="test-caches-of-"))
        folder.chmod(0o755)  # jails read it as somebody else
        os.environ[PLACE] = str(folder)
        os.environ["JAX_COMPILATION_CACHE_DIR"] = str(folder / "networks")
        os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
        # Else the name of the folder is a part of every name in it.
        os.environ["JAX_PERSISTENT_CACHE_ENABLE_XLA_CACHES"] = "none"
        borrow_networks(folder / "networks", kept_networks())
        if (kept := kept_builds()).is_dir():
            shutil.copytree(kept, folder / "bots" / "builds", symlinks=True)
        config.add_cleanup(lambda: forget(folder))


def forget(folder: Path) -> None:
    del os.environ[PLACE], os.environ["JAX_COMPILATION_CACHE_DIR"]
    with contextlib.suppress(OSError):  # a full disk, or a .venv that only its owner may change
        keep_networks(folder / "networks", kept_networks())
        save_builds(folder / "bots" / "builds", kept_builds())
    shutil.rmtree(folder, ignore_errors=True)


def kept_networks() -> Path:
    """Where networks are kept for later runs: they run only on processors with the same abilities,
    and the same ``.venv`` may be used from several machines."""
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text().splitlines() if facts.exists() else []
    abilities = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    name = hashlib.sha256(abilities.encode()).hexdigest()[:12]
    return Path(sys.prefix) / "test-networks" / name


def borrow_networks(networks: Path, kept: Path) -> None:
    networks.mkdir()
    if kept.is_dir():
        for file in kept.iterdir():
            (networks / file.name).symlink_to(file)


def keep_networks(networks: Path, kept: Path) -> None:
    """Keep those that this run has compiled, but what a killed process had only begun to write."""
    made = [file for file in networks.iterdir() if not file.is_symlink() and file.stat().st_size]
    if made and kept.is_dir() and len(list(kept.iterdir())) > MAX_KEPT_NETWORKS:
        shutil.rmtree(kept)
    kept.mkdir(parents=True, exist_ok=True)
    for file in made:
        unfinished = kept.parent / f"{os.getpid()}.tmp"
        shutil.copyfile(file, unfinished)
        unfinished.replace(kept / file.name)


def kept_builds() -> Path:
    """Where compiled bots are kept for later runs with the same code."""
    sums = hashlib.sha256()
    for folder in BUILDING:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.is_file() and file.suffix != ".pyc":
                sums.update(bytes(file.relative_to(ROOT)) + b"\0" + file.read_bytes())
    return Path(sys.prefix) / "test-builds" / sums.hexdigest()[:12]


def save_builds(builds: Path, kept: Path) -> None:
    """Keep what this run has compiled, and nothing of other code."""
    if not builds.is_dir():
        return
    if not kept.is_dir():
        shutil.rmtree(kept.parent, ignore_errors=True)
        kept.mkdir(parents=True)
    for entry in builds.iterdir():
        if (entry / "size").exists() and not (kept / entry.name).exists():
            unfinished = kept.parent / f"{os.getpid()}.tmp"
            shutil.copytree(entry, unfinished, symlinks=True)
            unfinished.replace(kept / entry.name)


def builds() -> str:
    """Where compiled bots are kept for the whole run."""
    return str(Path(os.environ[PLACE]) / "bots")


def keep_builds(patch: pytest.MonkeyPatch) -> None:
    """Let Ludus keep there what it compiles: for tests that need a bot, not of compiling."""
    patch.setenv("LUDUS_CACHE", builds())


def hasten_compilers(patch: pytest.MonkeyPatch) -> None:
    """C++ with little optimisation takes half the time to compile: as little as with none (-O0),
    but then a bot that looks at a large board thinks five times as long."""
    patch.setattr(Cpp, "optimisation", "-Og")


@pytest.fixture(scope="module")
def hasty_compilers() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        hasten_compilers(patch)
        yield


@pytest.fixture(scope="module")
def shared_builds() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        keep_builds(patch)
        yield
