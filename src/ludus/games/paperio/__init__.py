"""Paper.io (纸带圈地): two paper rolls that wind their bands around land on one field."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ludus.errors import LudusError
from ludus.games.base import DRAWN_FROM_SEED, Clock, Game, Options, Outcome, option
from ludus.games.paperio.field import Field
from ludus.games.paperio.rules import MOVES, PaperPosition, starts
from ludus.games.paperio.view import scene
from ludus.games.seat_names import FIRST, SECOND
from ludus.lang import Text

MAX_START_COORDINATE = 10_000
"""A start may lie off the field, but not absurdly far."""


@dataclasses.dataclass(frozen=True)
class PaperOptions(Options):
    """The options of Paper.io."""

    k: int = option(
        51,
        "half the width of the field",
        "场地宽度的一半",
        title=Text("Half the width", "半宽"),
        low=1,
        high=500,
    )
    h: int = option(
        101,
        "height of the field",
        "场地的高度",
        title=Text("Height", "高度"),
        low=1,
        high=1000,
    )
    turns: int = option(
        2000,
        "in each turn both players move once",
        "每回合双方各走一步",
        title=Text("Turns", "回合数"),
        low=0,
        high=50_000,
    )
    draw: str = option(
        "head",
        "how the places to start are drawn from the seed",
        "如何由种子抽取起点",
        title=Text("Draw of the start", "起点抽取方式"),
        choices={
            "head": Text("as in the original's last version", "按原版最后的版本"),
            "event2018": Text("as at the event of 2018", "按 2018 年赛事"),
        },
    )
    first: tuple[int, ...] = option(
        (),
        "where the first player starts: x, y, direction (0 east to 3 north) and, if you like, the"
        " radius of the land",
        "先手的起点：x、y、方向（0 东到 3 北），还可加领地半径",
        title=Text("Start of the first player", "先手起点"),
        value_names={"": DRAWN_FROM_SEED},
    )
    second: tuple[int, ...] = option(
        (),
        "where the second player starts, in the same way",
        "后手的起点，写法相同",
        title=Text("Start of the second player", "后手起点"),
        value_names={"": DRAWN_FROM_SEED},
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("first", "second"):
            _check_start(name, getattr(self, name))


def _check_start(name: str, given: tuple[int, ...]) -> None:
    if not given:
        return
    whole = len(given) in (3, 4) and all(
        -MAX_START_COORDINATE <= number <= MAX_START_COORDINATE for number in given
    )
    if not whole or given[2] not in range(4) or given[3:] < (0,) * len(given[3:]):
        raise LudusError(
            f"option {name} must be x,y,direction or x,y,direction,expand with a direction from 0"
            f" (east) to 3 (north) and an expand of 0 or more, got {given}",
            f"选项 {name} 应为 x,y,方向 或 x,y,方向,领地半径；方向为 0（东）到 3（北），"
            f"半径不小于 0，得到 {given}",
        )


OWN_BAND = Text(
    "{mover} ran over its own band (land {first} to {second})",
    "{mover}碰到自己的纸带（领地 {first} 比 {second}）",
)


class PaperIo(Game):
    """The game Paper.io."""

    name = "paperio"
    version = 1
    title = Text("Paper.io", "纸带圈地")
    seats = (FIRST, SECOND)
    Options = PaperOptions
    clock = Clock(budget=30.0)
    reasons = {
        "wall": Text(
            "{mover} left the field (land {first} to {second})",
            "{mover}走出场地（领地 {first} 比 {second}）",
        ),
        "band": Text(
            "{mover} ran over the band of {owner} (land {first} to {second})",
            "{mover}碰到{owner}的纸带（领地 {first} 比 {second}）",
        ),
        "side": Text(
            "{mover} hit the other head from the side (land {first} to {second})",
            "{mover}侧碰对方纸卷（领地 {first} 比 {second}）",
        ),
        "face": Text(
            "{mover} met the other head on, so land decided: {first} to {second}",
            "{mover}与对方正面相碰，比较领地：{first} 比 {second}",
        ),
        "land": Text(
            "{mover} met the other head on the land of {owner} (land {first} to {second})",
            "{mover}与对方在{owner}的领地内相碰（领地 {first} 比 {second}）",
        ),
        "area": Text(
            "all turns are over, so land decided: {first} to {second}",
            "回合用尽，比较领地：{first} 比 {second}",
        ),
    }
    seat_details = ("mover", "owner")
    dialects = {"play": "ludus.games.paperio.dialect:PlayHost"}
    house = Path(__file__).parent / "bots"
    guide_folder = Path(__file__).parent / "guide"
    levels = {"random": "beginner", "go_round": "normal", "hunter": "hard"}
    demo = {"k": 15, "h": 25, "turns": 300}
    casual = {"k": 20, "h": 31, "turns": 400}
    odd = ({"k": 9, "h": 17, "turns": 60}, {"k": 15, "h": 31, "turns": 4}, {})

    def choose_sentence(self, outcome: Outcome) -> Mapping[str, str]:
        mover = outcome.detail.get("mover")
        if outcome.reason == "band" and mover is not None and mover == outcome.detail.get("owner"):
            return OWN_BAND
        return super().choose_sentence(outcome)

    def start(self, options: Any, seed: int) -> PaperPosition:
        field = Field(2 * options.k, options.h, options.turns, starts(options, seed))
        return PaperPosition(field)

    def list_actions(self, options: Any) -> tuple[str, ...]:
        return MOVES

    def scene(self, options: Any) -> dict[str, Any]:
        return scene(options)


GAME = PaperIo()
