# A bot for Paper.io (paperio), written for the original's API.
# Try it:   ludus play paperio examples/dialects/paperio_play.py go_round --watch
# Check it: ludus check examples/dialects/paperio_play.py --game paperio

STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))  # east, south, west, north
TURNS = {"S": 0, "R": 1, "L": 3}
SIDE = 6  # how far it goes before it turns


def load(stat, storage):
    """A bout begins. May be left out, like init, summary and summaryall.

    stat is one dict for the whole bout: keep in it what you want to remember.
    storage is one dict for the whole match: it survives from bout to bout.
    """
    stat["walked"] = 0


def play(stat, storage):
    """Answer with "L" (left), "R" (right) or anything else (straight on).

    stat["size"]  (width, height)
    stat["log"]   all frames so far, one for each step of either player
    stat["now"]   the last of them:
        frame["fields"][x][y], frame["bands"][x][y]   None, 1 or 2: whose land, whose band
        frame["me"], frame["enemy"]                   "id", "x", "y", "direction"
        frame["turnleft"], frame["timeleft"]          of player 1 and player 2
    What you print becomes a note about the move that only you read.
    """
    stat["walked"] = 0 if at_home(stat) else stat["walked"] + 1
    order = "LSR" if stat["walked"] >= SIDE else "SLR"
    move = next((move for move in order if is_safe(stat, move)), "S")
    if move != "S":
        stat["walked"] = 0
    return move


def at_home(stat):
    """Whether we stand on our own land."""
    me = stat["now"]["me"]
    return stat["now"]["fields"][me["x"]][me["y"]] == me["id"]


def is_safe(stat, move):
    """Whether the next cell is on the field and not on our own band."""
    me, (width, height) = stat["now"]["me"], stat["size"]
    dx, dy = STEPS[(me["direction"] + TURNS[move]) % 4]
    x, y = me["x"] + dx, me["y"] + dy
    return 0 <= x < width and 0 <= y < height and stat["now"]["bands"][x][y] != me["id"]
