"""The boards of the Tablut family, and what each variant says where the options say ``variant``.

Cells are numbered row by row from the top left: ``cell = size * y + x``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ludus.errors import LudusError
from ludus.games.base import Options, option
from ludus.lang import Text

VARIANT_DEFAULT = "variant"
"""The value of an option that leaves the question to the variant."""
PERMITTED_PIECES = ("nobody", "king", "all")
"""Who may pass or stop; each includes those before."""


@dataclasses.dataclass(frozen=True, slots=True)
class Layout:
    """A board at the start. Each list is one eighth of it, mirrored to the other seven."""

    size: int
    attackers: tuple[tuple[int, int], ...]
    """``(x, y)`` of the top side."""
    defenders: tuple[tuple[int, int], ...]
    camps: tuple[tuple[int, int], ...] = ()
    """Cells that only attackers who have not left their camp may enter."""


_TABLUT = Layout(9, ((3, 0), (4, 0), (4, 1)), ((4, 2), (4, 3)))

LAYOUTS: Mapping[str, Layout] = {
    "tablut": _TABLUT,
    "ashton": dataclasses.replace(_TABLUT, camps=_TABLUT.attackers),
    "brandubh": Layout(7, ((3, 0), (3, 1)), ((3, 2),)),
    "ardri": Layout(7, ((2, 0), (3, 0), (3, 1)), ((3, 2), (2, 2))),
    "tawlbwrdd": Layout(11, ((4, 0), (5, 0), (4, 1), (5, 2)), ((5, 3), (5, 4), (4, 4))),
    "hnefatafl": Layout(11, ((3, 0), (4, 0), (5, 0), (5, 1)), ((5, 3), (5, 4), (4, 4))),
    "alea": Layout(
        19,
        ((2, 0), (5, 0), (5, 2), (7, 3), (9, 3), (6, 4), (5, 5)),
        ((8, 4), (9, 6), (8, 7), (9, 8)),
    ),
}


def _choice(en: str, zh: str, *choices: str) -> Any:
    return option(VARIANT_DEFAULT, en, zh, choices=(VARIANT_DEFAULT, *choices))


@dataclasses.dataclass(frozen=True)
class TablutOptions(Options):
    """Every question that rules of this family answer differently.

    ``variant`` (for the limit: 0) means: as the variant has it, see ``variant_rules``.
    """

    variant: str = option(
        "tablut", "the board and the rules that go with it", "棋盘及其规则", choices=tuple(LAYOUTS)
    )
    first: str = _choice("who moves first", "谁先走", "defenders", "attackers")
    limit: int = option(
        0,
        "plies after which the bout ends; 0: the variant's own",
        "多少步后终局；0 表示变体自己的规定",
        low=0,
        high=100_000,
    )
    limit_result: str = _choice(
        "who wins at the limit", "到步数上限时谁胜", "draw", "attackers", "defenders"
    )
    last_ply: str = _choice(
        "what still counts on the ply that reaches the limit: every ending, only a side that"
        " cannot move, nothing",
        "恰好到上限的那一步仍算数的结局：全部、仅无子可动、都不算",
        "all",
        "stuck",
        "nothing",
    )
    goal: str = _choice("where the king wins", "王到哪里获胜", "border", "corners")
    corners_closed: str = _choice("corners are closed to pawns", "兵不可进角格", "yes", "no")
    corners_hostile: str = _choice("corners help to capture", "角格可协助夹吃", "yes", "no")
    border_hostile: str = _choice(
        "the edge of the board helps to capture", "棋盘边缘可协助夹吃", "yes", "no"
    )
    throne_pass: str = _choice(
        "who may pass over the empty throne", "谁可越过空王座", *PERMITTED_PIECES
    )
    throne_stop: str = _choice("who may stop on the throne", "谁可停在王座上", *PERMITTED_PIECES)
    throne_hostile: str = _choice(
        "against whom the throne helps to capture",
        "王座协助夹吃哪一方",
        "nobody",
        "attackers",
        "defenders",
        "all",
    )
    throne_wall: str = _choice(
        "when it does so: while empty, or with the king on it too",
        "何时协助：空着时，或王在上面时也算",
        "empty",
        "always",
    )
    king_against_throne: str = _choice(
        "the king too is captured against the empty throne", "空王座也可协助夹吃王", "yes", "no"
    )
    king_capture: str = _choice(
        "how the king is captured: by two like a pawn, by four, or by four on the throne and by"
        " three beside it",
        "如何吃王：像兵一样两子夹吃、四子包围、或在王座上四子且在其旁三子",
        "two",
        "four",
        "throne",
    )
    king_armed: str = _choice(
        "how the king helps to capture: moving and standing, only moving, only standing, not",
        "王如何参与夹吃：主动和被动、仅主动、仅被动、不参与",
        "both",
        "hammer",
        "anvil",
        "no",
    )
    between: str = _choice(
        "who moves between two enemies is", "走到两个敌子之间", "safe", "captured"
    )
    stuck: str = _choice(
        "a side that cannot move loses, draws, or loses only as defenders",
        "无子可动的一方：判负、和棋、仅防守方判负",
        "loses",
        "draws",
        "defenders",
    )
    repetition: str = _choice(
        "the third time of a position: nothing, a draw, or a loss of that side; again: a draw the"
        " second time since the last capture",
        "同一局面第三次出现：不管、和棋、或判该方负；again：自上次吃子以来第二次出现即和棋",
        "off",
        "again",
        "draw",
        "attackers",
        "defenders",
        "mover",
    )
    opening: int = option(
        0,
        "random plies before the first move, drawn from the seed",
        "开局先随机走的步数，由种子决定",
        low=0,
        high=20,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        resolve_settings(self)  # refuses what does not fit together


@dataclasses.dataclass(frozen=True, slots=True)
class TablutSettings:
    """The options with every question answered."""

    variant: str
    first: str
    limit: int
    limit_result: str
    last_ply: str
    goal: str
    corners_closed: str
    corners_hostile: str
    border_hostile: str
    throne_pass: str
    throne_stop: str
    throne_hostile: str
    throne_wall: str
    king_against_throne: str
    king_capture: str
    king_armed: str
    between: str
    stuck: str
    repetition: str
    opening: int

    @property
    def size(self) -> int:
        return LAYOUTS[self.variant].size


TABLUT_RULES: Mapping[str, Any] = {
    "first": "defenders",
    "limit": 100,
    "limit_result": "draw",
    "last_ply": "all",
    "goal": "border",
    "corners_closed": "no",
    "corners_hostile": "no",
    "border_hostile": "no",
    "throne_pass": "nobody",
    "throne_stop": "nobody",
    "throne_hostile": "all",
    "throne_wall": "empty",
    "king_against_throne": "yes",
    "king_capture": "two",
    "king_armed": "both",
    "between": "safe",
    "stuck": "loses",
    "repetition": "off",
}
OTHER_VARIANT_RULES: Mapping[str, Any] = {
    **TABLUT_RULES,
    "goal": "corners",
    "corners_closed": "yes",
    "throne_pass": "all",
    "throne_stop": "king",
    "throne_hostile": "nobody",
}
"""What the other variants share: corners and throne are the king's, and nothing is hostile."""
ASHTON_RULES: Mapping[str, Any] = {
    **TABLUT_RULES,
    "limit": 1000,
    "throne_wall": "always",
    "king_capture": "throne",
    "repetition": "again",
}
"""The rules of the Tablut challenge; its camps are part of the layout.

The challenge has no limit of plies; that of Ludus is longer than any of its games was.
"""
PLY_LIMITS = {7: 100, 9: 100, 11: 200, 19: 400}
"""Plies by the size of the board, where the rules do not say."""


