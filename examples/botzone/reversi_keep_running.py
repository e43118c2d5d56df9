"""A Reversi bot for Botzone that asks to be kept running, and so keeps its board between turns.

The first input has the whole history, as in traditional mode; every later one is a request alone.
In Ludus: ludus match reversi examples/botzone/reversi_keep_running.py greedy
"""

import json

SIZE = 8
STEPS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
BLACK, WHITE = 1, -1


class Board:
    def __init__(self):
        self.discs = {(3, 4): BLACK, (4, 3): BLACK, (3, 3): WHITE, (4, 4): WHITE}

    def flipped(self, cell, color):
        turned = []
        for dx, dy in STEPS if cell not in self.discs else []:
            line, here = [], (cell[0] + dx, cell[1] + dy)
            while self.discs.get(here) == -color:
                line.append(here)
                here = (here[0] + dx, here[1] + dy)
            if self.discs.get(here) == color:
                turned += line
        return turned

    def play(self, move, color):
        cell = move["x"], move["y"]
        if cell[0] >= 0:
            self.discs.update(dict.fromkeys([*self.flipped(cell, color), cell], color))

    def choose(self, color):
        cells = [(x, y) for x in range(SIZE) for y in range(SIZE)]
        legal = [cell for cell in cells if self.flipped(cell, color)]
        if not legal:
            return {"x": -1, "y": -1}
        x, y = min(legal, key=lambda cell: len(self.flipped(cell, color)))
        return {"x": x, "y": y}


board = Board()
history = json.loads(input())
mine = BLACK if history["requests"][0]["x"] < 0 else WHITE
for turn, response in enumerate(history["responses"]):
    board.play(history["requests"][turn], -mine)
    board.play(response, mine)
request = history["requests"][-1]
while True:
    board.play(request, -mine)
    answer = board.choose(mine)
    board.play(answer, mine)
    print(json.dumps({"response": answer}))
    print(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<", flush=True)
    request = json.loads(input())
