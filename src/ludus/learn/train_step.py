"""Learning from the window: AdamW on policy and result, a random symmetry for every sample."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from ludus.learn import net
from ludus.learn.environments import World
from ludus.learn.gumbel import NEVER
from ludus.learn.samples import Samples, bouts_of, turned
from ludus.learn.settings import LearnSettings

Array = jax.Array


class Pupil(NamedTuple):
    """Everything that learning changes."""

    weights: net.Tree
    running: net.Tree
    optimiser: Any
    step: Array


class Marks(NamedTuple):
    """How well the network foresaw, on average over a lesson."""

    policy: Array
    """Cross-entropy of the policy, less its own entropy."""
    value: Array
    """Cross-entropy of the result."""
    norm: Array
    """Of the gradient, before clipping."""


Lesson = Callable[[Pupil, Samples, Array, Array], tuple[Pupil, Marks]]
"""Pupil, window, how many of its rows are filled, key → pupil, marks."""


def rate_at(settings: LearnSettings) -> Any:
    """The learning rate by step."""
    total = settings.waves * settings.steps
    return optax.warmup_cosine_decay_schedule(
        init_value=settings.rate * (0.01 if settings.warmup else 1.0),
        peak_value=settings.rate,
        warmup_steps=min(settings.warmup, max(0, total - 1)),
        decay_steps=max(total, 2),
        end_value=settings.rate * settings.last_rate,
    )


def optimiser_of(settings: LearnSettings) -> optax.GradientTransformation:
    return optax.chain(
        optax.clip_by_global_norm(settings.clip),
        optax.adamw(rate_at(settings), weight_decay=settings.decay, mask=_decays),
    )


def _decays(weights: net.Tree) -> Any:
    """Kernels and matrices decay, gains and biases do not."""
    return jax.tree.map(lambda leaf: leaf.ndim > 1, weights)


@partial(jax.jit, static_argnums=(0, 1))
def enrol(shape: net.Shape, settings: LearnSettings, key: Array) -> Pupil:
    """A new network that has learnt nothing."""
    weights, running = net.create(shape, key)
    optimiser = optimiser_of(settings).init(weights)
    return Pupil(weights, running, optimiser, jnp.zeros((), jnp.int32))


def size_of(gradients: net.Tree) -> Array:
    """The norm of all gradients together."""
    return jnp.sqrt(sum(jnp.vdot(leaf, leaf) for leaf in jax.tree.leaves(gradients)))


def loss_of(
    weights: net.Tree,
    running: net.Tree,
    world: World,
    shape: net.Shape,
    samples: Samples,
    value_weight: float,
) -> tuple[Array, tuple[net.Tree, Array, Array]]:
    bouts = bouts_of(samples)
    (logits, wdl), moved = net.learn_from(weights, running, shape, world.looks(bouts))
    log = jax.nn.log_softmax(jnp.where(world.legal(bouts), logits, NEVER))
    chances = samples.chances.astype(jnp.float32)
    said = jnp.take_along_axis(log, samples.moves.astype(jnp.int32), 1)
    own = jnp.where(chances > 0, jnp.log(jnp.maximum(chances, 1e-9)), 0.0)
    policy = (chances * jnp.where(chances > 0, own - said, 0.0)).sum(1).mean()
    result = samples.result.astype(jnp.float32)
    value = -(result * jax.nn.log_softmax(wdl)).sum(1).mean()
    return policy + value_weight * value, (moved, policy, value)


@cache
def lesson_of(world: World, shape: net.Shape, settings: LearnSettings) -> Lesson:
    """A jitted function that makes one lesson's steps."""
    optimiser = optimiser_of(settings)

    def step(pupil: Pupil, window: Samples, filled: Array, key: Array) -> tuple[Pupil, Marks]:
        for_rows, for_turns = jax.random.split(key)
        rows = jax.random.randint(for_rows, (settings.batch,), 0, filled)
        turns = jax.random.randint(for_turns, (settings.batch,), 0, len(world.cell_images))
        drawn = turned(world, jax.tree.map(lambda x: x[rows], window), turns)
        gradients, (moved, policy, value) = jax.grad(loss_of, has_aux=True)(
            pupil.weights, pupil.running, world, shape, drawn, settings.value_weight
        )
        changes, state = optimiser.update(gradients, pupil.optimiser, pupil.weights)
        weights = optax.apply_updates(pupil.weights, changes)
        marks = Marks(policy, value, size_of(gradients))
        return Pupil(weights, moved, state, pupil.step + 1), marks

    def lesson(pupil: Pupil, window: Samples, filled: Array, key: Array) -> tuple[Pupil, Marks]:
        keys = jax.random.split(key, settings.steps)
        pupil, marks = jax.lax.scan(lambda p, k: step(p, window, filled, k), pupil, keys)
        return pupil, jax.tree.map(jnp.mean, marks)

    if jax.default_backend() == "cpu":
        return step_by_step(jax.jit(step, donate_argnums=0), settings.steps)
    return jax.jit(lesson, donate_argnums=0)


def step_by_step(step: Lesson, steps: int) -> Lesson:
    """A lesson for CPUs, where convolutions inside a compiled loop take fourteen times as long."""

    def lesson(pupil: Pupil, window: Samples, filled: Array, key: Array) -> tuple[Pupil, Marks]:
        found = []
        for each in jax.random.split(key, steps):
            pupil, marks = step(pupil, window, filled, each)
            found.append(marks)
        return pupil, jax.tree.map(lambda *values: jnp.stack(values).mean(), *found)

    return lesson
