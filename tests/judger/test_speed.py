"""The judger next to a relay written in C, in the same run; figures are in bench/RESULTS.md."""

import shutil
from pathlib import Path

import pytest

from bench.judger import build, compare, left_over
from ludus.match.series import one_core


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler on this machine")
    tmp_path.chmod(0o755)
    build(tmp_path)
    return tmp_path


def test_the_judger_is_not_far_behind_a_relay_in_c(programs: Path) -> None:
    """Half as fast on a quiet machine; a quarter is what a busy one must reach in a few tries."""
    for _ in range(3):
        with one_core():
            found = compare(programs, 4000, 3)
        if found["share"] > 0.25:
            return
    raise AssertionError(found)


def test_matches_of_eight_leave_no_process(programs: Path) -> None:
    left, _ = left_over(programs, 5, 8)
    assert left == 0
