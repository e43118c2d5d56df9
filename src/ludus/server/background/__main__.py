"""``python -m ludus.server.background``: the office of a server, which talks to it by lines."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from ludus.loading import uncollected

with uncollected():
    from ludus.sandbox import syscalls
    from ludus.scheduling.cluster_key import Cluster
    from ludus.scheduling.database import StoreTrouble
    from ludus.scheduling.multi_scheduler import Hall
    from ludus.scheduling.store import Store
    from ludus.scheduling.worker_pool import Labour, LocalLabour
    from ludus.server.background.check_queue import Queue
    from ludus.server.background.contest_runner import Clerk
    from ludus.server.background.version_checker import Checker
    from ludus.server.bots.version_files import Locker
    from ludus.server.database import Database

TICK = 0.5
STATE = 2.0
"""Seconds between two reports to the server."""


class Office:
    """Everything that goes on beside the server."""

    def __init__(
        self,
        database: str,
        folder: str,
        jobs: int,
        cluster: Cluster | None,
        *,
        allow_plain: bool = False,
    ) -> None:
        self.stop = threading.Event()
        self.bell = threading.Event()
        self.database = Database(database)
        self.labour: Labour = _labour(jobs, cluster)
        self.hall = Hall(self.labour, self._ended)
        locker = Locker(self.database, Path(folder) / "versions")
        self.clerk = Clerk(self.database, locker, self.hall, self.tell, allow_plain=allow_plain)
        self.queue = queue = Queue(self.database)
        checkers = max(2, jobs // 2)  # so that nobody waits for one long check alone
        self.checkers = [Checker(queue, locker, self.stop, self.tell) for _ in range(checkers)]
        self._mouth = threading.Lock()
        self._began = time.monotonic()

    def _ended(self, store: Store, error: Exception | None) -> None:
        self.clerk.ended(store, error)
        self.bell.set()

    def tell(self, what: dict[str, Any]) -> None:
        """A line to the server."""
        with self._mouth:
            try:
                sys.stdout.write(json.dumps(what) + "\n")
                sys.stdout.flush()
            except (OSError, ValueError):
                os._exit(1)

    def run(self) -> None:
        threads = [threading.Thread(target=self._listen, daemon=True)]
        threads += [checker.thread for checker in self.checkers]
        play = threading.Thread(target=self._play, name="hall", daemon=True)
        for thread in (*threads, play):
            thread.start()
        try:
            self._tend()
        finally:  # whatever happened: without its clerk an office must not linger
            self.stop.set()
            with contextlib.suppress(StoreTrouble):
                self.queue.close()
            play.join(10)

    def _tend(self) -> None:
        reported = 0.0
        while not self.stop.is_set():
            try:
                self.clerk.tick()
                trouble = ""
            except StoreTrouble as error:
                trouble = str(error)
            if time.monotonic() - reported >= STATE:
                reported = time.monotonic()
                self.tell({"type": "state", "trouble": trouble, **self._state()})
            self.bell.wait(TICK)
            self.bell.clear()

    def _play(self) -> None:
        try:
            self.hall.run(self.stop.is_set)
        except BaseException:
            self.stop.set()
            self.bell.set()
            raise

    def _state(self) -> dict[str, Any]:
        places, free = self.labour.places, self.labour.free
        return {
            "places": places,
            "busy": places - max(0, free),
            "events": len(self.clerk.playing),
            "played": self.clerk.played,
            "seconds": round(time.monotonic() - self._began, 1),
            "pid": os.getpid(),
        }

    def _listen(self) -> None:
        """The server rings, tells us to stop, or is gone."""
        for line in sys.stdin:
            if line.strip() == "stop":
                self.stop.set()
            self.bell.set()
            for checker in self.checkers:
                checker.bell.set()
            if self.stop.is_set():
                return
        os._exit(1)  # the server was killed; whatever was under way is played again


def _labour(jobs: int, cluster: Cluster | None) -> Labour:
    if cluster is None:
        return LocalLabour(jobs)
    from ludus.scheduling.cluster import cluster_labour

    return cluster_labour(cluster)


def main() -> None:
    syscalls.die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a person's Ctrl-C is for the server
    given = json.loads(sys.stdin.readline())  # no argument: others may read those
    cluster = Cluster(**given["cluster"]) if given["cluster"] else None
    plain = given.get("allow_plain", False)
    Office(given["database"], given["folder"], given["jobs"], cluster, allow_plain=plain).run()


if __name__ == "__main__":
    main()
