"""A Reversi bot for Botzone that is started anew for every turn: takes the move that turns most.

It reads one line of JSON, rebuilds the board from all requests and responses, and prints one line.
In Ludus: ludus match reversi examples/botzone/reversi_traditional.py greedy
"""

import json

SIZE = 8
STEPS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
CORNERS = {(0, 0), (0, SIZE - 1), (SIZE - 1, 0), (SIZE - 1, SIZE - 1)}
BLACK, WHITE = 1, -1


def flipped(board, x, y, color):
    """The discs that turn when a color plays at (x, y)."""
    if (x, y) in board:
        return []
    turned = []
    for dx, dy in STEPS:
        line, here = [], (x + dx, y + dy)
        while board.get(here) == -color:
            line.append(here)
            here = (here[0] + dx, here[1] + dy)
        if board.get(here) == color:
            turned += line
    return turned


def play(board, move, color):
    if move["x"] >= 0:
        for cell in [*flipped(board, move["x"], move["y"], color), (move["x"], move["y"])]:
            board[cell] = color


def choose(board, color):
    cells = [(x, y) for x in range(SIZE) for y in range(SIZE)]
    legal = [cell for cell in cells if flipped(board, *cell, color)]
    if not legal:
        return {"x": -1, "y": -1}
    best = max(legal, key=lambda cell: (cell in CORNERS, len(flipped(board, *cell, color))))
    return {"x": best[0], "y": best[1]}


history = json.loads(input())
requests, responses = history["requests"], history["responses"]
mine = BLACK if requests[0]["x"] < 0 else WHITE
board = {(3, 4): BLACK, (4, 3): BLACK, (3, 3): WHITE, (4, 4): WHITE}
for turn, response in enumerate(responses):
    play(board, requests[turn], -mine)
    play(board, response, mine)
play(board, requests[-1], -mine)
turns = int(history.get("data") or 0) + 1
answer = {"response": choose(board, mine), "debug": f"turn {turns}", "data": str(turns)}
print(json.dumps(answer))
