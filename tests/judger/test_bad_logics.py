"""Logics that misbehave: a clear report and exit code, everybody ended, and soon."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.leftovers import jailed_processes
from tests.support.talking import ECHO, PYTHON, script

LIMIT = 2.0
"""Seconds that the logic may be silent, and that the match may take where that is the limit."""
SOON = 3.0
BAD = {
    "floods": (
        """
        receive()
        junk = json.dumps({"state": 1, "listen": [], "player": [], "content": []}).encode()
        one = len(junk).to_bytes(4, "big") + b"\\xff" * 4 + junk
        while True:
            write(one * 500)
        """,
        "without waiting for an answer",
    ),
    "floods_its_players": (
        'receive()\nwhile True:\n    tell(b"x" * 1000000, target=0)',
        "without waiting for an answer",
    ),
    "hangs": ("receive()\ntime.sleep(600)", "said nothing for 2 s"),
    "hangs_before_it_reads": ("time.sleep(600)", "said nothing for 2 s"),
    "spins": ("receive()\nwhile True:\n    pass", "said nothing for 2 s"),
    "ignores_terminate": (
        """
        import signal
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        receive()
        while True:
            time.sleep(1)
        """,
        "said nothing for 2 s",
    ),
    "goes_on_for_ever": (
        """
        receive()
        state = 0
        while True:
            state += 1
            ask(state, 0, "okay")
        """,
        "the match took more than 2 s",
    ),
    "forks": (
        """
        receive()
        while True:
            try:
                os.fork()
            except OSError:
                time.sleep(0.1)
        """,
        "said nothing for 2 s",
    ),
    "leaves_children": (
        "receive()\nif os.fork():\n    os._exit(4)\nwhile True:\n    time.sleep(1)",
        "exited with code 4",
    ),
    "announces_a_gigabyte": (
        'receive()\nwrite((1 << 30).to_bytes(4, "big") + b"\\xff" * 4)\ntime.sleep(600)',
        "announced a frame of 1073741824 bytes",
    ),
    "announces_less_than_nothing": (
        'receive()\nwrite(b"\\xff" * 8)\ntime.sleep(600)',
        "announced a frame of -1 bytes",
    ),
    "dies_in_mid_frame": (
        'receive()\nwrite((100).to_bytes(4, "big") + b"\\xff" * 4 + b"half")\nos._exit(1)',
        "exited with code 1 in the middle of a frame",
    ),
    "is_killed": ("receive()\nos.kill(os.getpid(), 9)", "killed by SIGKILL"),
    "closes_its_stdout": ("receive()\nos.close(1)\ntime.sleep(600)", "closed its stdout"),
    "raises": ("receive()\nraise RuntimeError('oh')", "exited with code 1"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_logic_ends_with_a_clear_report_and_nobody_left(name: str, tmp_path: Path) -> None:
    code, why = BAD[name]
    script(tmp_path, "logic", code)
    script(tmp_path, "ai", ECHO)
    command = [sys.executable, "-m", "ludus", "judge", "--json"]
    command += ["--silence", str(LIMIT), "--match-time", str(LIMIT if "ever" in name else 600)]
    players = [f"{PYTHON}+ai.py", f"{PYTHON}+ai.py"]
    done = subprocess.run(
        [*command, f"{PYTHON}+logic.py", *players, "replay.json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    assert why in report["why"]["en"]
    assert report["why"]["zh"] != report["why"]["en"]
    assert report["scores"] is None
    assert jailed_processes(str(tmp_path)) == []
    assert report["seconds"] < LIMIT + SOON
    assert report["logic_exit_code"] != 0


def test_what_a_logic_complained_about_is_shown(tmp_path: Path) -> None:
    script(tmp_path, "logic", "raise RuntimeError('the map is missing')")
    script(tmp_path, "ai", ECHO)
    command = [sys.executable, "-m", "ludus", "judge", f"{PYTHON}+logic.py", f"{PYTHON}+ai.py"]
    done = subprocess.run(
        [*command, "replay.json"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "the logic failed" in done.stdout
    assert "the map is missing" in done.stderr
