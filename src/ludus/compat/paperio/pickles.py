"""Reads the zlib-compressed pickles of the original without running anything in them.

A pickle is a small program. This interpreter knows only the instructions that data need: numbers,
strings, lists, tuples, dicts and arrays. An object of a class becomes an ``InertObject`` with the
class's name; names that no record needs are refused. The file is decompressed piece by piece and
equal columns become one tuple, so a recorded bout that took 0.8 GB of memory in the original takes
a few dozen MB.
"""

from __future__ import annotations

import builtins
import re
import struct
import sys
import zlib
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ludus.compat.paperio.extent import Composite, is_bounded
from ludus.errors import LudusError

CHUNK_BYTES = 1 << 18
"""Bytes that are decompressed at once."""
PICKLE_VERSIONS = (3, 4, 5)
"""The versions that Python 3 writes by default; version 2 uses names of Python 2."""
MAX_UNPACKED_BYTES = 512 << 20
MAX_INSTRUCTIONS = 12_000_000
MAX_STACK = 20_000
MAX_TEXT_BYTES = 1 << 20
MAX_MEMORY_BYTES = 128 << 20
"""The approximate memory limit in bytes for everything that is read."""

_COLUMN = re.compile(rb"\((?:N|K[\x01\x02]){4,1000}t")
_CELLS = {ord("N"): None, 1: 1, 2: 2}
_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_FAILURES = re.compile(r"\w*(Error|Exception|Warning|Interrupt|Exit|Expired|error|Empty|Full)")
_MARK = object()
ARRAY_FORMATS = {("b", 1): ("b", "little"), ("f", 14): ("f", "little"), ("f", 15): ("f", "big")}
"""Kinds of arrays that records have: type and machine format → type and byte order."""


