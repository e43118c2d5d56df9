"""A training run: waves of self-play and training steps, with checkpoints, logs and
measurements."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ludus.errors import LudusError
from ludus.games.openings import resolve_openings
from ludus.games.registry import get
from ludus.learn import checkpoint, net
from ludus.learn.background_writer import BackgroundWriter
from ludus.learn.environments import make_environment
from ludus.learn.evaluation import measure
from ludus.learn.export import export_onnx, write_atomically
from ludus.learn.onnx_net import OnnxNet
from ludus.learn.opponents import EvaluationOpponent, RandomOpponent, TreeOpponent, find_opponent
from ludus.learn.samples import empty_samples, store_wave
from ludus.learn.search import SearchParameters, playing_parameters
from ludus.learn.self_play_engine import DeviceEngine, SelfPlayEngine, make_engine
from ludus.learn.settings import TrainingSettings, list_other_settings
from ludus.learn.train_step import TrainState, create_train_state, make_train_steps
from ludus.learn.trainable_games import POLICY_GAMES
from ludus.workers.pool import WorkerPool

copy_arrays = jax.jit(lambda tree: jax.tree.map(jnp.copy, tree))
"""A copy of a tree of arrays, by one program instead of one for each shape."""
LogCallback = Callable[[dict[str, Any]], None]
"""Called with the log's row after each wave."""
NET_FILE = "net.onnx"
LOG_FILE = "log.jsonl"
SEARCH_RIVALS = {
    "ataxx": "depth:2",
    "tablut": "depth:2",
    "eraser": "depth:2",
    "duel2048": "nodes:500",
}
"""The rival that a run measures itself against, besides random moves."""
COUNT_NAMES = ("samples", "simulations", "bouts", "steps", "seconds", "cpu_seconds")


