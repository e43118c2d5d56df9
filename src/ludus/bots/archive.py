"""Untrusted zip files: unpacked once into the cache, or refused with the reason."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ludus.bots import cache
from ludus.bots.manifest import MANIFEST_NAME
from ludus.bots.read_source import unreadable_error
from ludus.bots.source_files import IGNORED_FOLDERS, MAX_BOT_BYTES, MAX_BOT_FILES, too_large_error
from ludus.errors import LudusError

MAX_ZIP_BYTES = 256 << 20
"""The largest zip file that is opened."""
MAX_COMPRESSION_RATIO = 200
"""Source code compresses to about a tenth of its size, a zip bomb to a thousandth."""
MIN_RATIO_CHECK_BYTES = 16 << 20
"""Below this unpacked size the compression ratio is not checked."""
SKIPPED_NAMES = IGNORED_FOLDERS | {"__MACOSX", ".DS_Store"}
COMPRESSION_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
MAX_NAME_CHARS = 200
"""The longest path of a member: below the cache folder it must still be a valid path."""
MAX_NAME_PART_BYTES = 255
"""The longest file or folder name, a limit of common file systems."""


def unpack_to_cache(path: Path) -> Path:
    """The folder with the unpacked files; if the zip holds a single folder, that folder."""
    try:
        if path.stat().st_size > MAX_ZIP_BYTES:
            raise too_large_error(path)
        key = cache.checksum_file(path)
    except OSError as error:
        raise unreadable_error(path, error) from None
    folder = cache.ensure_entry("bots", key, lambda folder: unpack(path, folder))
    inner = list(folder.iterdir())
    if not (folder / MANIFEST_NAME).exists() and len(inner) == 1 and inner[0].is_dir():
        return inner[0]
    return folder


def unpack(path: Path, folder: Path) -> None:
    """Write a zip's files into an empty folder; all of them, or a LudusError."""
    try:
        with _translate_zip_errors(path), zipfile.ZipFile(path) as archive:
            room = MAX_BOT_BYTES
            for member in list_members(path, archive):
                room -= _extract(archive, member, folder, room)
                if room < 0:
                    raise too_large_error(path)
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        name = os.path.relpath(error.filename, folder) if error.filename else ""
        raise _refusal_error(path, name, "the same name twice", "重复的名称") from None


def read_contents(shown: Path, data: bytes, most: int, files: int) -> dict[str, bytes]:
    """All files of a zip by name; LudusError if one is refused or they exceed ``most`` bytes."""
    contents: dict[str, bytes] = {}
    allowed = most
    with _translate_zip_errors(shown), zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in list_members(shown, archive, most, files):
            name = str(PurePosixPath(member.filename))
            if name in contents:
                raise _refusal_error(shown, name, "the same name twice", "重复的名称")
            with archive.open(member) as source:
                contents[name] = source.read(most + 1)
            most -= len(contents[name])
            if most < 0:
                raise too_large_error(shown, files, allowed)
    return contents


@contextlib.contextmanager
def _translate_zip_errors(path: Path) -> Iterator[None]:
    """Turn the exceptions of ``zipfile`` into a LudusError."""
    try:
        yield
    except (
        *(zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError),
        *(struct.error, OverflowError, RuntimeError),
    ) as error:
        raise LudusError(
            f"{path} cannot be read as a zip: {error}", f"{path} 不是可读取的 zip：{error}"
        ) from None


def list_members(
    path: Path, archive: zipfile.ZipFile, most: int = 0, most_files: int = 0
) -> list[zipfile.ZipInfo]:
    """The files to unpack; LudusError if any member is refused or they exceed ``most`` bytes."""
    most, most_files = most or MAX_BOT_BYTES, most_files or MAX_BOT_FILES
    members = archive.infolist()
    if len(members) > 2 * MAX_BOT_FILES:
        raise too_large_error(path, most_files, most)
    for member in members:
        if why := _find_objection(member):
            raise _refusal_error(path, member.filename, *why)
    files = [m for m in members if not m.is_dir() and not SKIPPED_NAMES & set(_split_name(m))]
    size, packed = (sum(getattr(m, of) for m in files) for of in ("file_size", "compress_size"))
    if len(files) > most_files or size > most:
        raise too_large_error(path, most_files, most)
    if size > MIN_RATIO_CHECK_BYTES and size > MAX_COMPRESSION_RATIO * max(packed, 1):
        raise LudusError(
            f"{path} would unpack to {size // max(packed, 1)} times its size: too much for a bot",
            f"{path} 解压后会变大 {size // max(packed, 1)} 倍，超出 AI 的允许范围",
        )
    return files


def _split_name(member: zipfile.ZipInfo) -> tuple[str, ...]:
    return PurePosixPath(member.filename).parts


def _find_objection(member: zipfile.ZipInfo) -> tuple[str, str] | None:
    name, kind = member.orig_filename, stat.S_IFMT(member.external_attr >> 16)
    if not name.isprintable() or "\\" in name or not _split_name(member) or is_name_too_long(name):
        return (
            "invalid file name: too long, or with a backslash or invisible characters",
            "文件名无效：过长，或含有反斜杠或不可见字符",
        )
    if name.startswith("/") or ".." in _split_name(member) or ":" in _split_name(member)[0]:
        return "it would be written outside the bot's folder", "会写到 AI 的文件夹之外"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return (
            "it is neither a file nor a folder (it may be a link)",
            "既不是文件也不是文件夹（可能是链接）",
        )
    if member.flag_bits & 1:
        return "it is encrypted", "已加密"
    if member.compress_type not in COMPRESSION_METHODS:
        return "its compression method is not supported", "不支持其压缩方式"
    return None


def is_name_too_long(name: str) -> bool:
    """Whether a path, or one of its parts, is too long for the file systems we unpack to."""
    parts = PurePosixPath(name).parts
    return len(name) > MAX_NAME_CHARS or any(
        len(part.encode()) > MAX_NAME_PART_BYTES for part in parts
    )


def _extract(archive: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, room: int) -> int:
    """Write one file and return its size.

    The size in the header may be wrong, so writing stops once ``room`` bytes are exceeded.
    """
    target = folder.joinpath(*_split_name(member))
    target.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with archive.open(member) as source, target.open("xb") as file:
        while size <= room and (data := source.read(cache.CHUNK_BYTES)):
            file.write(data)
            size += len(data)
    if member.external_attr >> 16 & stat.S_IXUSR:
        target.chmod(0o755)
    return size


def _refusal_error(path: Path, name: str, en: str, zh: str) -> LudusError:
    shown = ascii(name)[1:-1]
    return LudusError(f"{path} is refused: {shown}: {en}", f"{path} 被拒绝：{shown}：{zh}")
