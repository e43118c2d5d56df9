"""What costs much to compile is compiled once in a run, whoever needs it first.

All workers share a folder that is new in every run, so that nothing of an older version of Ludus is
ever met: of compiled bots for tests that call ``keep_builds``, and of compiled networks.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludus.bots.languages.cpp import Cpp

PLACE = "LUDUS_TEST_CACHES"
"""Names the folder to all processes of a run."""


def pytest_configure(config: pytest.Config) -> None:
    if PLACE not in os.environ:
        folder = Path(tempfile.mkdtemp(prefix="test-caches-of-"))
        folder.chmod(0o755)  # jails read it as somebody else
        os.environ[PLACE] = str(folder)
        os.environ["JAX_COMPILATION_CACHE_DIR"] = str(folder / "networks")
        os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
        config.add_cleanup(lambda: forget(folder))


def forget(folder: Path) -> None:
    del os.environ[PLACE], os.environ["JAX_COMPILATION_CACHE_DIR"]
    shutil.rmtree(folder, ignore_errors=True)


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
