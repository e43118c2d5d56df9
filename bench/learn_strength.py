"""How strong the networks of a run are, each against every rival, with leaves on the accelerator.

    .venv/bin/python bench/learn_strength.py NET.onnx… -- RIVAL… [bouts=400] [simulations=64]

Rivals as of ``ludus rate``; ``policy:NET.onnx`` plays without search, ``puct:NET.onnx`` with
PUCT instead of sequential halving. The same bouts as there: random openings, each from both sides.
A row of JSON for each pair, as soon as it is known.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import jax
import numpy as np
import onnx
from onnx import numpy_helper

from ludus.games import get
from ludus.learn.evaluation import Measurement, measure
from ludus.learn.opponents import (
    EvaluationOpponent,
    PolicyOpponent,
    TreeOpponent,
    find_opponent,
    make_search_pool,
)
from ludus.learn.search import SearchParameters, sequential_halving_parameters
from ludus.rating.elo import estimate_elo
from ludus.rating.intervals import share_interval

ROOM = (64, 512, 3200)
"""Batches are filled up to one of these, so that few programs are compiled."""


class DeviceNet:
    """An exported network, its graph walked by JAX."""

    def __init__(self, path: Path) -> None:
        model = onnx.load(path)
        self.about = {each.key: json.loads(each.value) for each in model.metadata_props}
        self.constants = {c.name: numpy_helper.to_array(c) for c in model.graph.initializer}
        shape = model.graph.input[0].type.tensor_type.shape.dim
        self.shape = (-1, *(each.dim_value for each in shape[1:]))
        self.nodes = list(model.graph.node)
        self.run = jax.jit(self._run)

    def _run(self, seen: Any) -> tuple[Any, Any]:
        known = {"seen": seen.reshape(self.shape), **self.constants}
        with jax.default_matmul_precision("highest"):
            for node in self.nodes:
                known[node.output[0]] = walked(node, [known[name] for name in node.input])
        wdl = known["wdl"]
        return known["policy"], wdl[:, 0] - wdl[:, 2]

    def evaluate(self, seen: Any) -> tuple[Any, Any]:
        count = len(seen)
        room = next((size for size in ROOM if size >= count), count)
        filled = np.zeros((room, *seen.shape[1:]), np.float32)
        filled[:count] = seen
        policy, value = self.run(filled)
        return np.asarray(policy)[:count], np.asarray(value)[:count]


def walked(node: Any, values: list[Any]) -> Any:
    """What one node of the graph gives."""
    told = {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}
    if node.op_type == "Conv":
        x, kernel, bias = values
        edge = [(told["pads"][0],) * 2] * 2
        made = jax.lax.conv_general_dilated(x, kernel, (1, 1), edge)
        return made + bias[:, None, None]
    if node.op_type == "Gemm":
        return values[0] @ values[1] + values[2]
    if node.op_type == "Reshape":
        return values[0].reshape(values[0].shape[0], -1)
    if node.op_type == "Transpose":
        return values[0].transpose(told["perm"])
    if node.op_type == "GlobalAveragePool":
        return values[0].mean((2, 3), keepdims=True)
    if node.op_type in ("Add", "Mul"):
        return values[0] + values[1] if node.op_type == "Add" else values[0] * values[1]
    single = {"Relu": jax.nn.relu, "Softmax": jax.nn.softmax, "Sigmoid": jax.nn.sigmoid}
    return single[node.op_type](values[0])


def player(name: str, simulations: int) -> tuple[Any, Any, EvaluationOpponent]:
    """The game and options that a network was trained for, and the network as a player."""
    kind, _, rest = name.partition(":")
    net = DeviceNet(Path(rest if kind in ("policy", "puct") else name))
    game = get(net.about["game"])
    options = game.Options.parse(net.about["options"])
    if kind == "policy":
        return game, options, PolicyOpponent(game, name, net)
    puct = SearchParameters(simulations=simulations, unseen=0.2)
    style = puct if kind == "puct" else sequential_halving_parameters(simulations)
    return game, options, TreeOpponent(game, name, style, net)


def row(found: Measurement, seconds: float) -> dict[str, Any]:
    low, high = share_interval(found.score)
    return {
        "net": found.subject,
        "rival": found.rival,
        "share": round(found.result.share, 4),
        "interval": [round(low, 4), round(high, 4)],
        "seats": [list(seat) for seat in found.seats],
        "by seat": [round(seat.share, 4) for seat in found.seats],
        "elo": [round(each) for each in estimate_elo(found.score)],
        "plies": found.plies,
        "seconds": round(seconds, 1),
    }


def main(words: list[str]) -> None:
    given = dict(word.split("=", 1) for word in words if "=" in word)
    names = [word for word in words if "=" not in word]
    middle = names.index("--")
    bouts, simulations = int(given.get("bouts", 400)), int(given.get("simulations", 64))
    pool = make_search_pool(int(given.get("jobs", os.cpu_count() or 1)))
    for name in names[:middle]:
        game, options, subject = player(name, simulations)
        for rival in names[middle + 1 :]:
            began = time.perf_counter()
            found = measure(
                game, options, subject, find_opponent(rival, game, options, pool, 1), bouts
            )
            print(json.dumps(row(found, time.perf_counter() - began)), flush=True)
    if pool is not None:
        pool.shutdown()


if __name__ == "__main__":
    main(sys.argv[1:])
