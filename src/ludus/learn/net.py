"""The network: a small residual tower with a policy and a win/draw/loss value.

Where a game has as many actions for every cell, their logits are computed from that cell alone, by
the same weights everywhere; else one dense layer computes all logits from the whole board.

Learning uses batch normalisation; ``fold`` merges it into the convolutions, and everything that
plays (self-play on the device, the exported file) runs what is left: convolutions and ReLU.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludus.learn.environments import Environment
from ludus.learn.settings import NetSettings

Array = jax.Array
Weights = dict[str, Any]
MOMENTUM = 0.98
"""How slowly the running mean and variance follow the batches."""
VARIANCE_EPSILON = 1e-5


class NetShape(NamedTuple):
    """The size of a network, all that must be known besides its weights."""

    rows: int
    """Rows of the board."""
    columns: int
    planes: int
    actions: int
    """Policy logits."""
    blocks: int
    channels: int
    hidden: int = 128
    """Units of the value's dense layer."""
    pooling: bool = False
    """Whether each block scales and shifts its channels by averages over the whole board."""
    value_channels: int = 16
    """Channels that the value's dense layer sees."""

    @property
    def cells(self) -> int:
        return self.rows * self.columns

    @property
    def policy_is_per_cell(self) -> bool:
        """Whether the logits of a cell's actions are computed from that cell alone."""
        return self.actions % self.cells == 0


LAST_LAYERS = ("answers", "wdl", "margin")
"""The layers whose outputs are what the network answers."""
DENSE_POLICY_CHANNELS = 16
"""Channels of the policy's branch where a dense layer follows."""
POOLED_SHARE = 4
"""Channels for each unit between a block's averages and what it does with them."""


def make_shape(
    environment: Environment, blocks: int, channels: int, pooling: bool = False
) -> NetShape:
    """The network of that size for an environment."""
    return make_shape_by(environment, NetSettings(blocks, channels, pooling))


def make_shape_by(environment: Environment, settings: NetSettings) -> NetShape:
    """The network of these settings for an environment."""
    return NetShape(
        environment.rows,
        environment.columns,
        environment.planes,
        environment.actions,
        settings.blocks,
        settings.channels,
        settings.value_hidden,
        settings.pooling,
        settings.value_channels,
    )


def create_weights(shape: NetShape, key: Array) -> tuple[Weights, Weights]:
    """New weights, and the running statistics of their normalisations."""
    keys = iter(jax.random.split(key, 4 * shape.blocks + 7))
    channels, cells = shape.channels, shape.cells
    weights: Weights = {"stem": _layer(next(keys), 3, shape.planes, channels)}
    for block in range(shape.blocks):
        weights[f"block{block}a"] = _layer(next(keys), 3, channels, channels)
        weights[f"block{block}b"] = _layer(next(keys), 3, channels, channels, last=True)
        if shape.pooling:
            few = channels // POOLED_SHARE
            weights[f"block{block}squeeze"] = _dense(next(keys), channels, few)
            weights[f"block{block}excite"] = _dense(next(keys), few, 2 * channels, 0.1)
    policy_channels = channels if shape.policy_is_per_cell else DENSE_POLICY_CHANNELS
    weights["policy"] = _layer(next(keys), 1, channels, policy_channels)
    weights["value"] = _layer(next(keys), 1, channels, shape.value_channels)
    weights["answers"] = _dense(next(keys), *_answer_sizes(shape, policy_channels), 0.01)
    weights["hidden"] = _dense(next(keys), shape.value_channels * cells, shape.hidden)
    weights["wdl"] = _dense(next(keys), shape.hidden, 3, 0.01)
    weights["margin"] = _dense(next(keys), shape.hidden, 1, 0.01)
    normal = [name for name, layer in weights.items() if "gain" in layer]
    wide = {name: weights[name]["gain"].shape for name in normal}
    running = {n: {"mean": jnp.zeros(w), "variance": jnp.ones(w)} for n, w in wide.items()}
    return weights, running


def _answer_sizes(shape: NetShape, policy_channels: int) -> tuple[int, int]:
    """Inputs and outputs of the policy's last layer."""
    if shape.policy_is_per_cell:
        return policy_channels, shape.actions // shape.cells
    return policy_channels * shape.cells, shape.actions


def _layer(key: Array, width: int, inward: int, outward: int, last: bool = False) -> Weights:
    """A convolution and its normalisation; the ``last`` of a block starts as zero."""
    spread = (2 / (width * width * inward)) ** 0.5
    kernel = spread * jax.random.normal(key, (width, width, inward, outward))
    gain = jnp.zeros(outward) if last else jnp.ones(outward)
    return {"kernel": kernel, "gain": gain, "bias": jnp.zeros(outward)}


def _dense(key: Array, inward: int, outward: int, factor: float = 1.0) -> Weights:
    spread = factor * (2 / inward) ** 0.5
    weights = spread * jax.random.normal(key, (inward, outward))
    return {"weights": weights, "bias": jnp.zeros(outward)}


