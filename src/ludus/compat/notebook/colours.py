"""The colours of boards in notebooks and pictures."""

from __future__ import annotations

from ludus.compat.board_cells import BoardCell

Rgb = tuple[int, int, int]

SEAT_COLOURS: tuple[Rgb, ...] = ((74, 124, 199), (214, 126, 44), (62, 148, 92), (150, 96, 180))
ROLE_COLOURS: dict[str, Rgb] = {
    "black": (34, 36, 40),
    "white": (250, 250, 246),
    "red": (208, 66, 62),
    "blue": (66, 118, 208),
    "green": (62, 148, 92),
    "yellow": (226, 184, 58),
    "purple": (142, 88, 176),
    "unknown": (150, 150, 150),
    "attacker": (52, 54, 60),
    "defender": (236, 224, 196),
    "king": (246, 202, 84),
}
"""The colours of pieces whose role says it; the others have the colour of their seat."""
BOARD_COLOUR: Rgb = (233, 228, 214)
LINE_COLOUR: Rgb = (196, 188, 168)
MARK_COLOUR: Rgb = (228, 58, 92)
NEUTRAL_COLOUR: Rgb = (140, 140, 140)
GROUND_SHARE = 0.28
"""How much of its owner's colour the ground of a territory has."""
STRONGEST_LEVEL = 11
"""The level from which tiles have their owner's full colour."""


def piece_colour(cell: BoardCell) -> Rgb:
    """The colour of what stands on a cell: by its role, else by owner and level."""
    if (known := ROLE_COLOURS.get(cell.role)) is not None:
        return known
    if cell.owner is None:
        return NEUTRAL_COLOUR
    colour = SEAT_COLOURS[cell.owner % len(SEAT_COLOURS)]
    if not cell.role.startswith("level") or cell.level is None:
        return colour
    return mix_colours(
        (255, 255, 255), colour, 0.35 + 0.65 * min(1.0, cell.level / STRONGEST_LEVEL)
    )


def ground_colour(owner: int | None) -> Rgb:
    """The colour of a cell of a territory, or of one without an owner."""
    if owner is None:
        return BOARD_COLOUR
    return mix_colours(BOARD_COLOUR, SEAT_COLOURS[owner % len(SEAT_COLOURS)], GROUND_SHARE)


def text_colour(ground: Rgb) -> Rgb:
    """Black or white, whichever is readable on a colour."""
    red, green, blue = ground
    return (20, 20, 20) if 0.3 * red + 0.59 * green + 0.11 * blue > 140 else (255, 255, 255)


def mix_colours(one: Rgb, other: Rgb, share: float) -> Rgb:
    """A colour between two; ``share`` is that of the other."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def to_hex(colour: Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
