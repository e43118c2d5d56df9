"""A trained network as it plays: an ONNX file, run by onnxruntime."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ludus.bots.engine_bots import shipped_nets
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.lang import tr
from ludus.learn.engine_bots import NETS_FOLDER
from ludus.packages import add_command

if TYPE_CHECKING:  # comes with onnxruntime
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]


class OnnxNet:
    """Evaluates positions with a network that ``ludus train`` exported."""

    def __init__(self, source: Path | bytes, threads: int = 1) -> None:
        try:
            import onnxruntime
        except ImportError:
            raise LudusError(
                f"a learned bot needs onnxruntime; install it: {add_command('[nets]')}",
                f"学习所得的 AI 需要 onnxruntime；请安装：{add_command('[nets]')}",
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
        self.actions: int = self.session.get_outputs()[0].shape[1]

    def evaluate(self, seen: Floats) -> tuple[Floats, Floats]:
        """Logits for each position, and its value for the mover."""
        policy, wdl = self.session.run(None, {"seen": seen.reshape(self.shape)})
        return policy, wdl[:, 0] - wdl[:, 2]

    def fits(self, game: Game, position: Any) -> bool:
        """Whether it was made for this game and can see this board and variant."""
        searched = game.search_position(position)
        planes, rows, columns = self.shape[1:]
        takes = (planes, rows * columns, self.actions)
        asked = (searched.planes, searched.cells, searched.actions)
        return bool(self.metadata.get("game") == game.name and takes == asked)

    def check_game(self, game: Game, position: Any) -> None:
        """Raise LudusError for a network of another game or board."""
        if not self.fits(game, position):
            rows, columns = self.shape[2:]
            made = f"{self.metadata.get('game')} {rows}×{columns}"
            given = self.metadata.get("options") or {}
            words = " ".join(f"-o {name}={value}" for name, value in given.items())
            raise LudusError(
                f"this network plays {made}, not this board or variant of {game.name}"
                + (f"; it was trained with {words}" if words else ""),
                f"该网络用于 {made}，不是 {game.name} 的这个棋盘或变体"
                + (f"；训练时的选项为 {words}" if words else ""),
            )


Net = TypeVar("Net", bound=OnnxNet)


_loaded: dict[tuple[Path, type[OnnxNet]], OnnxNet] = {}


def load_net(file: Path, kind: type[Net]) -> Net:
    """A network, loaded once in a process."""
    if (file, kind) not in _loaded:
        _loaded[file, kind] = kind(file)
    found = _loaded[file, kind]
    assert isinstance(found, kind)
    return found


def load_shipped_net(game: Game, position: Any, kind: type[Net]) -> Net:
    """The network that comes with Ludus for a position's board and variant; LudusError if there is
    none."""
    files = shipped_nets(NETS_FOLDER, game)
    for file in files:
        if (net := load_net(file, kind)).fits(game, position):
            return net
    known = ", ".join(file.name for file in files) or tr("none", "无")
    raise LudusError(
        f"Ludus ships no network for this board or variant of {game.name} (for the game: {known});"
        f" train one (ludus train {game.name}) and name its file: learned:FILE",
        f"弈场没有自带适合 {game.name} 的这个棋盘或变体的网络（该游戏现有：{known}）；"
        f"请先训练（ludus train {game.name}），再写明文件：learned:FILE",
    )
