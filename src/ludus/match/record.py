"""The whole bout as data: enough to simulate it again, a few kilobytes on disk."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import tempfile
import zlib
from pathlib import Path
from typing import Any

import msgspec

from ludus.errors import LudusError
from ludus.games.base import Clock, Game, Outcome
from ludus.games.registry import get
from ludus.home import ludus_home, make_folder, refuse_irregular
from ludus.match import verdict
from ludus.match.verdict import RULES, SeatFault

FORMAT = "ludus/record/1"
SUFFIX = ".ludus"
MAX_UNPACKED_BYTES = 64 << 20
"""No record is larger than this when unpacked."""
MAX_NAME_CHARS = 300
"""Characters of a name, which is in one line."""
MAX_FAULT_TEXT_CHARS = 400_000
"""Characters of what is said about a fault."""


class RecordedBot(msgspec.Struct, frozen=True):
    """Who sat on a seat."""

    name: str
    digest: str
    """SHA-256 of the program."""
    isolation: str


class Times(msgspec.Struct):
    """When and how fast; two plays of the same bout differ in this alone."""

    began: str
    """Local date and time with the offset."""
    cpu: list[int]
    """Milliseconds of CPU time of each move."""
    wall: list[int]
    """Milliseconds of wall time of each move."""
    used: list[list[float]]
    """Seconds of CPU and of wall time of each seat, its start and its end included."""
    load: list[float]
    """The machine's load average at the beginning and at the end."""


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
    """The Ludus that refereed it."""
    moves: list[str]
    scores: list[float]
    reason: str
    detail: dict[str, Any]
    faults: list[SeatFault]
    digest: str
    """Of the last position."""
    times: Times
    seal: str = ""
    """A checksum of everything else."""

    @property
    def verdict(self) -> str:
        """``rules``, or the kind of the (first) fault."""
        return self.faults[0].kind.value if self.faults else RULES

    @property
    def outcome(self) -> Outcome:
        return Outcome(tuple(self.scores), self.reason, self.detail)

    @property
    def winner(self) -> int | None:
        """The winning seat, or None."""
        return self.outcome.winner

    def without_times(self) -> dict[str, Any]:
        """Everything but times: equal for two plays of the same bout."""
        facts: dict[str, Any] = msgspec.to_builtins(self)
        for name in ("times", "seal"):
            del facts[name]
        return facts

    def with_checksum(self) -> Record:
        """The same record with its checksum."""
        return msgspec.structs.replace(self, seal=compute_checksum(self))


def remove_traces(record: Record) -> Record:
    """The record as everybody may see it: what a bot said when it failed is for its owner."""
    faults = [verdict.redact_fault(fault) for fault in record.faults]
    if faults == record.faults:
        return record
    return msgspec.structs.replace(record, faults=faults).with_checksum()


def compute_checksum(record: Record) -> str:
    """Of the record without its seal."""
    body = msgspec.json.encode(msgspec.structs.replace(record, seal=""), order="deterministic")
    return hashlib.sha256(body).hexdigest()[:32]


def pack(record: Record) -> bytes:
    """The file's bytes; the same record gives the same bytes."""
    return gzip.compress(msgspec.json.encode(record), 9, mtime=0)


def unpack(data: bytes, name: str) -> Record:
    """A record from a file's bytes, or a LudusError that says what is wrong with them."""
    try:
        unpacker = zlib.decompressobj(wbits=31)
        body = unpacker.decompress(data, MAX_UNPACKED_BYTES)
        if unpacker.unconsumed_tail:
            raise LudusError(
                f"{name} unpacks to more than {MAX_UNPACKED_BYTES >> 20} MB: that is no record",
                f"{name} 解压后超过 {MAX_UNPACKED_BYTES >> 20} MB：不是录像",
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
            f"{name} is not a record that this Ludus understands: {error}",
            f"{name} 不是本版本 Ludus 能理解的录像：{error}",
        ) from None


def refuse_oversized_text(record: Record, name: str) -> None:
    """Refuse texts that no bout has and no table can show: a few bytes unpack to very long ones."""
    names = [record.format, record.game, record.engine, record.reason, record.times.began]
    names += [record.digest, record.seal]
    words: list[str] = []
    for bot in record.bots:
        names += [bot.name, bot.digest, bot.isolation]
    for fault in record.faults:
        words += [*fault.why.values(), fault.trace]
    if any(len(each) > MAX_NAME_CHARS or "\n" in each for each in names):
        raise LudusError(
            f"{name}: a name in it is several lines, or longer than {MAX_NAME_CHARS} characters",
            f"{name}：其中有名称为多行，或超过 {MAX_NAME_CHARS} 个字符",
        )
    if any(len(text) > MAX_FAULT_TEXT_CHARS for text in words):
        raise LudusError(
            f"{name} tells of a fault in more than {MAX_FAULT_TEXT_CHARS} characters",
            f"{name} 对犯规的说明超过 {MAX_FAULT_TEXT_CHARS} 个字符",
        )


def save(record: Record, path: Path) -> None:
    """Write a record whole or not at all."""
    write_atomically(path, pack(record))


def write_atomically(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a file so that nobody ever sees half of it; if ``durable``, even after a power cut."""
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
        raise LudusError(
            f"cannot save {path}: {error.strerror}", f"无法保存 {path}：{error.strerror}"
        ) from None


def read(path: Path) -> Record:
    """A record from a file."""
    try:
        if path.stat().st_size > MAX_UNPACKED_BYTES:
            raise LudusError(f"{path} is too large for a record", f"{path} 过大，不是录像")
        data = path.read_bytes()
    except OSError as error:
        raise LudusError(
            f"cannot read {path}: {error.strerror}", f"无法读取 {path}：{error.strerror}"
        ) from None
    return unpack(data, str(path))


def load_game(record: Record) -> tuple[Game, Any]:
    """The record's game and options, if this Ludus still plays them."""
    game = get(record.game)
    if record.version != game.version:
        raise LudusError(
            f"the record is of {record.game} version {record.version}; this Ludus plays version"
            f" {game.version}",
            f"录像是 {record.game} 第 {record.version} 版规则的；本版本 Ludus 使用第"
            f" {game.version} 版",
        )
    return game, game.Options.parse(record.options)
