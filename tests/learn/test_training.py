"""Training runs: they learn, go on after being killed, and repeat themselves."""

from __future__ import annotations

import json
import random
import shlex
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ludus.cli.train import print_network_path
from ludus.errors import LudusError
from ludus.games import get
from ludus.games.reversi.endgame import EndgameSolver
from ludus.learn import targets
from ludus.learn.onnx_net import OnnxNet
from ludus.learn.settings import TrainingSettings, list_presets, load_settings
from tests.support.cli import start
from tests.support.extras import Later, need_extra
from tests.support.processes import cpu_seconds
from tests.support.training_runs import ignore, killed_and_whole, small

if TYPE_CHECKING:
    from ludus.learn.trainer import Trainer

need_extra("learn", "jax", "optax", "onnx")
jax, jnp = Later("jax"), Later("jax.numpy")
checkpoint, training = Later("ludus.learn.checkpoint"), Later("ludus.learn.trainer")
net, sampling = Later("ludus.learn.net"), Later("ludus.learn.samples")
worlds = Later("ludus.learn.environments")


def arrays(trainer: Trainer) -> list[np.ndarray]:
    trees = (trainer.train_state, trainer.window)
    return [np.asarray(leaf) for leaf in jax.tree.leaves(trees)]


def device() -> TrainingSettings:
    """Of a run on the device whose search is of one round: each takes seconds to compile."""
    search = {"simulations": 2, "considered": 2}
    return small(play__engine="device", play__old_share=0.5, search=search)


def same(one: Trainer, other: Trainer) -> bool:
    pairs = zip(arrays(one), arrays(other), strict=True)
    return all((a == b).all() for a, b in pairs)


@pytest.mark.parametrize("engine", ["cpu", "device"])
def test_a_run_that_stops_and_goes_on_is_the_run_that_never_stopped(
    engine: str, tmp_path: Path
) -> None:
    settings = device() if engine == "device" else small(learn__optimiser="muon")
    whole = training.Trainer(settings, tmp_path / "whole")
    whole.run(ignore, until=4)
    for until in (1, 4):
        training.Trainer(settings, tmp_path / "parts").run(ignore, until=until)
    parts = training.Trainer(settings, tmp_path / "parts")
    assert parts.wave == 4 and parts.counts["samples"] == whole.counts["samples"] == 4 * 24
    assert same(whole, parts)


def test_a_checkpoint_of_an_earlier_version_is_resumed(tmp_path: Path) -> None:
    """The trained network was stored as ``pupil``."""
    before = training.Trainer(small(), tmp_path)
    before.run(ignore, until=2)
    stored = checkpoint.list_checkpoints(tmp_path)[-1] / "arrays.npz"
    with np.load(stored) as arrays:
        old = {name.replace("train_state/", "pupil/"): arrays[name] for name in arrays}
    assert any(name.startswith("pupil/") for name in old)
    np.savez(stored, **old)
    resumed = training.Trainer(small(), tmp_path)
    assert resumed.wave == 2 and same(before, resumed)


def test_a_checkpoint_with_other_arrays_is_refused(tmp_path: Path) -> None:
    training.Trainer(small(), tmp_path).run(ignore, until=1)
    stored = checkpoint.list_checkpoints(tmp_path)[-1] / "arrays.npz"
    with np.load(stored) as arrays:
        old = {name: arrays[name] for name in arrays}
    for other in ({**old, "window/0": old["window/0"][:, 1:]}, {"window/0": old["window/0"]}):
        np.savez(stored, **other)
        with pytest.raises(LudusError, match="another version of Ludus"):
            training.Trainer(small(), tmp_path)


def test_a_run_killed_at_random_moments_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    """Counters, window and optimiser go on; SIGKILL leaves no half-written checkpoint behind.

    bench/learn_durability.py kills more often.
    """
    killed, whole = killed_and_whole(tmp_path, waves=12, kills=2, seed=8)
    assert killed == whole
    facts, _ = killed
    assert facts["wave"] == 12
    assert facts["logged"] == list(range(1, 13))
    assert facts["kept"] == checkpoint.KEPT_CHECKPOINTS


