"""The record of a bout: everything that is needed to simulate it again, in a few kilobytes.

A record holds the inputs of the bout (game, rules version, options, seed, moves) and its results
(scores, faults, a digest of the last position). Positions are not stored: ``ludus.match.replay``
computes them, and so finds out whether the results follow from the inputs.

``seal`` is a checksum of all other fields, over JSON with sorted keys, so that it does not depend
on the order of fields. It detects damage and careless edits. It is not a signature: anyone who
changes a record can compute it again, as ``remove_traces`` does here. What protects against forged
results is the simulation.
"""

from __future__ import annotations

import contextlib
import copyreg
import gzip
import hashlib
import os
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from ludus.bots.players.base import PlayerUsage
from ludus.errors import LudusError
from ludus.games.base import Clock, Game, Outcome
from ludus.games.registry import UnknownGame, get
from ludus.home import ludus_home, make_folder, refuse_irregular
from ludus.match import verdict
from ludus.match.record_bytes import read_record_file
from ludus.match.verdict import RULES, SeatFault
from ludus.os_errors import describe_os_error

FORMAT = "ludus/record/1"
SUFFIX = ".ludus"
MAX_UNPACKED_BYTES = 64 << 20
"""The largest unpacked record."""
BOUT_ID_CHARS = 16
MAX_NAME_CHARS = 300
"""The longest name; names have one line."""
MAX_FAULT_TEXT_CHARS = 400_000
"""The longest description of a fault."""


def _get_unset() -> UnsetType:
    return UNSET


def _reduce_unset(unset: UnsetType) -> tuple[Callable[[], UnsetType], tuple[()]]:
    return _get_unset, ()


copyreg.pickle(UnsetType, _reduce_unset)
"""Records travel from worker to worker. By itself ``UNSET`` does not say in which module it is, and
pickle looks for it in every module that is loaded: that took longer than all else of a record."""


class RecordedBot(msgspec.Struct, frozen=True):
    """The bot on a seat."""

    name: str
    digest: str
    """SHA-256 of the program."""
    isolation: str


class BoutOrigin(msgspec.Struct):
    """From what the bots' random numbers and memories in a bout followed, so that a bot can be put
    into the same state again. A random seed cannot be computed from it without the key."""

    players: list[int]
    """The number of each seat's player in its match; its random seed follows from it."""
    key: str
    """Which key the random seeds were derived from: ``ludus.bots.bot_seed.identify_key``."""
    previous: list[str] | UnsetType = UNSET
    """The ``bout_id`` of the bout that each seat's player had played just before in the same
    process, or an empty text; left out if all were new."""


class Times(msgspec.Struct):
    """Time stamps, durations and costs: all that may differ when the same bout is played twice."""

    began: str
    """Local date and time with UTC offset."""
    cpu: list[int]
    """Milliseconds of CPU time of each move."""
    wall: list[int]
    """Milliseconds of wall time of each move."""
    used: list[list[float]]
    """Seconds of CPU and wall time of each seat, including ``start`` and ``end``."""
    load: list[float]
    """The machine's load average at the start and at the end."""
    usage: list[PlayerUsage | None] | UnsetType = UNSET
    """What seats used whose players are services elsewhere, such as language models; left out if
    there is none."""
    start: list[list[int] | None] | UnsetType = UNSET
    """Milliseconds of CPU and wall time that each seat's ``start`` was charged; None if it failed.
    With them the clocks that the bots saw can be computed. Left out by sources of turns that have
    clocks of their own."""
    origin: BoutOrigin | UnsetType = UNSET
    """From what the bots' random numbers and memories followed, where it is known."""


class Record(msgspec.Struct, kw_only=True):
    """One bout. ``moves`` holds, step by step, one move for each seat that had to move."""

    format: str = FORMAT
    game: str
    version: int
    options: dict[str, Any]
    seed: int
    bots: list[RecordedBot]
    clock: Clock
    time0: list[float]
    engine: str
    """The version of Ludus that played it."""
    moves: list[str]
    opening: int | UnsetType = UNSET
    """How many of the moves are an opening, which no bot chose; left out if there is none."""
    scores: list[float]
    reason: str
    detail: dict[str, Any]
    faults: list[SeatFault]
    digest: str
    """The digest of the last position."""
    times: Times
    seal: str = ""
    """A checksum of everything else."""

    @property
    def opening_moves(self) -> int:
        """How many of the moves are an opening, which no bot chose."""
        return self.opening or 0

    @property
    def bout_id(self) -> str:
        """By what other records name this bout; traces and times have no part in it."""
        facts = [self.game, self.seed, self.times.began, self.moves, [b.digest for b in self.bots]]
        return hashlib.sha256(msgspec.json.encode(facts)).hexdigest()[:BOUT_ID_CHARS]

    @property
    def verdict(self) -> str:
        """``rules``, or the kind of the (first) fault."""
        return self.faults[0].kind.value if self.faults else RULES

    @property
    def outcome(self) -> Outcome:
        return Outcome(tuple(self.scores), self.reason, self.detail)

    @property
    def winner(self) -> int | None:
        """The winning seat; None without a single winner."""
        return self.outcome.winner

    def without_times(self) -> dict[str, Any]:
        """All fields but the times: equal for two plays of the same bout."""
        facts: dict[str, Any] = msgspec.to_builtins(self)
        for name in ("times", "seal"):
            del facts[name]
        return facts

    def with_checksum(self) -> Record:
        """The same record with its checksum."""
        return msgspec.structs.replace(self, seal=compute_checksum(self))


