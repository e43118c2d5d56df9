"""Eraser (星际消战): two players, one board of coloured pieces, swap to erase."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from ludus.errors import LudusError
from ludus.games.base import DRAWN_FROM_SEED, Clock, Game, Options, option
from ludus.games.eraser.board import COLUMNS, LETTERS, NAMES, ROWS, Board, stock_of
from ludus.games.eraser.initial_board import draw
from ludus.games.eraser.rules import EraserPosition
from ludus.games.eraser.view import scene
from ludus.games.seat_names import FIRST, SECOND
from ludus.lang import Text


@dataclasses.dataclass(frozen=True)
class EraserOptions(Options):
    """The options of Eraser."""

    turns: int = option(
        200,
        "turns of a bout, of both players together",
        "双方合计的总回合数",
        title=Text("Turns", "回合数"),
        low=1,
        high=100_000,
    )
    hole: str = option(
        "turn",
        "what happens when the main board has a hole",
        "主棋盘出现空缺时怎么办",
        title=Text("Hole in the board", "棋盘出现空缺"),
        choices={
            "turn": Text("one more turn is played", "再走一回合"),
            "end": Text("the bout ends at once", "立即结束"),
        },
    )
    rows: int = option(
        ROWS,
        "rows that hold pieces at the start",
        "开局时有棋子的行数",
        title=Text("Filled rows", "有子行数"),
        low=6,
        high=ROWS,
    )
    columns: str = option(
        "",
        "the board, instead of one drawn from the seed: six texts of R B G Y P with commas"
        " between, bottom first, ? for a piece of unknown colour",
        "指定棋盘，不由种子产生：六列 R B G Y P 文字，逗号分隔，自下而上，? 表示颜色未知的棋子",
        title=Text("Given board", "指定棋盘"),
        value_names={"": DRAWN_FROM_SEED},
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.columns:
            _check_columns(self.columns.split(","))


def _check_columns(columns: list[str]) -> None:
    if len(columns) != COLUMNS or any(len(text) > ROWS for text in columns):
        sizes = ", ".join(str(len(text)) for text in columns[: COLUMNS + 1])
        raise LudusError(
            f"option columns must name {COLUMNS} columns of at most {ROWS} pieces, got"
            f" {len(columns)} of {sizes}",
            f"选项 columns 应有 {COLUMNS} 列，每列至多 {ROWS} 个棋子，"
            f"得到 {len(columns)} 列：{sizes}",
        )
    strange = sorted(set("".join(columns)) - set(LETTERS[1:]))
    if strange:
        raise LudusError(
            f"option columns may hold the letters {' '.join(LETTERS[1:])}, not {strange[0]!r}",
            f"选项 columns 只能由 {' '.join(LETTERS[1:])} 组成，不能有 {strange[0]!r}",
        )
    if any("?" in text[:6] for text in columns):
        raise LudusError(
            "option columns must give the colours of the main board, its six lowest rows",
            "选项 columns 必须写明主棋盘（最下面六行）的颜色",
        )


class Eraser(Game):
    """The game Eraser."""

    name = "eraser"
    version = 1
    title = Text("Eraser", "星际消战")
    seats = (FIRST, SECOND)
    Options = EraserOptions
    clock = Clock(budget=60.0)
    reasons = {
        "turns": Text(
            "all turns were played: {first} to {second} points",
            "回合数已满：{first} 比 {second} 分",
        ),
        "stuck": Text(
            "no swap erases anything any more: {first} to {second} points",
            "已无可消除的操作：{first} 比 {second} 分",
        ),
        "holes": Text(
            "the pieces ran out: {first} to {second} points",
            "棋子用尽：{first} 比 {second} 分",
        ),
        "tied": Text(
            "equal points: {first} to {second}",
            "得分相同：{first} 比 {second}",
        ),
    }
    dialects = {"Plaser": "ludus.games.eraser.dialect:PlaserHost"}
    house = Path(__file__).parent / "bots"
    guide_folder = Path(__file__).parent / "guide"
    levels = {"random": "beginner", "greedy": "normal", "two_ply": "hard"}
    odd = ({"turns": 1}, {"rows": 9}, {"rows": 16, "hole": "end"}, {})

    def start(self, options: Any, seed: int) -> EraserPosition:
        stock = stock_of(options.columns.split(",")) if options.columns else draw(seed)
        if options.rows < ROWS:
            stock = keep_lowest_rows(stock, options.rows)
        return EraserPosition(Board(stock), options.turns, options.hole == "turn")

    def list_actions(self, options: Any) -> tuple[str, ...]:
        return NAMES

    def search_position(self, position: Any) -> Any:
        from ludus.games.eraser.search_position import EraserSearchPosition

        return EraserSearchPosition(position)

    def scene(self, options: Any) -> dict[str, Any]:
        return scene(options.turns)


def keep_lowest_rows(stock: bytes, rows: int) -> bytes:
    """The same board with nothing above its lowest rows."""
    starts = range(0, COLUMNS * ROWS, ROWS)
    return b"".join(stock[start : start + rows].ljust(ROWS, b"\0") for start in starts)


GAME = Eraser()
