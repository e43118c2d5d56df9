"""Training on the window of samples: AdamW or Muon on policy and result, with random symmetries."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
import optax.contrib

from ludus.learn import net
from ludus.learn.compiling import AheadCompiled
from ludus.learn.device_search import ILLEGAL_LOGIT
from ludus.learn.environments import Environment
from ludus.learn.samples import Samples, apply_symmetry, to_bouts
from ludus.learn.settings import LearnSettings
from ludus.learn.targets import UNKNOWN_MARGIN

Array = jax.Array
ADAM_UPDATE_RMS = 0.2
"""The usual size of Adam's updates, for a rate of 1; Muon's are scaled to it."""


class TrainState(NamedTuple):
    """Everything that training changes."""

    weights: net.Weights
    running: net.Weights
    optimiser: Any
    step: Array
    average: Any = None
    """Averages of weights and running statistics over the last steps; None if none are kept."""

    def averaged(self) -> TrainState:
        """The state with averages in place of the last weights, if it keeps averages."""
        if self.average is None:
            return self
        weights, running = self.average
        return self._replace(weights=weights, running=running)


class TrainMetrics(NamedTuple):
    """Losses of the network, averaged over the steps of a wave."""

    policy: Array
    """Cross-entropy of the policy, minus the entropy of its target."""
    value: Array
    """Cross-entropy of the result."""
    margin: Array
    """Huber's loss of the margin."""
    norm: Array
    """The norm of the gradient, before clipping."""


def learning_rate_schedule(settings: LearnSettings) -> Any:
    """The learning rate by step."""
    total = settings.waves * settings.steps
    return optax.warmup_cosine_decay_schedule(
        init_value=settings.rate * (0.01 if settings.warmup else 1.0),
        peak_value=settings.rate,
        warmup_steps=min(settings.warmup, max(0, total - 1)),
        decay_steps=max(total, 2),
        end_value=settings.rate * settings.last_rate,
    )


def make_optimiser(settings: LearnSettings) -> optax.GradientTransformation:
    make = _make_muon if settings.optimiser == "muon" else _make_adamw
    return optax.chain(optax.clip_by_global_norm(settings.clip), make(settings))


def _make_adamw(settings: LearnSettings) -> optax.GradientTransformation:
    rate = learning_rate_schedule(settings)
    return optax.adamw(rate, weight_decay=settings.decay, mask=_decay_mask)


def _make_muon(settings: LearnSettings) -> optax.GradientTransformation:
    return optax.contrib.muon(
        learning_rate_schedule(settings),
        weight_decay=settings.decay,
        weight_decay_mask=_decay_mask,
        muon_weight_dimension_numbers=_matrix_axes,
        consistent_rms=ADAM_UPDATE_RMS,
    )


def _matrix_axes(weights: net.Weights) -> Any:
    """How each kernel and matrix is seen as a matrix of inputs × outputs; None for what Adam
    updates: gains, biases, and the layers that give the answers."""

    def axes(leaf: Array) -> optax.contrib.MuonDimensionNumbers | None:
        if leaf.ndim < 2:
            return None
        return optax.contrib.MuonDimensionNumbers(tuple(range(leaf.ndim - 1)), leaf.ndim - 1)

    return {
        name: jax.tree.map(lambda leaf, n=name: None if n in net.LAST_LAYERS else axes(leaf), layer)
        for name, layer in weights.items()
    }


def _decay_mask(weights: net.Weights) -> Any:
    """Kernels and matrices decay, gains and biases do not."""
    return jax.tree.map(lambda leaf: leaf.ndim > 1, weights)


@partial(jax.jit, static_argnums=(0, 1))
def create_train_state(shape: net.NetShape, settings: LearnSettings, key: Array) -> TrainState:
    """The state of a new network with random weights."""
    weights, running = net.create_weights(shape, key)
    optimiser = make_optimiser(settings).init(weights)
    step = jnp.zeros((), jnp.int32)
    return TrainState(weights, running, optimiser, step, begin_average(settings, weights, running))


def begin_average(settings: LearnSettings, weights: net.Weights, running: net.Weights) -> Any:
    """The averages of a new network, if the settings ask for them."""
    return jax.tree.map(jnp.copy, (weights, running)) if settings.average else None


def follow_average(
    settings: LearnSettings, state: TrainState, weights: net.Weights, running: net.Weights
) -> Any:
    """The averages after a step that led to these weights.

    In the first steps they follow faster, so that random weights are soon forgotten.
    """
    if state.average is None:
        return None
    keep = jnp.minimum(settings.average, (1 + state.step) / (10 + state.step))
    return jax.tree.map(
        lambda old, new: keep * old + (1 - keep) * new, state.average, (weights, running)
    )


def gradient_norm(gradients: net.Weights) -> Array:
    """The norm of all gradients together."""
    return jnp.sqrt(sum(jnp.vdot(leaf, leaf) for leaf in jax.tree.leaves(gradients)))


