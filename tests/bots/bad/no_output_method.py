"""Has the name but not the method."""

VERDICT = "load"


class Player:
    pass
