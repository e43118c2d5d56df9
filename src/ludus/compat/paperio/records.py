"""Converts the original's files to records and back: zlog (all frames), clog (directions).

A ``pkl`` contains only the last frame of a bout: ``last_frame`` reads it.
"""

from __future__ import annotations

import io
import itertools
import math
import pickle
import zlib
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ludus.compat.paperio import pickles, results
from ludus.compat.paperio.extent import summarise_value
from ludus.compat.paperio.pickles import record_error
from ludus.errors import LudusError
from ludus.games.base import Clock, IllegalMove
from ludus.games.paperio import GAME
from ludus.games.paperio.field import Field
from ludus.games.paperio.frames import OriginalFrames
from ludus.games.paperio.rules import PaperPosition
from ludus.match import replay, verdict
from ludus.match.record import MAX_UNPACKED_BYTES, Record, RecordedBot, Times
from ludus.match.record_bytes import read_record_file

ENGINE = "paper.io.sessdsa"
MOVE_BY_TURN = {0: "S", 1: "R", 3: "L"}
MAX_SECONDS = 1e9
"""The largest time in seconds on a record's clock."""

Match = dict[str, Any]
"""The return value of the original's ``match``."""


def is_record(data: bytes) -> bool:
    """Whether a file's bytes look like a zlog, a clog or a pkl."""
    begin = pickles.unpack_beginning(data)
    return begin[:1] == b"\x80" and any(key in begin for key in (b"players", b"turnleft"))


def read(path: Path) -> Record:
    """A record from a file of the original."""
    return parse(read_contents(path))


def read_contents(path: Path) -> bytes:
    return read_record_file(path, MAX_UNPACKED_BYTES)


def parse(data: bytes) -> Record:
    """A Ludus record from a zlog or clog; LudusError about the first wrong value."""
    return from_match(pickles.load(data))


def last_frame(data: bytes) -> dict[str, Any]:
    """The last frame of a bout, from a pkl."""
    frame = pickles.load(data)
    if not isinstance(frame, dict) or "fields" not in frame:
        raise record_error("it holds no frame", "其中没有局面")
    return frame


def from_match(match: Any) -> Record:
    """A Ludus record from the original's data of a bout."""
    if not isinstance(match, dict):
        raise record_error("it holds no bout", "其中没有对局")
    if "fields" in match:
        raise LudusError(
            "this file holds only the last frame of a bout of Paper.io, not its moves, so there"
            " is nothing to replay; open the zlog or clog beside it",
            "此文件只有纸带圈地一局的最后一帧，没有着法，无法回放；请打开与它一起的 zlog 或 clog",
        )
    for key in ("players", "size", "maxturn", "maxtime", "result"):
        if key not in match:
            raise record_error(f"it has no {key!r}", f"缺少 {key!r}")
    bout = ClogBout(match) if "traces" in match else ZlogBout(match)
    return bout.record()


def check_integers(value: Any, count: int, what: str) -> tuple[int, ...]:
    """So many whole numbers."""
    right = isinstance(value, (tuple, list)) and len(value) == count
    if not right or not all(type(number) is int for number in value):
        raise record_error(
            f"its {what} is {summarise_value(value)}", f"其中的 {what} 是 {summarise_value(value)}"
        )
    return tuple(value)


def check_seconds(value: Any, what: str) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise record_error(
            f"its {what} is {summarise_value(value)}", f"其中的 {what} 是 {summarise_value(value)}"
        )
    return float(value)


