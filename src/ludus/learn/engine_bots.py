"""The bots of this room that play every game, as ``ludus.bots.engine_bots`` finds them.

``pyproject.toml`` names each as an entry point of ``ludus.engine_bots``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ludus.bots.engine_bots import InstalledEngine
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.lang import Text
from ludus.learn.trainable_games import ENVIRONMENT_CLASSES

NETS_FOLDER = Path(__file__).parent / "nets"
"""The networks for ``learned`` without a file: ``GAME.onnx``, and ``GAME-….onnx`` for options with
which that one cannot play, such as another board."""
LEVEL_DESCRIPTIONS: Mapping[str, Text] = {
    "easy": Text(
        "A trained network that is content with fair moves.",
        "训练好的网络，走得过去的着法都可能选。",
    ),
    "normal": Text(
        "A trained network that draws among good moves.",
        "训练好的网络，在较好的着法里随机挑选。",
    ),
    "hard": Text(
        "Thinks with a trained network as well as it can.",
        "用训练好的网络尽力思考。",
    ),
}
"""Those of ``ludus.learn.levels``, which takes longer to import."""


def _has_net(game: Game, options: Any) -> bool:
    """Whether a network comes with Ludus for these options: it is loaded only if they are not the
    usual ones."""
    if options == game.Options() and (NETS_FOLDER / f"{game.name}.onnx").is_file():
        return True
    from ludus.learn.onnx_net import OnnxNet, load_shipped_net

    try:
        load_shipped_net(game, game.start(options, 0), OnnxNet)
    except LudusError:
        return False
    return True


SEARCH = InstalledEngine(Path(__file__).parent / "bots" / "search.py")
LEARNED = InstalledEngine(
    Path(__file__).parent / "bots" / "learned.py",
    nets=NETS_FOLDER,
    levels=LEVEL_DESCRIPTIONS,
    needs="onnxruntime",
    extra="nets",
    trainable=ENVIRONMENT_CLASSES,
    fits=_has_net,
)
