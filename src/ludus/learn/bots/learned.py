"""Thinks with a trained network; learned:FILE names one. 用训练好的网络思考，冒号后为网络文件。"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

from ludus.games.base import ClockView, Game, Position
from ludus.learn.bots._share import move_time_limit
from ludus.learn.onnx_net import OnnxNet
from ludus.learn.search import TreeSearcher, sequential_halving_parameters, stop_after

SEARCH_PARAMETERS = sequential_halving_parameters(400)


@cache
def load_net(file: str) -> OnnxNet:
    return OnnxNet(Path(file))


class Bot:
    def __init__(self, file: str) -> None:
        self.file = file

    def set_game(self, game: Game) -> None:
        self.game = game

    def start(self, seat: int, position: Position) -> None:
        net = load_net(self.file)
        net.check_game(self.game, position)
        self.searcher = TreeSearcher(self.game, SEARCH_PARAMETERS, net, seed=random.getrandbits(31))

    def move(self, position: Position, clock: ClockView) -> str:
        return self.searcher.choose(position, stop_after(move_time_limit(clock)))
