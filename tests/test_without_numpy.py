"""Only bots, networks and training need numpy: Ludus installs, plays, rates and serves without."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

NUMPY_IS_MISSING = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "numpy":
            raise ModuleNotFoundError("No module named 'numpy'", name="numpy")

sys.meta_path.insert(0, Missing())
"""
IMPORT_EVERYTHING = """
import importlib, pkgutil, sys
import ludus

WITH_NUMPY = (
    "ludus.compat.gym",
    *(f"ludus.compat.eraser.{tool}" for tool in ("game", "local_debugger", "match")),
    "ludus.compat.notebook.board_pixels",
    "ludus.games.tablut.actions",
    "ludus.learn",
)
LEARN = ("bots.search", "engine_bots", "evaluation", "levels", "onnx_net", "opponents", "search")

def import_below(package):
    for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        last = found.name.rpartition(".")[2]
        if found.name in WITH_NUMPY or last in ("__main__", "migrations", "samples", "templates"):
            continue
        module = importlib.import_module(found.name)
        if found.ispkg:
            import_below(module)

import_below(ludus)
for name in LEARN:
    importlib.import_module(f"ludus.learn.{name}")
print(len([name for name in sys.modules if name.startswith("ludus.")]), "numpy" in sys.modules)
"""
PLASER = """
class Plaser:
    def __init__(self, is_first):
        pass

    def move(self, board, operations, scores, turn_number):
        return operations[0]
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Every Python of it, those of workers and jails too, thinks that numpy is not installed."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(NUMPY_IS_MISSING, encoding="utf-8")
    return {**os.environ, "PYTHONPATH": str(folder), "LUDUS_HOME": str(tmp_path / "home")}


def run(environment: dict[str, str], *arguments: str, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_everything_but_training_is_imported_without_numpy(environment: dict[str, str]) -> None:
    modules, has_numpy = run(environment, "-c", IMPORT_EVERYTHING).split()
    assert int(modules) > 500 and has_numpy == "False"


def test_a_ladder_with_a_tree_search_is_played_and_rated_without_numpy(
    environment: dict[str, str], tmp_path: Path
) -> None:
    toml = str(tmp_path / "contest.toml")
    ludus = ("-m", "ludus", "contest")
    bots = ("greedy", "random", "search:4")
    run(
        *(environment, *ludus, "new", "reversi", *bots, "--format", "ladder", "--out", toml),
        *("-o", "size=4"),
    )
    text = Path(toml).read_text(encoding="utf-8").replace("rounds = 30", "rounds = 2")
    Path(toml).write_text(text, encoding="utf-8")
    run(environment, *ludus, "run", toml)
    found = json.loads(run(environment, *ludus, "status", toml, "--json"))
    assert sorted(row["name"] for row in found["ratings"]["ratings"]) == sorted(bots)
    assert sum(row["bouts"] for row in found["ratings"]["ratings"]) == 8


def test_a_bot_that_needs_numpy_is_told_how_to_get_it(
    environment: dict[str, str], tmp_path: Path
) -> None:
    mine, original = tmp_path / "mine.py", tmp_path / "original.py"
    mine.write_text(f"import numpy\n{PLASER}", encoding="utf-8")
    original.write_text(PLASER, encoding="utf-8")
    for bot, code in ((mine, 2), (original, 0)):
        bots = (str(bot), "random", "--in-process")
        said = run(environment, "-m", "ludus", "play", "eraser", *bots, code=code)
        assert "`ludus add numpy` installs it" in said and "ludus-arena[numpy]" in said, said
