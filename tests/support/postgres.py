"""A PostgreSQL server of the tests' own."""

from __future__ import annotations

import contextlib
import glob
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


def programs() -> Path | None:
    """Where PostgreSQL's programs are; Debian keeps them off the path."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    if found:
        return Path(found[-1]).parent
    path = shutil.which("initdb")
    return Path(path).parent if path else None


class Server:
    """A server in a folder of its own, reached by a socket in it."""

    def __init__(self, bin: Path, folder: Path, user: str | None) -> None:
        self.bin, self.folder, self.user = bin, folder, user
        self.log = folder / "log"

    def run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self.bin / program), *arguments],
            user=self.user,
            cwd=self.folder,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            timeout=120,
        )

    def start(self) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories={self.folder} -c fsync=off"
        data = str(self.folder / "data")
        self.run("pg_ctl", "-D", data, "-l", str(self.log), "-o", options, "-w", "start")

    def stop(self) -> None:
        """At once, as a crash would."""
        self.run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "stop")

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.folder}"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    with started_postgres() as server:
        yield server


@contextlib.contextmanager
def started_postgres() -> Iterator[Server]:
    """A new server for as long as the block runs; skips the test where none can run."""
    bin = programs()
    if bin is None:
        pytest.skip("there is no PostgreSQL here (apt install postgresql)")
    user = None
    if os.getuid() == 0:
        try:
            user = pwd.getpwnam("postgres").pw_name
        except KeyError:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    folder = Path(tempfile.mkdtemp(prefix="ludus-pg-", dir="/tmp"))
    if user:
        shutil.chown(folder, user)
    server = Server(bin, folder, user)
    try:
        server.run("initdb", "-D", str(folder / "data"), "-U", "postgres", "-A", "trust", "-N")
        server.start()
        yield server
        server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
