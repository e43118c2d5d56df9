"""Turns at random, but not into the wall or its own band. 随机转弯，但不撞墙、不碰自己的纸带。"""

from random import choice

STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
TURNS = {"S": 0, "R": 1, "L": 3}


def play(stat, storage):
    now = stat["now"]
    width, height = stat["size"]
    me, bands = now["me"], now["bands"]
    safe = []
    for move, turn in TURNS.items():
        dx, dy = STEPS[(me["direction"] + turn) % 4]
        x, y = me["x"] + dx, me["y"] + dy
        if 0 <= x < width and 0 <= y < height and bands[x][y] != me["id"]:
            safe.append(move)
    return choice(safe) if safe else "S"
