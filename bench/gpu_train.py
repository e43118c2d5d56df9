"""Train one experiment of ``bench.gpu_session`` until its time is up.

    python -m bench.gpu_train FOLDER

FOLDER has ``experiment.json``; the network and the log are left there. A run stops after the last
wave that fits into its time, imports and compilation included, and exports what it has.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from ludus.learn import checkpoint
from ludus.learn.compiling import use_compile_cache
from ludus.learn.export import write_atomically
from ludus.learn.settings import TrainingSettings, load_settings
from ludus.learn.trainer import NET_FILE, make_trainer

LEAVE_S = 3.0
"""Kept for the export."""
SESSION_SETTINGS = {"save": "100000", "keep": "5"}
"""No checkpoints while time is short, but a network every five waves, in case of a kill."""


class TimeIsUp(Exception):
    """Raised after the last wave that fits."""


def train(settings: TrainingSettings, folder: Path, deadline: float) -> dict[str, Any]:
    """Train until all waves are done or the deadline (of ``time.time``) is near."""
    trainer = make_trainer(settings, folder)
    last: dict[str, Any] = {}
    spent = 0.0

    def watch(row: dict[str, Any]) -> None:
        nonlocal last, spent
        wave_s, spent, last = row["seconds"] - spent, row["seconds"], row
        usual_s = min(wave_s, row["play_seconds"] + row.get("learn_seconds", 0.0))
        if time.time() + usual_s + LEAVE_S > deadline:
            raise TimeIsUp

    stopped = False
    try:
        trainer.run(watch)
    except TimeIsUp:
        stopped = True
    write_atomically(folder / NET_FILE, trainer.export_net())
    return {"waves": last.get("wave", 0), "planned_waves": settings.learn.waves, "stopped": stopped}


def main() -> None:
    folder = Path(sys.argv[1])
    given = json.loads((folder / "experiment.json").read_text(encoding="utf-8"))
    if given["compile_cache"]:
        use_compile_cache(Path(given["compile_cache"]))
    changes = SESSION_SETTINGS | dict(each.split("=", 1) for each in given["settings"])
    changes |= {f"options.{name}": value for name, value in given["options"].items()}
    settings = load_settings(given["preset"], changes, given["game"])
    found = train(settings, folder, given["started"] + given["seconds"])
    found["all_settings"] = settings.as_dict()
    (folder / "trained.json").write_text(json.dumps(found), encoding="utf-8")
    for path in checkpoint.list_checkpoints(folder):  # hundreds of megabytes each
        shutil.rmtree(path)


if __name__ == "__main__":
    main()
