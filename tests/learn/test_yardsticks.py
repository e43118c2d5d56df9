"""bench/yardsticks: bouts against other people's programs, as the command plays them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GTP_ENGINE = f"gtp:{sys.executable} {ROOT / 'examples' / 'gtp_engine.py'}"
TCP_PLAYER = f"tcp:5:{sys.executable} {ROOT / 'examples' / 'tablut_challenge' / 'player.py'}"
LIGHT = """
import runpy, sys
for heavy in ("msgspec", "click", "rich", "jax", "onnx", "sqlalchemy", "litestar"):
    sys.modules[heavy] = None
runpy.run_module("bench.yardsticks", run_name="__main__", alter_sys=True)
"""


def command(log: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "bench.yardsticks", "--no-docs", "--log", str(log), *words]


def read_lines(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def test_a_killed_measurement_goes_on_and_plays_no_bout_twice(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    words = command(log, "search:60", "--game", "reversi", "--rivals", GTP_ENGINE)
    words += ["--bouts", "8", "--jobs", "2"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL) as first:
        while len(read_lines(log)) < 2 and first.poll() is None:
            time.sleep(0.01)
        first.send_signal(signal.SIGKILL)
    kept = log.read_bytes()
    assert 2 <= len(kept.splitlines()) <= 8
    log.write_bytes(kept + b'{"game":"reversi","opt')  # cut off while it was written
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert log.read_bytes().startswith(kept)
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.endswith("}")]
    assert Counter((each["pair"], each["seat"]) for each in lines) == {
        (pair, seat): 1 for pair in range(4) for seat in (0, 1)
    }
    assert all(each["cpu"][1] > 0 and "fault" not in each for each in lines)
    assert "8 bouts" in done.stdout
    again = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert again.stdout == done.stdout and len(log.read_text().splitlines()) == 9


def test_it_needs_few_packages_plays_the_challenge_and_gives_both_sides_equal_cpu(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log.jsonl"
    words = [sys.executable, "-c", LIGHT, "--no-docs", "--log", str(log), "search"]
    words += ["--game", "tablut", "-o", "variant=ashton", "--equal-cpu", "--bouts", "2"]
    words += ["--jobs", "1", "--rivals", f"{TCP_PLAYER},alphabeta:0.02,nothing.cpp"]
    done = subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": "src"}
    )
    assert done.returncode == 0, done.stderr
    lines = read_lines(log)
    assert not any("fault" in each for each in lines), lines
    (missing,) = [each for each in lines if "missing" in each]
    assert missing["rival"] == "nothing.cpp" and "nothing.cpp" in done.stdout
    timed = [each for each in lines if each["rival"] == "alphabeta:0.02"]
    own, other = (
        sum(each["cpu"][at] for each in timed) / sum(each["moves"][at] for each in timed)  # type: ignore[index]
        for at in (0, 1)
    )
    assert 0.5 < own / other < 2


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_tables_in_the_docs_are_those_of_the_logs(language: str) -> None:
    code = """
import sys
from bench.yardsticks.__main__ import LOGS
from bench.yardsticks.table import PAGES, make_page
page = PAGES[sys.argv[1]]
assert page.read_text() == make_page(page.read_text(), sorted(LOGS.glob("*.jsonl")), sys.argv[1])
"""
    subprocess.run([sys.executable, "-c", code, language], cwd=ROOT, check=True)


def test_another_way_to_search_has_rows_of_its_own() -> None:
    code = """
from bench.yardsticks.searchers import describe_search
from bench.yardsticks.table import _simulations
assert describe_search(64) != "64 simulations" != describe_search(400)
assert _simulations("64 simulations", "en") == "64 simulations per move"
assert "4 moves at first" in _simulations(describe_search(64), "en")
assert "4 个着法" in _simulations(describe_search(64), "zh")
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_at_equal_cpu_a_network_begins_with_as_many_moves_as_its_simulations_suit() -> None:
    pytest.importorskip("onnxruntime")
    code = """
from bench.yardsticks.searchers import create_searcher
from ludus.games import get
from ludus.learn.engine_bots import NETS_FOLDER
game = get("reversi")
player = create_searcher(str(NETS_FOLDER / "reversi.onnx"), game, game.Options(), 64)
position = game.start(game.Options(), 1)
player.start(0, [], position)
for simulations, moves in ((10, 4), (200, 8), (300, 16)):
    player.simulation_s = 0.05 / (simulations + 0.5)
    player.choose([], position, 0.05)
    assert player.searcher.style.simulations == simulations
    assert player.searcher.style.considered == moves
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_tables_of_patterns_without_a_time_are_refused(tmp_path: Path) -> None:
    words = command(tmp_path / "log.jsonl", "w.patterns", "--game", "reversi")
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert "w.patterns:0.1" in done.stderr and "--equal-cpu" in done.stderr


def test_a_network_and_tables_of_one_name_have_logs_of_their_own() -> None:
    code = """
from types import SimpleNamespace as Given
from pathlib import Path
from bench.yardsticks.__main__ import choose_log
from bench.yardsticks.rows import Row
rows = [
    Row("reversi", (), name, "0", "equal CPU", "zebra:4", "suite", 0)
    for name in ("reversi.onnx", "reversi.patterns", "reversi.patterns:0.1")
]
names = [choose_log(Given(log=None), row).name for row in rows]
assert names[0] == "reversi-reversi.jsonl", names
assert len(set(names)) == 3 and not any(":" in name for name in names), names
assert choose_log(Given(log=Path("mine.jsonl")), rows[0]) == Path("mine.jsonl")
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
