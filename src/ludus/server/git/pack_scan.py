"""A look through a pack before git unpacks it: how much would its objects have?

An object says how large it is, and a delta how large its result is. Both may be thousands of times
the bytes that were sent, so packs are refused by what they declare, and objects that declare less
than they contain are damaged.
"""

from __future__ import annotations

import struct
import zlib

from ludus.errors import LudusError

HEADER = struct.Struct(">4sII")
TRAILER_BYTES = 20
MAX_OBJECTS = 50_000
"""The most objects of one push."""
MAX_OBJECT_BYTES = 64 << 20
MAX_UNPACKED_BYTES = 512 << 20
"""All objects of one push together."""
CHUNK_BYTES = 4096
OFFSET_DELTA, ID_DELTA = 6, 7
ID_BYTES = 20
MAX_NUMBER_BYTES = 10
"""The most bytes of a number in a pack."""


class GitRefused(LudusError):
    """What was pushed was refused."""

    code = "git_refused"


def scan_pack(pack: bytes) -> None:
    """Refuse a pack that is none, or that would become too large."""
    if len(pack) < HEADER.size + TRAILER_BYTES or not pack.startswith(b"PACK"):
        raise GitRefused("no pack with objects was sent", "没有收到对象包")
    count = HEADER.unpack_from(pack)[2]
    if count > MAX_OBJECTS:
        raise GitRefused(
            f"{count} objects were pushed at once; at most {MAX_OBJECTS} are taken",
            f"一次推送了 {count} 个对象；最多 {MAX_OBJECTS} 个",
            code="payload_too_large",
        )
    try:
        _scan_objects(memoryview(pack)[:-TRAILER_BYTES], count)
    except (IndexError, ValueError, zlib.error):
        raise GitRefused(
            "the pack that was pushed is damaged; push again", "推送的对象包已损坏；请重新推送"
        ) from None


def _scan_objects(pack: memoryview, count: int) -> None:
    place, total = HEADER.size, 0
    for _ in range(count):
        kind, size, place = _read_entry_header(pack, place)
        _refuse_large(size)
        start, place = _inflate(pack, place, size)
        if kind in (OFFSET_DELTA, ID_DELTA):
            _, after = _read_number(start, 0)
            size, _ = _read_number(start, after)
            _refuse_large(size)
        total += size
        if total > MAX_UNPACKED_BYTES:
            raise _too_large_unpacked(MAX_UNPACKED_BYTES)
    if place != len(pack):
        raise ValueError("bytes after the last object")


def _refuse_large(size: int) -> None:
    if size > MAX_OBJECT_BYTES:
        raise _too_large_unpacked(MAX_OBJECT_BYTES)


def _read_entry_header(pack: memoryview, place: int) -> tuple[int, int, int]:
    """The type and the size of the object at a place, and where its compressed bytes begin."""
    byte = pack[place]
    kind, size, shift, place = (byte >> 4) & 7, byte & 15, 4, place + 1
    while byte & 0x80:
        if shift > 7 * MAX_NUMBER_BYTES:
            raise ValueError("an endless number")
        byte = pack[place]
        size |= (byte & 0x7F) << shift
        shift, place = shift + 7, place + 1
    if kind == OFFSET_DELTA:
        while pack[place] & 0x80:
            place += 1
        place += 1
    elif kind == ID_DELTA:
        place += ID_BYTES
    elif kind not in (1, 2, 3, 4):
        raise ValueError("no type of an object")
    return kind, size, place


def _inflate(pack: memoryview, place: int, size: int) -> tuple[bytes, int]:
    """The first bytes of an object, and the place after it; it has exactly the size it declares.

    Small pieces are given to zlib, which copies whatever follows the end of an object.
    """
    unpacker, start, seen = zlib.decompressobj(), b"", 0
    while not unpacker.eof:
        piece = unpacker.unconsumed_tail or bytes(pack[place : place + CHUNK_BYTES])
        if not piece:
            raise ValueError("an object is cut off")
        if not unpacker.unconsumed_tail:
            place += len(piece)
        found = unpacker.decompress(piece, 1 << 20)
        start = (start + found[: 2 * MAX_NUMBER_BYTES])[: 2 * MAX_NUMBER_BYTES]
        seen += len(found)
        if seen > size:
            raise ValueError("an object is larger than it says")
    if seen != size:
        raise ValueError("an object is smaller than it says")
    return start, place - len(unpacker.unused_data)


def _read_number(data: bytes, place: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[place]
        number |= (byte & 0x7F) << shift
        shift, place = shift + 7, place + 1
        if not byte & 0x80:
            return number, place


def _too_large_unpacked(most: int) -> GitRefused:
    return GitRefused(
        f"what you pushed takes too much to unpack: more than {most >> 20} MB",
        f"推送的内容解包后过大：超过 {most >> 20} MB",
        code="payload_too_large",
    )
