"""The bots of this room that play every game, as ``ludus.bots.engine_bots`` finds them.

``pyproject.toml`` names each as an entry point of ``ludus.engine_bots``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ludus.bots.engine_bots import InstalledEngine
from ludus.games.base import Game
from ludus.lang import Text
from ludus.learn.trainable_games import ENVIRONMENT_CLASSES, POLICY_GAMES

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


def _check_net(game: Game, options: Any, net: Path | None) -> None:
    """Raise LudusError for a network that cannot play with these options, or if none comes with
    Ludus. One that comes with Ludus is loaded only if the options are not the usual ones."""
    if net is None and options == game.Options() and (NETS_FOLDER / f"{game.name}.onnx").is_file():
        return
    from ludus.learn.onnx_net import OnnxNet, load_net, load_shipped_net
    from ludus.learn.policy_player import OnnxPolicy

    kind = OnnxPolicy if game.name in POLICY_GAMES else OnnxNet
    position = game.start(options, 0)
    if net is None:
        load_shipped_net(game, position, kind)
    else:
        load_net(net, kind).check_game(game, position)


SEARCH = InstalledEngine(Path(__file__).parent / "bots" / "search.py")
LEARNED = InstalledEngine(
    Path(__file__).parent / "bots" / "learned.py",
    nets=NETS_FOLDER,
    levels=LEVEL_DESCRIPTIONS,
    needs="onnxruntime",
    extra="nets",
    trainable=ENVIRONMENT_CLASSES,
    check=_check_net,
)