def variant_rules(variant: str) -> dict[str, Any]:
    """What a variant says to every option that asks it."""
    if variant == "ashton":
        return dict(ASHTON_RULES)
    rules = TABLUT_RULES if variant == "tablut" else OTHER_VARIANT_RULES
    return {**rules, "limit": PLY_LIMITS[LAYOUTS[variant].size]}


@lru_cache(maxsize=256)
def resolve_settings(options: TablutOptions) -> TablutSettings:
    """The options with the variant's answers filled in, or a LudusError if they contradict."""
    own = variant_rules(options.variant)
    given = {field.name: getattr(options, field.name) for field in dataclasses.fields(options)}
    filled = {k: own[k] if k in own and v in (VARIANT_DEFAULT, 0) else v for k, v in given.items()}
    if PERMITTED_PIECES.index(filled["throne_stop"]) > PERMITTED_PIECES.index(
        filled["throne_pass"]
    ):
        raise LudusError(
            f"who may stop on the throne may also pass it: throne_stop is"
            f" {filled['throne_stop']}, throne_pass only {filled['throne_pass']}",
            f"可停在王座上者也必须可越过：throne_stop 为 {filled['throne_stop']}，"
            f"而 throne_pass 只有 {filled['throne_pass']}",
        )
    return TablutSettings(**filled)


