"""A program that the user names by its command: which of its files it needs in a jail."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ludus.bots.build import BuildSpec
from ludus.bots.find_program import locate_typed
from ludus.bots.languages.base import is_in_system
from ludus.bots.snapshot import snapshot_files
from ludus.bots.source_files import compute_digest
from ludus.errors import LudusError


class CommandBuild(NamedTuple):
    """The program of a command."""

    name: str
    build_spec: BuildSpec
    own_files: tuple[Path, ...]
    """The files and folders that the command names, links followed."""


def prepare_command(command: str, scheme: str) -> CommandBuild:
    """The program of ``SCHEME:COMMAND``; LudusError if that is not a command."""
    try:
        argv = tuple(shlex.split(command))
    except ValueError as error:
        raise LudusError(f"{scheme}:{command}: {error}", f"{scheme}:{command}：{error}") from None
    if not argv:
        raise LudusError(f"{scheme}: needs a command after it", f"{scheme}: 后面要写命令")
    first = argv[0]
    program, needs = locate_typed(first)
    named = [word for word in argv if os.path.isfile(word) or os.path.isdir(word)]
    own = {word: Path(word).resolve() for word in named if word != first or "/" in first}
    copied = _copy_named_files(own, needs)
    files = {os.path.abspath(word): path for word, path in copied.items()}
    build_spec = BuildSpec(
        display_name=f"{scheme}:{command}",
        files=files,
        digest=_digest_of_program(argv, {**own, **copied}),
        run=(program or first, *argv[1:]),
        command_files={place: path for place, path in needs.items() if place not in files},
        cwd=os.getcwd(),
    )
    return CommandBuild(_choose_name(argv, own), build_spec, tuple(own.values()))


INTERPRETERS = re.compile(
    r"(python|node|deno|bun|java|ruby|perl|lua|php|julia|bash|dash|sh|Rscript)[\d.]*"
)


def _choose_name(argv: Sequence[str], own: Mapping[str, Path]) -> str:
    """What the program is called: an interpreter like the first file of the user's that it runs."""
    first = Path(argv[0]).name
    if INTERPRETERS.fullmatch(first):
        files = [word for word in argv[1:] if word in own and own[word].is_file()]
        return Path(files[0]).stem if files else first
    return first


def _copy_named_files(own: Mapping[str, Path], needs: Mapping[str, Path]) -> dict[str, Path]:
    """Snapshots of the files that a command names.

    Files that every jail contains read-only (in the system's folders, and in the prefix of the
    program) are not copied: they cannot be replaced during the match.
    """

    def is_there(word: str) -> bool:
        place = os.path.abspath(word)
        if is_in_system(place) and is_in_system(str(own[word])):
            return True
        return any(place.startswith(f"{prefix}/") for prefix in needs)

    files = {word: path for word, path in own.items() if not is_there(word)}
    return snapshot_files(files, {path.parent for path in files.values()})


def _digest_of_program(argv: tuple[str, ...], own: Mapping[str, Path]) -> str:
    """The digest of the program's file; with arguments, that of the command and its files."""
    if len(argv) == 1 or not own:
        return compute_digest(own) if own else ""
    return hashlib.sha256(f"{shlex.join(argv)}\n{compute_digest(own)}".encode()).hexdigest()