def test_two_runs_with_one_seed_agree_and_with_another_do_not(tmp_path: Path) -> None:
    runs = []
    for number, seed in enumerate((1, 1, 2)):
        trainer = training.Trainer(small(seed=seed), tmp_path / str(number))
        trainer.run(ignore, until=2)
        runs.append(trainer)
    assert same(runs[0], runs[1])
    assert not same(runs[0], runs[2])


def test_other_settings_do_not_go_on_with_a_run(tmp_path: Path) -> None:
    training.Trainer(small(), tmp_path).run(ignore, until=1)
    was, waves = small(), small().learn.waves + 1
    with pytest.raises(LudusError, match="other settings") as refused:
        training.Trainer(small(seed=5, learn__waves=waves), tmp_path)
    english, chinese = refused.value.text.values()
    assert f"(seed: {was.seed} there, 5 here; learn.waves: {waves - 1} there, {waves} h" in english
    assert f"seed：那里是 {was.seed}，这里是 5" in chinese


def test_the_window_forgets_the_oldest_wave(tmp_path: Path) -> None:
    trainer = training.Trainer(small(), tmp_path)
    trainer.run(ignore, until=3)
    first = np.asarray(trainer.window.cells[:24]).copy()
    trainer.run(ignore, until=4)
    assert not (np.asarray(trainer.window.cells[:24]) == first).all()
    assert trainer.window.seat.shape == (3 * 24,)


def test_a_gate_keeps_the_better_network(tmp_path: Path) -> None:
    settings = small(gate={"bouts": 4, "threshold": 0.54, "simulations": 2})
    trainer = training.Trainer(settings, tmp_path)
    rows: list[dict[str, Any]] = []
    trainer.run(rows.append, until=2)
    for row in rows:
        won, _, lost = row["gate"]
        assert row["taken"] == (won + lost > 0 and won / (won + lost) >= 0.54)
    assert same_net(trainer.train_state.weights, trainer.best_state.weights)


def same_net(one: Any, other: Any) -> bool:
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all(bool((a == b).all()) for a, b in pairs)


def test_the_log_has_a_row_for_each_wave(tmp_path: Path) -> None:
    training.Trainer(small(), tmp_path).run(ignore, until=3)
    lines = (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["wave"] for row in rows] == [1, 2, 3]
    assert all(row["policy_loss"] >= 0 and row["samples"] > 0 for row in rows)


def test_training_steps_lower_the_loss_on_what_they_see(tmp_path: Path) -> None:
    """A small network memorises a position in the training steps of a small run."""
    trainer = training.Trainer(small(), tmp_path)
    bouts = trainer.environment.from_positions([trainer.game.start(trainer.options, 0)])
    legal = np.flatnonzero(np.asarray(trainer.environment.legal(bouts))[0])
    moves = np.zeros((1, 24), np.uint16)
    moves[0, 0] = legal[5]
    chances = np.zeros((1, 24), np.float16)
    chances[0, 0] = 1
    result, margin = np.array([[1, 0, 0]], np.float16), np.ones(1, np.float16)
    one = sampling.Samples(bouts.cells, bouts.seat, bouts.ply, moves, chances, result, margin)
    fill = lambda room, row: jnp.asarray(room).at[:1].set(jnp.asarray(row))  # noqa: E731
    window = sampling.Samples(*map(fill, trainer.window, one))
    state, losses = trainer.train_state, []
    for number in range(12):
        state, metrics = trainer.train_steps(state, window, jnp.asarray(1), jax.random.key(number))
        losses.append(float(metrics.policy + metrics.value))
    assert losses[-1] < 0.75 * losses[0]


