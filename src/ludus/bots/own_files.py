"""Which files a bot consists of, and their digest."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from ludus.bots.cache import sum_of
from ludus.bots.own_path import stays_in
from ludus.bots.static_check import imported
from ludus.bots.tree import walk
from ludus.errors import LudusError
from ludus.escape import UNSAFE, one_line

MOST_FILES = 5000
MOST_BYTES = 512 << 20
"""What a bot may consist of."""
IGNORED = {"__pycache__", ".git", ".hg", ".svn"}
"""Folders that are no part of a bot."""
INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
IMPORT = re.compile(rb"""(?:\bfrom|\bimport|\brequire)\s*+(?:\(\s*+)?["'](\.\.?/[^"'\n]++)["']""")
"""Possessive, so that a megabyte of blanks after ``from`` is read once and not a million times."""


def with_imports(main: Path, ours: Iterable[str] = ()) -> dict[str, Path]:
    """A Python file and the modules and packages beside it that it imports, directly or not.

    Found in the text, so a name that is only made up while running is not. ``ours`` are modules
    that the game provides, whatever lies beside the file.
    """
    known = set(ours)
    return _reachable(main, lambda file: _beside(file, main.parent, known))


def with_includes(main: Path) -> dict[str, Path]:
    """A C or C++ file and the files that it includes with quotes, directly or not."""
    return _reachable(main, lambda file: _named(INCLUDE, file, main.parent))


def with_relative_imports(main: Path) -> dict[str, Path]:
    """A JavaScript file and those it imports by a path that begins with a dot."""
    return _reachable(main, lambda file: _named(IMPORT, file, main.parent))


def _reachable(main: Path, needs: Callable[[Path], Iterable[Path]]) -> dict[str, Path]:
    found, new = {main.name: main}, [main]
    while new:
        for path in needs(new.pop()):
            if not stays_in(path, main.parent):
                raise _leads_out(path)
            name = str(path.relative_to(main.parent))
            _refuse_unprintable(name)
            if name not in found:
                found[name] = path
                new.append(path)
    return found


def _named(pattern: re.Pattern[bytes], file: Path, folder: Path) -> Iterator[Path]:
    for match in pattern.finditer(_read(file)):
        path = Path(os.path.normpath(file.parent / os.fsdecode(match[1])))
        if path.is_relative_to(folder) and path.is_file():
            yield path


def _beside(file: Path, folder: Path, ours: set[str]) -> Iterator[Path]:
    """The modules and packages of a folder that a file, or any file of a package, imports."""
    files = [f for f in _walked(file) if f.suffix == ".py"] if file.is_dir() else [file]
    for name in dict.fromkeys(name for each in files for name in imported(_read(each))):
        if name not in ours:
            yield from _module(folder, name)


def _module(folder: Path, name: str) -> Iterator[Path]:
    package = folder / name
    if package.is_dir() and next(package.glob("*.py"), None):
        yield package
    elif (module := folder / f"{name}.py").is_file():
        yield module
    else:
        yield from sorted(folder.glob(f"{name}.*.so"))


def _read(path: Path) -> bytes:
    """A file's bytes; nothing of a pipe or a device, which might never end."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(fd, "rb") as file:
            return file.read() if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    except OSError as error:
        raise unreadable(path, error) from None


def files_of(folder: Path) -> dict[str, Path]:
    """Every file of a bot's folder by its name there; refuses what could reach out of it."""
    found: dict[str, Path] = {}
    size = 0
    root = folder.resolve()
    for path in _walked(folder):
        if not _stays_inside(path, root):
            continue
        name = str(path.relative_to(folder))
        _refuse_unprintable(name)
        found[name] = path
        size += path.stat().st_size
        if len(found) > MOST_FILES or size > MOST_BYTES:
            raise too_much(folder)
    return found


def _refuse_unprintable(name: str) -> None:
    """A newline in a name could pass for the next line of those that the digest is made of."""
    if UNSAFE.search(name) or "\n" in name or "\t" in name:
        shown = one_line(name)
        raise LudusError(
            f"the name {shown} holds characters that cannot be shown; rename the file",
            f"文件名 {shown} 含有无法显示的字符；请改名",
        )


def _walked(folder: Path) -> Iterator[Path]:
    try:
        yield from walk(folder, IGNORED)
    except OSError as error:
        raise unreadable(folder, error) from None


def _stays_inside(path: Path, root: Path) -> bool:
    """Whether it is a file or a folder of its own; refuses links out and what is neither."""
    if path.is_symlink():
        if not stays_in(path, root) or not path.exists():
            raise _leads_out(path)
        return path.is_file()
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise LudusError(f"{path} is neither a file nor a folder", f"{path} 既不是文件也不是文件夹")
    return True


def _leads_out(path: Path) -> LudusError:
    return LudusError(
        f"{path} is a link that leads out of the bot's folder",
        f"{path} 是指向 AI 文件夹之外的链接",
    )


def digest_of(files: Mapping[str, Path]) -> str:
    """SHA-256 of what a bot consists of.

    One file: of its bytes. Several: of the lines that ``sha256sum`` would print for them, sorted
    by name.
    """
    whole = {name: path for name, path in _spread(files)}
    try:
        if len(whole) == 1:
            return sum_of(next(iter(whole.values())))
        lines = [f"{sum_of(whole[name])}  {name}\n" for name in sorted(whole)]
    except OSError as error:
        raise unreadable(Path(error.filename or ""), error) from None
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _spread(files: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
    """Folders as the files in them."""
    for name, path in files.items():
        if path.is_dir():
            yield from ((f"{name}/{inner}", file) for inner, file in files_of(path).items())
        else:
            yield name, path


def too_much(what: Path, files: int = 0, size: int = 0) -> LudusError:
    """``files`` and bytes that are allowed; the usual where nothing is said."""
    files, size = files or MOST_FILES, size or MOST_BYTES
    return LudusError(
        f"{what} is too much for a bot: {files} files and {size >> 20} MB are allowed",
        f"{what} 超出 AI 的允许范围：最多 {files} 个文件、{size >> 20} MB",
    )


def unreadable(path: Path, error: OSError) -> LudusError:
    return LudusError(f"cannot read {path}: {error.strerror}", f"无法读取 {path}：{error.strerror}")
