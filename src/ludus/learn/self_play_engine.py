"""The engines that play the waves of a run: on the device, or on the CPU with compiled trees."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import jax
import jax.numpy as jnp

from ludus.games.base import Game
from ludus.learn import cpu_self_play, net
from ludus.learn.compiling import AheadCompiled
from ludus.learn.device_self_play import finish_wave, make_wave, solve_plies
from ludus.learn.environments import Environment
from ludus.learn.export import export_onnx
from ludus.learn.samples import Samples
from ludus.learn.settings import SearchSettings, TrainingSettings
from ludus.learn.train_step import TrainState
from ludus.workers.pool import LocalPool, WorkerPool, map_items

BEFORE_FIRST_WAVE = 0xFFFFFFFF
"""What the key of a run is combined with for its first bouts; for waves it is their number."""


class SelfPlayEngine(Protocol):
    """Plays waves; its state can be stored between them."""

    worker_cpu_s: float
    """CPU seconds that other processes spent on the last wave."""

    def play(self, train_state: TrainState, number: int) -> tuple[Any, dict[str, int]]:
        """Play a wave with the network being trained; gives samples and totals."""

    def checkpoint_arrays(self) -> dict[str, Any]:
        """Arrays for the checkpoint."""

    def checkpoint_facts(self) -> dict[str, Any]:
        """JSON for the checkpoint."""

    def restore(self, trees: dict[str, Any], facts: dict[str, Any]) -> None:
        """Resume from a checkpoint."""

    def close(self) -> None:
        """Stop the processes that it has started, if any; it can play again."""


class DeviceEngine:
    """Plays everything on the accelerator."""

    worker_cpu_s = 0.0

    def __init__(
        self, environment: Environment, shape: net.NetShape, settings: TrainingSettings
    ) -> None:
        self.environment, self.shape, self.settings = environment, shape, settings
        self.programs: dict[SearchSettings, AheadCompiled] = {}
        self._program(0)  # says now what cannot be played by these settings
        self.key = jax.random.key(settings.seed)
        for_start = jax.random.fold_in(self.key, BEFORE_FIRST_WAVE)
        start = jax.jit(environment.start, static_argnums=0)
        self.bouts = start(settings.play.bouts, for_start)
        self.fold = jax.jit(net.fold)
        self.old: net.Weights | None = None
        self.older: net.Weights | None = None
        self.pool = LocalPool(len(os.sched_getaffinity(0)))
        """Solves late positions, if the settings say so; starts no process before."""

    def play(self, train_state: TrainState, number: int) -> tuple[Samples, dict[str, int]]:
        folded = self.fold(train_state.weights, train_state.running)
        older = self._rotate_old_nets(folded, number)
        key = jax.random.fold_in(self.key, number)
        self.bouts, plies = self._program(number)(folded, older, self.bouts, key)
        exact = solve_plies(self.environment, self.settings.play, plies, self.pool)
        scale = self.environment.margin_scale
        samples, tally = finish_wave(plies, exact, self.settings.play.trust, scale)
        return samples, {name: int(value) for name, value in tally._asdict().items()}

    def _program(self, number: int) -> AheadCompiled:
        """What plays the wave of that number."""
        search = self.settings.search.in_wave(number)
        if search not in self.programs:
            wave = make_wave(self.environment, self.shape, search, self.settings.play)
            self.programs[search] = AheadCompiled(wave)
        return self.programs[search]

    def compile_ahead(
        self, threads: ThreadPoolExecutor, state: TrainState, waves: tuple[int, ...]
    ) -> None:
        """Compile in threads what plays the waves of these numbers."""
        folded = jax.eval_shape(net.fold, state.weights, state.running)
        for program in dict.fromkeys(self._program(number) for number in waves):
            program.start(threads, folded, folded, self.bouts, self.key)

    def _rotate_old_nets(self, folded: net.Weights, number: int) -> net.Weights:
        """Keep networks of earlier waves as opponents; gives the older one."""
        if self.old is None or self.older is None:
            self.older = self.old = folded
        elif number % self.settings.play.old_age == 0:
            self.older, self.old = self.old, folded
        return self.older

    def checkpoint_arrays(self) -> dict[str, Any]:
        kept = {"bouts": self.bouts}
        if self.settings.play.old_share and self.old is not None:
            kept |= {"old": _to_float32(self.old), "older": _to_float32(self.older)}
        return kept

    def checkpoint_facts(self) -> dict[str, Any]:
        return {}

    def restore(self, trees: dict[str, Any], facts: dict[str, Any]) -> None:
        self.bouts = trees["bouts"]
        if "old" in trees:
            self.old, self.older = _to_bfloat16(trees["old"]), _to_bfloat16(trees["older"])

    def close(self) -> None:
        self.pool.stop_idle_workers()


def _to_float32(tree: Any) -> Any:
    """A folded network as arrays that can be stored."""
    return jax.tree.map(lambda x: x.astype(jnp.float32), tree)


def _to_bfloat16(tree: Any) -> Any:
    """Matrices and kernels of a folded network in bfloat16 again."""
    return jax.tree.map(lambda x: x.astype(jnp.bfloat16) if x.ndim > 1 else x, tree)


class CpuEngine:
    """Compiled trees and onnxruntime, on a pool of workers if a wave has several tasks."""

    def __init__(
        self,
        game: Game,
        shape: net.NetShape,
        settings: TrainingSettings,
        pool: WorkerPool | None = None,
    ) -> None:
        self.game, self.shape, self.settings = game, shape, settings
        first = settings.seed * settings.play.bouts
        self.bouts = [
            cpu_self_play.UnfinishedBout(first + number, [])
            for number in range(settings.play.bouts)
        ]
        self.worker_cpu_s = 0.0
        self._own_pool = LocalPool(len(os.sched_getaffinity(0)))
        if pool is None and settings.play.tasks > 1:
            pool = self._own_pool
        self.pool = pool
        """None: waves are played in this process."""

    def play(self, train_state: TrainState, number: int) -> tuple[Samples, dict[str, int]]:
        about = {"game": self.game.name}
        contents = export_onnx(train_state.weights, train_state.running, self.shape, about)
        given = cpu_self_play.split_wave(self.settings, contents, self.bouts, number)
        parts = (
            map_items(self.pool, cpu_self_play.play_task, given)
            if self.pool
            else map(cpu_self_play.play_task, given)
        )
        made = cpu_self_play.merge_results(list(parts))
        self.bouts = made.bouts
        self.worker_cpu_s = made.cpu_seconds if self.pool else 0.0
        return Samples(**{k: jnp.asarray(v) for k, v in made.samples.items()}), made.tally

    def checkpoint_arrays(self) -> dict[str, Any]:
        return {}

    def checkpoint_facts(self) -> dict[str, Any]:
        return {"bouts": self.bouts}

    def restore(self, trees: dict[str, Any], facts: dict[str, Any]) -> None:
        self.bouts = [read_bout(each) for each in facts["bouts"]]

    def close(self) -> None:
        self._own_pool.stop_idle_workers()


def read_bout(stored: Any) -> cpu_self_play.UnfinishedBout:
    """A bout of a checkpoint: its seed and its moves, or in earlier versions the moves alone."""
    if len(stored) == 2 and isinstance(stored[1], list):
        return cpu_self_play.UnfinishedBout(*stored)
    return cpu_self_play.UnfinishedBout(0, stored)


def make_engine(
    game: Game,
    environment: Environment,
    shape: net.NetShape,
    settings: TrainingSettings,
    pool: WorkerPool | None = None,
) -> SelfPlayEngine:
    if settings.play.engine == "cpu":
        return CpuEngine(game, shape, settings, pool)
    return DeviceEngine(environment, shape, settings)