def _convolve(x: Array, kernel: Array) -> Array:
    return lax.conv_general_dilated(
        x, kernel.astype(x.dtype), (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


class NetOutputs(NamedTuple):
    """What a network says about each position, for its mover."""

    logits: Array
    """One for each action."""
    wdl: Array
    """Logits of win, draw and loss."""
    margin: Array
    """By how much the mover wins; learned beside the result, and used for nothing else."""


def _heads(weights: Weights, shape: NetShape, policy: Array, value: Array) -> NetOutputs:
    """The outputs, from those of the two branches."""
    count = policy.shape[0]
    names = ("answers", "hidden", "wdl", "margin")
    answers, hidden, wdl, margin = (weights[name] for name in names)
    if not shape.policy_is_per_cell:
        policy = policy.reshape(count, -1)
    logits = policy @ answers["weights"].astype(policy.dtype)
    logits = logits.astype(jnp.float32) + answers["bias"]
    flat = value.reshape(count, -1)
    inner = flat @ hidden["weights"].astype(flat.dtype)
    inner = jax.nn.relu(inner.astype(jnp.float32) + hidden["bias"])
    return NetOutputs(
        logits.reshape(count, -1),
        inner @ wdl["weights"] + wdl["bias"],
        (inner @ margin["weights"] + margin["bias"])[:, 0],
    )


def forward_training(
    weights: Weights, running: Weights, shape: NetShape, seen: Array
) -> tuple[NetOutputs, Weights]:
    """The outputs in training, normalised by the batch, and the updated running statistics."""
    moved: Weights = {}

    def layer(name: str, x: Array) -> Array:
        y = _convolve(x, weights[name]["kernel"]).astype(jnp.float32)
        mean, variance = y.mean((0, 1, 2)), y.var((0, 1, 2))
        old = running[name]
        moved[name] = {
            "mean": MOMENTUM * old["mean"] + (1 - MOMENTUM) * lax.stop_gradient(mean),
            "variance": MOMENTUM * old["variance"] + (1 - MOMENTUM) * lax.stop_gradient(variance),
        }
        normal = (y - mean) * lax.rsqrt(variance + VARIANCE_EPSILON)
        gain, bias = weights[name]["gain"], weights[name]["bias"]
        answered: Array = (normal * gain + bias).astype(x.dtype)
        return answered

    return _tower(weights, shape, seen, layer), moved


def fold(weights: Weights, running: Weights, dtype: Any = jnp.bfloat16) -> Weights:
    """The same network without normalisation: kernels scaled, biases shifted.

    Arrays of numpy stay on the host.
    """
    folded: Weights = {}
    for name, layer in weights.items():
        if "gain" in layer:
            scale = layer["gain"] * (running[name]["variance"] + VARIANCE_EPSILON) ** -0.5
            bias = layer["bias"] - running[name]["mean"] * scale
            folded[name] = {"kernel": (layer["kernel"] * scale).astype(dtype), "bias": bias}
        else:
            folded[name] = {"weights": layer["weights"].astype(dtype), "bias": layer["bias"]}
    return folded


def forward(folded: Weights, shape: NetShape, seen: Array) -> tuple[Array, Array]:
    """Logits of all actions and of win, draw, loss for the mover, by a folded network."""

    def layer(name: str, x: Array) -> Array:
        bias: Array = folded[name]["bias"].astype(x.dtype)
        return _convolve(x, folded[name]["kernel"]) + bias

    outputs = _tower(folded, shape, seen.astype(folded["stem"]["kernel"].dtype), layer)
    return outputs.logits, outputs.wdl


def _tower(weights: Weights, shape: NetShape, seen: Array, layer: Any) -> NetOutputs:
    x = jax.nn.relu(layer("stem", seen))
    for block in range(shape.blocks):
        y = jax.nn.relu(layer(f"block{block}a", x))
        y = layer(f"block{block}b", y)
        x = jax.nn.relu(x + (_excite(weights, block, y) if shape.pooling else y))
    policy = jax.nn.relu(layer("policy", x))
    value = jax.nn.relu(layer("value", x))
    return _heads(weights, shape, policy, value)


def _excite(weights: Weights, block: int, y: Array) -> Array:
    """The output of a block, its channels scaled and shifted by what their averages say."""
    squeeze, excite = weights[f"block{block}squeeze"], weights[f"block{block}excite"]
    mean = y.astype(jnp.float32).mean((1, 2))
    few = jax.nn.relu(mean @ squeeze["weights"].astype(jnp.float32) + squeeze["bias"])
    both = few @ excite["weights"].astype(jnp.float32) + excite["bias"]
    scale, shift = jnp.split(both[:, None, None, :], 2, axis=-1)
    scaled: Array = y * jax.nn.sigmoid(scale).astype(y.dtype) + shift.astype(y.dtype)
    return scaled


def expected_result(wdl: Array) -> Array:
    """The expected result for the mover, from -1 to 1, of win/draw/loss logits."""
    chances = jax.nn.softmax(wdl)
    return chances[..., 0] - chances[..., 2]


def count_weights(weights: Weights) -> int:
    return sum(int(np.prod(leaf.shape)) for leaf in jax.tree.leaves(weights))
