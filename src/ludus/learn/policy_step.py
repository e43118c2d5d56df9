"""Training a policy on a wave: proximal policy optimisation with AdamW."""

from __future__ import annotations

from functools import cache, partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax

from ludus.learn import policy_net
from ludus.learn.paperio_view import PaperView, mirror
from ludus.learn.policy_net import PolicyShape, Weights
from ludus.learn.policy_self_play import ILLEGAL_LOGIT, PolicySamples
from ludus.learn.settings import LearnSettings, PolicySettings
from ludus.learn.train_step import (
    RepeatedStep,
    TrainState,
    begin_average,
    follow_average,
    gradient_norm,
    make_optimiser,
    repeat_step,
)

Array = jax.Array


class PolicyMetrics(NamedTuple):
    """What training reports, averaged over the steps of a wave."""

    policy: Array
    """The clipped objective with its sign changed; about 0 before the first step of a wave."""
    value: Array
    """The mean squared error of the value."""
    entropy: Array
    """Of the policy, in nats."""
    norm: Array
    """The norm of the gradient, before clipping."""


@partial(jax.jit, static_argnums=(0, 1))
def create_policy_state(shape: PolicyShape, settings: LearnSettings, key: Array) -> TrainState:
    """The state of a new network with random weights."""
    weights = policy_net.create_weights(shape, key)
    optimiser = make_optimiser(settings).init(weights)
    step = jnp.zeros((), jnp.int32)
    return TrainState(weights, {}, optimiser, step, begin_average(settings, weights, {}))


def policy_loss(
    weights: Weights,
    shape: PolicyShape,
    samples: PolicySamples,
    policy: PolicySettings,
    value_weight: float,
) -> tuple[Array, tuple[Array, Array, Array]]:
    """The loss, and its parts: policy, value, entropy."""
    facts = samples.facts.astype(jnp.float32)
    logits, value = policy_net.forward(weights, shape, samples.seen, facts)
    log = jax.nn.log_softmax(jnp.where(samples.legal, logits, ILLEGAL_LOGIT))
    action = samples.action.astype(jnp.int32)[:, None]
    chosen = jnp.take_along_axis(log, action, 1)[:, 0]
    weight = samples.weight.astype(jnp.float32)
    total = jnp.maximum(weight.sum(), 1.0)
    mean = (weight * samples.advantage).sum() / total
    spread = jnp.sqrt((weight * (samples.advantage - mean) ** 2).sum() / total)
    advantage = (samples.advantage - mean) / (spread + 1e-6)
    ratio = jnp.exp(jnp.clip(chosen - samples.log_chance, -20, 20))
    clipped = jnp.clip(ratio, 1 - policy.clip, 1 + policy.clip)
    gain = jnp.minimum(ratio * advantage, clipped * advantage)
    entropy = -(jnp.exp(log) * jnp.where(samples.legal, log, 0.0)).sum(1)
    parts = [(weight * part).sum() / total for part in (-gain, entropy)]
    error = (weight * (value - samples.goal) ** 2).sum() / total
    loss = parts[0] + value_weight * error - policy.entropy * parts[1]
    return loss, (parts[0], error, parts[1])


@cache
def make_policy_steps(
    shape: PolicyShape, policy: PolicySettings, settings: LearnSettings
) -> RepeatedStep:
    """A jitted function that runs the training steps of one wave."""
    optimiser = make_optimiser(settings)

    def step(
        state: TrainState, window: PolicySamples, filled: Array, key: Array
    ) -> tuple[TrainState, PolicyMetrics]:
        for_rows, for_mirror = jax.random.split(key)
        rows = jax.random.randint(for_rows, (settings.batch,), 0, filled)
        drawn: PolicySamples = jax.tree.map(lambda x: x[rows], window)
        drawn = mirror_some(drawn, jax.random.bernoulli(for_mirror, 0.5, (settings.batch,)))
        gradients, (policy_part, value_part, entropy) = jax.grad(policy_loss, has_aux=True)(
            state.weights, shape, drawn, policy, settings.value_weight
        )
        changes, optimiser_state = optimiser.update(gradients, state.optimiser, state.weights)
        weights = optax.apply_updates(state.weights, changes)
        metrics = PolicyMetrics(policy_part, value_part, entropy, gradient_norm(gradients))
        average = follow_average(settings, state, weights, {})
        return TrainState(weights, {}, optimiser_state, state.step + 1, average), metrics

    return repeat_step(step, settings.steps)


def mirror_some(samples: PolicySamples, mirrored: Array) -> PolicySamples:
    """The samples, some of them in a mirror."""
    view = PaperView(samples.seen, samples.facts, samples.legal)

    def pick(new: Array, old: Array) -> Array:
        where = mirrored.reshape(mirrored.shape + (1,) * (old.ndim - 1))
        return jnp.where(where, new, old).astype(old.dtype)

    turned = PaperView(*map(pick, mirror(view, jnp), view))
    action = pick(2 - samples.action, samples.action)
    return samples._replace(**turned._asdict(), action=action)
