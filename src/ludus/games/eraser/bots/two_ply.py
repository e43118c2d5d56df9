"""Its own gain less the best that the other side can answer. 自己的得分减去对方最好的回应。"""

from ludus.games.eraser.search import best


class Bot:
    def move(self, position, clock):
        return best(position, depth=2)
