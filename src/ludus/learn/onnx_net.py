"""A trained network as it plays: an ONNX file, run by onnxruntime."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.packages import add_command

Floats = npt.NDArray[np.float32]


class OnnxNet:
    """Evaluates positions with a network that ``ludus train`` exported."""

    def __init__(self, source: Path | bytes, threads: int = 1) -> None:
        try:
            import onnxruntime
        except ImportError:
            raise LudusError(
                f"a learned bot needs onnxruntime; install it: {add_command('onnxruntime')}",
                f"学习所得的 AI 需要 onnxruntime；请安装：{add_command('onnxruntime')}",
            ) from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = threads
        options.log_severity_level = 3
        given = source if isinstance(source, bytes) else str(source)
        try:
            self.session = onnxruntime.InferenceSession(
                given, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise LudusError(
                f"{source!s:.80} is not a network that onnxruntime can run: {error}",
                f"onnxruntime 无法运行 {source!s:.80}：{error}",
            ) from error
        metadata = self.session.get_modelmeta().custom_metadata_map
        self.metadata: dict[str, Any] = {k: json.loads(v) for k, v in metadata.items()}
        """What was stored with it: the game, its options, settings, waves."""
        shape = self.session.get_inputs()[0].shape
        self.shape = (-1, *shape[1:])

    def evaluate(self, seen: Floats) -> tuple[Floats, Floats]:
        """Logits for each position, and its value for the mover."""
        policy, wdl = self.session.run(None, {"seen": seen.reshape(self.shape)})
        return policy, wdl[:, 0] - wdl[:, 2]

    def check_game(self, game: Game, position: Any) -> None:
        """Raise LudusError for a network of another game or board."""
        searched = game.search_position(position)
        planes, size = self.shape[1], self.shape[2]
        if self.metadata.get("game") != game.name or (planes, size * size) != (
            searched.planes,
            searched.cells,
        ):
            made = f"{self.metadata.get('game')} {size}×{size}"
            raise LudusError(
                f"this network plays {made}, not this board or variant of {game.name}",
                f"该网络用于 {made}，不是 {game.name} 的这个棋盘或变体",
            )
