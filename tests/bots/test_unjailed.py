"""Programs that the user trusts, which run without a jail."""

import os
import sys
import time
from pathlib import Path

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games import get
from ludus.match.series import SeriesBout, series
from ludus.sandbox import list_levels
from tests.support.frames import first_legal
from tests.support.processes import is_running

GAME = get("reversi")


def bout(spec: str, *, trust: bool) -> SeriesBout:
    sources = [resolve_bot(spec, GAME, trust=trust), resolve_bot("random", GAME, trust=trust)]
    players = [create_player(source, GAME) for source in sources]
    (played,) = series(GAME, GAME.Options(), players, 1, 1)
    return played


def write(folder: Path, text: str) -> str:
    path = folder / "program.py"
    path.write_text(text)
    return f"cmd:{sys.executable} {path}"


def test_a_trusted_program_runs_without_a_jail_and_its_record_says_so(tmp_path: Path) -> None:
    outside = tmp_path / "notes.txt"
    spec = write(
        tmp_path,
        f"try:\n    open({str(outside)!r}, 'w').close()\nexcept OSError:\n    pass\n"
        + first_legal(),
    )
    jailed = bout(spec, trust=False)
    assert jailed.record.bots[0].isolation in list_levels() and not outside.exists()
    trusted = bout(spec, trust=True)
    assert [bot.isolation for bot in trusted.record.bots] == ["unjailed", "in-process"]
    assert outside.exists()
    assert trusted.record.verdict == jailed.record.verdict == "rules"
    assert trusted.record.moves == jailed.record.moves
    assert trusted.record.bots[0].digest == jailed.record.bots[0].digest
    assert all(cpu > 0 for cpu, _ in trusted.record.times.used[:1])


@pytest.mark.parametrize(
    ("text", "verdict", "says"),
    [
        ("import sys; sys.exit(7)", "load", "exited with code 7"),
        ("import os; os.kill(os.getpid(), 9)", "load", "killed by SIGKILL"),
        ("print('x' * 10000)", "load", "frame"),
    ],
)
def test_a_trusted_program_gets_the_same_verdicts(
    tmp_path: Path, text: str, verdict: str, says: str
) -> None:
    record = bout(write(tmp_path, text), trust=True).record
    assert record.verdict == verdict and says in record.faults[0].why["en"]


def test_a_trusted_program_that_does_not_exist_is_a_load_fault(tmp_path: Path) -> None:
    record = bout("cmd:/nowhere/engine", trust=True).record
    assert record.verdict == "load" and "No such file" in record.faults[0].why["en"]


def test_nothing_of_a_trusted_program_is_left_behind(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    spec = write(
        tmp_path,
        "import os, subprocess\nchild = subprocess.Popen(['sleep', '1000'])\n"
        f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n" + first_legal(),
    )
    bout(spec, trust=True)  # what the first one opens for all that follow stays open
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        bout(spec, trust=True)
    deadline = time.monotonic() + 60
    while any(is_running(int(pid)) for pid in pids.read_text().split()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    left = len(os.listdir("/proc/self/fd")) - before
    assert left < 3, "what one bout leaves, three leave three times"
