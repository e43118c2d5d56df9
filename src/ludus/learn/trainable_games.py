"""The games that can be trained: each with the class that holds its rules for accelerators."""

from __future__ import annotations

from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.registry import get

ENVIRONMENT_CLASSES = {
    "ataxx": "ludus.learn.environments.ataxx:AtaxxEnvironment",
    "paperio": "ludus.learn.environments.paperio:PaperEnvironment",
    "duel2048": "ludus.learn.environments.duel2048:Duel2048Environment",
    "eraser": "ludus.learn.environments.eraser:EraserEnvironment",
    "reversi": "ludus.learn.environments.reversi:ReversiEnvironment",
    "tablut": "ludus.learn.environments.tablut:TablutEnvironment",
}
"""The environment of each game, as ``module:class``; imported only when it is made, because that
needs the extra ``learn``."""

POLICY_GAMES = ("paperio",)
"""Games whose network plays without a search, and is trained as a policy."""


def check_trainable(game: Game) -> None:
    """Raise LudusError for a game that has no environment."""
    if game.name not in ENVIRONMENT_CLASSES:
        known = sorted(ENVIRONMENT_CLASSES)
        raise LudusError(
            f"{game.name} cannot be trained yet; these can: {', '.join(known)}",
            f"{game.name} 还不能训练；目前可以训练：{'、'.join(known)}",
        )


def get_trainable_game(name: str) -> Game:
    """The game with that name; LudusError if there is none, or if it cannot be trained yet."""
    game = get(name)
    check_trainable(game)
    return game
