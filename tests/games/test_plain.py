"""What holds of the compiled rules holds of their plain sources too."""

import os
import subprocess
import sys
from pathlib import Path

GAMES = Path(__file__).resolve().parent
ROOT = GAMES.parents[1]

RUN = """
import sys
import pytest
from ludus.games.duel2048 import board as one
from ludus.games.eraser import board as two
from ludus.games.paperio import field as three
from ludus.games.tablut import rules as four
from ludus.games.ataxx import rules as five
assert all(module.__file__.endswith(".py") for module in (one, two, three, four, five))
sys.exit(pytest.main(sys.argv[1:]))
"""


TESTED = (
    *("test_contract.py", "duel2048/test_rules.py", "duel2048/test_dialect.py"),
    *("eraser/test_board.py", "eraser/test_rules.py", "paperio/test_golden.py"),
    *("tablut/test_golden.py", "tablut/test_rules.py", "ataxx/test_rules.py"),
)


def test_these_tests_pass_as_plain_python() -> None:
    """They take fewer samples there; what is about no compiled module is left out."""
    environment = {**os.environ, "LUDUS_UNCOMPILED": "1", "PYTHONIOENCODING": "utf-8"}
    environment.pop("PYTEST_ADDOPTS", None)
    command = [sys.executable, "-c", RUN, "-q", "-p", "no:cacheprovider"]
    left_out = ["-k", "not found_out and not house_bots"]
    files = [str(GAMES / name) for name in TESTED]
    done = subprocess.run(
        [*command, *left_out, *files],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr
