"""Where and how new users install Ludus, and what they then do: each is tried with a real wheel."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tools.releasing.commands import ReleaseError
from tools.releasing.installing import InstallSource, install_wheel, make_environment

TIMEOUT_S = 300
NOBODY = 65534
"""The number of an account without rights on every Linux."""
NOT_EXECUTABLE = 126
"""A shell's exit status for a program that it may not run."""


@dataclass(frozen=True, slots=True)
class Situation:
    """A way to have Ludus installed."""

    name: str
    folder: str = "plain"
    """Where the environment and the working folder lie, below the folder of all tries."""
    user: int | None = None
    """The account; None is that of this process."""
    home: bool = True
    read_only: bool = False
    """Neither the environment nor the working folder can be written."""
    path: tuple[str, ...] = ()
    """The folders of programs beside that of Ludus: none, so no compiler, Node and Git."""
    variables: Mapping[str, str] = field(default_factory=dict)


SITUATIONS = (
    Situation("an ordinary folder, without compiler, Node and Git"),
    Situation("no home folder", home=False),
    Situation("a folder with spaces and Chinese characters", folder="a folder 文件夹"),
    Situation("Chinese, without a locale", variables={"LUDUS_LANG": "zh", "LC_ALL": "C"}),
    Situation("an ordinary account", folder="user", user=NOBODY),
    Situation("an ordinary account without a home folder", folder="user", user=NOBODY, home=False),
    Situation("everything read-only", folder="read only", user=NOBODY, read_only=True),
)


@dataclass(frozen=True, slots=True)
class Step:
    """A command of a new user, how it must end, and a word that it must say."""

    arguments: tuple[str, ...]
    code: int = 0
    says: str = ""


STEPS = (
    Step(("--version",), says="ludus"),
    Step(("play", "tablut", "greedy", "random", "--seed", "1")),
    Step(("play", "reversi", "random", "random", "--json"), says='"'),
    Step(("play", "tablut", "learned", "random"), code=2, says="ludus-arena[nets]"),
    Step(("doctor",), says="Python"),
)


class Try:
    """One situation on this machine: an environment with Ludus, and a folder to work in."""

    def __init__(self, situation: Situation, environment: Path, folder: Path) -> None:
        self.situation = situation
        self.ludus = environment / "bin/ludus"
        self.folder = folder
        self.home = folder / "home"
        self.data = ""
        """Where Ludus keeps its files, if not in the home folder."""

    def variables(self) -> dict[str, str]:
        """The whole environment of its processes."""
        found = {"PATH": os.pathsep.join([str(self.ludus.parent), *self.situation.path])}
        if self.situation.home:
            found["HOME"] = str(self.home)
        if self.data:
            found["LUDUS_HOME"] = self.data
        return found | dict(self.situation.variables)

    def can_start(self) -> bool:
        """Whether its account may run the Python of the environment."""
        try:
            running = self.start("--version")
        except PermissionError:
            return False
        running.communicate(timeout=TIMEOUT_S)
        return running.returncode != NOT_EXECUTABLE

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """A process of Ludus without a terminal."""
        user = self.situation.user
        return subprocess.Popen(
            [self.ludus, *arguments],
            cwd=self.folder,
            env=self.variables(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
            user=user,
            group=user,
            extra_groups=[] if user is not None else None,
        )

    def problems(self) -> Iterator[str]:
        """What did not work, in sentences."""
        if not self.can_start():
            python = os.path.realpath(self.ludus.with_name("python"))
            yield f"other accounts cannot run {python}: name another one with --python"
            return
        yield from self.unwritable_problems()
        for step in STEPS:
            running = self.start(*step.arguments)
            said, _ = running.communicate(timeout=TIMEOUT_S)
            if running.returncode != step.code or step.says not in said or "Traceback" in said:
                words = " ".join(step.arguments)
                end = f"ended with {running.returncode}, said:\n{said[-2000:]}"
                yield f"{self.situation.name}: ludus {words} {end}"
        yield from self.server_problems()

    def unwritable_problems(self) -> Iterator[str]:
        """Where Ludus cannot write, it says which variable names another folder; it is set then."""
        if self.situation.user is None or (self.situation.home and not self.situation.read_only):
            return
        for arguments in (("serve", "--no-browser"), ("play", "tablut", "random", "random")):
            running = self.start(*arguments)
            said, _ = running.communicate(timeout=TIMEOUT_S)
            if running.returncode != 2 or "LUDUS_HOME=" not in said:
                yield f"{self.situation.name}: ludus {arguments[0]} said:\n{said[-2000:]}"
        self.data = tempfile.mkdtemp(prefix="data-", dir=self.folder.parent)
        os.chown(self.data, self.situation.user, self.situation.user)

    def server_problems(self) -> Iterator[str]:
        """Whether a server starts, has its page and its docs, and stops."""
        port = str(free_port())
        running = self.start("serve", "--port", port, "--no-browser")
        try:
            for path, word in (
                ("/health", ""),
                ("/", "<script"),
                ("/docs/", "<"),
                ("/api/games", "tablut"),
            ):
                if word not in wait_for(f"http://127.0.0.1:{port}{path}", running):
                    yield f"{self.situation.name}: {path} of the server lacks {word}"
        except ReleaseError as error:
            yield f"{self.situation.name}: {error}"
        finally:
            running.terminate()
            said, _ = running.communicate(timeout=TIMEOUT_S)
        if "Traceback" in said:
            yield f"{self.situation.name}: ludus serve said:\n{said[-2000:]}"


def free_port() -> int:
    """A port that no one listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def wait_for(address: str, server: subprocess.Popen[str]) -> str:
    """What a server answers as soon as it does."""
    end = time.monotonic() + TIMEOUT_S
    while True:
        try:
            with urllib.request.urlopen(address, timeout=TIMEOUT_S) as answer:
                return str(answer.read().decode())
        except OSError as error:
            if server.poll() is not None:
                said = (server.stdout.read() if server.stdout else "")[-2000:]
                raise ReleaseError(f"ludus serve ended with {server.returncode}:\n{said}") from None
            if time.monotonic() > end:
                raise ReleaseError(f"{address} does not answer: {error}") from None
            time.sleep(0.2)


def prepare_try(situation: Situation, source: InstallSource, tries: Path) -> Try:
    """Ludus installed in the folder of a situation, and a folder to work in."""
    place = tries / situation.folder
    environment, folder = place / "env", place / "work"
    if not environment.exists():
        install_wheel(source, make_environment(source.python, environment), "--no-compile")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "home").mkdir(parents=True)
    if situation.user is not None and not situation.read_only:
        for each in (folder, folder / "home"):
            os.chown(each, situation.user, situation.user)
    return Try(situation, environment, folder)


def can_try(situation: Situation) -> bool:
    """Other accounts can only be taken by root."""
    return situation.user is None or os.geteuid() == 0