class Trainer:
    """One run in one folder. A new trainer for the same folder resumes where the last one
    stopped."""

    def __init__(
        self, settings: TrainingSettings, folder: Path, pool: WorkerPool | None = None
    ) -> None:
        self.settings, self.folder = settings, folder
        self.game = get(settings.game)
        self.options = self.game.Options.parse(settings.options)
        self.key = jax.random.key(settings.seed + 1)
        self.openings = resolve_openings(settings.openings, self.game, self.options)
        self.samples_per_wave = settings.play.bouts * settings.play.plies
        self._prepare(pool)
        self.best_state: TrainState = self.train_state
        """With a gate: the network that plays, which is a copy."""
        if settings.gate.bouts:
            self.best_state = copy_arrays(self.train_state)
        self.writer = BackgroundWriter()
        self.wave = 0
        self.counts: dict[str, float] = dict.fromkeys(COUNT_NAMES, 0)
        folder.mkdir(parents=True, exist_ok=True)
        self._resume()
        self._truncate_log()

    def _prepare(self, pool: WorkerPool | None) -> None:
        """Create what plays and what learns."""
        settings = self.settings
        self.environment = make_environment(self.game, self.options)
        self.shape = net.make_shape_by(self.environment, settings.net)
        self.engine: SelfPlayEngine = make_engine(
            self.game, self.environment, self.shape, settings, pool
        )
        self.train_steps: Any = make_train_steps(self.environment, self.shape, settings.learn)
        self.store_wave = jax.jit(store_wave, donate_argnums=0)
        self.window_waves = settings.learn.window
        self.window: Any = empty_samples(
            self.environment, self.samples_per_wave * self.window_waves
        )
        create = partial(create_train_state, self.shape, settings.learn)
        key = jax.random.key(settings.seed)
        if settings.compile_ahead:
            self._compile_ahead(jax.eval_shape(create, key), key)
        self.train_state: TrainState = create(key)

    def _compile_ahead(self, state: Any, key: Any) -> None:
        """Compile what plays and what learns at the same time, before the first wave."""
        early = self.settings.search.early_waves
        threads = ThreadPoolExecutor(3, "compiler")
        if isinstance(self.engine, DeviceEngine):
            self.engine.compile_ahead(threads, state, (0, early) if early else (0,))
        self.train_steps = self.train_steps.compile_ahead(threads, state, self.window, key)
        threads.shutdown(wait=False)

    def run(
        self,
        log: LogCallback,
        until: int | None = None,
        check_stop: Callable[[], None] = lambda: None,
    ) -> None:
        """Play and train until all waves, or ``until`` waves, are done.

        ``check_stop`` is called between the parts of a wave, and stops the run by raising.
        """
        last = min(until or self.settings.learn.waves, self.settings.learn.waves)
        try:
            while self.wave < last:
                began, cpu = time.perf_counter(), time.process_time()
                row = self.run_wave(check_stop)
                check_stop()
                if self.settings.rate_every and self.wave % self.settings.rate_every == 0:
                    row |= self.measure_strength()
                self.counts["seconds"] += time.perf_counter() - began
                self.counts["cpu_seconds"] += time.process_time() - cpu + self.engine.worker_cpu_s
                row |= {"wave": self.wave, **self.counts}
                if self.settings.keep and self.wave % self.settings.keep == 0:
                    self._keep_net()
                self._log(row)
                if self.wave % self.settings.save == 0 or self.wave == last:
                    self.save()
                log(row)
        finally:
            self.writer.wait()
            self.engine.close()

    def run_wave(self, check_stop: Callable[[], None] = lambda: None) -> dict[str, Any]:
        """Self-play, then training steps."""
        check_stop()
        began = time.perf_counter()
        gated = self.settings.gate.bouts > 0
        playing = self.best_state if gated else self.train_state
        if self.settings.play.averaged:
            playing = playing.averaged()
        search = self.settings.search.in_wave(self.wave)
        simulations = search.simulations_of(self.settings.play.plies)
        samples, tally = self.engine.play(playing, self.wave)
        self._keep_samples(samples)
        for leaf in jax.tree.leaves(self.window):
            leaf.block_until_ready()
        check_stop()
        played = time.perf_counter()
        self.wave += 1
        self.counts["samples"] += self.samples_per_wave
        self.counts["simulations"] += self.settings.play.bouts * simulations
        self.counts["bouts"] += tally["bouts"]
        row: dict[str, Any] = {"tally": tally, "play_seconds": round(played - began, 3)}
        if self.wave >= self.settings.learn.begin:
            row |= self._learn()
            row["learn_seconds"] = round(time.perf_counter() - played, 3)
        if gated:
            row |= self._gate()
        return row

    def _keep_samples(self, samples: Any) -> None:
        """Store a wave's samples in the window."""
        place = jnp.asarray(self.wave % self.window_waves)
        self.window = self.store_wave(self.window, samples, place)

    def _learn(self) -> dict[str, Any]:
        filled = self.samples_per_wave * min(self.wave, self.window_waves)
        key = jax.random.fold_in(self.key, self.wave)
        self.train_state, metrics = self.train_steps(
            self.train_state, self.window, jnp.asarray(filled), key
        )
        self.counts["steps"] += self.settings.learn.steps
        losses = {name: round(float(value), 5) for name, value in metrics._asdict().items()}
        if any(value != value for value in losses.values()):
            raise LudusError(
                f"training diverged in wave {self.wave} (a loss is NaN); try a smaller learn.rate",
                f"第 {self.wave} 轮训练发散（损失为 NaN）；请减小 learn.rate",
            )
        return {f"{n}_loss" if n in ("policy", "value") else n: v for n, v in losses.items()}

    def _gate(self) -> dict[str, Any]:
        """Let the new network play against the best one, and continue with the better."""
        gate = self.settings.gate
        style = SearchParameters(simulations=gate.simulations, explore=self.settings.search.explore)
        new, best = (
            TreeOpponent(self.game, name, style, OnnxNet(self.export_net(state)), seed=self.wave)
            for name, state in (("new", self.train_state), ("best", self.best_state))
        )
        result = measure(
            self.game, self.options, new, best, gate.bouts, self.wave, self.openings
        ).result
        decided = result.won + result.lost
        taken = decided > 0 and result.won / decided >= gate.threshold
        kept: TrainState = copy_arrays(self.train_state if taken else self.best_state)
        if taken:
            self.best_state = kept
        else:
            self.train_state = kept
        return {"gate": list(result), "taken": taken}

    def export_net(self, train_state: TrainState | None = None) -> bytes:
        """The network as an ONNX file."""
        return self._serialize_net(
            (train_state or self._exported_state()).averaged(), self._about()
        )

    def _exported_state(self) -> TrainState:
        return self.best_state if self.settings.gate.bouts else self.train_state

    def _serialize_net(self, state: TrainState, about: dict[str, Any]) -> bytes:
        return export_onnx(state.weights, state.running, self.shape, about)

    def _about(self) -> dict[str, Any]:
        """What is stored with a network."""
        return {
            "game": self.game.name,
            "options": dict(self.settings.options),
            "wave": self.wave,
            "settings": self.settings.as_dict(),
            **{name: round(value) for name, value in self.counts.items()},
        }

    def measure_strength(self) -> dict[str, Any]:
        """Measure strength against random moves and a search of the game, or its greedy bot."""
        style = playing_parameters(self.settings.rate_simulations)
        subject = TreeOpponent(self.game, "net", style, OnnxNet(self.export_net()))
        rivals: list[EvaluationOpponent] = [RandomOpponent(self.wave)]
        spec = SEARCH_RIVALS.get(self.game.name, "greedy")
        if spec != "greedy" or spec in self.game.bots():
            rivals.append(find_opponent(spec, self.game, self.options, None, self.wave))
        row = {}
        for rival in rivals:
            measurement = measure(
                self.game,
                self.options,
                subject,
                rival,
                self.settings.rate_bouts,
                self.wave,
                self.openings,
            )
            row[f"against {rival.name}"] = measurement.as_row()
        return row

    # Storage

    def _stored_trees(self) -> dict[str, Any]:
        """What a checkpoint holds besides what the engine keeps."""
        trees = {"train_state": self.train_state, "window": self.window}
        return trees | ({"best": self.best_state} if self.settings.gate.bouts else {})

    def save(self) -> None:
        """Write a checkpoint and the network's file."""
        trees = {**self._stored_trees(), **self.engine.checkpoint_arrays()}
        about, wave = self._about(), self.wave
        facts = {
            "wave": self.wave,
            "counts": dict(self.counts),
            "settings": self.settings.as_dict(),
            "engine": self.engine.checkpoint_facts(),
        }

        def write(arrays: tuple[TrainState, dict[str, Any]]) -> None:
            state, stored = arrays
            write_atomically(self.folder / NET_FILE, self._serialize_net(state, about))
            checkpoint.save(self.folder, wave, stored, facts)

        self._write(write, (self._exported_state().averaged(), trees))

    def _keep_net(self) -> None:
        """Write the network of this wave to a file that stays."""
        path, about = self.folder / f"net-{self.wave:06d}.onnx", self._about()
        self._write(
            lambda state: write_atomically(path, self._serialize_net(state, about)),
            self._exported_state().averaged(),
        )

    def _write(self, write: Callable[[Any], None], arrays: Any) -> None:
        """Write arrays, now or in the background.

        For the background they are copied, because training reuses their memory.
        """
        if not self.settings.background_saves:
            write(arrays)
            return
        on_host = jax.tree.map(np.array, arrays)
        self.writer.submit(lambda: write(on_host))

    def _resume(self) -> None:
        if not (kept := checkpoint.list_checkpoints(self.folder)):
            return
        facts = checkpoint.load_facts(kept[-1])
        if other := list_other_settings(facts["settings"], self.settings):
            raise LudusError(
                f"{self.folder} holds a run with other settings ({other.en}); choose another"
                f" folder, or give the settings of {kept[-1]}/facts.json",
                f"{self.folder} 中是另一组设置的训练（{other.zh}）；请换文件夹，或使用"
                f" {kept[-1]}/facts.json 中的设置",
            )
        trees = {**self._stored_trees(), **self._engine_template()}
        read = checkpoint.load_trees(kept[-1], trees)
        self.train_state, self.window = read["train_state"], read.get("window", self.window)
        self.best_state = read.get("best", self.best_state)
        self.engine.restore(read, facts["engine"])
        self.wave, self.counts = facts["wave"], facts["counts"]

    def _engine_template(self) -> dict[str, Any]:
        like = self.engine.checkpoint_arrays()
        if self.settings.play.old_share:
            folded = net.fold(self.train_state.weights, self.train_state.running, jnp.float32)
            like |= {"old": folded, "older": folded}
        return like

    def _log(self, row: dict[str, Any]) -> None:
        with open(self.folder / LOG_FILE, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def _truncate_log(self) -> None:
        """Drop the rows of waves after the last checkpoint: they are played again."""
        path = self.folder / LOG_FILE
        if path.exists():
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True)[: self.wave]
            write_atomically(path, "".join(lines).encode())


def make_trainer(
    settings: TrainingSettings, folder: Path, pool: WorkerPool | None = None
) -> Trainer:
    """The trainer of a game: with a search, or of a policy alone."""
    if settings.game in POLICY_GAMES:
        from ludus.learn.policy_trainer import PolicyTrainer

        return PolicyTrainer(settings, folder, pool)
    return Trainer(settings, folder, pool)
