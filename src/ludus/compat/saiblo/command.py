"""From a command line as Saiblo writes it (``python3+logic.py``) to a program in a jail.

A command finds its own files: the folders of the files it names are shown to it at the same paths,
read-only. The command that a person types may name files anywhere (``find_typed_program``); the one
that a manifest holds may name those of the manifest's folder (``find_manifest_program``). A logic
works in a folder of its own that it may write to, where it finds the files of the folder it was
started in; its replay is taken from there.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ludus.bots.find_program import locate, locate_typed
from ludus.bots.languages.language import is_in_system
from ludus.bots.manifest_paths import resolve_manifest_path
from ludus.bots.resolve import BotSource, is_bot, resolve_program
from ludus.bots.temp_folders import TempFolder
from ludus.errors import LudusError
from ludus.home import contains_user_home, refuse_irregular
from ludus.sandbox import JailLevel, Limits, Program

OWN_PYTHON_COMMANDS = ("python", "python3")
"""Words that mean the interpreter Ludus runs in, with the packages that are installed for bots."""
REPLAY_FOLDER = "/replay"
"""Where a logic works and leaves its replay."""
MAX_REPLAY_BYTES = 256 << 20


def split_command(command: str) -> list[str]:
    """A command's words; ``+`` stands for a blank."""
    try:
        words = shlex.split(command.replace("+", " "))
    except ValueError as error:
        raise LudusError(f"{command}: {error}", f"{command}：{error}") from None
    if not words:
        raise LudusError("an empty command", "命令为空")
    return words


def find_source(command: str, folder: Path) -> BotSource | None:
    """The source file, zip or folder with a ludus.toml that a person means; None if it is none."""
    return resolve_program(folder / command) if is_bot(folder / command) else None


def find_typed_program(
    command: str, folder: Path, limits: Limits | None = None, level: str | None = None
) -> Program | None:
    """The program that a person means in a folder; None if there is no such program.

    A source file or a folder with a ludus.toml is compiled if need be, and sees its own files
    only; anything else is a command.
    """
    if source := find_source(command, folder):
        return source.build_spec.build_program(limits or Limits(), level)
    first, *rest = split_command(command)
    here = (folder / first).is_file()
    if first in OWN_PYTHON_COMMANDS and not here:
        first = sys.executable
    found, needs = locate_typed(str(folder / first) if here else first)
    if not found:
        return None
    named = {word: folder / word for word in rest if (folder / word).exists()}
    if here or "/" in first:
        named[first] = Path(found)
    return _make_command_program(found, needs, rest, named, folder)


def find_manifest_program(
    manifest: Path, key: str, command: str, limits: Limits, level: str | None = None
) -> Program | None:
    """The program that ``key = command`` of a manifest means; None if there is no such program.

    As ``find_typed_program``, but whatever it names lies in the manifest's folder: a LudusError if
    not.
    """
    folder = manifest.parent
    if os.path.lexists(folder / command):
        path = resolve_manifest_path(manifest, key, command)
        if is_bot(path):
            return resolve_program(path).build_spec.build_program(limits, level)
    first, *rest = split_command(command)
    named = dict(find_own_files(manifest, key, (*rest, first)))
    if first in named or ("/" in first and not os.path.isabs(first)):
        found, needs = str(named.get(first, "")), dict[str, Path]()
    else:
        found, needs = locate(first)
    return _make_command_program(found, needs, rest, named, folder) if found else None


