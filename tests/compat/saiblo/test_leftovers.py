"""Matches leave nothing behind; what they cost is measured by bench/judger.py."""

import shutil
from pathlib import Path

import pytest

from tests.support.judger_load import build, left_over


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler on this machine")
    tmp_path.chmod(0o755)
    build(tmp_path)
    return tmp_path


def test_matches_of_eight_leave_no_process(programs: Path) -> None:
    left, _ = left_over(programs, 2, 8)
    assert left == 0
