"""Fits the weights of a pattern network to positions of which it is known what they are worth.

A weight is a number of discs. What is predicted is not the lead itself but the chance of winning
that it stands for: whether a bout is won by 40 discs or by 44 tells nothing, and one disc tells
much when the bout is close.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import optax

from ludus.games.reversi import patterns

BATCH = 16384
CHUNK = 32
"""Steps that the device makes in a row."""
EVEN_LEAD = 8.0
"""A lead of so many discs stands for a chance of 73 %."""
FIRST_RATE, LAST_RATE = 0.04, 0.002
"""How far a step moves a weight, in discs; falls from round to round and within one."""
BLUR = 1
"""A sample also teaches the phase that begins or ends so many discs away, at random."""


class Positions(NamedTuple):
    """Samples: the words of both sides as pairs of 32 bits, and the lead in discs to expect."""

    words: npt.NDArray[np.uint32]
    """own low, own high, rival low, rival high"""
    lead: npt.NDArray[np.float32]


class Learner(NamedTuple):
    """Weights, and what the optimiser remembers of them."""

    weights: jax.Array
    state: Any


def pack_positions(own: bytes, rival: bytes, lead: bytes) -> Positions:
    """What ``PatternBouts.collect`` has returned."""
    words = [np.frombuffer(each, "<u4").reshape(-1, 2) for each in (own, rival)]
    return Positions(np.concatenate(words, axis=1), np.frombuffer(lead, "f4"))


def begin_learning(weights: npt.NDArray[np.float32] | None = None) -> Learner:
    """A learner that knows nothing: all weights are 0. Or one that goes on."""
    shape = (patterns.PHASES, patterns.stored_size())
    first = jnp.zeros(shape) if weights is None else jnp.asarray(weights)
    return Learner(first, _optimizer().init(first))


def fit_weights(
    learner: Learner, window: Positions, count: int, steps: int, first_rate: float, seed: int
) -> tuple[Learner, list[float]]:
    """Make steps on samples drawn from the first ``count`` of a window; returns the losses, too."""
    words, lead = jnp.asarray(window.words), jnp.asarray(window.lead)
    losses = []
    chunks = max(1, steps // CHUNK)
    for number in range(chunks):
        key = jax.random.key(seed * 100_003 + number)
        done = number / chunks
        rate = LAST_RATE + (first_rate - LAST_RATE) * (1 + np.cos(np.pi * done)) / 2
        learner, loss = _fit_chunk(learner, words, lead, count, rate, key)
        losses.append(loss)
    return learner, [float(loss) for loss in losses]


def round_weights(learner: Learner) -> npt.NDArray[np.int16]:
    """The weights as they are stored."""
    units = np.asarray(learner.weights) * patterns.UNIT
    rounded: npt.NDArray[np.int16] = np.clip(np.rint(units), -32767, 32767).astype(np.int16)
    return rounded.reshape(-1)


def _optimizer() -> optax.GradientTransformation:
    return optax.scale_by_adam(b1=0.9, b2=0.99)


@partial(jax.jit, donate_argnums=0)
def _fit_chunk(
    learner: Learner, words: jax.Array, lead: jax.Array, count: int, rate: float, key: jax.Array
) -> tuple[Learner, jax.Array]:
    def step(learner: Learner, key: jax.Array) -> tuple[Learner, jax.Array]:
        drawn, blurred = jax.random.split(key)
        rows = jax.random.randint(drawn, (BATCH,), 0, count)
        blur = jax.random.randint(blurred, (BATCH,), -BLUR, BLUR + 1)
        loss, gradient = jax.value_and_grad(_losses)(learner.weights, words[rows], lead[rows], blur)
        change, state = _optimizer().update(gradient, learner.state)
        return Learner(learner.weights - rate * change, state), loss

    learner, losses = jax.lax.scan(step, learner, jax.random.split(key, CHUNK))
    return learner, losses.mean()


def _losses(weights: jax.Array, words: jax.Array, lead: jax.Array, blur: jax.Array) -> jax.Array:
    expected = predict(weights, words, blur) / EVEN_LEAD
    chance = jax.nn.sigmoid(lead / EVEN_LEAD)
    entropy = jax.nn.softplus(lead / EVEN_LEAD) - chance * lead / EVEN_LEAD
    return (jax.nn.softplus(expected) - chance * expected - entropy).mean()


def predict(weights: jax.Array, words: jax.Array, blur: jax.Array) -> jax.Array:
    """The leads in discs that weights expect of positions."""
    places = jnp.asarray(np.array(patterns.shared_entries(), np.int32))
    digits = unpack_digits(words)
    numbers = jnp.matmul(digits, jnp.asarray(_place_values()), precision="highest")
    entries = numbers.astype(jnp.int32) + jnp.asarray(_table_offsets())
    discs = (digits > 0).sum(-1)
    shifted = jnp.clip(discs + blur, 5, 64)
    phase = (shifted - 5) // patterns.PHASE_DISCS
    entries = jnp.concatenate([entries, (patterns.discs_offset() + discs)[:, None]], axis=1)
    flat = places[entries] + phase[:, None] * weights.shape[1]
    return weights.reshape(-1)[flat].sum(-1)


def unpack_digits(words: jax.Array) -> jax.Array:
    """0 for every empty cell, 1 for the mover's discs, 2 for the rival's."""
    bits = (words[:, :, None] >> jnp.arange(32, dtype=jnp.uint32)) & 1
    bits = bits.reshape(-1, 2, 64).astype(jnp.float32)
    return bits[:, 0] + 2 * bits[:, 1]


def _images() -> list[tuple[int, ...]]:
    return [image for pattern in patterns.list_patterns() for image in pattern.images]


def _place_values() -> npt.NDArray[np.float32]:
    """What a digit on a cell adds to the number of each image."""
    values = np.zeros((64, len(_images())), np.float32)
    for slot, image in enumerate(_images()):
        for digit, cell in enumerate(image):
            values[cell, slot] = 3**digit
    return values


def _table_offsets() -> npt.NDArray[np.int32]:
    return np.array(patterns.slot_offsets()[: len(_images())], np.int32)