CAMPS_TEXT = Text(
    "- Camps are the cells where the attackers stand at the start. No piece enters a camp or passes"
    " over one, except an attacker that has not left its own camp yet, and within it. A camp helps"
    " to capture, like a piece of the side that moves; the middle cell at the border of a camp does"
    " not against attackers.",
    "- 营地是进攻方开局所在的格子。谁都不能进入或越过营地，"
    "只有尚未离开自己营地的进攻方可以在其中移动。营地可协助走子的一方夹吃，但四边正中的营地格不能用来夹吃进攻方。",
)
DIFFERENCES_TEXT = Text("In this bout these rules are different:", "本局不同的规则：")


def describe_differences(options: TablutOptions, language: str = "en") -> str:
    """A line for each rule that differs from usual Tablut; empty if none does."""
    settings = resolve_settings(options)
    helps = {field.name: field.metadata["help"][language] for field in dataclasses.fields(options)}
    lines = [
        f"- {name} = {value}: {helps[name]}"
        for name, usual in TABLUT_RULES.items()
        if (value := getattr(settings, name)) != usual
    ]
    if LAYOUTS[options.variant].camps:
        lines.append(CAMPS_TEXT[language])
    return "\n".join([DIFFERENCES_TEXT[language], *lines]) if lines else ""


@lru_cache(maxsize=16)
def start_cells(variant: str) -> str:
    """The first position: a character per cell, ``.`` empty, ``a``, ``d``, ``K``."""
    layout = LAYOUTS[variant]
    cells = ["."] * layout.size**2
    for piece, eighth in (("a", layout.attackers), ("d", layout.defenders)):
        for x, y in eighth:
            for cell in _mirrored_cells(layout.size, x, y):
                cells[cell] = piece
    cells[layout.size**2 // 2] = "K"
    return "".join(cells)


@lru_cache(maxsize=16)
def camp_cells(variant: str) -> frozenset[int]:
    """The cells of the camps; none in most variants."""
    layout = LAYOUTS[variant]
    return frozenset(cell for x, y in layout.camps for cell in _mirrored_cells(layout.size, x, y))


def camp_of(variant: str, cell: int) -> frozenset[int]:
    """The cells of the camp that a cell belongs to; none outside the camps."""
    camps, size = camp_cells(variant), LAYOUTS[variant].size
    camp: set[int] = set()
    reached = {cell} & camps
    while reached:
        camp |= reached
        beside = {near for c in reached for near in _adjacent_cells(c, size)}
        reached = (beside & camps) - camp
    return frozenset(camp)


def _adjacent_cells(cell: int, size: int) -> list[int]:
    row, column = divmod(cell, size)
    near = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return [size * y + x for y, x in near if 0 <= y < size and 0 <= x < size]


def _mirrored_cells(size: int, x: int, y: int) -> set[int]:
    """A cell mirrored on the diagonal and on both axes."""
    far = size - 1
    return {size * b + a for p, q in ((x, y), (y, x)) for a in (p, far - p) for b in (q, far - q)}
