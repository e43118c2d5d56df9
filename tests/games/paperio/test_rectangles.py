"""Rectangles around which a player can walk, held to a slow second writing."""

import random
from typing import Any

from ludus.games.paperio import GAME
from ludus.games.paperio.paths import FAR, distances
from ludus.games.paperio.rectangles import SIDES, best_rectangle

STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
TURNS = {"S": 0, "R": 1, "L": 3}


class SlowWalk:
    """A rectangle, walked cell by cell."""

    def __init__(self, field: Any, seat: int, theirs: bytearray) -> None:
        self.field, self.own, self.theirs = field, seat + 1, theirs
        self.x, self.y, self.heading = field.heads[seat]
        self.moves: list[str] = []
        self.reach = FAR

    def at_home(self) -> bool:
        return bool(self.field.land[self.x * self.field.height + self.y] == self.own)

    def step(self, move: str) -> bool:
        self.heading = (self.heading + TURNS[move]) % 4
        dx, dy = STEPS[self.heading]
        self.x, self.y = self.x + dx, self.y + dy
        self.moves.append(move)
        if not (0 <= self.x < self.field.width and 0 <= self.y < self.field.height):
            return False
        if not self.at_home():
            self.reach = min(self.reach, self.theirs[self.x * self.field.height + self.y])
        return self.reach > len(self.moves)

    def around(self, first: str, side: str, length: int, width: int) -> list[str]:
        if not self.step(first):
            return []
        while self.at_home():
            if not self.step("S"):
                return []
        for move in [*"S" * (length - 1), side, *"S" * (width - 1)]:
            if not self.step(move):
                return []
        move = side
        while not self.at_home():
            if not self.step(move):
                return []
            move = "S"
        return self.moves if self.reach > len(self.moves) else []


def find_slowly(field: Any, seat: int, theirs: bytearray, first_moves: list[str]) -> list[str]:
    best: list[str] = []
    gain = 0.0
    for first in first_moves:
        for side in "LR":
            for length in SIDES:
                for width in SIDES:
                    moves = SlowWalk(field, seat, theirs).around(first, side, length, width)
                    if moves and length * (width + 1) / len(moves) > gain:
                        best, gain = moves, length * (width + 1) / len(moves)
    return best


def test_the_best_rectangle_is_that_of_the_slow_writing() -> None:
    generator = random.Random(5)
    compared = 0
    for seed in range(6):
        options = GAME.Options(k=generator.choice([8, 20, 51]), h=40, turns=60)
        position: Any = GAME.start(options, seed)
        plans: list[list[str]] = [[], []]
        while position.to_move:
            [seat] = position.to_move
            field = position.field
            if not plans[seat] and not field.trails[seat]:
                theirs = distances(field, 1 - seat)
                first_moves = generator.sample("LSR", generator.randint(1, 3))
                plans[seat] = best_rectangle(field, seat, theirs, first_moves)
                assert plans[seat] == find_slowly(field, seat, theirs, first_moves)
                compared += bool(plans[seat])
            position.play({seat: plans[seat].pop(0) if plans[seat] else "S"})
    assert compared >= 10
