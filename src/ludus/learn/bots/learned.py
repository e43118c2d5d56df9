"""Thinks with a trained network; learned:FILE names one. 用训练好的网络思考，冒号后为网络文件。"""

from __future__ import annotations

import random
from pathlib import Path
from typing import TypeVar

from ludus.games.base import ClockView, Game, Position
from ludus.learn.bots._share import move_time_limit
from ludus.learn.levels import LEVELS, POLICY_LEVELS, find_level
from ludus.learn.onnx_net import OnnxNet, load_net, load_shipped_net
from ludus.learn.pace import SearchPace, choose_paced
from ludus.learn.policy_player import OnnxPolicy, PolicyPlayer
from ludus.learn.search import TreeSearcher, stop_after
from ludus.learn.trainable_games import POLICY_GAMES

Net = TypeVar("Net", bound=OnnxNet)


class Bot:
    def __init__(self, argument: str = "") -> None:
        """``argument``: a level of the networks that come with Ludus, or a network's file."""
        self.level = argument if argument in LEVELS else ""
        self.file = None if self.level else argument

    def set_game(self, game: Game) -> None:
        self.game = game

    def start(self, seat: int, position: Position) -> None:
        seed = random.getrandbits(31)
        self.searcher: TreeSearcher | PolicyPlayer
        if self.game.name in POLICY_GAMES:
            policy = self.load(position, OnnxPolicy)
            self.searcher = PolicyPlayer(policy, find_level(self.level, POLICY_LEVELS), seed)
            return
        style = find_level(self.level, LEVELS)
        self.searcher = TreeSearcher(self.game, style, self.load(position, OnnxNet), seed)
        self.pace = SearchPace(style)

    def load(self, position: Position, kind: type[Net]) -> Net:
        """The network for the bout that begins with this position."""
        if not self.file:
            return load_shipped_net(self.game, position, kind)
        net = load_net(Path(self.file), kind)
        net.check_game(self.game, position)
        return net

    def move(self, position: Position, clock: ClockView) -> str:
        if isinstance(self.searcher, PolicyPlayer):
            return self.searcher.choose(position, stop_after(move_time_limit(clock)))
        moves_left = self.game.search_position(position).moves_left
        seconds = move_time_limit(clock, moves_left)
        return choose_paced(self.searcher, self.pace, position, seconds)
