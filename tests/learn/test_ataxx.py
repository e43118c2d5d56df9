"""Ataxx is learned on the device and on the CPU, and a network for it can be rated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ludus.cli.main import run
from tests.support.extras import Later, need_extra
from tests.support.training_runs import killed_and_whole, small

need_extra("learn", "jax", "optax", "onnx")
training = Later("ludus.learn.trainer")
SHORT = {"size": 5, "limit": 24}


def test_a_run_on_the_device_that_is_killed_ends_as_if_nothing_had_happened(
    tmp_path: Path,
) -> None:
    killed, whole = killed_and_whole(tmp_path, waves=6, kills=1, seed=3, kind="ataxx")
    assert killed == whole
    facts, arrays = killed
    assert facts["wave"] == 6 and facts["counts"]["bouts"] > 0
    bouts, plies, window = 4, 6, 3
    assert len(arrays["window/0"]) == bouts * plies * window * 25, "samples keep the cells alone"
    assert len(arrays["bouts/0"]) == bouts * (25 + 4 * (3 + 2 * 24)), "bouts keep their history"


def test_a_run_on_the_cpu_learns_from_what_the_device_would_and_is_rated(
    tmp_path: Path, capsys: Any
) -> None:
    settings = small(
        game="ataxx", options=SHORT, play__plies=12, rate_every=2, rate_bouts=2, rate_simulations=2
    )
    trainer = training.Trainer(settings, tmp_path)
    rows: list[dict[str, Any]] = []
    trainer.run(rows.append, until=2)
    assert {"against random", "against depth 2"} <= rows[-1].keys()
    device = training.Trainer(
        small(game="ataxx", options=SHORT, play__engine="device"), tmp_path / "device"
    )
    assert [leaf.dtype for leaf in trainer.window] == [leaf.dtype for leaf in device.window]
    assert trainer.window.cells.shape[1] == device.window.cells.shape[1] == 25
    assert len(np.unique(np.asarray(trainer.window.cells[:96]), axis=0)) > 48
    words = ["rate", "ataxx", str(tmp_path / "net.onnx"), "depth:1", "--bouts", "2"]
    words += ["--simulations", "2", "--jobs", "1", "-o", "size=5", "-o", "limit=24"]
    assert run(words) == 0
    assert "depth 1" in capsys.readouterr().out
