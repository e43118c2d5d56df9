"""One scheduler at a time: the right to schedule a contest.

Two schedulers of one contest would play every bout twice and could disagree about what comes next.
A lock in the database would not do: SQLite's and PostgreSQL's locks end with a connection, and a
scheduler must survive losing its connection. So the right is a row with three facts: who holds it,
a number that the holder raises every few seconds (``beat``), and the holder's process (``place``).

A second scheduler that finds a holder cannot compare times, because clocks of two machines differ
and may jump. It watches instead: if the number has not changed for ``STALE_AFTER_S`` seconds of its
own monotonic clock, the holder is dead. Only if the holder was a process of the same boot of the
same machine, and that process is gone, does it not need to wait.

Taking the lease is one UPDATE that requires holder and number to be as they were seen: of two
schedulers that saw the same dead holder, one gets it. The old holder, should it only have been
slow, finds out at its next ``renew``, whose UPDATE requires itself as the holder, and stops. A bout
that both played meanwhile is stored once, because its id is unique.
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
import uuid
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from ludus.errors import LudusError
from ludus.scheduling.database import DatabaseUnavailable, translate_database_errors
from ludus.scheduling.schema import LeaseRow
from ludus.scheduling.store import ContestStore

STALE_AFTER_S = 30.0
"""Seconds without a heartbeat after which a scheduler counts as dead."""


class LeaseLost(LudusError):
    """Another process schedules this contest now."""


class AlreadyRunning(LudusError):
    """Another process, which is alive, schedules this contest."""


class Lease:
    """The right to schedule a contest; independent of wall clocks."""

    def __init__(self, store: ContestStore) -> None:
        self.store = store
        self.holder = uuid.uuid4().hex

    def acquire(self, patience: float | None = None) -> None:
        """Take the lease, from a dead holder if need be; LudusError if a living one has it."""
        patience = STALE_AFTER_S if patience is None else patience
        seen = self._read()
        until = time.monotonic() + patience
        while seen["holder"] and not _has_process_ended(seen["place"]):
            if time.monotonic() >= until:
                break
            time.sleep(min(1.0, patience / 20))
            now = self._read()
            if (now["holder"], now["beat"]) != (seen["holder"], seen["beat"]):
                raise _already_running_error(now["place"])
            seen = now
        if not self._take(seen):
            raise _already_running_error(self._read()["place"])

    def renew(self) -> None:
        """Raise the number; LeaseLost if another process has taken over."""
        if not self._update(LeaseRow.holder == self.holder):
            raise LeaseLost(
                "another scheduler has taken over this contest", "另一个调度进程已接管本赛事"
            )

    def release(self) -> None:
        with contextlib.suppress(DatabaseUnavailable):
            self._update(LeaseRow.holder == self.holder, holder="")

    def _read(self) -> dict[str, Any]:
        query = sql.select(LeaseRow.holder, LeaseRow.beat, LeaseRow.place).where(
            LeaseRow.contest_id == self.store.contest_id
        )
        with translate_database_errors(), self.store.engine.connect() as connection:
            row = connection.execute(query).one()
            return {"holder": row.holder, "beat": row.beat, "place": row.place}

    def _take(self, seen: dict[str, Any]) -> bool:
        """Take the lease if its row is still as it was seen."""
        return self._update(LeaseRow.holder == seen["holder"], LeaseRow.beat == seen["beat"])

    def _update(self, *still: sql.ColumnElement[bool], holder: str | None = None) -> bool:
        taking = (
            sql.update(LeaseRow)
            .where(LeaseRow.contest_id == self.store.contest_id, *still)
            .values(
                holder=self.holder if holder is None else holder,
                beat=LeaseRow.beat + 1,
                place=describe_this_process(),
            )
        )
        with translate_database_errors(), self.store.engine.begin() as connection:
            result: Any = connection.execute(taking)
            return bool(result.rowcount == 1)


def describe_this_process() -> dict[str, Any]:
    """This process, so that others on this machine can see whether it lives."""
    return {
        "host": _machine_boot_id(),
        "pid": os.getpid(),
        "started": _process_start_ticks(os.getpid()),
    }


def _machine_boot_id() -> str:
    """A name that changes when the machine is started anew."""
    with contextlib.suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        spaces = os.readlink("/proc/self/ns/pid")
        return f"{socket.gethostname()} {boot} {spaces}"
    return socket.gethostname()


def _process_start_ticks(pid: int) -> str:
    """When a process was started, in the kernel's ticks; empty if there is none."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else fields[19]


def _has_process_ended(place: dict[str, Any]) -> bool:
    """Whether a process of this very machine has ended; False for processes elsewhere."""
    if place.get("host") != _machine_boot_id():
        return False
    return _process_start_ticks(int(place["pid"])) != str(place["started"])


def _already_running_error(place: dict[str, Any]) -> AlreadyRunning:
    host = str(place.get("host", "")).partition(" ")[0]
    pid = place.get("pid", "?")
    return AlreadyRunning(
        f"this contest is being run already, by process {pid} on {host}",
        f"本赛事正在由 {host} 上的进程 {pid} 运行",
    )
