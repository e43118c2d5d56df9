"""Checkpoints: everything that a run needs to resume exactly where it was.

A checkpoint is a folder that is renamed into place once it is complete, so a run that is killed at
any moment finds its last one.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import jax
import numpy as np

from ludus.errors import LudusError

CHECKPOINT_PREFIX = "checkpoint-"
KEPT_CHECKPOINTS = 2
"""How many checkpoints are kept: the last and the one before it."""
OLD_TREE_NAMES = {"train_state": "pupil"}
"""Names of trees in checkpoints of earlier versions, which are still read."""


def save(folder: Path, wave: int, trees: dict[str, Any], facts: dict[str, Any]) -> Path:
    """Write a checkpoint: named trees of arrays, and facts as JSON."""
    final = folder / f"{CHECKPOINT_PREFIX}{wave:06d}"
    beside = folder / f".{final.name}.new"
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    arrays: dict[str, Any] = {
        f"{name}/{number}": np.asarray(leaf)
        for name, tree in trees.items()
        for number, leaf in enumerate(jax.tree.leaves(tree))
    }
    with open(beside / "arrays.npz", "wb") as file:
        np.savez(file, **arrays)
        file.flush()
        os.fsync(file.fileno())
    (beside / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
    shutil.rmtree(final, ignore_errors=True)
    os.replace(beside, final)
    kept = list_checkpoints(folder)[-KEPT_CHECKPOINTS:]
    for old in folder.glob(
        f"*{CHECKPOINT_PREFIX}*"
    ):  # also what a killed run left half written or half removed
        if old not in kept:
            shutil.rmtree(old, ignore_errors=True)
    return final


def list_checkpoints(folder: Path) -> list[Path]:
    """The checkpoints of a folder, oldest first."""
    return sorted(
        path for path in folder.glob(f"{CHECKPOINT_PREFIX}*") if (path / "facts.json").is_file()
    )


def load_facts(path: Path) -> dict[str, Any]:
    """The facts of a checkpoint."""
    facts: dict[str, Any] = json.loads((path / "facts.json").read_text(encoding="utf-8"))
    return facts


def load_trees(path: Path, like: dict[str, Any]) -> dict[str, Any]:
    """The trees of a checkpoint; ``like`` has the same trees with arrays of the same shapes.

    LudusError if the checkpoint has others.
    """
    trees = {}
    with np.load(path / "arrays.npz") as arrays:
        for name, tree in like.items():
            leaves, shape = jax.tree.flatten(tree)
            stored = name if f"{name}/0" in arrays else OLD_TREE_NAMES.get(name, name)
            names = [f"{stored}/{number}" for number in range(len(leaves))]
            if any(each not in arrays for each in names):
                raise _other_arrays(path, name)
            read = [arrays[each] for each in names]
            if any(a.shape != b.shape for a, b in zip(read, leaves, strict=True)):
                raise _other_arrays(path, name)
            trees[name] = jax.tree.unflatten(shape, [jax.numpy.asarray(each) for each in read])
    return trees


def _other_arrays(path: Path, name: str) -> LudusError:
    return LudusError(
        f"{path} was written by another version of Ludus: its {name} has other arrays; begin the"
        f" run anew in another folder",
        f"{path} 由另一版本的 Ludus 写成，其中 {name} 的数组不同；请换文件夹重新训练",
    )
