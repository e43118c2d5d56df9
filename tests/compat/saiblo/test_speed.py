"""What the judger costs, and that it leaves nothing; figures are in bench/RESULTS.md."""

import os
import select
import shutil
import time
from pathlib import Path

import pytest

from ludus.match.series import one_core
from tests.support.judger_load import build, judger_rate, left_over


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler on this machine")
    tmp_path.chmod(0o755)
    build(tmp_path)
    return tmp_path


def test_a_round_costs_little_more_than_its_reads_and_writes(programs: Path) -> None:
    """In CPU time, which other work on the machine hardly changes."""
    with one_core():
        least = min(passing_on() for _ in range(3))
        _, cost = min((judger_rate(programs, 2000) for _ in range(3)), key=lambda each: each[1])
    assert cost < 15 * least, (cost, least)


def passing_on(rounds: int = 2000) -> float:
    """CPU time in µs to wait twice, read twice and write twice in Python: a round's least."""
    read, write = os.pipe()
    poll = select.epoll()
    poll.register(read, select.EPOLLIN)
    began = time.process_time()
    for _ in range(2 * rounds):
        os.write(write, bytes(64))
        poll.poll(1.0)
        os.read(read, 65536)
    spent = time.process_time() - began
    poll.close()
    os.close(read)
    os.close(write)
    return 1e6 * spent / rounds


def test_matches_of_eight_leave_no_process(programs: Path) -> None:
    left, _ = left_over(programs, 2, 8)
    assert left == 0