class ZlogBout:
    """A bout in a zlog, with every frame."""

    def __init__(self, match: Match) -> None:
        self.match = match
        width, height = check_integers(match["size"], 2, "size")
        if width % 2:
            raise record_error(f"its width {width} is odd", f"宽度 {width} 是奇数")
        self.k, self.h = width // 2, height
        (self.turns,) = check_integers([match["maxturn"]], 1, "maxturn")
        self.time = check_seconds(match["maxtime"], "maxtime")
        self.result = match["result"]
        if not isinstance(self.result, tuple) or len(self.result) not in (2, 3):
            raise record_error("it has no result", "其中没有结果")

    def record(self) -> Record:
        options = GAME.Options.parse(self.options())
        moves, position = self.replay_moves(options)
        return self.build_record(options, moves, position)

    def options(self) -> dict[str, Any]:
        """The options with which the bout is simulated."""
        frames = self.match.get("log")
        whole = isinstance(frames, list) and all(isinstance(frame, dict) for frame in frames)
        if not whole or not frames:
            raise record_error("it has no frames", "其中没有局面")
        self.frames: list[dict[str, Any]] = frames
        size = {"k": self.k, "h": self.h, "turns": self.turns}
        # A start must be on a field of a size that we play; nothing is built before that.
        GAME.Options.parse(size)
        places = [self.player(0, seat) for seat in range(2)]
        first, second = infer_starts(self.k * 2, self.h, places, self.frames[0].get("fields"))
        return size | {"first": first, "second": second}

    def player(self, number: int, seat: int) -> tuple[int, ...]:
        """x, y and direction of a player in a frame."""
        players = self.frames[number].get("players")
        if not isinstance(players, list) or len(players) != 2:
            raise record_error(f"frame {number} names no players", f"第 {number} 帧没有玩家")
        info = players[seat] if isinstance(players[seat], dict) else {}
        place = [info.get(key) for key in ("x", "y", "direction")]
        return check_integers(place, 3, f"player {seat + 1} in frame {number}")

    def replay_moves(self, options: Any) -> tuple[list[str], PaperPosition]:
        """The moves and the final position; LudusError if a frame contradicts the rules."""
        position = GAME.start(options, 0)
        film = OriginalFrames(position.field)
        self.compare(0, film)
        moves = []
        headings = [self.player(0, seat)[2] for seat in range(2)]
        for number in range(1, len(self.frames)):
            seat = (number - 1) % 2
            heading = self.player(number, seat)[2]
            move = MOVE_BY_TURN.get((heading - headings[seat]) % 4, "")
            headings[seat] = heading
            moves.append(play_move(position, seat, move, number))
            film.develop()
            self.compare(number, film)
        return moves, position

    def compare(self, number: int, film: OriginalFrames) -> None:
        """Compare a frame, without its times, with the rules."""
        wanted = film.public(())
        for key, value in wanted.items():
            if key != "timeleft" and self.frames[number].get(key) != value:
                raise LudusError(
                    f"record verification failed: {key!r} of frame {number} contradicts the rules",
                    f"录像校验失败：第 {number} 帧的 {key!r} 与规则不符",
                )

    def time_left(self, number: int) -> tuple[float, float]:
        """Seconds left to each seat in a frame."""
        left = self.frames[number].get("timeleft")
        if not isinstance(left, tuple) or len(left) != 2:
            raise record_error(f"frame {number} has no times", f"第 {number} 帧没有剩余时间")
        return check_seconds(left[0], "timeleft"), check_seconds(left[1], "timeleft")

    def build_record(self, options: Any, moves: list[str], position: PaperPosition) -> Record:
        """The record with its outcome; LudusError if the file has another one."""
        winner, kind = self.result[:2]
        faults = []
        if kind in (results.ERROR, results.TIMEOUT) and winner in (0, 1, None):
            faults = results.faults_from_result(winner, kind, self.result[-1])
            outcome = verdict.decide_fault_outcome(faults, 2)
        elif position.outcome is not None:
            outcome = position.outcome
        else:
            raise record_error("it is cut off before the end", "没有结束就中断了")
        if not faults and results.result_from_outcome(outcome) != self.result:
            raise LudusError(
                f"record verification failed: its result is {summarise_value(self.result, 80)},"
                " by the rules"
                f" {results.result_from_outcome(outcome)}",
                f"录像校验失败：结果写着 {summarise_value(self.result, 80)}，按规则应为"
                f" {results.result_from_outcome(outcome)}",
            )
        record = Record(
            game=GAME.name,
            version=GAME.version,
            options=options.as_json(),
            seed=0,
            bots=[RecordedBot(name, "", "imported") for name in self.names()],
            clock=Clock(budget=min(max(self.time, 1e-9), MAX_SECONDS), measure="wall"),
            time0=[0.0, 0.0],
            engine=ENGINE,
            moves=moves,
            scores=list(outcome.scores),
            reason=outcome.reason,
            detail=dict(outcome.detail),
            faults=faults,
            digest=position.digest(),
            times=self.times(len(moves)),
        ).with_checksum()
        replay.verify(record)
        return record

    def names(self) -> list[str]:
        names = self.match["players"]
        if not isinstance(names, (tuple, list)) or len(names) != 2:
            raise record_error("it does not name two players", "没有写明两名玩家")
        return [summarise_value(name, 200) for name in names]

    def times(self, moves: int) -> Times:
        """Milliseconds of each move, rounded so that their sums are exact."""
        last = [self.time, self.time_left(min(1, moves))[1]]
        wall = []
        for number in range(1, moves + 1):
            seat = (number - 1) % 2
            left = self.time_left(number)[seat]
            wall.append(round(-1000 * left) - round(-1000 * last[seat]))
            last[seat] = left
        used = [[0.0, round(self.time - left, 6)] for left in self.time_left(moves)]
        return Times(began="", cpu=[0] * moves, wall=wall, used=used, load=[0.0, 0.0])