def find_own_files(manifest: Path, key: str, words: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """The words of a command that are files of the manifest's folder; refuses paths out of it."""
    for word in words:
        if os.path.isabs(word) and is_in_system(os.path.normpath(word)):
            continue  # in every jail anyway
        path = resolve_manifest_path(manifest, key, word)
        if os.path.lexists(path):
            yield word, path


def _make_command_program(
    found: str, needs: Mapping[str, Path], rest: list[str], named: Mapping[str, Path], folder: Path
) -> Program:
    """A command that sees the folders of the files it names, and works in the first that fits."""
    homes = [_folder_to_show(path) for path in named.values() if not is_in_system(str(path))]
    works_here = any(folder.is_relative_to(home) for home in homes)
    cwd = folder if works_here else next((home for home in homes if home.is_dir()), "/tmp")
    return Program(
        argv=(found, *(str(named.get(word, word)) for word in rest)),
        files=drop_nested_paths([*homes, *needs.values()]),
        cwd=str(cwd),
    )


def drop_nested_paths(paths: Iterable[Path]) -> dict[str, Path]:
    """Each path at its own place, without those inside another."""
    kept: dict[str, Path] = {}
    for path in sorted(set(paths), key=lambda path: len(path.parts)):
        if not any(path.is_relative_to(other) for other in kept.values()):
            kept[str(path)] = path
    return kept


def _folder_to_show(path: Path) -> Path:
    """What to show of a file: the folder it is in, but never somebody's whole home."""
    if path.is_dir():
        return path
    parent = path.parent
    return path if contains_user_home(parent) else parent


class LogicWorkspace:
    """The folder that a logic may write to; removed at the end."""

    def __init__(self, replay: str, level: JailLevel, *, as_given: bool) -> None:
        """``as_given``: tell the logic a relative path as it was typed, as version 1 does."""
        self._holder = TempFolder("replay")
        os.chmod(self._holder.name, 0o711)  # the jail's user is another one
        self.host_folder = Path(self._holder.name, "logic")
        self.host_folder.mkdir()
        self.jail_folder = str(self.host_folder) if level is JailLevel.PLAIN else REPLAY_FOLDER
        inner = Path(replay).name
        if as_given and not os.path.isabs(replay) and ".." not in Path(replay).parts:
            inner = os.path.normpath(replay)
            (self.host_folder / inner).parent.mkdir(parents=True, exist_ok=True)
            self.replay_path = replay
        else:
            self.replay_path = f"{self.jail_folder}/{inner}"
        self._replay_file = self.host_folder / inner

    def prepare_logic(self, program: Program) -> Program:
        """The program, working here among the files of the folder it was to work in."""
        for name, target in self._neighbour_files(program):
            link = self.host_folder / name
            if link != self._replay_file and not link.exists():
                link.symlink_to(target)
        return Program(
            argv=program.argv,
            python=program.python,
            runner=program.runner,
            files=program.files,
            writable={self.jail_folder: self.host_folder},
            cwd=self.jail_folder,
            env=program.env,
        )

    def _neighbour_files(self, program: Program) -> Iterator[tuple[str, str]]:
        """The files of the folder it was to work in: their names, and where they are inside."""
        for inside, outside in program.files.items():
            if inside == program.cwd or program.cwd.startswith(f"{inside}/"):
                there = outside / os.path.relpath(program.cwd, inside)
                for entry in there.iterdir() if there.is_dir() else ():
                    plain = self.jail_folder == str(self.host_folder)
                    yield entry.name, str(entry) if plain else f"{program.cwd}/{entry.name}"
            elif os.path.dirname(inside) == program.cwd:
                yield os.path.basename(inside), inside

    def save_replay(self, path: Path) -> bool:
        """Put the replay where it was wanted; False if the logic wrote none."""
        data = self._read()
        if data is None:
            return False
        refuse_irregular(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        except OSError as error:
            raise LudusError(
                f"cannot save {path}: {error.strerror}", f"无法保存 {path}：{error.strerror}"
            ) from None
        return True

    def _read(self) -> bytes | None:
        """The replay, if it is a plain file here and not a link to somewhere else."""
        home = os.path.realpath(self.host_folder)
        if not Path(os.path.realpath(self._replay_file.parent)).is_relative_to(home):
            return None
        with contextlib.suppress(OSError):
            fd = os.open(self._replay_file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(fd, "rb") as file:
                if stat.S_ISREG(os.fstat(fd).st_mode):
                    return file.read(MAX_REPLAY_BYTES)
        return None

    def close(self) -> None:
        self._holder.cleanup()
