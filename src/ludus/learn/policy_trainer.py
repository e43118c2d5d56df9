"""A training run of a policy that plays without a search: waves of self-play on the device, each
learned from once."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax

from ludus.errors import LudusError
from ludus.learn import paperio_view
from ludus.learn.environments import make_environment
from ludus.learn.environments.paperio import PaperEnvironment
from ludus.learn.evaluation import measure
from ludus.learn.opponents import HouseBotOpponent
from ludus.learn.policy_net import PolicyShape, Weights, export_policy
from ludus.learn.policy_player import FieldPolicyOpponent, OnnxPolicy
from ludus.learn.policy_self_play import PolicySamples, make_policy_wave, start_bouts
from ludus.learn.policy_step import create_policy_state, make_policy_steps
from ludus.learn.self_play_engine import BEFORE_FIRST_WAVE
from ludus.learn.settings import NetSettings, TrainingSettings
from ludus.learn.train_step import TrainState
from ludus.learn.trainer import Trainer, copy_arrays
from ludus.workers.pool import WorkerPool


def make_policy_shape(environment: PaperEnvironment, net: NetSettings) -> PolicyShape:
    """The network of these settings for an environment."""
    return PolicyShape(
        paperio_view.GRID,
        paperio_view.PLANES,
        paperio_view.FACTS,
        environment.actions,
        net.blocks,
        net.channels,
    )


class PolicyEngine:
    """Plays waves by the policy alone, on the accelerator."""

    worker_cpu_s = 0.0

    def __init__(
        self, environment: PaperEnvironment, shape: PolicyShape, settings: TrainingSettings
    ) -> None:
        self.settings = settings
        self.wave = make_policy_wave(environment, shape, settings.policy, settings.play)
        self.key = jax.random.key(settings.seed)
        for_start = jax.random.fold_in(self.key, BEFORE_FIRST_WAVE)
        self.bouts = start_bouts(
            environment, for_start, settings.play.bouts, settings.policy.short_share
        )
        self.old: Weights | None = None
        self.older: Weights | None = None

    def play(self, train_state: TrainState, number: int) -> tuple[PolicySamples, dict[str, int]]:
        older = self._rotate_old_nets(train_state.weights, number)
        key = jax.random.fold_in(self.key, number)
        self.bouts, samples, tally = self.wave(train_state.weights, older, self.bouts, key)
        return samples, {name: int(value) for name, value in tally._asdict().items()}

    def _rotate_old_nets(self, weights: Weights, number: int) -> Weights:
        """Keep networks of earlier waves as opponents; gives the older one.

        They are copies, because training reuses the memory of its weights.
        """
        if self.old is None or self.older is None:
            self.older = self.old = copy_arrays(weights)
        elif number % self.settings.play.old_age == 0:
            self.older, self.old = self.old, copy_arrays(weights)
        return self.older

    def checkpoint_arrays(self) -> dict[str, Any]:
        old = {} if self.old is None else {"old": self.old, "older": self.older}
        return {"bouts": self.bouts, **old}

    def checkpoint_facts(self) -> dict[str, Any]:
        return {}

    def restore(self, trees: dict[str, Any], facts: dict[str, Any]) -> None:
        self.bouts, self.old, self.older = trees["bouts"], trees["old"], trees["older"]

    def close(self) -> None:
        pass


class PolicyTrainer(Trainer):
    """A run that trains a policy; resumes as ``Trainer`` does."""

    def _prepare(self, pool: WorkerPool | None) -> None:
        settings = self.settings
        if settings.play.engine != "device" or settings.gate.bouts:
            raise LudusError(
                f"{self.game.name} is trained with play.engine = device and gate.bouts = 0",
                f"{self.game.name} 的训练要求 play.engine = device 且 gate.bouts = 0",
            )
        environment: Any = make_environment(self.game, self.options)
        self.policy_shape = make_policy_shape(environment, settings.net)
        engine = PolicyEngine(environment, self.policy_shape, settings)
        self.engine = engine
        self.train_steps = make_policy_steps(self.policy_shape, settings.policy, settings.learn)
        self.window_waves = 1
        create = partial(create_policy_state, self.policy_shape, settings.learn)
        key = jax.random.key(settings.seed)
        if settings.compile_ahead:
            weights = jax.eval_shape(create, key).weights
            self.window = jax.eval_shape(engine.wave, weights, weights, engine.bouts, key)[1]
            self._compile_ahead(jax.eval_shape(create, key), key)
        self.window = None
        self.train_state = create(key)

    def _keep_samples(self, samples: Any) -> None:
        self.window = samples

    def _stored_trees(self) -> dict[str, Any]:
        return {"train_state": self.train_state}

    def _engine_template(self) -> dict[str, Any]:
        weights = self.train_state.weights
        return {**self.engine.checkpoint_arrays(), "old": weights, "older": weights}

    def _serialize_net(self, state: TrainState, about: dict[str, Any]) -> bytes:
        return export_policy(state.weights, self.policy_shape, about)

    def measure_strength(self) -> dict[str, Any]:
        """Measure strength against the strongest house bot, with and without looking ahead."""
        net = OnnxPolicy(self.export_net())
        row = {}
        for careful, name in ((True, "hunter"), (False, "hunter, policy alone")):
            measurement = measure(
                self.game,
                self.options,
                FieldPolicyOpponent("net", net, careful),
                HouseBotOpponent(self.game, "hunter"),
                self.settings.rate_bouts,
                self.wave,
                self.openings,
            )
            row[f"against {name}"] = measurement.as_row()
        return row
