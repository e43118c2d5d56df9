"""Training samples: positions with the policy and the result that the network should predict.

A sample is compact: the bytes of a state, and only the likeliest moves of a policy.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from ludus.learn.device_search import top_scores
from ludus.learn.environments import BoutArrays, Environment
from ludus.learn.targets import KEPT_POLICY_MOVES

Array = jax.Array


class Samples(NamedTuple):
    """Many samples; every field has one row for each sample."""

    cells: Array
    """int8"""
    seat: Array
    """int8"""
    ply: Array
    """int16"""
    moves: Array
    """Actions, uint16 …"""
    chances: Array
    """… and how likely each should be, float16; the rest of the policy is left out."""
    result: Array
    """Chances of win, draw and loss for the mover, float16."""
    margin: Array
    """By how much the mover wins, as the environment measures it, float16; or
    ``UNKNOWN_MARGIN``."""


@partial(jax.jit, static_argnums=(0, 1))
def empty_samples(environment: Environment, count: int) -> Samples:
    """Space for so many samples."""
    return Samples(
        jnp.zeros((count, environment.sample_size), jnp.int8),
        jnp.zeros(count, jnp.int8),
        jnp.zeros(count, jnp.int16),
        jnp.zeros((count, KEPT_POLICY_MOVES), jnp.uint16),
        jnp.zeros((count, KEPT_POLICY_MOVES), jnp.float16),
        jnp.zeros((count, 3), jnp.float16),
        jnp.zeros(count, jnp.float16),
    )


def keep_likeliest_moves(policy: Array) -> tuple[Array, Array]:
    """The likeliest moves of dense policies, with probabilities that sum to 1."""
    moves, chances = top_scores(policy, KEPT_POLICY_MOVES)
    chances = jnp.maximum(chances, 0.0)
    chances = chances / jnp.maximum(chances.sum(-1, keepdims=True), 1e-9)
    return moves.astype(jnp.uint16), chances.astype(jnp.float16)


def to_bouts(samples: Samples) -> BoutArrays:
    """The positions of samples, as unfinished bouts."""
    nothing = jnp.zeros(samples.seat.shape)
    return BoutArrays(
        samples.cells,
        samples.seat,
        samples.ply,
        nothing.astype(bool),
        nothing.astype(jnp.int8),
    )


def apply_symmetry(environment: Environment, samples: Samples, symmetry: Array) -> Samples:
    """Every sample transformed by its own symmetry."""
    moves = jnp.take_along_axis(
        jnp.asarray(environment.action_images)[symmetry], samples.moves.astype(jnp.int32), 1
    )
    cells = environment.transform_states(samples.cells, symmetry)
    return samples._replace(cells=cells, moves=moves.astype(jnp.uint16))


def store_wave(window: Samples, new: Samples, at: Array) -> Samples:
    """The window with a wave's samples stored in their place."""
    size = new.seat.shape[0]

    def place(old: Array, now: Array) -> Array:
        return jax.lax.dynamic_update_slice_in_dim(old, now, at * size, 0)

    return Samples(*map(place, window, new))


def flatten_wave(wave: Any) -> Any:
    """Plies and bouts of a wave as one axis."""
    return jax.tree.map(lambda x: x.reshape(x.shape[0] * x.shape[1], *x.shape[2:]), wave)
