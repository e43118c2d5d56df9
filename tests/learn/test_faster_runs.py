"""What makes runs shorter changes nothing else: they go on exactly and end the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ludus.cli.main import run
from ludus.errors import LudusError
from ludus.learn.settings import SearchSettings
from tests.support.extras import Later, need_extra
from tests.support.training_runs import ignore, small

if TYPE_CHECKING:
    from ludus.learn.trainer import Trainer

need_extra("learn", "jax", "optax", "onnx")
jax, checkpoint = Later("jax"), Later("ludus.learn.checkpoint")
training, compiling = Later("ludus.learn.trainer"), Later("ludus.learn.compiling")

EARLY = {"simulations": 4, "considered": 4, "early_waves": 2, "early_simulations": 2}
"""Two waves with a smaller search than the later ones."""


def arrays(trainer: Trainer) -> list[bytes]:
    trees = (trainer.train_state, trainer.window)
    return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(trees)]


def test_growing_searches_averages_and_background_saves_go_on_exactly(tmp_path: Path) -> None:
    changes = {"search": EARLY, "learn__average": 0.9, "play__averaged": True}
    settings = small(**changes, background_saves=True, keep=2)
    whole = training.Trainer(settings, tmp_path / "whole")
    rows: list[dict[str, Any]] = []
    whole.run(rows.append, until=4)
    assert [row["simulations"] for row in rows] == [24 * 2, 24 * 4, 24 * 8, 24 * 12]
    for until in (1, 3, 4):
        training.Trainer(settings, tmp_path / "parts").run(ignore, until=until)
    parts = training.Trainer(settings, tmp_path / "parts")
    assert parts.wave == 4 and arrays(parts) == arrays(whole)
    at_once = training.Trainer(small(**changes, keep=2), tmp_path / "at once")
    at_once.run(ignore, until=4)
    assert arrays(at_once) == arrays(whole)
    for name in ("net-000002.onnx", "net-000004.onnx", "net.onnx"):
        assert (tmp_path / "whole" / name).stat().st_size > 1000


def test_the_exported_network_has_the_averaged_weights(tmp_path: Path) -> None:
    trainer = training.Trainer(small(learn__average=0.9), tmp_path)
    trainer.run(ignore, until=2)
    state = trainer.train_state
    last, averaged = state._replace(average=None), state.averaged()._replace(average=None)
    assert trainer.export_net() == trainer.export_net(averaged) != trainer.export_net(last)
    stem = [np.asarray(each.weights["stem"]["kernel"]) for each in (last, averaged)]
    assert 0 < np.abs(stem[0] - stem[1]).max() < 0.1


def test_programs_compiled_in_threads_play_and_learn_as_others_do(tmp_path: Path) -> None:
    search = {"simulations": 2, "considered": 2}
    runs = []
    for ahead in (False, True):
        settings = small(play__engine="device", search=search, compile_ahead=ahead)
        trainer = training.Trainer(settings, tmp_path / str(ahead))
        trainer.run(ignore, until=2)
        runs.append(arrays(trainer))
    assert runs[0] == runs[1]


def test_plies_that_are_searched_quickly_teach_values_but_no_policy(tmp_path: Path) -> None:
    search = {"simulations": 4, "considered": 2, "quick_plies": 2, "quick_simulations": 2}
    settings = small(play__engine="device", search=search)
    trainer = training.Trainer(settings, tmp_path)
    rows: list[dict[str, Any]] = []
    trainer.run(rows.append, until=1)
    plies, bouts = settings.play.plies, settings.play.bouts
    assert rows[0]["simulations"] == bouts * (plies // 3 * 4 + plies // 3 * 2 * 2)
    shape = (plies, bouts, -1)
    chances = np.asarray(trainer.window.chances)[: plies * bouts].reshape(shape).sum(-1)
    results = np.asarray(trainer.window.result)[: plies * bouts].reshape(shape).sum(-1)
    assert np.allclose(chances.T, [1, 0, 0] * (plies // 3), atol=0.01)
    assert np.allclose(results, 1, atol=0.01)
    assert np.isfinite(rows[0]["policy_loss"])


def test_a_policy_is_compiled_ahead_and_averaged_too(tmp_path: Path) -> None:
    settings = small("policy", compile_ahead=True, background_saves=True, learn__average=0.9)
    trainer = training.make_trainer(settings, tmp_path)
    trainer.run(ignore, until=2)
    resumed = training.make_trainer(settings, tmp_path)
    states = [jax.tree.leaves(each.train_state) for each in (trainer, resumed)]
    assert all((a == b).all() for a, b in zip(*states, strict=True))
    assert resumed.train_state.average is not None


def test_a_run_from_before_these_settings_goes_on(tmp_path: Path) -> None:
    training.Trainer(small(), tmp_path).run(ignore, until=1)
    stored = checkpoint.list_checkpoints(tmp_path)[-1] / "facts.json"
    facts = json.loads(stored.read_text(encoding="utf-8"))
    del facts["settings"]["background_saves"], facts["settings"]["learn"]["average"]
    stored.write_text(json.dumps(facts), encoding="utf-8")
    assert training.Trainer(small(), tmp_path).wave == 1
    with pytest.raises(LudusError, match="other settings"):
        training.Trainer(small(learn__average=0.9), tmp_path)


def test_a_checkpoint_that_cannot_be_written_ends_the_run(tmp_path: Path) -> None:
    settings = small(learn__average=0.9, background_saves=True)
    trainer = training.Trainer(settings, tmp_path)
    (tmp_path / "net.onnx").mkdir()
    with pytest.raises(LudusError, match="not a regular file"):
        trainer.run(ignore, until=3)
    assert trainer.wave < 3 and not checkpoint.list_checkpoints(tmp_path)


def test_searches_grow_after_the_early_waves() -> None:
    search = SearchSettings(simulations=32, considered=16, early_waves=3, early_simulations=8)
    sizes = [(s.simulations, s.considered) for s in map(search.in_wave, (0, 2, 3))]
    assert sizes == [(8, 8), (8, 8), (32, 16)]
    assert SearchSettings().in_wave(0) == SearchSettings()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"learn__average": 1.0}, "learn.average must be at least 0 and less than 1"),
        ({"play__averaged": True}, "play.averaged needs learn.average"),
        (
            {"search__quick_plies": 2, "play__plies": 8, "play__engine": "device"},
            "multiple of search.quick_plies",
        ),
        ({"search__quick_plies": 1}, "search.quick_plies needs play.engine = device"),
        ({"net__value_hidden": 0}, "net.value_hidden must be at least 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(LudusError, match=why):
        small(**changes)


def test_compiled_programs_are_kept_in_a_folder_of_ones_own(tmp_path: Path) -> None:
    before = jax.config.jax_compilation_cache_dir
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    with pytest.raises(LudusError, match="chmod go-w"):
        compiling.use_compile_cache(open_to_all)
    (tmp_path / "file").write_text("")
    with pytest.raises(LudusError, match="cannot be used"):
        compiling.use_compile_cache(tmp_path / "file")
    cache = tmp_path / "new" / "cache"
    words = ["train", "tablut", "-o", "variant=brandubh", "-o", "limit=16", "--waves", "1"]
    for change in ("play.bouts=2", "play.plies=2", "play.tasks=1", "learn.steps=1", "net.blocks=1"):
        words += ["-s", change]
    words += ["-s", "net.channels=7", "-s", "learn.batch=4", "--out", str(tmp_path / "run")]
    try:
        assert run([*words, "--compile-cache", str(cache)]) == 0
        assert jax.config.jax_compilation_cache_dir == str(cache)
    finally:
        jax.config.update("jax_compilation_cache_dir", before)
    assert cache.stat().st_mode & 0o777 == 0o700
