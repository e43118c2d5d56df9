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


AS_VARIANT = Text("as the variant says", "按变体默认")
YES, NO = Text("yes", "是"), Text("no", "否")
NOBODY, KING, ALL = Text("nobody", "谁也不能"), Text("the king", "王"), Text("all", "全部")
ATTACKERS, DEFENDERS = Text("attackers", "进攻方"), Text("defenders", "防守方")
VARIANT_NAMES: Mapping[str, Text] = {
    "tablut": Text("Tablut", "塔布鲁特棋"),
    "ashton": Text("Ashton Tablut", "阿什顿规则"),
    "brandubh": Text("Brandubh", "布兰杜夫"),
    "ardri": Text("Ard Ri", "阿德里"),
    "tawlbwrdd": Text("Tawlbwrdd", "陶布尔德"),
    "hnefatafl": Text("Hnefatafl", "维京棋"),
    "alea": Text("Alea Evangelii", "福音棋"),
}


def _choice(title: Text, en: str, zh: str, choices: Mapping[str, Text]) -> Any:
    choices = {VARIANT_DEFAULT: AS_VARIANT, **choices}
    return option(VARIANT_DEFAULT, en, zh, title=title, choices=choices)


@dataclasses.dataclass(frozen=True)
class TablutOptions(Options):
    """Every question that rules of this family answer differently.

    ``variant`` (for the limit: 0) means: as the variant has it, see ``variant_rules``.
    """

    variant: str = option(
        "tablut",
        "the board and the rules that go with it",
        "棋盘及其规则",
        title=Text("Variant", "变体"),
        choices=VARIANT_NAMES,
    )
    first: str = _choice(
        Text("First move", "先走方"),
        "who moves first",
        "谁先走",
        {"defenders": DEFENDERS, "attackers": ATTACKERS},
    )
    limit: int = option(
        0,
        "moves of both sides after which the bout ends",
        "双方合计多少步后终局",
        title=Text("Move limit", "步数上限"),
        low=0,
        high=100_000,
        value_names={"0": AS_VARIANT},
    )
    limit_result: str = _choice(
        Text("Result at the limit", "到上限时的结果"),
        "who wins at the limit",
        "到步数上限时谁胜",
        {
            "draw": Text("draw", "和棋"),
            "attackers": Text("attackers win", "进攻方胜"),
            "defenders": Text("defenders win", "防守方胜"),
        },
    )
    last_ply: str = _choice(
        Text("Last move", "最后一步"),
        "which endings still count on the move that reaches the limit",
        "恰好到上限的那一步，哪些结局仍算数",
        {
            "all": Text("every ending", "全部"),
            "stuck": Text("only a side that cannot move", "仅无子可动"),
            "nothing": Text("none", "都不算"),
        },
    )
    goal: str = _choice(
        Text("Goal of the king", "王的目标"),
        "where the king wins",
        "王到哪里获胜",
        {"border": Text("the edge", "边线"), "corners": Text("the corners", "四角")},
    )
    corners_closed: str = _choice(
        Text("Closed corners", "角格关闭"),
        "whether corners are closed to pawns",
        "兵是否不可进角格",
        {"yes": YES, "no": NO},
    )
    corners_hostile: str = _choice(
        Text("Hostile corners", "角格敌对"),
        "whether corners help to capture",
        "角格是否可协助夹吃",
        {"yes": YES, "no": NO},
    )
    border_hostile: str = _choice(
        Text("Hostile edge", "边缘敌对"),
        "whether the edge of the board helps to capture",
        "棋盘边缘是否可协助夹吃",
        {"yes": YES, "no": NO},
    )
    throne_pass: str = _choice(
        Text("Passing the throne", "越过王座"),
        "who may pass over the empty throne",
        "谁可越过空王座",
        {"nobody": NOBODY, "king": KING, "all": ALL},
    )
    throne_stop: str = _choice(
        Text("Stopping on the throne", "停在王座"),
        "who may stop on the throne",
        "谁可停在王座上",
        {"nobody": NOBODY, "king": KING, "all": ALL},
    )
    throne_hostile: str = _choice(
        Text("Hostile throne", "王座敌对"),
        "against whom the throne helps to capture",
        "王座协助夹吃哪一方",
        {
            "nobody": Text("nobody", "都不"),
            "attackers": ATTACKERS,
            "defenders": DEFENDERS,
            "all": Text("both sides", "双方"),
        },
    )
    throne_wall: str = _choice(
        Text("Throne is hostile", "王座何时敌对"),
        "when the throne helps to capture",
        "王座何时协助夹吃",
        {
            "empty": Text("while empty", "空着时"),
            "always": Text("with the king on it too", "王在上面时也算"),
        },
    )
    king_against_throne: str = _choice(
        Text("King against the throne", "王座夹王"),
        "whether the king too is captured against the empty throne",
        "空王座是否也可协助夹吃王",
        {"yes": YES, "no": NO},
    )
    king_capture: str = _choice(
        Text("Capture of the king", "吃王方式"),
        "how the king is captured",
        "如何吃王",
        {
            "two": Text("by two, like a pawn", "像兵一样两子夹吃"),
            "four": Text("by four", "四子包围"),
            "throne": Text("by four on the throne, three beside it", "在王座上四子，在其旁三子"),
        },
    )
    king_armed: str = _choice(
        Text("Armed king", "王参与夹吃"),
        "how the king helps to capture",
        "王如何参与夹吃",
        {
            "both": Text("moving and standing", "主动和被动"),
            "hammer": Text("only moving", "仅主动"),
            "anvil": Text("only standing", "仅被动"),
            "no": Text("not at all", "不参与"),
        },
    )
    between: str = _choice(
        Text("Moving between enemies", "走入夹击"),
        "what happens to a piece that moves between two enemies",
        "走到两个敌子之间的棋子",
        {"safe": Text("it is safe", "安全"), "captured": Text("it is captured", "被吃")},
    )
    stuck: str = _choice(
        Text("No move left", "无子可动"),
        "what happens to a side that cannot move",
        "无子可动的一方",
        {
            "loses": Text("it loses", "判负"),
            "draws": Text("draw", "和棋"),
            "defenders": Text("defenders lose, attackers draw", "仅防守方判负，进攻方和棋"),
        },
    )
    repetition: str = _choice(
        Text("Repetition", "重复局面"),
        "what happens the third time that a position appears",
        "同一局面第三次出现时",
        {
            "off": Text("nothing", "不管"),
            "again": Text(
                "draw already the second time since a capture", "自上次吃子以来第二次即和棋"
            ),
            "draw": Text("draw", "和棋"),
            "attackers": Text("attackers lose", "进攻方负"),
            "defenders": Text("defenders lose", "防守方负"),
            "mover": Text("the side that moved loses", "走成者负"),
        },
    )
    opening: int = option(
        0,
        "random moves before the first move, drawn from the seed",
        "开局先随机走的步数，由种子决定",
        title=Text("Random first moves", "随机开局步数"),
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
    about = {field.name: field.metadata for field in dataclasses.fields(options)}
    lines = [
        f"- {about[name]['help'][language]}: {_value_text(about[name], value, language)}"
        for name, usual in TABLUT_RULES.items()
        if (value := getattr(settings, name)) != usual
    ]
    if LAYOUTS[options.variant].camps:
        lines.append(CAMPS_TEXT[language])
    return "\n".join([DIFFERENCES_TEXT[language], *lines]) if lines else ""


def _value_text(about: Mapping[str, Any], value: Any, language: str) -> str:
    name: Text | None = about["value_names"].get(str(value))
    return name[language] if name else str(value)


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
