"""Short Python programs in a jail, at each level."""

import os
import sys
import textwrap
from pathlib import Path

import pytest

from ludus.bots import sandbox
from ludus.bots.sandbox import Level, Limits, Program

BAD = Path(__file__).parents[1] / "bots" / "bad"


CPYTHON = os.path.realpath(sys.executable)


MB = 1 << 20


@pytest.fixture(params=["strong", "userns", "plain"])
def level(request: pytest.FixtureRequest) -> Level:
    if request.param not in sandbox.levels():
        pytest.skip(f"no jail of level {request.param} on this machine")
    return Level(request.param)


def python(code: str, **given: object) -> Program:
    """A Python program without Ludus."""
    files = {sys.base_prefix: Path(sys.base_prefix)} if sys.base_prefix != "/usr" else {}
    argv = (CPYTHON, "-I", "-S", "-c", textwrap.dedent(code))
    return Program(argv=argv, files=files | given.pop("files", {}), cwd="/tmp", **given)


def run(code: str, level: Level, *, seconds: float = 20, **limits: int) -> sandbox.Finished:
    return sandbox.run(python(code), seconds=seconds, limits=Limits(**limits), level=level)
