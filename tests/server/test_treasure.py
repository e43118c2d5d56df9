"""The example game of hidden information keeps the contract of all games."""

from ludus.games.contract import GameContract
from tests.support.treasure import GAME


class TestTreasure(GameContract):
    game = GAME
