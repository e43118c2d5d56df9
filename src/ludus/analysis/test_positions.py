"""Files of test positions: moments of bouts in which a bot once went wrong.

A file has one position per line, as a JSON object::

    {"game":"reversi","version":1,"options":{},"seed":7,"moves":["d3","c5"],"seat":0,
     "played":"f3","better":["c6"]}

``moves`` are those of a record up to the position, so any game can build it again, and a bot that
wants to know how it came about can be told. A bot passes if it answers with one of the ``better``
moves; where there are none, with anything legal but ``played``.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from ludus.errors import LudusError
from ludus.games.base import Game, IllegalMove, Position
from ludus.games.host import Ply
from ludus.games.registry import get
from ludus.home import refuse_irregular
from ludus.match.record import Record, write_atomically
from ludus.os_errors import describe_os_error

MAX_FILE_BYTES = 64 << 20
"""The largest file of test positions."""


class BotTestPosition(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A moment of a bout, the move that was played there, and better ones."""

    game: str
    version: int
    """The version of the rules."""
    options: dict[str, Any] = {}
    seed: int = 0
    """The seed of the bout."""
    moves: list[str]
    """The moves up to the position, as in a record: step by step, one for each seat to move."""
    seat: int
    """The seat that is asked; it has to move in the position."""
    played: str = ""
    """The move that it played, if it is known."""
    better: list[str] = []
    """Moves with which the test is passed; empty: every legal move but ``played``."""
    loss: float = 0.0
    """How much of the expected score (0 to 1) the move that was played gave away."""
    record: str = ""
    """The name of the record from which it comes, for people."""

    def accepts(self, move: str) -> bool:
        """Whether a legal move passes the test."""
        return move in self.better if self.better else move != self.played


class BuiltPosition(msgspec.Struct):
    """A test position, built by the rules."""

    game: Game
    options: Any
    plies: list[Ply]
    """The steps up to the position."""
    position: Position


def make_test_position(
    record: Record,
    moves: int,
    seat: int,
    *,
    better: Iterable[str] = (),
    loss: float = 0.0,
    name: str = "",
) -> BotTestPosition:
    """The moment of a record before the step that begins with its move number ``moves``.

    ``seat`` is the seat that erred; what it played is taken from the record, if it played there.
    """
    built = _build(record.game, record.version, record.options, record.seed, record.moves[:moves])
    step = dict(zip(built.position.to_move, record.moves[moves:], strict=False))
    return BotTestPosition(
        game=record.game,
        version=record.version,
        options=record.options,
        seed=record.seed,
        moves=record.moves[:moves],
        seat=seat,
        played=step.get(seat, ""),
        better=list(better),
        loss=loss,
        record=name,
    )


def build_test_position(test: BotTestPosition) -> BuiltPosition:
    """Build a position by the rules; LudusError if they do not allow what the test says."""
    built = _build(test.game, test.version, test.options, test.seed, test.moves)
    if test.seat not in built.position.to_move:
        raise LudusError(
            f"seat {test.seat} is not to move after these {len(test.moves)} moves",
            f"走完这 {len(test.moves)} 步后，轮不到座位 {test.seat}",
        )
    legal = built.position.legal(test.seat)
    for move in test.better:
        if move not in legal:
            raise LudusError(
                f"the better move {move!r} is not legal in its position",
                f"更好的着法 {move!r} 在该局面中不合法",
            )
    return built


def _build(
    name: str, version: int, options: dict[str, Any], seed: int, moves: list[str]
) -> BuiltPosition:
    game = get(name)
    if version != game.version:
        raise LudusError(
            f"it uses rules version {version} of {name}; this Ludus has version {game.version}",
            f"它使用 {name} 第 {version} 版规则；本版本 Ludus 使用第 {game.version} 版",
        )
    parsed = game.Options.parse(options)
    position = game.start(parsed, seed)
    plies: list[Ply] = []
    left = list(moves)
    while left:
        seats = position.to_move
        ply = dict(zip(seats, left, strict=False))
        del left[: len(seats)]
        if len(ply) < len(seats) or not seats:
            raise LudusError(
                f"its moves do not fit the rules: step {len(plies) + 1} is incomplete",
                f"其着法不符合规则：第 {len(plies) + 1} 步不完整",
            )
        try:
            position.play(ply)
        except IllegalMove as error:
            raise LudusError(
                f"its moves do not fit the rules: step {len(plies) + 1}: {error}",
                f"其着法不符合规则：第 {len(plies) + 1} 步：{error.why['zh']}",
            ) from None
        plies.append(ply)
    return BuiltPosition(game, parsed, plies, position)


def write_test_positions(path: Path, tests: Iterable[BotTestPosition]) -> None:
    """Write a file of test positions, completely or not at all."""
    write_atomically(path, encode_test_positions(tests))


def encode_test_positions(tests: Iterable[BotTestPosition]) -> bytes:
    """The content of a file of test positions."""
    encoder = msgspec.json.Encoder()
    return b"".join(encoder.encode(test) + b"\n" for test in tests)


def read_test_positions(path: Path) -> list[BotTestPosition]:
    """Read a file of test positions; LudusError, with the line, if it is not one."""
    refuse_irregular(path)
    try:
        size = path.stat().st_size
        data = path.read_bytes() if size <= MAX_FILE_BYTES else b""
    except OSError as error:
        why = describe_os_error(error)
        raise LudusError(f"cannot read {path}: {why.en}", f"无法读取 {path}：{why.zh}") from None
    if size > MAX_FILE_BYTES:
        raise LudusError(
            f"{path} is not a file of test positions: it has more than {MAX_FILE_BYTES >> 20} MB",
            f"{path} 不是测试局面文件：超过 {MAX_FILE_BYTES >> 20} MB",
        )
    decoder = msgspec.json.Decoder(BotTestPosition)
    tests = []
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            tests.append(decoder.decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise LudusError(
                f"{path}, line {number}: not a test position: {error}",
                f"{path} 第 {number} 行：不是测试局面：{error}",
            ) from None
    if not tests:
        raise LudusError(f"{path} contains no test positions", f"{path} 中没有测试局面")
    return tests