def remove_traces(record: Record) -> Record:
    """The public version of a record, without tracebacks and messages of failed bots."""
    faults = [verdict.redact_fault(fault) for fault in record.faults]
    if faults == record.faults:
        return record
    return msgspec.structs.replace(record, faults=faults).with_checksum()


def compute_checksum(record: Record) -> str:
    """The checksum of all fields but ``seal``."""
    body = msgspec.json.encode(msgspec.structs.replace(record, seal=""), order="deterministic")
    return hashlib.sha256(body).hexdigest()[:32]


def pack(record: Record) -> bytes:
    """Encode a record; equal records give equal bytes."""
    return gzip.compress(msgspec.json.encode(record), 9, mtime=0)


def unpack(data: bytes, name: str) -> Record:
    """Decode a record; LudusError if the data is invalid. ``name`` is used in the message."""
    try:
        unpacker = zlib.decompressobj(wbits=31)
        body = unpacker.decompress(data, MAX_UNPACKED_BYTES)
        if unpacker.unconsumed_tail:
            raise LudusError(
                f"{name} is not a record: it unpacks to more than {MAX_UNPACKED_BYTES >> 20} MB",
                f"{name} 不是录像：解压后超过 {MAX_UNPACKED_BYTES >> 20} MB",
            )
        if not unpacker.eof:
            raise LudusError(f"{name} is cut off: its end is missing", f"{name} 不完整：缺少结尾")
        record = msgspec.json.decode(body, type=Record)
        refuse_oversized_text(record, name)
        return record
    except zlib.error:
        raise LudusError(
            f"{name} is not a Ludus record, or it is damaged", f"{name} 不是 Ludus 录像，或已损坏"
        ) from None
    except (msgspec.MsgspecError, LudusError, RecursionError, ValueError) as error:
        if isinstance(error, LudusError):
            raise
        raise LudusError(
            f"{name} is not a record that this version of Ludus can read: {error}",
            f"{name} 不是本版本 Ludus 能读取的录像：{error}",
        ) from None


def refuse_oversized_text(record: Record, name: str) -> None:
    """Refuse very long texts: a few compressed bytes may unpack to megabytes of a single letter."""
    names = [record.format, record.game, record.engine, record.reason, record.times.began]
    names += [record.digest, record.seal]
    words: list[str] = []
    for bot in record.bots:
        names += [bot.name, bot.digest, bot.isolation]
    names += [each.currency for each in record.times.usage or () if each is not None]
    if origin := record.times.origin or None:
        names += [origin.key, *(origin.previous or ())]
    for fault in record.faults:
        words += [*fault.why.values(), fault.trace]
    if any(len(each) > MAX_NAME_CHARS or "\n" in each for each in names):
        raise LudusError(
            f"{name}: a name in it has several lines, or more than {MAX_NAME_CHARS} characters",
            f"{name}：其中有名称为多行，或超过 {MAX_NAME_CHARS} 个字符",
        )
    if any(len(text) > MAX_FAULT_TEXT_CHARS for text in words):
        raise LudusError(
            f"{name}: the description of a fault has more than {MAX_FAULT_TEXT_CHARS} characters",
            f"{name}：其中异常的说明超过 {MAX_FAULT_TEXT_CHARS} 个字符",
        )


def save(record: Record, path: Path) -> None:
    """Write a record to a file, completely or not at all."""
    write_atomically(path, pack(record))


def write_atomically(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a file so that readers see all of it or nothing; if ``durable``, also after a power
    failure."""
    refuse_irregular(path)
    temporary = ""
    try:
        make_folder(path.parent)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if ludus_home() not in path.parents:
            os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        why = describe_os_error(error)
        raise LudusError(f"cannot save {path}: {why.en}", f"无法保存 {path}：{why.zh}") from None


def read(path: Path) -> Record:
    """Read a record from a file; UnreadableFile if it cannot be opened or is too large."""
    return unpack(read_record_file(path, MAX_UNPACKED_BYTES), str(path))


def load_game(record: Record) -> tuple[Game, Any]:
    """The record's game and options; LudusError if this version of Ludus has other rules."""
    game = _get_game(record.game)
    if record.version != game.version:
        raise LudusError(
            f"the record uses rules version {record.version} of {record.game};"
            f" this Ludus has version {game.version}",
            f"录像使用 {record.game} 第 {record.version} 版规则；本版本 Ludus 使用第"
            f" {game.version} 版",
        )
    return game, game.Options.parse(record.options)


def _get_game(name: str) -> Game:
    """The game of a record. UnknownGame says where games in folders are looked for: the record
    knows their names alone, although a bout can be played by the path of a folder."""
    try:
        return get(name)
    except UnknownGame as error:
        raise error.rephrase(
            f"{error.text.en}. If the game is in a folder, put that folder into $LUDUS_HOME/games,"
            " or name the folder that contains it in LUDUS_GAMES",
            f"{error.text.zh}。若游戏在某个文件夹中，请把该文件夹放进 $LUDUS_HOME/games，"
            "或在 LUDUS_GAMES 中写出它所在的文件夹",
        ) from None
