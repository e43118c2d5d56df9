"""Logics that misbehave: a clear report and exit code, everybody ended, and soon."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ludus.cli.main import run
from tests.support.cli import Ran
from tests.support.leftovers import jailed_processes
from tests.support.talking import ECHO, PYTHON, script

LIMIT = 0.5
"""Seconds that the logic may be silent, or that the match may take, where that is its fault."""
LONG = 600.0
"""Longer than any of these matches may take, whatever else the machine does."""
ENDLESS = f"the match took more than {LIMIT} s"
SILENT = f"said nothing for {LIMIT} s"
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
    "hangs": ("receive()\ntime.sleep(600)", SILENT),
    "hangs_before_it_reads": ("time.sleep(600)", SILENT),
    "spins": ("receive()\nwhile True:\n    pass", SILENT),
    "ignores_terminate": (
        """
        import signal
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        receive()
        while True:
            time.sleep(1)
        """,
        SILENT,
    ),
    "goes_on_for_ever": (
        """
        receive()
        state = 0
        while True:
            state += 1
            ask(state, 0, "okay")
        """,
        ENDLESS,
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
        SILENT,
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


@pytest.fixture
def judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ran]:
    """``ludus judge`` for the logic and the AIs of the folder it is called in."""
    monkeypatch.setenv("LUDUS_LANG", "en")
    monkeypatch.chdir(tmp_path)

    def call(*options: object) -> Ran:
        programs = (f"{PYTHON}+logic.py", f"{PYTHON}+ai.py", f"{PYTHON}+ai.py")
        code = run([str(word) for word in ("judge", *options, *programs, "replay.json")])
        return Ran(code, *capsys.readouterr())

    return call


@pytest.mark.parametrize("name", BAD)
def test_a_bad_logic_ends_with_a_clear_report_and_nobody_left(
    name: str, tmp_path: Path, judge: Callable[..., Ran]
) -> None:
    code, why = BAD[name]
    script(tmp_path, "logic", code)
    script(tmp_path, "ai", ECHO)
    silence = LIMIT if why == SILENT else LONG
    match_time = LIMIT if why == ENDLESS else LONG
    done = judge("--json", "--silence", silence, "--match-time", match_time)
    assert done.code == 1, done.err
    report = json.loads(done.out)
    assert why in report["why"]["en"]
    assert report["why"]["zh"] != report["why"]["en"]
    assert report["scores"] is None
    assert jailed_processes(str(tmp_path)) == []
    assert report["logic_exit_code"] != 0


def test_what_a_logic_complained_about_is_shown(tmp_path: Path, judge: Callable[..., Ran]) -> None:
    script(tmp_path, "logic", "raise RuntimeError('the map is missing')")
    script(tmp_path, "ai", ECHO)
    done = judge()
    assert done.code == 1
    assert "the logic failed" in done.out
    assert "the map is missing" in done.err
