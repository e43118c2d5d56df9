"""A bot for Paper.io: takes rectangles of land, and goes home before it can be cut.

    ./ludus play paperio examples/paperio_bot.py go_round --watch

纸带圈地的 AI：圈矩形领地，在被截断之前回家。
"""

STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))  # east, south, west, north
TURNS = {"S": 0, "L": 3, "R": 1}
SIDE = 10  # the longest side of a rectangle


def init(storage):
    """Before the first bout of a match."""
    storage["bouts"] = 0


def load(stat, storage):
    """Before the first move of a bout."""
    storage["bouts"] += 1
    stat["walked"] = 0  # steps since the last turn, while outside
    stat["band"] = []  # the cells of our band


def play(stat, storage):
    here = place(stat, "me")
    if land(stat, here):
        stat["walked"], stat["band"] = 0, []
    else:
        stat["walked"] += 1
        stat["band"].append(here)
    moves = [move for move in TURNS if is_safe(stat, move)]
    if not moves:
        return "S"
    if in_danger(stat):
        return min(moves, key=lambda move: way_home(stat, ahead(stat, move)))
    if stat["walked"] >= SIDE and "L" in moves:
        stat["walked"] = 0
        return "L"
    if moves[0] != "S":
        stat["walked"] = 0
    return moves[0]


def place(stat, who):
    player = stat["now"][who]
    return player["x"], player["y"]


def ahead(stat, move):
    """The cell that a move leads to."""
    me = stat["now"]["me"]
    dx, dy = STEPS[(me["direction"] + TURNS[move]) % 4]
    return me["x"] + dx, me["y"] + dy


def inside(stat, cell):
    width, height = stat["size"]
    return 0 <= cell[0] < width and 0 <= cell[1] < height


def land(stat, cell):
    """Whether it is our land."""
    x, y = cell
    return inside(stat, cell) and stat["now"]["fields"][x][y] == stat["now"]["me"]["id"]


def is_safe(stat, move):
    """On the field and not on our own band."""
    x, y = cell = ahead(stat, move)
    return inside(stat, cell) and stat["now"]["bands"][x][y] != stat["now"]["me"]["id"]


def distance(one, other):
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def way_home(stat, cell):
    """Steps from a cell to the nearest of our land, as the crow flies."""
    own = stat["now"]["me"]["id"]
    cells = (
        (x, y)
        for x, column in enumerate(stat["now"]["fields"])
        if own in column
        for y, owner in enumerate(column)
        if owner == own
    )
    return min((distance(cell, home) for home in cells), default=0)


def in_danger(stat):
    """Whether the enemy is nearly as near to our band as we are to our land."""
    if not stat["band"]:
        return False
    enemy = place(stat, "enemy")
    reach = min(distance(enemy, cell) for cell in stat["band"])
    return reach <= way_home(stat, place(stat, "me")) + 4
