"""Plays the colour it holds most of, and saves wild cards. 优先出最多的颜色，省下变色牌。"""

from collections import Counter

from ludus.compat.saiblo.sdk.ai import Turn, run

POINTS = {**{str(number): number for number in range(10)}, "s": 20, "r": 20, "+": 20}


class Saver:
    def move(self, turn: Turn) -> str:
        colours = Counter(card[0] for card in turn.view["hand"] if card[0] != "w")
        plain = [move for move in turn.legal if len(move) == 2 and move[0] != "w"]
        if plain:
            return max(plain, key=lambda move: (colours[move[0]], POINTS[move[1]]))
        wild = [move for move in turn.legal if move[0] == "w"]
        if wild:
            return max(wild, key=lambda move: colours[move[-1]])
        return turn.legal[-1]


if __name__ == "__main__":
    run(Saver())