@dataclass(frozen=True, slots=True)
class GlobalName:
    """The name of a class or function, which is not looked up."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(slots=True)
class InertObject(Composite):
    """An exception (or another object of a bot) as inert data."""

    name: GlobalName
    args: tuple[Any, ...]
    state: Any = None


def record_error(en: str, zh: str) -> LudusError:
    return LudusError(
        f"this is not a record of the original Paper.io: {en}",
        f"这不是纸带圈地原平台的比赛记录：{zh}",
    )


def load(data: bytes) -> Any:
    """The value in a compressed pickle; LudusError if it is invalid."""
    try:
        return PickleMachine(Unpacker(data)).run()
    except (IndexError, KeyError, TypeError, ValueError, struct.error, OverflowError):
        raise record_error("its pickle is damaged", "其中的 pickle 已损坏") from None


def unpack_beginning(data: bytes, size: int = 512) -> bytes:
    """The first decompressed bytes; empty if the data are not compressed."""
    try:
        return zlib.decompressobj().decompress(data[:65536], size)
    except zlib.error:
        return b""


class Unpacker:
    """Decompresses piece by piece; ``buffer`` is the current piece, ``at`` the offset in it."""

    def __init__(self, data: bytes) -> None:
        self._rest = data
        self._zlib = zlib.decompressobj()
        self._total = 0
        self.buffer = b""
        self.at = 0

    def read_chunk(self) -> bool:
        """Decompress the next piece; False at the end."""
        if self._zlib.eof:
            return False
        try:
            piece = self._zlib.decompress(self._rest, CHUNK_BYTES)
        except zlib.error:
            raise record_error("it cannot be unpacked", "无法解压") from None
        self._rest = self._zlib.unconsumed_tail
        if not piece and not self._zlib.eof:
            raise record_error("it is cut off: its end is missing", "不完整：缺少结尾")
        self._total += len(piece)
        if self._total > MAX_UNPACKED_BYTES:
            limit = MAX_UNPACKED_BYTES >> 20
            raise record_error(f"it unpacks to more than {limit} MB", f"解压后超过 {limit} MB")
        self.buffer = self.buffer[self.at :] + piece
        self.at = 0
        return True

    def read(self, size: int) -> bytes:
        if size > MAX_TEXT_BYTES:
            raise record_error(f"a text in it has {size} bytes", f"其中一段文本有 {size} 字节")
        while len(self.buffer) - self.at < size:
            if not self.read_chunk():
                raise record_error("it ends in the middle", "在中途结束")
        data = self.buffer[self.at : self.at + size]
        self.at += size
        return data

    def read_line(self) -> str:
        """Up to the next line break."""
        while (end := self.buffer.find(b"\n", self.at)) < 0:
            if len(self.buffer) - self.at > MAX_TEXT_BYTES or not self.read_chunk():
                raise record_error("it ends in the middle", "在中途结束")
        data = self.buffer[self.at : end]
        self.at = end + 1
        return data.decode()


class PickleMachine:
    """Runs the instructions of one pickle."""

    def __init__(self, source: Unpacker) -> None:
        self.source = source
        self.stack: list[Any] = []
        self.memo: list[Any] = []
        self.memory_left = MAX_MEMORY_BYTES
        self.columns: dict[bytes, tuple[Any, ...]] = {}
        self.instructions = {ord(code): method for code, method in _INSTRUCTIONS.items()}

    def run(self) -> Any:
        source, stack, instructions = self.source, self.stack, self.instructions
        for _ in range(MAX_INSTRUCTIONS):
            if len(stack) > MAX_STACK:
                raise record_error("its pickle is nested too deep", "其中的 pickle 嵌套过深")
            if len(source.buffer) - source.at < 4096:
                source.read_chunk()
            code = source.buffer[source.at] if source.at < len(source.buffer) else ord(".")
            if code == 0x28 and (column := _COLUMN.match(source.buffer, source.at)):
                source.at = column.end()
                stack.append(self.column(column[0]))
                continue
            if source.at >= len(source.buffer):
                raise record_error("it ends in the middle", "在中途结束")
            source.at += 1
            if code == 0x2E:
                return self.result()
            instruction = instructions.get(code)
            if instruction is None:
                raise record_error(
                    f"its pickle has the instruction {code:#04x}, which no record needs",
                    f"其中的 pickle 含有指令 {code:#04x}，比赛记录不需要它",
                )
            instruction(self)
        raise record_error("its pickle has too many instructions", "其中的 pickle 指令过多")

    def result(self) -> Any:
        (value,) = self.stack
        if not is_bounded(value, {id(column) for column in self.columns.values()}):
            raise record_error(
                "its pickle is far larger written out than in the file, or nested too deep",
                "其中的 pickle 展开后远大于文件，或嵌套过深",
            )
        return value

    def charge_memory(self, size: int) -> None:
        self.memory_left -= size
        if self.memory_left < 0:
            raise record_error("it needs too much memory", "所需内存过多")

    def column(self, code: bytes) -> tuple[Any, ...]:
        """A tuple of cells; equal ones are one object."""
        column = self.columns.get(code)
        if column is None:
            cells = code[1:-1].replace(b"K", b"")
            self.charge_memory(200 + 8 * len(cells) + len(code))
            column = self.columns[code] = tuple([_CELLS[cell] for cell in cells])
        return column

    def push(self, value: Any, size: int = 32) -> None:
        self.charge_memory(size)
        self.stack.append(value)

    def pop_to_mark(self) -> list[Any]:
        stack = self.stack
        start = len(stack) - 1
        while stack[start] is not _MARK:
            start -= 1
            if start < 0:
                raise ValueError("no mark")
        items = stack[start + 1 :]
        del stack[start:]
        return items

    def number(self, size: int, signed: bool = False) -> int:
        return int.from_bytes(self.source.read(size), "little", signed=signed)

    # The instructions.

    def proto(self) -> None:
        version = self.number(1)
        if version not in PICKLE_VERSIONS:
            raise record_error(
                f"its pickle has version {version}", f"其中 pickle 的版本是 {version}"
            )

    def frame(self) -> None:
        self.source.read(8)

    def mark(self) -> None:
        self.push(_MARK, 8)

    def push_text(self, width: int) -> None:
        raw = self.source.read(self.number(width))
        self.push(raw.decode("utf-8", "surrogatepass"), 80 + 4 * len(raw))

    def raw(self, width: int) -> None:
        data = self.source.read(self.number(width))
        self.push(data, 80 + len(data))

    def push_float(self) -> None:
        self.push(struct.unpack(">d", self.source.read(8))[0])

    def push_long(self) -> None:
        self.push(self.number(self.number(1), signed=True), 300)

    def push_tuple(self, count: int) -> None:
        """A tuple of so many."""
        start = len(self.stack) - count
        items = tuple(self.stack[start:])
        if start < 0 or _MARK in items:
            raise ValueError("too few")
        del self.stack[start:]
        self.push(items, 80)

    def push_marked_tuple(self) -> None:
        """A tuple of everything since the mark."""
        items = self.pop_to_mark()
        self.push(tuple(items), 60 + 8 * len(items))

    def append(self) -> None:
        item = self.stack.pop()
        self.extend([item])

    def appends(self) -> None:
        self.extend(self.pop_to_mark())

    def extend(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not list:
            raise TypeError(target)
        self.charge_memory(9 * len(items))
        target.extend(items)

    def set_item(self) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self.update([key, value])

    def set_items(self) -> None:
        self.update(self.pop_to_mark())

    def update(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not dict:
            raise TypeError(target)
        self.charge_memory(60 * len(items))
        for key, value in zip(items[::2], items[1::2], strict=True):
            if type(key) is not str:
                raise TypeError(key)
            target[sys.intern(key)] = value

    def put(self, index: int) -> None:
        if index < len(self.memo):
            self.memo[index] = self.stack[-1]
        elif index == len(self.memo):
            self.charge_memory(9)
            self.memo.append(self.stack[-1])
        else:
            raise IndexError(index)

    def get(self, index: int) -> None:
        self.push(self.memo[index], 8)

    def global_name(self, module: str, name: str) -> None:
        self.push(check_name(module, name), 300)

    def stack_global(self) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        if type(name) is not str or type(module) is not str:
            raise TypeError(name)
        self.global_name(module, name)

    def reduce(self) -> None:
        args, name = self.stack.pop(), self.stack.pop()
        if type(args) is not tuple or type(name) is not GlobalName:
            raise TypeError(args)
        if name.module == "array":
            self.push(build_array(args), 80)
        else:
            self.push(InertObject(name, args), 120)

    def build(self) -> None:
        state = self.stack.pop()
        thing = self.stack[-1]
        if type(thing) is not InertObject:
            raise TypeError(thing)
        thing.state = state


_INSTRUCTIONS: dict[str, Callable[[PickleMachine], None]] = {
    "\x80": PickleMachine.proto,
    "\x95": PickleMachine.frame,
    "(": PickleMachine.mark,
    "N": lambda m: m.push(None, 0),
    "\x88": lambda m: m.push(True, 0),
    "\x89": lambda m: m.push(False, 0),
    "K": lambda m: m.push(m.number(1)),
    "M": lambda m: m.push(m.number(2)),
    "J": lambda m: m.push(m.number(4, signed=True)),
    "\x8a": PickleMachine.push_long,
    "G": PickleMachine.push_float,
    "\x8c": lambda m: m.push_text(1),
    "X": lambda m: m.push_text(4),
    "C": lambda m: m.raw(1),
    "B": lambda m: m.raw(4),
    "]": lambda m: m.push([], 64),
    "a": PickleMachine.append,
    "e": PickleMachine.appends,
    ")": lambda m: m.push((), 0),
    "\x85": lambda m: m.push_tuple(1),
    "\x86": lambda m: m.push_tuple(2),
    "\x87": lambda m: m.push_tuple(3),
    "t": PickleMachine.push_marked_tuple,
    "}": lambda m: m.push({}, 240),
    "s": PickleMachine.set_item,
    "u": PickleMachine.set_items,
    "q": lambda m: m.put(m.number(1)),
    "r": lambda m: m.put(m.number(4)),
    "\x94": lambda m: m.put(len(m.memo)),
    "h": lambda m: m.get(m.number(1)),
    "j": lambda m: m.get(m.number(4)),
    "c": lambda m: m.global_name(m.source.read_line(), m.source.read_line()),
    "\x93": PickleMachine.stack_global,
    "R": PickleMachine.reduce,
    "\x81": PickleMachine.reduce,
    "b": PickleMachine.build,
}


def check_name(module: str, name: str) -> GlobalName:
    """A name that a record may contain: arrays, exceptions, and classes of bots."""
    if module == "array" and name in ("array", "_array_reconstructor"):
        return GlobalName(module, name)
    plain = _DOTTED.fullmatch(module) and _DOTTED.fullmatch(name)
    if not plain or not is_harmless(module, name):
        raise record_error(
            f"its pickle wants to use {module[:60]!r}, {name[:60]!r}; nothing in it was run",
            f"其中的 pickle 想使用 {module[:60]!r} 的 {name[:60]!r}；没有运行其中任何内容",
        )
    return GlobalName(module, name)


def is_harmless(module: str, name: str) -> bool:
    """Whether a name can be that of an exception; outside Python's own modules, any can."""
    top = module.partition(".")[0]
    if top in ("builtins", "__builtin__", "exceptions"):
        kind = getattr(builtins, name, None)
        return isinstance(kind, type) and issubclass(kind, BaseException)
    if top in sys.stdlib_module_names:
        return _FAILURES.fullmatch(name) is not None
    return True


def build_array(args: tuple[Any, ...]) -> Any:
    """An array as the two pickled forms give it."""
    if len(args) == 2:
        kind, numbers = args
        if kind not in ("b", "f") or type(numbers) is not list:
            raise TypeError(kind)
        return array(kind, numbers)
    _, kind, form, raw = args
    if type(kind) is not str or type(form) is not int:  # hashing nested tuples could take for ever
        raise TypeError(kind)
    kind, order = ARRAY_FORMATS[kind, form]
    numbers_read = array(kind)
    numbers_read.frombytes(raw)
    if order != sys.byteorder and numbers_read.itemsize > 1:
        numbers_read.byteswap()
    return numbers_read
