"""Which files beside a single-file bot belong to it: those that its source imports or includes.

The folder of such a bot may contain anything: other people's bots, keys, photographs. So names in
the source are only followed to source files of the same language in that folder, never to hidden
files, never out of the folder through a link, and never into a folder that is a bot itself. The
other entrants are not known here; ``ludus.bots.rival_files`` refuses bots that include an
opponent's files.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ludus.bots.manifest_paths import is_inside
from ludus.bots.read_source import MAX_SOURCE_BYTES, read_source, unreadable_error
from ludus.bots.source_files import (
    MAX_BOT_BYTES,
    MAX_BOT_FILES,
    list_bot_files,
    outside_folder_error,
    refuse_unprintable,
)
from ludus.bots.static_check import list_imports
from ludus.errors import LudusError

MANIFEST = "ludus.toml"
MAX_TOTAL_SOURCE_BYTES = 4 * MAX_SOURCE_BYTES
"""The most source text that is read for one bot to find its imports."""
INCLUDE_PATTERN = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
IMPORT_PATTERN = re.compile(
    rb"""(?:\bfrom|\bimport|\brequire)\s*+(?:\(\s*+)?["'](\.\.?/[^"'\n]++)["']"""
)
"""Possessive, so that a megabyte of blanks after ``from`` is read once and not a million times."""
INCLUDE_SUFFIXES = (
    *(".c", ".cc", ".cpp", ".cxx", ".c++"),
    *(".h", ".hh", ".hpp", ".hxx", ".h++", ".inc", ".inl", ".ipp", ".tpp", ".tcc", ".def"),
)
IMPORT_SUFFIXES = (".mjs", ".js", ".cjs", ".json")


def collect_imports(main: Path, ours: Iterable[str] = ()) -> dict[str, Path]:
    """A Python file and the modules and packages beside it that it imports, directly or not.

    They are found in the text, so names that are computed at run time are missed. ``ours`` are
    modules that the game provides: files of these names are ignored. A package is a folder with an
    ``__init__.py`` and is included with all its files. Python would import any folder, but then
    ``import Documents`` would copy all documents into the jail.
    """
    known = set(ours)
    beside = _FolderListing(main.parent)

    def needs(file: Path, read: Callable[[Path], bytes]) -> Iterator[Path]:
        files = [file]
        if file.is_dir():
            files = [path for name, path in list_bot_files(file).items() if name.endswith(".py")]
        elif file.suffix == ".so":
            return
        for name in dict.fromkeys(name for each in files for name in list_imports(read(each))):
            if name not in known:
                yield from beside.find_module(name)

    return _collect_reachable(main, needs, (".py", ".so"))


def collect_includes(main: Path) -> dict[str, Path]:
    """A C or C++ file and the sources that it includes with quotes, directly or not."""
    return _collect_reachable(
        main, _find_by_pattern(INCLUDE_PATTERN, main.parent), INCLUDE_SUFFIXES
    )


def collect_relative_imports(main: Path) -> dict[str, Path]:
    """A JavaScript file and the files it imports by a path that begins with a dot."""
    return _collect_reachable(main, _find_by_pattern(IMPORT_PATTERN, main.parent), IMPORT_SUFFIXES)


FindNamedFiles = Callable[[Path, Callable[[Path], bytes]], Iterable[Path]]
"""``(file, read)`` → the files that ``file`` imports; sources are read with ``read`` only."""


def _collect_reachable(
    main: Path, needs: FindNamedFiles, suffixes: tuple[str, ...]
) -> dict[str, Path]:
    files, new = {main.name: main}, [main]
    budget = _FileBudget(main)
    budget.count_file(main)
    while new:
        for path in needs(new.pop(), budget.read_source):
            name = str(path.relative_to(main.parent))
            if name not in files:
                _refuse_foreign(path, main, suffixes)
                refuse_unprintable(name)
                budget.count_file(path)
                files[name] = path
                new.append(path)
    return files


@dataclass(slots=True)
class _FileBudget:
    """Counts the files of a single-file bot against the limits."""

    main: Path
    files: int = 0
    size: int = 0
    text: int = 0

    def count_file(self, path: Path) -> None:
        """Count a file, or all files of a package, before any of it is read."""
        inside = list_bot_files(path).values() if path.is_dir() else [path]
        self.files += len(inside)
        self.size += sum(each.stat().st_size for each in inside)
        if self.files > MAX_BOT_FILES or self.size > MAX_BOT_BYTES:
            size = f"{MAX_BOT_BYTES >> 20} MB"
            raise self._too_large_error(
                f"{MAX_BOT_FILES} files and {size}", f"{MAX_BOT_FILES} 个文件、{size}"
            )

    def read_source(self, path: Path) -> bytes:
        data = read_source(path)
        self.text += len(data)
        if self.text > MAX_TOTAL_SOURCE_BYTES:
            size = f"{MAX_TOTAL_SOURCE_BYTES >> 20} MB"
            raise self._too_large_error(f"{size} of source text", f"{size} 源码")
        return data

    def _too_large_error(self, en: str, zh: str) -> LudusError:
        return LudusError(
            f"{self.main} and the files it imports are too large for a bot: at most {en}",
            f"{self.main} 连同它用到的同目录文件超出 AI 的允许范围：最多 {zh}",
        )


# Names in a source text


def _find_by_pattern(pattern: re.Pattern[bytes], folder: Path) -> FindNamedFiles:
    def needs(file: Path, read: Callable[[Path], bytes]) -> Iterator[Path]:
        for word in dict.fromkeys(pattern.findall(read(file))):
            named = os.path.normpath(os.path.join(file.parent, os.fsdecode(word)))
            if named.startswith(f"{folder}/") and os.path.isfile(named):
                yield Path(named)

    return needs


@dataclass(slots=True)
class _FolderListing:
    """The names in a folder, listed once, however many modules a file imports."""

    folder: Path
    names: set[str] = field(default_factory=set)
    compiled: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        try:
            self.names = set(os.listdir(self.folder))
        except OSError as error:
            raise unreadable_error(self.folder, error) from None
        for name in sorted(self.names):
            if name.endswith(".so") and name.count(".") > 1:
                self.compiled[name.partition(".")[0]].append(name)

    def find_module(self, name: str) -> Iterator[Path]:
        if name in self.names and (self.folder / name / "__init__.py").is_file():
            yield self.folder / name
        elif f"{name}.py" in self.names and (self.folder / f"{name}.py").is_file():
            yield self.folder / f"{name}.py"
        elif name in self.compiled:
            yield from (self.folder / each for each in self.compiled[name])


# Files that are refused


def _refuse_foreign(path: Path, main: Path, suffixes: tuple[str, ...]) -> None:
    """Refuse a file that is not a source of this bot, by its name and by the name it links to.

    A link may lead from a harmless name to any file of the folder.
    """
    folder = main.parent
    if not is_inside(path, folder):
        raise outside_folder_error(path)
    real, root = Path(os.path.realpath(path)), Path(os.path.realpath(folder))
    names = (path.relative_to(folder), real.relative_to(root))
    if any(part.startswith(".") for name in names for part in name.parts):
        raise _refusal_error(main, path, "is hidden", "是隐藏文件")
    if not path.is_dir() and not all(name.suffix.lower() in suffixes for name in names):
        few = " ".join(suffixes)
        raise _refusal_error(
            main, path, f"has none of the suffixes {few}", f"的后缀不是 {few} 之一"
        )
    if _is_in_other_bot(path, folder) or _is_in_other_bot(real, root):
        en, zh = f"belongs to a bot with a {MANIFEST} of its own", f"属于另一个带 {MANIFEST} 的 AI"
        raise _refusal_error(main, path, en, zh)


def _is_in_other_bot(path: Path, folder: Path) -> bool:
    """Whether a file is in a subfolder that is a bot itself, or a package contains one."""
    between = path.parents[: len(path.relative_to(folder).parts) - 1]
    if any(os.path.lexists(above / MANIFEST) for above in between):
        return True
    return path.is_dir() and any(
        os.path.basename(name) == MANIFEST for name in list_bot_files(path)
    )


def _refusal_error(main: Path, path: Path, en: str, zh: str) -> LudusError:
    name = path.relative_to(main.parent)
    return LudusError(
        f"{main} imports {name}, which {en}: a single-file bot sees only sources beside it;"
        f" to include more, put it into a folder of its own with a {MANIFEST}",
        f"{main} 用到 {name}，它{zh}：单个文件的 AI 只能看到同目录的源码；"
        f"要带上更多文件，请为它建立带 {MANIFEST} 的文件夹",
    )
