"""Small training runs, and runs that are killed again and again."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from ludus.learn.settings import TrainingSettings, settings_from_dict
from tests.support.extras import Later

checkpoint, training = Later("ludus.learn.checkpoint"), Later("ludus.learn.trainer")

ROOT = Path(__file__).resolve().parents[2]
SMALL: dict[str, Any] = {
    "game": "tablut",
    "options": {"variant": "brandubh", "limit": 16},
    "net": {"blocks": 1, "channels": 8},
    "search": {"simulations": 4, "considered": 2},
    "play": {"engine": "cpu", "bouts": 4, "plies": 6, "random_plies": 2},
    "learn": {"waves": 12, "steps": 2, "batch": 16, "window": 3, "warmup": 4},
    "save": 1,
}


SMALL_POLICY: dict[str, Any] = {
    "game": "paperio",
    "options": {"k": 7, "h": 9, "turns": 20},
    "net": {"blocks": 1, "channels": 2},
    "search": {"simulations": 1},
    "play": {"engine": "device", "bouts": 4, "plies": 6, "old_share": 0.5, "old_age": 2},
    "learn": {"waves": 12, "steps": 2, "batch": 8, "warmup": 4},
    "save": 1,
}
SMALL_ATAXX: dict[str, Any] = SMALL | {
    "game": "ataxx",
    "options": {"size": 5, "limit": 24},
    "search": {"simulations": 2, "considered": 2},
    "play": {"engine": "device", "bouts": 4, "plies": 6, "random_plies": 2},
}
RUNS = {"search": SMALL, "policy": SMALL_POLICY, "ataxx": SMALL_ATAXX}


def small(kind: str = "search", **changes: Any) -> TrainingSettings:
    """The settings of a run of a second; ``play__bouts=2`` changes one of them."""
    table = json.loads(json.dumps(RUNS[kind]))
    for name, value in changes.items():
        section, _, key = name.partition("__")
        if key:
            table[section][key] = value
        else:
            table[section] = value
    return settings_from_dict(table)


def ignore(row: dict[str, Any]) -> None:
    pass


RUN = """
import sys
from pathlib import Path
from ludus.learn.trainer import make_trainer
from tests.support.training_runs import ignore, small
make_trainer(small(sys.argv[3], learn__waves=int(sys.argv[2])), Path(sys.argv[1])).run(ignore)
"""
Stored = tuple[dict[str, Any], dict[str, bytes]]


def killed_and_whole(
    scratch: Path, waves: int, kills: int, seed: int, kind: str = "search"
) -> tuple[Stored, Stored]:
    """What is stored after a run killed at random moments, and after the same run left alone.

    Processes are only what is killed: each takes seconds to begin. What the first run has compiled
    they find in the cache of this run of tests, if there is one.
    """
    generator = random.Random(seed)
    killed, whole = scratch / "killed", scratch / "whole"
    settings = small(kind, learn__waves=waves)
    training.make_trainer(settings, whole).run(ignore)
    for _ in range(kills):
        wave = wave_of(killed) + generator.randint(0, 2)
        command = [sys.executable, "-c", RUN, str(killed), str(waves), kind]
        child = subprocess.Popen(command, cwd=ROOT)
        kill_at(child, killed, wave, generator.uniform(0, 0.03))
    training.make_trainer(settings, killed).run(ignore)
    return stored_run(killed), stored_run(whole)


def wave_of(folder: Path) -> int:
    """The wave of the last checkpoint."""
    kept = checkpoint.list_checkpoints(folder)
    return int(kept[-1].name.removeprefix(checkpoint.CHECKPOINT_PREFIX)) if kept else 0


def kill_at(child: subprocess.Popen[bytes], folder: Path, wave: int, delay: float) -> None:
    """SIGKILL, some time after the checkpoint of a wave has appeared."""
    deadline = time.monotonic() + 300
    while wave_of(folder) < wave and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(delay)
    assert child.poll() is None, "the run was over before it could be killed"
    child.kill()
    child.wait()


def stored_run(folder: Path) -> Stored:
    """What the last checkpoint holds, but for how long it took; and which waves were logged."""
    last = checkpoint.list_checkpoints(folder)[-1]
    facts = json.loads((last / "facts.json").read_text(encoding="utf-8"))
    for name in ("seconds", "cpu_seconds"):
        assert facts["counts"].pop(name) > 0
    lines = (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()
    facts["logged"] = [json.loads(line)["wave"] for line in lines]
    facts["kept"] = len(list(folder.glob("*checkpoint*")))
    with np.load(last / "arrays.npz") as arrays:
        return facts, {name: arrays[name].tobytes() for name in arrays}
