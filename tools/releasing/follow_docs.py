"""Follows the docs as a new user: in a fresh clone, and with a wheel in an empty environment."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tools.releasing.commands import ReleaseError, run
from tools.releasing.first_hour import (
    TypedCommand,
    WrittenFile,
    check_promise,
    read_actions,
    write_file,
)
from tools.releasing.installing import InstallSource
from tools.releasing.situations import wait_for

LANGUAGES = ("en", "zh")
SERVER_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
LIMIT_S = 3600.0
STOPPED_AFTER_S = {"sprt": 60.0}
"""Commands that play until an answer is clear: stopped by then, they must say how to go on."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Where a new user sits: a folder, and what ``./ludus`` of the docs is there."""

    folder: Path
    program: str
    variables: Mapping[str, str] = field(default_factory=dict)

    def start(self, line: str) -> subprocess.Popen[str]:
        """Type a line of the docs."""
        return subprocess.Popen(
            ["/bin/sh", "-c", f"exec {line.replace('./ludus', self.program, 1)}"],
            cwd=self.folder,
            env={**os.environ, **self.variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )


def find_first_hour_problems(desk: Desk, docs: Path, language: str) -> Iterator[str]:
    """Do everything that the pages of one language say; stop at what does not work."""
    for action in read_actions(docs, language):
        try:
            if isinstance(action, WrittenFile):
                write_file(action, desk.folder)
            elif action.is_server:
                _open_server(desk, action)
            else:
                check_promise(action, _type_command(desk, action), desk.folder)
        except (ReleaseError, OSError) as error:
            what = action.line if isinstance(action, TypedCommand) else action.name
            yield f"docs/{language}/{action.page}.md: {what}: {error}"
            return


def _type_command(desk: Desk, command: TypedCommand) -> str:
    limit = STOPPED_AFTER_S.get(command.arguments[0])
    running = desk.start(command.line)
    try:
        said, _ = running.communicate(timeout=limit or LIMIT_S)
        expected = 0
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGINT)
        said, _ = running.communicate(timeout=LIMIT_S)
        expected = 130 if limit else 0
    if running.returncode != expected or "Traceback" in said:
        raise ReleaseError(f"ended with {running.returncode}:\n{said[-3000:]}")
    return said


def _open_server(desk: Desk, command: TypedCommand) -> None:
    """``./ludus`` says where the page is, has it, and ends with Ctrl-C."""
    running = desk.start(command.line)
    try:
        address = _read_address(running)
        for path, word in (("/", "<script"), ("/api/games", "reversi"), ("/docs/", "<")):
            if word not in wait_for(address + path, running):
                raise ReleaseError(f"{address}{path} lacks {word}")
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGINT)
        said, _ = running.communicate(timeout=LIMIT_S)
    if running.returncode != 130 or "Traceback" in said:
        raise ReleaseError(f"after Ctrl-C it ended with {running.returncode}:\n{said[-3000:]}")


def _read_address(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None
    lines = []
    for line in server.stdout:
        lines.append(line)
        if found := SERVER_ADDRESS.search(line):
            return found[0]
    raise ReleaseError(f"it did not say where the page is:\n{''.join(lines)[-3000:]}")


def make_clone(root: Path, folder: Path, language: str) -> Desk:
    """A fresh clone of the last commit; its first command sets it up."""
    place = folder / f"clone {language}"
    shutil.rmtree(place, ignore_errors=True)
    run(["git", "clone", "-q", root, place])
    return Desk(place, "./ludus", _own_settings(place / ".git/first-hour", language))


def make_wheel_desk(source: InstallSource, folder: Path, language: str) -> Desk:
    """An empty folder, and an environment with the wheel, installed by its own pip."""
    place = folder / f"wheel {language}"
    shutil.rmtree(place, ignore_errors=True)
    (place / "work").mkdir(parents=True)
    run([source.python, "-m", "venv", place / "env"])
    run([place / "env/bin/python", "-m", "pip", "install", "-q", source.wheel])
    settings = _own_settings(place / "home", language)
    settings["PATH"] = os.pathsep.join([str(place / "env/bin"), os.environ.get("PATH", "")])
    return Desk(place / "work", "ludus", settings)


def _own_settings(home: Path, language: str) -> dict[str, str]:
    """Nothing that this user of the machine has is used, and no browser opens."""
    return {"LUDUS_HOME": str(home), "LUDUS_LANG": language, "BROWSER": "true"}
