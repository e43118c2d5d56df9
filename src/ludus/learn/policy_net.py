"""The network of games without a search: a view in, a policy and a value out.

Three convolutions, of which two halve the grid, residual blocks on the middle grid, and dense
layers that join what is seen with the facts beside it. There is no normalisation, so what is
trained is what plays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludus.learn.export import OnnxGraph

Array = jax.Array
Weights = dict[str, Any]
HIDDEN = 256
"""Units of the dense layers."""


class PolicyShape(NamedTuple):
    """The size of a network, all that must be known besides its weights."""

    grid: int
    """Rows and columns of the view."""
    planes: int
    facts: int
    actions: int
    blocks: int
    channels: int

    @property
    def last_grid(self) -> int:
        """Rows and columns after the grid was halved twice."""
        return (self.grid + 3) // 4


def create_weights(shape: PolicyShape, key: Array) -> Weights:
    """New weights."""
    keys = iter(jax.random.split(key, 2 * shape.blocks + 8))
    narrow, wide = shape.channels, 2 * shape.channels
    weights = {
        "stem": _convolution(next(keys), shape.planes, narrow),
        "middle": _convolution(next(keys), narrow, wide),
    }
    for block in range(shape.blocks):
        weights[f"block{block}a"] = _convolution(next(keys), wide, wide)
        weights[f"block{block}b"] = _convolution(next(keys), wide, wide, 0.1)
    weights["last"] = _convolution(next(keys), wide, wide)
    weights["looks"] = _dense(next(keys), shape.last_grid**2 * wide, HIDDEN)
    weights["facts"] = _dense(next(keys), shape.facts, HIDDEN)
    weights["joined"] = _dense(next(keys), HIDDEN, HIDDEN)
    weights["policy"] = _dense(next(keys), HIDDEN, shape.actions, 0.01)
    weights["value"] = _dense(next(keys), HIDDEN, 1, 0.1)
    return weights


def _convolution(key: Array, inward: int, outward: int, factor: float = 1.0) -> Weights:
    spread = factor * (2 / (9 * inward)) ** 0.5
    kernel = spread * jax.random.normal(key, (3, 3, inward, outward))
    return {"kernel": kernel, "bias": jnp.zeros(outward)}


def _dense(key: Array, inward: int, outward: int, factor: float = 1.0) -> Weights:
    spread = factor * (2 / inward) ** 0.5
    return {
        "weights": spread * jax.random.normal(key, (inward, outward)),
        "bias": jnp.zeros(outward),
    }


def compute_type() -> Any:
    """The type of activations: small on accelerators; CPUs are slow with it."""
    return jnp.float32 if jax.default_backend() == "cpu" else jnp.bfloat16


def forward(weights: Weights, shape: PolicyShape, seen: Array, facts: Array) -> tuple[Array, Array]:
    """Logits of the actions and the value for the mover."""
    kind = compute_type()

    def convolve(name: str, x: Array, stride: int = 1) -> Array:
        layer = weights[name]
        edge = [(1, 1), (1, 1)]
        made: Array = lax.conv_general_dilated(
            x,
            layer["kernel"].astype(kind),
            (stride, stride),
            edge,
            dimension_numbers=("NHWC", "HWIO", "NHWC"),
        )
        shifted: Array = made + layer["bias"].astype(kind)
        return shifted

    def dense(name: str, x: Array, kind: Any = kind) -> Array:
        layer = weights[name]
        made: Array = x.astype(kind) @ layer["weights"].astype(kind) + layer["bias"].astype(kind)
        return made

    x = jax.nn.relu(convolve("stem", seen.astype(kind) / 255))
    x = jax.nn.relu(convolve("middle", x, 2))
    for block in range(shape.blocks):
        y = jax.nn.relu(convolve(f"block{block}a", x))
        x = jax.nn.relu(x + convolve(f"block{block}b", y))
    x = jax.nn.relu(convolve("last", x, 2))
    joined = jax.nn.relu(dense("looks", x.reshape(len(x), -1)) + dense("facts", facts))
    joined = jax.nn.relu(joined + dense("joined", joined)).astype(jnp.float32)
    return dense("policy", joined, jnp.float32), dense("value", joined, jnp.float32)[:, 0]


def export_policy(weights: Weights, shape: PolicyShape, about: Mapping[str, Any]) -> bytes:
    """The network as the contents of an ONNX file: ``seen`` (planes first, 0 to 255) and
    ``facts`` → ``policy`` (logits) and ``value``."""
    from onnx import helper, numpy_helper

    graph = OnnxGraph(helper, numpy_helper)
    stem = {**weights["stem"], "kernel": np.asarray(weights["stem"]["kernel"], np.float32) / 255}
    x = graph.add("Relu", graph.convolve("seen", stem))
    x = graph.add("Relu", graph.convolve(x, weights["middle"], 2))
    for block in range(shape.blocks):
        y = graph.add("Relu", graph.convolve(x, weights[f"block{block}a"]))
        x = graph.add("Relu", graph.add("Add", x, graph.convolve(y, weights[f"block{block}b"])))
    x = graph.flat(graph.add("Relu", graph.convolve(x, weights["last"], 2)))
    looks, facts = graph.dense(x, weights["looks"]), graph.dense("facts", weights["facts"])
    joined = graph.add("Relu", graph.add("Add", looks, facts))
    joined = graph.add("Relu", graph.add("Add", joined, graph.dense(joined, weights["joined"])))
    graph.add("Identity", graph.dense(joined, weights["policy"]), name="policy")
    graph.add("Identity", graph.dense(joined, weights["value"]), name="value")
    return graph.serialize(
        {"seen": (shape.planes, shape.grid, shape.grid), "facts": (shape.facts,)},
        {"policy": (shape.actions,), "value": (1,)},
        about,
    )