def compute_loss(
    weights: net.Weights,
    running: net.Weights,
    environment: Environment,
    shape: net.NetShape,
    samples: Samples,
    settings: LearnSettings,
) -> tuple[Array, tuple[net.Weights, Array, Array, Array]]:
    bouts = to_bouts(samples)
    outputs, moved = net.forward_training(weights, running, shape, environment.observe(bouts))
    logits, wdl, predicted_margin = outputs
    log = jax.nn.log_softmax(jnp.where(environment.legal(bouts), logits, ILLEGAL_LOGIT))
    chances = samples.chances.astype(jnp.float32)
    predicted = jnp.take_along_axis(log, samples.moves.astype(jnp.int32), 1)
    own = jnp.where(chances > 0, jnp.log(jnp.maximum(chances, 1e-9)), 0.0)
    divergence = (chances * jnp.where(chances > 0, own - predicted, 0.0)).sum(1)
    policy = divergence.sum() / jnp.maximum(chances.any(1).sum(), 1)
    result = samples.result.astype(jnp.float32)
    value = -(result * jax.nn.log_softmax(wdl)).sum(1).mean()
    loss = policy + settings.value_weight * value
    margin = jnp.zeros(())
    if environment.margin_scale > 0:
        known = samples.margin != UNKNOWN_MARGIN
        wanted = jnp.where(known, samples.margin.astype(jnp.float32), predicted_margin)
        margin = optax.huber_loss(predicted_margin, wanted).mean()
        loss = loss + settings.margin_weight * margin
    return loss, (moved, policy, value, margin)


@cache
def make_train_steps(
    environment: Environment, shape: net.NetShape, settings: LearnSettings
) -> RepeatedStep:
    """A jitted function that runs the training steps of one wave."""
    optimiser = make_optimiser(settings)

    def step(
        state: TrainState, window: Samples, filled: Array, key: Array
    ) -> tuple[TrainState, TrainMetrics]:
        for_rows, for_turns = jax.random.split(key)
        rows = jax.random.randint(for_rows, (settings.batch,), 0, filled)
        turns = jax.random.randint(for_turns, (settings.batch,), 0, len(environment.action_images))
        drawn = apply_symmetry(environment, jax.tree.map(lambda x: x[rows], window), turns)
        gradients, (moved, policy, value, margin) = jax.grad(compute_loss, has_aux=True)(
            state.weights, state.running, environment, shape, drawn, settings
        )
        changes, optimiser_state = optimiser.update(gradients, state.optimiser, state.weights)
        weights = optax.apply_updates(state.weights, changes)
        metrics = TrainMetrics(policy, value, margin, gradient_norm(gradients))
        average = follow_average(settings, state, weights, moved)
        return TrainState(weights, moved, optimiser_state, state.step + 1, average), metrics

    return repeat_step(step, settings.steps)


class RepeatedStep:
    """A training step that is made many times in a wave, its metrics averaged.

    On CPUs the steps are separate calls: there, convolutions inside a compiled loop take fourteen
    times as long.
    """

    def __init__(self, program: Any, steps: int, one_by_one: bool) -> None:
        self.program, self.steps, self.one_by_one = program, steps, one_by_one

    def __call__(
        self, state: TrainState, window: Any, filled: Array, key: Array
    ) -> tuple[TrainState, Any]:
        """State, window, number of its filled rows, random key → new state, metrics."""
        if not self.one_by_one:
            looped: tuple[TrainState, Any] = self.program(state, window, filled, key)
            return looped
        all_metrics = []
        for each in jax.random.split(key, self.steps):
            state, metrics = self.program(state, window, filled, each)
            all_metrics.append(metrics)
        return state, jax.tree.map(lambda *values: jnp.stack(values).mean(), *all_metrics)

    def compile_ahead(
        self, threads: ThreadPoolExecutor, state: TrainState, window: Any, key: Array
    ) -> RepeatedStep:
        """The same, being compiled in a thread for arguments of these shapes."""
        program = AheadCompiled(self.program)
        program.start(threads, state, window, jnp.zeros((), jnp.int32), key)
        return RepeatedStep(program, self.steps, self.one_by_one)


def repeat_step(step: Callable[..., Any], steps: int) -> RepeatedStep:
    """A jitted function that makes a training step many times."""

    def run_in_loop(
        state: TrainState, window: Any, filled: Array, key: Array
    ) -> tuple[TrainState, Any]:
        keys = jax.random.split(key, steps)
        state, metrics = jax.lax.scan(lambda s, k: step(s, window, filled, k), state, keys)
        return state, jax.tree.map(jnp.mean, metrics)

    one_by_one = jax.default_backend() == "cpu"
    program = jax.jit(step if one_by_one else run_in_loop, donate_argnums=0)
    return RepeatedStep(program, steps, one_by_one)