def test_muon_makes_the_updates_of_kernels_orthogonal_and_leaves_the_rest_to_adam() -> None:
    train_step, settings = Later("ludus.learn.train_step"), Later("ludus.learn.settings")
    shape = net.NetShape(rows=4, columns=4, planes=3, actions=16, blocks=1, channels=8)
    learn = settings.LearnSettings(optimiser="muon", warmup=0, rate=1.0, decay=0.0)
    weights, _ = net.create_weights(shape, jax.random.key(0))
    optimiser = train_step.make_optimiser(learn)
    drawn = jax.tree.map(lambda x: jax.random.normal(jax.random.key(1), x.shape), weights)
    changes, _ = jax.jit(optimiser.update)(drawn, jax.jit(optimiser.init)(weights), weights)
    kernel = np.asarray(changes["block0a"]["kernel"]).reshape(-1, 8)
    factors = np.linalg.svd(kernel, compute_uv=False)
    assert factors.max() < 2 * factors.min(), "all directions change about as much"
    assert np.allclose(np.sqrt((kernel**2).mean()), train_step.ADAM_UPDATE_RMS, rtol=0.3)
    for adams in (changes["answers"]["weights"], changes["block0a"]["gain"]):
        assert np.ptp(np.abs(adams)) < 0.01, "Adam's first update has one size everywhere"


def test_every_symmetry_of_a_sample_is_a_true_sample() -> None:
    """B2: two of the original's eight symmetries moved the policy to another board."""
    game = get("tablut")
    where = worlds.make_environment(game, game.Options())
    generator = random.Random(2)
    here = game.start(game.Options(), 0)
    for _ in range(9):
        here.play({here.to_move[0]: generator.choice(here.legal(here.to_move[0]))})
    bouts = where.from_positions([here] * 8)
    legal = [where.parse_action(here, move) for move in here.legal(here.to_move[0])][:24]
    moves = jnp.tile(jnp.array(legal, jnp.uint16), (8, 1))
    chances = jnp.ones((8, 24), jnp.float16) / 24
    given = sampling.Samples(
        bouts.cells, bouts.seat, bouts.ply, moves, chances, jnp.zeros((8, 3)), jnp.zeros(8)
    )
    seen = sampling.apply_symmetry(where, given, jnp.arange(8))
    masks = np.asarray(where.legal(sampling.to_bouts(seen)))
    assert len({row.tobytes() for row in np.asarray(seen.cells)}) == 8
    for mask, row, original in zip(masks, np.asarray(seen.moves), np.asarray(moves), strict=True):
        assert mask[row].all()
        assert len(set(row)) == len(set(original))


def test_results_travel_back_to_every_mover() -> None:
    """Three plies: the last one wins for seat 0; each mover foresees its own result."""
    score, ended = np.array([1]), np.array([True])
    later = targets.value_to_chances(np.array([0.3]), np.array([0.0]), np)
    last = targets.propagate_result(later, ended, score, later, 0.0, np)
    assert last.tolist() == [[1, 0, 0]]
    before = targets.propagate_result(last, np.array([False]), np.array([0]), later, 0.0, np)
    assert targets.for_mover(before, np.array([1]), np).tolist() == [[0, 0, 1]]
    half = targets.propagate_result(last, np.array([False]), np.array([0]), later, 0.5, np)
    assert half[0, 0] - half[0, 2] == pytest.approx(0.65)


