"""Plays anything that is allowed. 随机落子。"""

import random

from ludus.compat.saiblo.sdk.ai import Turn, run


class Random:
    def move(self, turn: Turn) -> str:
        return random.choice(turn.legal)


if __name__ == "__main__":
    run(Random())
