"""Walks rectangles: out, across, back home. 走矩形：出门、横走、回家。"""

STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
TURNS = {"S": 0, "R": 1, "L": 3}
LEG = 8
"""How far it goes before it turns."""


def load(stat, storage):
    stat["leg"] = 0


def play(stat, storage):
    stat["leg"] = 0 if is_home(stat) else stat["leg"] + 1
    wanted = "LSR" if stat["leg"] >= LEG else "SLR"
    move = next((move for move in wanted if is_safe(stat, move)), "S")
    if move != "S":
        stat["leg"] = 0
    return move


def is_home(stat):
    """Whether it is on its own land; on tiny fields it may begin outside of everything."""
    me = stat["now"]["me"]
    x, y = me["x"], me["y"]
    return is_inside(stat, x, y) and stat["now"]["fields"][x][y] == me["id"]


def is_inside(stat, x, y):
    width, height = stat["size"]
    return 0 <= x < width and 0 <= y < height


def is_safe(stat, move):
    """Whether the next cell is on the field and not on the own band."""
    me = stat["now"]["me"]
    dx, dy = STEPS[(me["direction"] + TURNS[move]) % 4]
    x, y = me["x"] + dx, me["y"] + dy
    return is_inside(stat, x, y) and stat["now"]["bands"][x][y] != me["id"]