def test_late_positions_have_exact_results_and_earlier_ones_what_follows_from_them(
    tmp_path: Path,
) -> None:
    play = {"engine": "device", "bouts": 4, "plies": 28, "exact_plies": 8}
    search = {"simulations": 2, "considered": 2}
    settings = small(game="reversi", options={"size": 6}, play=play, search=search)
    trainer = training.Trainer(settings, tmp_path)
    samples, tally = trainer.engine.play(trainer.train_state, 0)
    trainer.engine.close()
    assert (
        tally["bouts"] == 4 and tally["plies"] == 4 * 28
    )  # of 32 plies: the last four are not played
    solver, words = EndgameSolver(6), [1 << (8 * (cell // 6) + cell % 6) for cell in range(36)]
    by_bout = jax.tree.map(lambda x: np.asarray(x).reshape(28, 4, *x.shape[1:]), samples)
    for bout in range(4):
        for ply in reversed(range(28)):
            cells, seat = by_bout.cells[ply, bout], int(by_bout.seat[ply, bout])
            if ply >= 24:
                own, rival = (
                    sum(word for word, cell in zip(words, cells, strict=True) if cell == owner)
                    for owner in (1 + seat, 2 - seat)
                )
                lead = solver.lead_of_words(own, rival) * (1 - 2 * seat)
            mine = lead * (1 - 2 * seat)
            assert by_bout.result[ply, bout].tolist() == [mine > 0, mine == 0, mine < 0]
            assert by_bout.margin[ply, bout] == pytest.approx(mine / 12, abs=0.01)


def test_a_game_without_a_solver_has_no_exact_results(tmp_path: Path) -> None:
    play = {"engine": "device", "exact_plies": 8}
    with pytest.raises(LudusError, match="needs a solver"):
        training.Trainer(small(play=play), tmp_path)


def test_a_guess_is_worth_what_it_says() -> None:
    values = np.linspace(-1, 1, 11)
    for draw in (0.0, 0.4, 1.0):
        chances = targets.value_to_chances(values, np.full(11, draw), np)
        assert np.allclose(chances.sum(1), 1) and (chances >= 0).all()
        assert np.allclose(chances[:, 0] - chances[:, 2], values)


@pytest.mark.parametrize("pooling", [False, True])
def test_the_exported_network_answers_like_the_trained_one(pooling: bool) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    from ludus.learn.export import export_onnx

    game = get("tablut")
    where = worlds.make_environment(game, game.Options())
    shape = net.make_shape(where, 2, 8, pooling)
    weights, running = jax.jit(net.create_weights, static_argnums=0)(shape, jax.random.key(3))
    noise = np.random.default_rng(4)
    shaken = lambda x: x + 0.1 * noise.normal(size=x.shape).astype(np.float32)  # noqa: E731
    weights, running = jax.tree.map(shaken, jax.tree.map(np.asarray, (weights, running)))
    running = jax.tree.map(lambda x: np.abs(x) + 0.1, running)
    generator = random.Random(1)
    here = game.start(game.Options(), 0)
    positions = []
    while here.to_move:
        positions.append(here.copy())
        here.play({here.to_move[0]: generator.choice(here.legal(here.to_move[0]))})
    folded = jax.jit(net.fold, static_argnums=2)(weights, running, jnp.float32)
    seen = jax.jit(where.observe)(where.from_positions(positions)).astype(jnp.float32)
    with jax.default_matmul_precision("highest"):
        logits, wdl = jax.jit(net.forward, static_argnums=1)(folded, shape, seen)
    session = OnnxNet(export_onnx(weights, running, shape, {"game": "tablut"}))
    planes = np.asarray(seen).transpose(0, 3, 1, 2)
    policy, value = session.evaluate(np.ascontiguousarray(planes))
    assert np.abs(policy - np.asarray(logits)).max() < 1e-4
    assert np.abs(value - np.asarray(net.expected_result(wdl))).max() < 1e-4
    assert session.metadata["game"] == "tablut"


@pytest.mark.parametrize("actions", [64, 36])
def test_boards_need_not_be_square_nor_actions_a_multiple_of_their_cells(actions: int) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    from ludus.learn.export import export_onnx

    shape = net.NetShape(rows=4, columns=8, planes=3, actions=actions, blocks=1, channels=8)
    weights, running = jax.jit(net.create_weights, static_argnums=0)(shape, jax.random.key(3))
    weights = jax.tree.map(lambda x: x + 0.05, weights)
    seen = np.random.default_rng(1).random((5, 4, 8, 3), np.float32)
    with jax.default_matmul_precision("highest"):
        logits, wdl = net.forward(net.fold(weights, running, jnp.float32), shape, seen)
    session = OnnxNet(export_onnx(weights, running, shape, {"game": "tablut"}))
    policy, value = session.evaluate(np.ascontiguousarray(seen.transpose(0, 3, 1, 2)))
    assert policy.shape == (5, actions)
    assert np.abs(policy - np.asarray(logits)).max() < 1e-4
    assert np.abs(value - np.asarray(net.expected_result(wdl))).max() < 1e-4


def test_learning_and_playing_see_the_same_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """P5a: what learns is what plays, once the statistics have settled; here they do at once."""
    monkeypatch.setattr("ludus.learn.net.MOMENTUM", 0.5)
    game = get("tablut")
    where = worlds.make_environment(game, game.Options.parse({"variant": "brandubh"}))
    shape = net.make_shape(where, 2, 8)

    @jax.jit
    def both() -> tuple[Any, Any]:
        weights, running = net.create_weights(shape, jax.random.key(1))
        weights = jax.tree.map(lambda x: x + 0.05, weights)
        seen = where.observe(where.start(8)).astype(jnp.float32)
        seen += jax.random.uniform(jax.random.key(2), seen.shape)
        settle = lambda _, running: net.forward_training(weights, running, shape, seen)[1]  # noqa: E731
        running = jax.lax.fori_loop(0, 30, settle, running)
        learnt, _ = net.forward_training(weights, running, shape, seen)
        return learnt[:2], net.forward(net.fold(weights, running, jnp.float32), shape, seen)

    for learnt, played in zip(*both(), strict=True):
        assert np.abs(np.asarray(played - learnt)).max() < 1e-2


@pytest.mark.parametrize("preset", list_presets())
@pytest.mark.parametrize("game", ["tablut", "reversi"])
def test_presets_are_valid(preset: str, game: str) -> None:
    assert load_settings(preset, {"learn.waves": "3"}, game).learn.waves == 3


def test_a_wrong_setting_is_named() -> None:
    with pytest.raises(LudusError, match=r"learn\.wavs"):
        load_settings("laptop", {"learn.wavs": "3"}, "tablut")
    with pytest.raises(LudusError, match="must be of type int"):
        load_settings("laptop", {"learn.waves": "many"}, "tablut")
    with pytest.raises(LudusError, match="nowhere"):
        load_settings("nowhere", {}, "tablut")
    with pytest.raises(LudusError, match=r"play\.engine = device"):
        load_settings("laptop", {"play.old_share": "0.2"}, "tablut")
    with pytest.raises(LudusError, match="PUCT"):
        load_settings("gpu", {"search.gumbel": "false"}, "tablut")


def test_cpu_and_device_waves_have_the_same_columns(tmp_path: Path) -> None:
    shapes = []
    for settings in (small(), device()):
        trainer = training.Trainer(settings, tmp_path / settings.play.engine)
        samples, tally = trainer.engine.play(trainer.train_state, 0)
        shapes.append([(x.shape, x.dtype) for x in samples])
        chances = np.asarray(samples.chances, np.float32)
        assert np.allclose(chances.sum(1), 1, atol=1e-2)
        assert np.allclose(np.asarray(samples.result, np.float32).sum(1), 1, atol=1e-2)
        masks = np.asarray(trainer.environment.legal(sampling.to_bouts(samples)))
        for mask, moves, likely in zip(masks, np.asarray(samples.moves), chances, strict=True):
            assert mask[moves[likely > 0]].all()
        assert {"bouts", "won", "drawn", "plies"} <= set(tally)
    assert shapes[0] == shapes[1]


def test_a_run_interrupted_in_its_first_wave_ends_and_says_how_to_go_on(tmp_path: Path) -> None:
    """Its threads are inside the compiler then, and crashed the process when it ended."""
    words = ("train", "reversi", "-o", "size=4", "--out", tmp_path / "run")
    with start(*words, LUDUS_LANG="en") as process:
        assert process.stderr is not None
        while "the first wave compiles" not in process.stderr.readline():
            assert process.poll() is None
        began = cpu_seconds(process.pid)
        while cpu_seconds(process.pid) < began + 1:  # at work in the compiler
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
        assert process.wait(60) == 130
    assert said.endswith("interrupted. The same command goes on from here.\n")


def test_the_end_of_a_run_says_with_which_options_to_play(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = load_settings("laptop", {"options.size": "6"}, "reversi")
    print_network_path(settings, tmp_path / "a run")
    said = capsys.readouterr().out.splitlines()[-1]
    words = shlex.split(said[said.index("play ") :])
    assert words == [
        "play",
        "reversi",
        f"learned:{tmp_path}/a run/net.onnx",
        "random",
        "-o",
        "size=6",
    ]