class ClogBout(ZlogBout):
    """A bout in a clog: starts, directions and times."""

    def options(self) -> dict[str, Any]:
        self.traces = [self.column("traces", seat, "b") for seat in range(2)]
        self.lefts = [self.column("timeleft", seat, "f") for seat in range(2)]
        options = {"k": self.k, "h": self.h, "turns": self.turns}
        init = self.match.get("init")
        if not isinstance(init, (tuple, list)) or len(init) != 2:
            raise record_error("it has no starts", "其中没有起点")
        starts = []
        for place, trace in zip(init, self.traces, strict=True):
            info = place if isinstance(place, dict) else {}
            x, y = check_integers([info.get("x"), info.get("y")], 2, "start")
            starts.append((x, y, trace[0], 1))
        return options | {"first": starts[0], "second": starts[1]}

    def column(self, key: str, seat: int, kind: str) -> Any:
        both = self.match.get(key)
        if isinstance(both, (tuple, list)) and len(both) == 2:
            column = both[seat]
            if isinstance(column, array) and column.typecode == kind and len(column) > 0:
                return column
        raise record_error(f"it has no {key}", f"缺少 {key}")

    def replay_moves(self, options: Any) -> tuple[list[str], PaperPosition]:
        position = GAME.start(options, 0)
        turns = [list(itertools.pairwise(trace)) for trace in self.traces]
        count = len(turns[0]) + len(turns[1])
        if len(turns[0]) != (count + 1) // 2 or {len(left) for left in self.lefts} != {count + 1}:
            raise record_error("its columns differ in length", "各列长度不一")
        moves = []
        for number in range(count):
            seat = number % 2
            before, after = turns[seat][number // 2]
            moves.append(
                play_move(position, seat, MOVE_BY_TURN.get((after - before) % 4, ""), number + 1)
            )
        return moves, position

    def time_left(self, number: int) -> tuple[float, float]:
        first, second = (check_seconds(left[number], "timeleft") for left in self.lefts)
        return first, second


def play_move(position: PaperPosition, seat: int, move: str, number: int) -> str:
    try:
        position.play({seat: move})
    except IllegalMove as error:
        raise LudusError(
            f"record verification failed: step {number}:"
            f" {error.why['en'] if move else 'a reversal'}",
            f"录像校验失败：第 {number} 步：{error.why['zh'] if move else '掉头'}",
        ) from None
    return move


def infer_starts(
    width: int, height: int, places: list[tuple[int, ...]], fields: Any
) -> tuple[tuple[int, ...], ...]:
    """The starts, with the size of the initial squares of land."""
    choices = [_expands(fields, seat + 1, *place[:2]) for seat, place in enumerate(places)]
    for expands in itertools.product(*choices):
        starts = tuple((*place, e) for place, e in zip(places, expands, strict=True))
        checked = GAME.Options(k=width // 2, h=height, first=starts[0], second=starts[1])
        first, second = checked.first, checked.second
        field = Field(width, height, 1, (first, second))  # type: ignore[arg-type]
        if OriginalFrames(field).fields == fields:
            return starts
    raise record_error("its first frame has no squares of land", "第一帧的领地不是方块")


def _expands(fields: Any, owner: int, x: int, y: int) -> list[int]:
    """How far a player's land reaches; if there is none, what may lie under the other's."""
    if not isinstance(fields, tuple) or not all(isinstance(column, tuple) for column in fields):
        raise record_error("its first frame has no land", "第一帧没有领地")
    reach = [
        max(abs(column - x), abs(row - y))
        for column, cells in enumerate(fields)
        for row, cell in enumerate(cells)
        if cell == owner
    ]
    return [max(reach)] if reach else [1, 0]


# Writing.


def write_zlog(record: Record) -> bytes:
    """The original's file for any valid record of this game, with every frame."""
    return pack_pickle(to_match(record))


def write_clog(record: Record) -> bytes:
    """The original's compact file for any valid record of this game."""
    return pack_pickle(make_compact(to_match(record)))


def pack_pickle(value: Any, protocol: int | None = None) -> bytes:
    """Pickle with Python's defaults, ignoring reducers that libraries have registered."""
    pickled = io.BytesIO()
    pickler = pickle.Pickler(pickled, protocol)
    pickler.dispatch_table = {}
    pickler.dump(value)
    return zlib.compress(pickled.getvalue(), -1)


def to_match(record: Record) -> Match:
    """The value that the original's ``match`` would have returned for a record."""
    if record.game != GAME.name:
        raise LudusError(
            f"only records of {GAME.name} can be written in this form, not of {record.game}",
            f"只有 {GAME.name} 的录像能写成这种格式，不能是 {record.game}",
        )
    replay.verify(record)
    frames = []
    film = None
    position: Any
    for (_, position), left in zip(replay.replay_steps(record), _times_left(record), strict=True):
        film = film or OriginalFrames(position.field)
        film.develop()
        frames.append(film.public(left))
    field = position.field
    faults = record.faults
    return {
        "players": tuple(bot.name for bot in record.bots),
        "size": (field.width, field.height),
        "maxturn": field.turns,
        "maxtime": _to_whole_number(record.clock.budget),
        "result": results.result_from_faults(faults)
        if faults
        else results.result_from_outcome(record.outcome),
        "log": frames,
    }


def _to_whole_number(number: float) -> float:
    """Whole seconds as an integer, as they were passed to the original."""
    return int(number) if number == int(number) else number


def _times_left(record: Record) -> Iterator[tuple[float, float]]:
    """Seconds left to each seat in every frame; the time of the start counts from frame 1 on."""
    by_cpu = record.clock.measure == "cpu"
    spent = [ms / 1000 for ms in (record.times.cpu if by_cpu else record.times.wall)]
    full = _to_whole_number(record.clock.budget)
    yield full, full
    used = [both[0 if by_cpu else 1] for both in record.times.used]
    left = [
        full - record.time0[seat] - max(0.0, used[seat] - sum(spent[seat::2])) for seat in range(2)
    ]
    for number, cost in enumerate(spent):
        left[number % 2] -= cost
        yield left[0], left[1]


def _check_usual_land(size: tuple[int, int], frame: dict[str, Any]) -> None:
    places = [[info[key] for key in ("x", "y", "direction")] for info in frame["players"]]
    first, second = ((x, y, direction, 1) for x, y, direction in places)
    if OriginalFrames(Field(*size, 1, (first, second))).fields != frame["fields"]:
        raise LudusError(
            "a clog can only hold bouts that begin with squares of 3 × 3 cells of land (expand 1);"
            " write a zlog instead",
            "clog 只能保存以 3 × 3 领地开局（领地半径 1）的对局；请改写为 zlog",
        )


def make_compact(match: Match) -> Match:
    """A bout without its frames: starts, directions and times.

    Raises a LudusError if the players began with other land than the usual squares: this form
    cannot say so, and the bout would be replayed on a different field.
    """
    log = match["log"]
    _check_usual_land(match["size"], log[0])
    traces, init = [], []
    for seat in range(2):
        headings = [frame["players"][seat]["direction"] for frame in log]
        own = headings[1 + seat :: 2]
        traces.append(array("b", [headings[0], *own]))
        start = log[0]["players"][seat]
        init.append({"x": start["x"], "y": start["y"], "init_direction": headings[0]})
    times = [array("f", [frame["timeleft"][seat] for frame in log]) for seat in range(2)]
    kept = {key: value for key, value in match.items() if key != "log"}
    return kept | {"traces": traces, "init": init, "timeleft": times}
