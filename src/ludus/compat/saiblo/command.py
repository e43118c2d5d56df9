"""From a command line as Saiblo writes it (``python3+logic.py``) to a program in a jail.

A command sees its own files: the folders of the files it names are mounted read-only at the same
paths. A command that a person types may name files anywhere (``find_typed_program``); one in a
manifest only files of the manifest's folder (``find_manifest_program``). A logic works in a folder
of its own that it may write to, with links to the files of the folder it would have been started
in; its replay is copied from there.
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
from ludus.bots.languages.base import is_in_system
from ludus.bots.manifest_paths import resolve_manifest_path
from ludus.bots.resolve import BotSource, is_bot, resolve_program
from ludus.bots.temp_folders import TempFolder
from ludus.errors import LudusError
from ludus.home import contains_user_home, refuse_irregular
from ludus.os_errors import describe_os_error
from ludus.sandbox import JailLevel, Limits, Program

OWN_PYTHON_COMMANDS = ("python", "python3")
"""Names for the interpreter that Ludus runs in, with the packages that are installed for bots."""
REPLAY_FOLDER = "/replay"
"""The logic's working folder inside the jail, where it writes its replay."""
MAX_REPLAY_BYTES = 256 << 20


def split_command(command: str) -> list[str]:
    """The words of a command; ``+`` stands for a space."""
    try:
        words = shlex.split(command.replace("+", " "))
    except ValueError as error:
        raise LudusError(f"{command}: {error}", f"{command}：{error}") from None
    if not words:
        raise LudusError("the command is empty", "命令为空")
    return words


def find_source(command: str, folder: Path) -> BotSource | None:
    """The source file, zip or folder with a ludus.toml of this name; None for other commands."""
    return resolve_program(folder / command) if is_bot(folder / command) else None


def find_typed_program(
    command: str, folder: Path, limits: Limits | None = None, level: str | None = None
) -> Program | None:
    """The program that a person named, relative to a folder; None if there is no such program.

    A source file or a folder with a ludus.toml is compiled if needed, and sees its own files
    only; anything else is a command.
    """
    if source := find_source(command, folder):
        return source.build_spec.build_program(limits or Limits(), level)
    first, *rest = split_command(command)
    is_local = (folder / first).is_file()
    if first in OWN_PYTHON_COMMANDS and not is_local:
        first = sys.executable
    executable, needs = locate_typed(str(folder / first) if is_local else first)
    if not executable:
        return None
    named = {word: folder / word for word in rest if (folder / word).exists()}
    if is_local or "/" in first:
        named[first] = Path(executable)
    return _make_command_program(executable, needs, rest, named, folder)


def find_manifest_program(
    manifest: Path, key: str, command: str, limits: Limits, level: str | None = None
) -> Program | None:
    """The program in ``key = command`` of a manifest; None if there is no such program.

    Like ``find_typed_program``, but raises LudusError if it names a file outside the manifest's
    folder.
    """
    folder = manifest.parent
    if os.path.lexists(folder / command):
        path = resolve_manifest_path(manifest, key, command)
        if is_bot(path):
            return resolve_program(path).build_spec.build_program(limits, level)
    first, *rest = split_command(command)
    named = dict(find_own_files(manifest, key, (*rest, first)))
    if first in named or ("/" in first and not os.path.isabs(first)):
        executable, needs = str(named.get(first, "")), dict[str, Path]()
    else:
        executable, needs = locate(first)
    if not executable:
        return None
    return _make_command_program(executable, needs, rest, named, folder)


def find_own_files(manifest: Path, key: str, words: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """The words of a command that are files of the manifest's folder, with their paths. Raises
    LudusError for a path outside it."""
    for word in words:
        if os.path.isabs(word) and is_in_system(os.path.normpath(word)):
            continue  # system files are in every jail
        path = resolve_manifest_path(manifest, key, word)
        if os.path.lexists(path):
            yield word, path


def _make_command_program(
    executable: str,
    needs: Mapping[str, Path],
    rest: list[str],
    named: Mapping[str, Path],
    folder: Path,
) -> Program:
    """A command that sees the folders of the files it names. It works in ``folder`` if it can see
    that, else in the first folder that it sees."""
    visible = [_folder_to_show(path) for path in named.values() if not is_in_system(str(path))]
    sees_folder = any(folder.is_relative_to(path) for path in visible)
    cwd = folder if sees_folder else next((path for path in visible if path.is_dir()), "/tmp")
    return Program(
        argv=(executable, *(str(named.get(word, word)) for word in rest)),
        files=drop_nested_paths([*visible, *needs.values()]),
        cwd=str(cwd),
    )


def drop_nested_paths(paths: Iterable[Path]) -> dict[str, Path]:
    """Each path mapped to itself, without those inside another one."""
    kept: dict[str, Path] = {}
    for path in sorted(set(paths), key=lambda path: len(path.parts)):
        if not any(path.is_relative_to(other) for other in kept.values()):
            kept[str(path)] = path
    return kept


def _folder_to_show(path: Path) -> Path:
    """What a command may see of a file: its folder, or only the file if that would expose a user's
    whole home folder."""
    if path.is_dir():
        return path
    parent = path.parent
    return path if contains_user_home(parent) else parent


class LogicWorkspace:
    """A temporary folder that a logic may write to."""

    def __init__(self, replay: str, level: JailLevel, *, as_given: bool) -> None:
        """If ``as_given``, the logic is told a relative replay path as it was typed, as in version
        1."""
        self._holder = TempFolder("replay")
        os.chmod(self._holder.name, 0o711)  # the jail runs as another user
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
        """The program with this folder as its working folder, and links to the files of its own."""
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
        """The files of the program's own working folder: name, and path in the jail."""
        for inside, outside in program.files.items():
            if inside == program.cwd or program.cwd.startswith(f"{inside}/"):
                there = outside / os.path.relpath(program.cwd, inside)
                for entry in there.iterdir() if there.is_dir() else ():
                    plain = self.jail_folder == str(self.host_folder)
                    yield entry.name, str(entry) if plain else f"{program.cwd}/{entry.name}"
            elif os.path.dirname(inside) == program.cwd:
                yield os.path.basename(inside), inside

    def save_replay(self, path: Path) -> bool:
        """Copy the replay to a path; False if the logic wrote none."""
        data = self._read()
        if data is None:
            return False
        refuse_irregular(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        except OSError as error:
            why = describe_os_error(error)
            raise LudusError(
                f"cannot save {path}: {why.en}", f"无法保存 {path}：{why.zh}"
            ) from None
        return True

    def _read(self) -> bytes | None:
        """The replay, if it is a regular file in this folder and not a link to elsewhere."""
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
