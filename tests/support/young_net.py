"""Networks that have learnt nothing, made at once."""

from typing import Any

import numpy as np
import pytest

from ludus.games.base import Game


def young_net(game: Game, options: dict[str, Any], blocks: int, channels: int) -> bytes:
    """The contents of an ONNX file; skips the test where the learning libraries are missing."""
    jax = pytest.importorskip("jax", reason="the extra `learn` is not installed")
    pytest.importorskip("onnx", reason="the extra `learn` is not installed")
    from ludus.learn import net
    from ludus.learn.environments import make_environment
    from ludus.learn.export import export_onnx

    shape = net.make_shape(make_environment(game, game.Options.parse(options)), blocks, channels)
    generator = np.random.default_rng(1)

    def drawn(leaf: Any) -> Any:
        return np.abs(generator.normal(0, 0.1, leaf.shape)).astype(np.float32)

    layers = jax.eval_shape(lambda key: net.create_weights(shape, key), jax.random.key(1))
    weights, running = jax.tree.map(drawn, layers)
    return export_onnx(weights, running, shape, {"game": game.name})
