"""bench/gpu_session: experiments that are possible, stop in time, and lose nothing."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ludus.games import get
from ludus.learn.opponents import find_opponent
from ludus.learn.settings import load_settings
from tests.support.extras import need_extra

need_extra("learn", "jax", "optax", "onnx", "onnxruntime")

ROOT = Path(__file__).parents[2]
EXPERIMENTS = tomllib.loads((ROOT / "bench/gpu_experiments.toml").read_text("utf-8"))["experiment"]
SMALL = """
[[experiment]]
name = "small"
group = "ours"
game = "tablut"
preset = "laptop"
options = { variant = "brandubh", limit = "16" }
settings = ["net.blocks=1", "net.channels=8", "search.simulations=2", "play.bouts=2",
    "play.tasks=1", "play.plies=2", "learn.steps=1", "learn.batch=4",
    "learn.waves=500", "learn.window=2"]
seconds = 1
bouts = 2
rate = ["random"]

[[experiment]]
name = "too long"
group = "ours"
game = "tablut"
seconds = 5000
"""


def session(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench.gpu_session", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def read_rows(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.endswith("}")]


@pytest.mark.parametrize("given", EXPERIMENTS, ids=[each["name"] for each in EXPERIMENTS])
def test_an_experiment_has_settings_and_rivals_that_there_are(given: dict[str, Any]) -> None:
    game, options = get(given["game"]), given.get("options", {})
    changes = dict(each.split("=", 1) for each in given["settings"])
    changes |= {f"options.{name}": value for name, value in options.items()}
    loaded = load_settings(given.get("preset", "gpu"), changes, game.name)
    parsed = game.Options.parse(loaded.options)
    assert [find_opponent(rival, game, parsed, None).name for rival in given["rate"]]


def test_a_session_trains_measures_and_goes_on_with_what_is_missing(tmp_path: Path) -> None:
    file, folder = tmp_path / "experiments.toml", tmp_path / "results"
    file.write_text(SMALL, encoding="utf-8")
    words = (folder, "--file", file, "--limit", 1000, "--simulations", 2, "--jobs", 1)
    first = session(*words)
    assert first.returncode == 0, first.stderr
    rows = {row["event"]: row for row in read_rows(folder)}
    assert rows.keys() == {"trained", "not begun", "measured"}
    assert rows["trained"]["stopped"] and 1 <= rows["trained"]["waves"] < 500
    assert rows["not begun"]["experiment"] == "too long"
    assert rows["measured"]["rival"] == "random" and 0 <= rows["measured"]["share"] <= 1
    assert "small: measured against random" in (folder / "summary.txt").read_text("utf-8")
    logged = (folder / "small" / "log.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(logged) == rows["trained"]["waves"]
    trained = (folder / "small" / "net.onnx").read_bytes()
    with open(folder / "results.jsonl", "a", encoding="utf-8") as torn:
        torn.write('{"event": "measured", "exper')
    again = session(*words)
    assert again.returncode == 0, again.stderr
    assert [row["event"] for row in read_rows(folder)][-1] == "not begun"
    assert len(read_rows(folder)) == 4, "only what was not begun is looked at again"
    assert (folder / "small" / "net.onnx").read_bytes() == trained
    assert "there is no experiment 'chess'" in session(folder, "chess").stderr
