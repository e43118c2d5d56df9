"""Who plays the waves of a run: the device, or the CPU's compiled trees."""

from __future__ import annotations

from typing import Any, Protocol

import jax
import jax.numpy as jnp

from ludus.games.base import Game
from ludus.learn import cpu_self_play, net
from ludus.learn.device_self_play import wave_of
from ludus.learn.environments import World
from ludus.learn.export import onnx_bytes
from ludus.learn.samples import Samples
from ludus.learn.settings import Settings
from ludus.learn.train_step import Pupil
from ludus.learn.workers import Crew, processes


class Engine(Protocol):
    """Plays waves, and can be stored between them."""

    cpu_elsewhere: float
    """CPU seconds that other processes spent on the last wave."""

    def play(self, pupil: Pupil, number: int) -> tuple[Samples, dict[str, int]]:
        """A wave by the pupil's network: samples, and what happened."""

    def trees(self) -> dict[str, Any]:
        """Arrays to be stored."""

    def facts(self) -> dict[str, Any]:
        """JSON to be stored."""

    def restore(self, trees: dict[str, Any], facts: dict[str, Any]) -> None:
        """Go on from what was stored."""


class DeviceEngine:
    """Everything on the accelerator."""

    cpu_elsewhere = 0.0

    def __init__(self, world: World, shape: net.Shape, settings: Settings) -> None:
        self.world, self.shape, self.settings = world, shape, settings
        self.wave = wave_of(world, shape, settings.search, settings.play)
        self.bouts = world.start(settings.play.bouts)
        self.key = jax.random.key(settings.seed)
        self.fold = jax.jit(net.fold)
        self.old: net.Tree | None = None
        self.older: net.Tree | None = None

    def play(self, pupil: Pupil, number: int) -> tuple[Samples, dict[str, int]]:
        folded = self.fold(pupil.weights, pupil.running)
        older = self._age(folded, number)
        key = jax.random.fold_in(self.key, number)
        self.bouts, samples, tally = self.wave(folded, older, self.bouts, key)
        return samples, {name: int(value) for name, value in tally._asdict().items()}

    def _age(self, folded: net.Tree, number: int) -> net.Tree:
        """Keep networks of former waves as rivals; gives the older one."""
        if self.old is None or self.older is None:
            self.older = self.old = folded
        elif number % self.settings.play.old_age == 0:
            self.older, self.old = self.old, folded
        return self.older

    def trees(self) -> dict[str, Any]:
        kept = {"bouts": self.bouts}
        if self.settings.play.old_share and self.old is not None:
            kept |= {"old": _plain(self.old), "older": _plain(self.older)}
        return kept

    def facts(self) -> dict[str, Any]:
        return {}

    def restore(self, trees: dict[str, Any], facts: dict[str, Any]) -> None:
        self.bouts = trees["bouts"]
        if "old" in trees:
            self.old, self.older = _short(trees["old"]), _short(trees["older"])


def _plain(tree: Any) -> Any:
    """A folded network as arrays that can be stored."""
    return jax.tree.map(lambda x: x.astype(jnp.float32), tree)


def _short(tree: Any) -> Any:
    """Matrices and kernels of a folded network in bfloat16 again."""
    return jax.tree.map(lambda x: x.astype(jnp.bfloat16) if x.ndim > 1 else x, tree)


class CpuEngine:
    """Compiled trees and onnxruntime, in as many processes as a wave has tasks."""

    def __init__(
        self, game: Game, shape: net.Shape, settings: Settings, crew: Crew | None = None
    ) -> None:
        self.game, self.shape, self.settings = game, shape, settings
        self.bouts: list[list[str]] = [[] for _ in range(settings.play.bouts)]
        self.crew = crew
        self.cpu_elsewhere = 0.0
        if crew is None and settings.play.tasks > 1:
            self.crew = Crew(processes)

    def play(self, pupil: Pupil, number: int) -> tuple[Samples, dict[str, int]]:
        about = {"game": self.game.name}
        contents = onnx_bytes(pupil.weights, pupil.running, self.shape, about)
        given = cpu_self_play.tasks(self.settings, contents, self.bouts, number)
        parts = (
            self.crew.work(cpu_self_play.play, given)
            if self.crew
            else map(cpu_self_play.play, given)
        )
        made = cpu_self_play.merged(list(parts))
        self.bouts = made.bouts
        self.cpu_elsewhere = made.cpu_seconds if self.crew else 0.0
        return Samples(**{k: jnp.asarray(v) for k, v in made.samples.items()}), made.tally

    def trees(self) -> dict[str, Any]:
        return {}

    def facts(self) -> dict[str, Any]:
        return {"bouts": self.bouts}

    def restore(self, trees: dict[str, Any], facts: dict[str, Any]) -> None:
        self.bouts = facts["bouts"]


def engine_of(
    game: Game, world: World, shape: net.Shape, settings: Settings, crew: Crew | None = None
) -> Engine:
    if settings.play.engine == "cpu":
        return CpuEngine(game, shape, settings, crew)
    return DeviceEngine(world, shape, settings)
