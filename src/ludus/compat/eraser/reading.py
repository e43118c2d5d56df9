"""Reads a replay file and reconstructs the board and the moves from its frames.

Nothing here trusts the file. Frames are decoded one by one, so that a large file stays small in
memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ludus.errors import LudusError
from ludus.games.eraser.board import COLUMNS, ROWS, SHOWN, SWAPS, name_of

MAX_FILE_BYTES = 16 << 20
"""The largest replay file; a typical one has 1 MB."""
MAX_BOARD_BYTES = 4096
"""Bytes of a frame's board; 48 pieces take 1300."""
PIECE_PATTERN = re.compile(r"r([0-9]{4})c([0-9]{4})b([0-4])")
COLOURS = "RBGYP"
UNKNOWN = "?"

Cell = tuple[int, int]
"""Row and column, as the file has them."""
PiecePlaces = dict[str, Cell]


class Panel(msgspec.Struct):
    """The side bar of one player."""

    totalScores: int
    highestCombo: int
    currentCombo: int
    status: int
    totalTime: float


class Panels(msgspec.Struct):
    """The side bars of both players."""

    left: Panel
    right: Panel


class Frame(msgspec.Struct):
    """A moment of a replay: the board and both side bars."""

    turnNumber: int
    currentPlayer: int
    remainedBarStatus: tuple[int, int, int, int, int, int]
    boardStatus: msgspec.Raw
    sideBarStatus: Panels

    def pieces(self) -> PiecePlaces:
        """Each shown piece with its place."""
        if len(self.boardStatus) > MAX_BOARD_BYTES:
            raise not_a_replay_error("a frame shows more pieces than fit", "某一帧的棋子过多")
        return msgspec.json.decode(self.boardStatus, type=PiecePlaces)

    def total_time(self, side: int) -> float:
        panels = self.sideBarStatus
        return (panels.right if side else panels.left).totalTime


class Scores(msgspec.Struct):
    """The points of both players."""

    left: list[int]
    right: list[int]
    relative: list[int]


class Replay(msgspec.Struct):
    """A decoded file before verification."""

    totalFrames: int
    totalRemains: int
    scores: Scores
    errorStatus: int
    errorMessage: str
    winner: int
    frames: list[Frame]
    extra: int
    order: int
    players: tuple[str, str]
    length: int
    time: tuple[float, float]
    reason: str
    tag: msgspec.Raw = msgspec.Raw(b"null")


def not_a_replay_error(en: str, zh: str) -> LudusError:
    return LudusError(
        f"this is not a replay file of the original Eraser: {en}",
        f"这不是星际消战原平台的复盘文件：{zh}",
    )


def verification_error(en: str, zh: str) -> LudusError:
    return LudusError(f"replay verification failed: {en}", f"复盘文件校验失败：{zh}")


def decode(data: bytes) -> Replay:
    """The file's parts, each of the right type."""
    if len(data) > MAX_FILE_BYTES:
        raise not_a_replay_error(
            f"it has more than {MAX_FILE_BYTES >> 20} MB", f"超过 {MAX_FILE_BYTES >> 20} MB"
        )
    try:
        replay = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"), type=Replay)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise not_a_replay_error(_shorten(error), _shorten(error)) from None
    if len(replay.frames) < 2:
        raise not_a_replay_error("it has no frames", "没有帧")
    return replay


def _shorten(error: Exception) -> str:
    return str(error)[:200]


def decode_pieces(frame: Frame, number: int) -> PiecePlaces:
    try:
        return frame.pieces()
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise not_a_replay_error(
            f"frame {number}: {_shorten(error)}", f"第 {number} 帧：{_shorten(error)}"
        ) from None


class ReplayScan:
    """Collects all pieces and swaps from the frames."""

    def __init__(self, replay: Replay) -> None:
        self.colours: list[dict[int, str]] = [{} for _ in range(COLUMNS)]
        """For each column the colours of its pieces by their initial rows."""
        self.moves: list[str] = []
        self.times: list[float] = []
        turn = 0
        before: PiecePlaces = {}
        for number, frame in enumerate(replay.frames):
            shown = decode_pieces(frame, number)
            self._record_pieces(shown, number)
            if frame.turnNumber != turn and number < len(replay.frames) - 1:
                turn += 1
                if frame.turnNumber != turn:
                    raise verification_error(
                        f"frame {number} skips a turn", f"第 {number} 帧跳过了回合"
                    )
                self.moves.append(swap_between(before, shown, turn))
                self.times.append(frame.total_time(turn & 1))
            before = shown
        self.last = before

    def _record_pieces(self, shown: PiecePlaces, number: int) -> None:
        for name, (row, column) in shown.items():
            piece = PIECE_PATTERN.fullmatch(name)
            inside = 0 <= row < SHOWN and 0 <= column < COLUMNS
            if piece is None or not inside or int(piece[1]) >= ROWS or int(piece[2]) >= COLUMNS:
                raise not_a_replay_error(
                    f"frame {number} has a piece {name[:20]!r} at {row}, {column}",
                    f"第 {number} 帧有棋子 {name[:20]!r} 位于 {row}, {column}",
                )
            self.colours[int(piece[2])][int(piece[1])] = COLOURS[int(piece[3])]

    def columns(self) -> str:
        """The board as a game option; pieces that no frame shows have an unknown colour."""
        full = {column for row, column in self.last.values() if row == SHOWN - 1}
        return ",".join(self._column(x, x in full) for x in range(COLUMNS))

    def _column(self, x: int, full: bool) -> str:
        colours = self.colours[x]
        if sorted(colours) != list(range(len(colours))):
            raise verification_error(f"pieces of column {x} are missing", f"第 {x} 列缺少棋子")
        text = "".join(colours[row] for row in range(len(colours)))
        return text.ljust(ROWS, UNKNOWN) if full else text


def swap_between(before: PiecePlaces, after: PiecePlaces, turn: int) -> str:
    """The swap that turns one board into the other."""
    moved = [name for name in before if after.get(name) != before[name]]
    if not set(after) == set(before) or len(moved) > 2:
        raise _no_swap_error(turn)
    if not moved:  # two empty cells
        taken = {cell_of(place) for place in before.values()}
        free = (pair for pair in SWAPS if not taken.intersection(pair))
        pair = next(free, None)
        if pair is None:
            raise _no_swap_error(turn)
        return name_of(*pair)
    one, other = sorted((cell_of(before[moved[0]]), cell_of(after[moved[0]])))
    if (one, other) not in SWAP_PAIRS:
        raise _no_swap_error(turn)
    return name_of(one, other)


SWAP_PAIRS = frozenset(SWAPS)


def cell_of(place: Sequence[int]) -> int:
    """The cell of a place on the main board; places above it cannot be swapped."""
    row, column = place
    return 6 * column + row if row < 6 else -1


def _no_swap_error(turn: int) -> LudusError:
    return verification_error(
        f"turn {turn} does not begin with a swap of two neighbours",
        f"第 {turn} 回合开始时不是交换相邻两子",
    )


def frame_facts(replay: Replay) -> Iterator[dict[str, Any]]:
    """The frames as the writer makes them, to compare."""
    for number, frame in enumerate(replay.frames):
        shown = decode_pieces(frame, number)
        yield {
            "turnNumber": frame.turnNumber,
            "currentPlayer": frame.currentPlayer,
            "remainedBarStatus": list(frame.remainedBarStatus),
            "boardStatus": {name: list(place) for name, place in shown.items()},
            "sideBarStatus": msgspec.to_builtins(frame.sideBarStatus),
        }
