"""From a program to the request for its jail: what it sees, as which user, at which paths."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import ludus
from ludus.games.registry import is_installed
from ludus.sandbox.messages import ExecutionSpec, JailLevel, JailRequest, KeeperSpec
from ludus.sandbox.program import Limits, Program
from ludus.sandbox.root_filesystem import copy_file, copy_folder

FIRST_UID = 700_000_000
"""If the referee is root, each bot gets a user of its own, numbered from here on."""
ROOT_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
SYSTEM_FOLDERS = ("/usr", "/etc/alternatives", "/etc/ld.so.cache", "/nix/store")
COMMON_IMPORTS = ("numpy",)
"""Modules that are loaded before a bot that mentions them is started."""
_count = itertools.count()


def fixed_environment() -> dict[str, str]:
    """A fixed environment, the same on every machine; nothing is inherited."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    fixed = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": "/tmp",
        "TMPDIR": "/tmp",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    plain = {name: os.environ[name] for name in ("LUDUS_UNCOMPILED",) if name in os.environ}
    return fixed | threads | plain


class JailSpec(NamedTuple):
    """The three parts of a request for a jail (see ``messages``)."""

    request: JailRequest
    keeper: KeeperSpec
    execution: ExecutionSpec


def make_jail_spec(
    program: Program, limits: Limits, level: JailLevel, game: str, cpu: int
) -> JailSpec:
    """The request that starts a program in a jail of this level."""
    links, folders = _find_system_folders()
    uid = _choose_user(program, level)
    cores = sorted(os.sched_getaffinity(0))
    installed = bool(program.python and game) and is_installed(game)
    spec = JailSpec(
        JailRequest(
            level=level,
            limits=limits,
            uid=uid,
            folder="",
            runner=program.runner,
            game=game if installed else "",
            imports=list(_guess_imports(program)),
        ),
        KeeperSpec(
            level=level,
            limits=limits,
            uid=uid,
            cwd=program.cwd,
            files=_resolve_paths(program.files),
            writable=_resolve_paths(program.writable),
            outputs=list(program.outputs),
            runtime=list(folders),
            links=list(links),
            python=bool(program.python),
            cores=len(cores),
        ),
        ExecutionSpec(
            level=level,
            limits=limits,
            uid=uid,
            argv=list(program.argv),
            python=program.python,
            runner=program.runner,
            cwd=program.cwd,
            env=fixed_environment() | dict(program.env),
            cpu=cpu,
            cores=cores,
            policy=os.sched_getscheduler(0),
            locks=bool(program.outputs or program.writable),
        ),
    )
    if level is JailLevel.PLAIN:
        spec.request.folder = _make_plain(spec.keeper, spec.execution)
    return spec


def _resolve_paths(places: Mapping[str, Path]) -> list[tuple[str, str]]:
    return [(inside, os.path.realpath(path)) for inside, path in places.items()]


@functools.cache
def _find_system_folders() -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The links of the system's root, and the folders of its programs and libraries."""
    tops = [f"/{name}" for name in ROOT_LINKS if os.path.lexists(f"/{name}")]
    links = tuple((top, os.readlink(top)) for top in tops if os.path.islink(top))
    folders = [top for top in tops if not os.path.islink(top)]
    java = sorted(str(path) for path in Path("/etc").glob("java-*"))
    return links, (*(path for path in SYSTEM_FOLDERS if os.path.exists(path)), *folders, *java)


def _guess_imports(program: Program) -> Iterator[str]:
    """Modules that a Python bot seems to need."""
    path = program.files.get(program.python)
    if path is not None:
        with contextlib.suppress(OSError):
            text = path.read_bytes()
            yield from (name for name in COMMON_IMPORTS if name.encode() in text)


def _choose_user(program: Program, level: JailLevel) -> int:
    """A user for this bot alone, if we may choose and that user could read what it needs."""
    if os.geteuid() != 0 or not _readable_by_others(level is JailLevel.PLAIN):
        return 0
    if level is JailLevel.PLAIN:
        where = program.files.items()
        folders = [path for inside, path in where if path.is_dir() and _is_in_place(inside, path)]
        above = (path.parent for path in program.writable.values())
        places = (Path(tempfile.gettempdir()), *folders, *above)
        if not all(map(_is_world_reachable, places)):
            return 0
    return FIRST_UID + (os.getpid() % 1_000_000) * 1000 + next(_count) % 1000


def _is_in_place(inside: str, path: Path) -> bool:
    """Whether a program sees a path where it is on the host."""
    return inside == os.path.realpath(path)


def _is_world_reachable(place: Path) -> bool:
    """Whether every user can reach a place, starting from the root."""
    place = place.resolve()
    return all(folder.stat().st_mode & 0o001 for folder in (place, *place.parents))


@functools.cache
def _readable_by_others(from_the_root: bool) -> bool:
    for file in (Path(ludus.__file__), Path(os.__file__), Path(os.path.realpath(sys.executable))):
        if not file.stat().st_mode & 0o004:
            return False
        folders = file.parents if from_the_root else list(file.parents)[:1]
        if any(folder.stat().st_mode & 0o005 != 0o005 for folder in folders):
            return False
    return True


def _make_plain(keeper: KeeperSpec, execution: ExecutionSpec) -> str:
    """Level plain has no root of its own: copy files and replace paths inside by paths outside."""
    folder = tempfile.mkdtemp(prefix="ludus-")
    os.chmod(folder, 0o755)
    os.mkdir(f"{folder}/bot")
    private = [("/tmp", f"{folder}/tmp")]
    private += [(inside, f"{folder}/out-{n}") for n, inside in enumerate(keeper.outputs)]
    for _, outside in private:
        os.mkdir(outside)
    keeper.writable += private
    if keeper.uid:
        for _, outside in keeper.writable:
            os.chown(outside, keeper.uid, keeper.uid)
    moved = {"/tmp": f"{folder}/tmp", "/bot": f"{folder}/bot"}
    moved |= {path: path for path in keeper.runtime if path.startswith("/tmp/")}
    for number, (inside, outside) in enumerate(keeper.files):
        if inside == outside:
            moved[inside] = outside  # also where it lies in /tmp
            continue
        if os.path.isdir(outside) and (not keeper.uid or _is_world_reachable(Path(outside))):
            moved[inside] = outside
        elif os.path.isdir(
            outside
        ):  # closed to other users, such as a home: the bot's user needs a copy
            target = f"{folder}{inside}"
            copy_folder(outside, target)
            keeper.files[number] = (inside, target)
            moved[inside] = target
        else:
            target = f"{folder}{inside}"
            os.makedirs(os.path.dirname(target), exist_ok=True)
            copy_file(outside, target)
            keeper.files[number] = (inside, target)
            moved[inside] = target
    moved.update(keeper.writable)
    keeper.runtime.append(folder)
    _rewrite_paths(execution, moved)
    keeper.cwd = execution.cwd
    if keeper.cwd.startswith(f"{folder}/"):
        os.makedirs(keeper.cwd, exist_ok=True)
    return folder


def _rewrite_paths(execution: ExecutionSpec, moved: dict[str, str]) -> None:
    names = sorted(moved, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w/.])({'|'.join(map(re.escape, names))})(?![\w.+-])")

    def rewrite(text: str) -> str:
        return pattern.sub(lambda match: moved[match[1]], text)

    execution.argv = [rewrite(word) for word in execution.argv]
    path = execution.env["PATH"]
    execution.env = {name: rewrite(text) for name, text in execution.env.items()} | {"PATH": path}
    execution.python, execution.cwd = rewrite(execution.python), rewrite(execution.cwd)
