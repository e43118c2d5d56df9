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
import logging
import os
import socket
import time
import uuid
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from ludus.errors import LudusError
from ludus.lang import tr
from ludus.scheduling.contest_store import ContestStore
from ludus.scheduling.database import DatabaseUnavailable, translate_database_errors
from ludus.scheduling.schema import LeaseRow

log = logging.getLogger(__name__)

STALE_AFTER_S = 30.0
"""Seconds without a heartbeat after which a scheduler counts as dead."""


class LeaseLost(LudusError):
    """Another scheduler has taken over this contest."""

    code = "lease_lost"


class AlreadyRunning(LudusError):
    """A living scheduler already runs this contest."""

    code = "already_running"


class Lease:
    """The right to schedule a contest; independent of wall clocks."""

    def __init__(self, store: ContestStore) -> None:
        self.store = store
        self.holder = uuid.uuid4().hex

    def acquire(self, patience: float | None = None) -> None:
        """Take the lease, also from a dead holder; AlreadyRunning if a living one has it."""
        patience = STALE_AFTER_S if patience is None else patience
        lease = self._read()
        until = time.monotonic() + patience
        while lease["holder"] and not _has_process_ended(lease["place"]):
            if time.monotonic() >= until:
                break
            time.sleep(min(1.0, patience / 20))
            now = self._read()
            if (now["holder"], now["beat"]) != (lease["holder"], lease["beat"]):
                raise _already_running_error(now["place"])
            lease = now
        # Only if its row has not changed since it was read.
        if not self._update(LeaseRow.holder == lease["holder"], LeaseRow.beat == lease["beat"]):
            raise _already_running_error(self._read()["place"])
        if lease["holder"]:
            host, pid = _describe_place(lease["place"])
            number = self.store.contest_id
            log.warning(
                tr(
                    f"contest {number} goes on: process {pid} on {host}, which ran it, has ended",
                    f"赛事 {number} 继续进行：此前运行它的进程 {pid}（{host}）已结束",
                )
            )

    def renew(self) -> None:
        """Increment the beat; LeaseLost if another scheduler has taken over."""
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

    def _update(self, *conditions: sql.ColumnElement[bool], holder: str | None = None) -> bool:
        update = (
            sql.update(LeaseRow)
            .where(LeaseRow.contest_id == self.store.contest_id, *conditions)
            .values(
                holder=self.holder if holder is None else holder,
                beat=LeaseRow.beat + 1,
                place=describe_this_process(),
            )
        )
        with translate_database_errors(), self.store.engine.begin() as connection:
            result: Any = connection.execute(update)
            return bool(result.rowcount == 1)


def is_lease_held(store: ContestStore) -> bool:
    """Whether a scheduler has the lease that is not known to be dead."""
    lease = Lease(store)._read()
    return bool(lease["holder"]) and not _has_process_ended(lease["place"])


def describe_this_process() -> dict[str, Any]:
    """An id of this process by which others on this machine can see whether it lives."""
    return {
        "host": _machine_boot_id(),
        "pid": os.getpid(),
        "started": _process_start_ticks(os.getpid()),
    }


def _machine_boot_id() -> str:
    """An id of this machine since its last boot, and of the PID namespace."""
    with contextlib.suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        spaces = os.readlink("/proc/self/ns/pid")
        return f"{socket.gethostname()} {boot} {spaces}"
    return socket.gethostname()


def _process_start_ticks(pid: int) -> str:
    """The start time of a process in kernel ticks; empty if it has ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else fields[19]


def _has_process_ended(place: dict[str, Any]) -> bool:
    """Whether a process of this machine has ended; False for processes elsewhere."""
    if place.get("host") != _machine_boot_id():
        return False
    return _process_start_ticks(int(place["pid"])) != str(place["started"])


def _describe_place(place: dict[str, Any]) -> tuple[str, str]:
    """Machine and number of a scheduler's process."""
    return str(place.get("host", "")).partition(" ")[0], str(place.get("pid", "?"))


def _already_running_error(place: dict[str, Any]) -> AlreadyRunning:
    host, pid = _describe_place(place)
    return AlreadyRunning(
        f"this contest is already being run by process {pid} on {host}",
        f"本赛事正在由 {host} 上的进程 {pid} 运行",
    )
