"""``python -m ludus.server.background``: the background process; talks to its server in lines."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import msgspec

from ludus import logs
from ludus.gc_pause import disable_gc

with disable_gc():
    from ludus.scheduling.cluster import create_pool
    from ludus.scheduling.cluster_key import Cluster
    from ludus.scheduling.contest_store import ContestStore
    from ludus.scheduling.database import DatabaseUnavailable
    from ludus.scheduling.multi_scheduler import MultiScheduler
    from ludus.server.background.check_queue import CheckQueue
    from ludus.server.background.contest_films import ContestFilms
    from ludus.server.background.contest_runner import ContestRunner
    from ludus.server.background.version_checker import VersionChecker
    from ludus.server.bots.version_files import VersionFiles
    from ludus.server.contests.live_access import LiveAccessLookup
    from ludus.server.database import Database
    from ludus.server.git.remote_worker import RemoteWorker
    from ludus.server.live.film_updates import LiveUpdate
    from ludus.server.live.live_films import LiveFilms
    from ludus.server.mail.mail_sender import MailSender
    from ludus.server.mail.mail_settings import MailSettings
    from ludus.workers.parent_death import die_with_parent
    from ludus.workers.pool import WorkerPool

log = logging.getLogger(__package__)

TICK_INTERVAL_S = 0.5
REPORT_INTERVAL_S = 2.0
"""Seconds between two reports to the server."""


class BackgroundProcess:
    """The threads of the background process: scheduler, contest runner, checkers, live films,
    mail, remotes."""

    def __init__(
        self,
        database: str,
        folder: str,
        jobs: int,
        cluster: Cluster | None,
        *,
        allow_plain: bool = False,
        mail: MailSettings | None = None,
    ) -> None:
        self.stop_event = threading.Event()
        self.wake_event = threading.Event()
        self.database = Database(database)
        self.worker_pool: WorkerPool = create_pool(jobs, cluster)
        self.multi_scheduler = MultiScheduler(self.worker_pool, self._on_contest_ended)
        version_files = VersionFiles(self.database, Path(folder) / "versions")
        self.live_access = LiveAccessLookup(self.database)
        self.live_films = LiveFilms(self.send_message, self.live_access.find_access)
        self.contest_runner = ContestRunner(
            self.database,
            version_files,
            self.multi_scheduler,
            self.send_message,
            bout_events=ContestFilms(self.live_films),
            allow_plain=allow_plain,
        )
        self.queue = queue = CheckQueue(self.database)
        checkers = max(2, jobs // 2)  # so that one long check does not block all others
        self.checkers = [
            VersionChecker(queue, version_files, self.stop_event, self.send_message, core=number)
            for number in range(checkers)
        ]
        self.mail_sender = MailSender(self.database, mail, self.stop_event) if mail else None
        self.remote_worker = RemoteWorker(self.database, self.stop_event, self._on_version)
        self._output_lock = threading.Lock()
        self._began = time.monotonic()

    def _on_contest_ended(self, store: ContestStore, error: Exception | None) -> None:
        self.contest_runner.on_contest_ended(store, error)
        self.wake_event.set()

    def _on_version(self, id: int) -> None:
        """Have a new version checked, and shown on its owners' pages."""
        for checker in self.checkers:
            checker.wake_event.set()
        self.send_message({"type": "version", "id": id})

    def send_message(self, message: dict[str, Any] | LiveUpdate) -> None:
        """Send a line to the server: that something has changed, or what happens in a bout."""
        line = msgspec.json.encode(message)
        with self._output_lock:
            try:
                sys.stdout.buffer.write(line + b"\n")
                sys.stdout.buffer.flush()
            except (OSError, ValueError):
                os._exit(1)

    def run(self) -> None:
        """Check and play until the server sends ``stop``."""
        log.info("process %d checks and plays, %d at once", os.getpid(), self.worker_pool.capacity)
        threads = [threading.Thread(target=self._listen, daemon=True)]
        threads += [checker.thread for checker in self.checkers]
        threads.append(self.remote_worker.thread)
        if self.mail_sender is not None:
            threads.append(self.mail_sender.thread)
        play = threading.Thread(target=self._run_scheduler, name="scheduler", daemon=True)
        self.live_films.start()
        for thread in (*threads, play):
            thread.start()
        try:
            self._run_loop()
        finally:  # without its contest runner the process must end, whatever happened
            self.stop_event.set()
            with contextlib.suppress(DatabaseUnavailable):
                self.queue.close()
            play.join(10)

    def _run_loop(self) -> None:
        reported = 0.0
        while not self.stop_event.is_set():
            try:
                self.contest_runner.advance()
                trouble = ""
            except DatabaseUnavailable as error:
                trouble = str(error)
                log.warning("contests wait for the database: %s", error.text["en"])
            if time.monotonic() - reported >= REPORT_INTERVAL_S:
                reported = time.monotonic()
                self.send_message({"type": "state", "trouble": trouble, **self._report_state()})
            self.wake_event.wait(TICK_INTERVAL_S)
            self.wake_event.clear()

    def _run_scheduler(self) -> None:
        try:
            self.multi_scheduler.run(self.stop_event.is_set)
        except BaseException:
            log.exception("the scheduler has failed; the process ends and is started again")
            self.stop_event.set()
            self.wake_event.set()

    def _report_state(self) -> dict[str, Any]:
        places, free = self.worker_pool.capacity, self.worker_pool.free_slots
        return {
            "places": places,
            "busy": places - max(0, free),
            "playing": self.multi_scheduler.list_playing(),
            "events": len(self.contest_runner.running),
            "played": self.contest_runner.bouts_played,
            "seconds": round(time.monotonic() - self._began, 1),
            "pid": os.getpid(),
        }

    def _listen(self) -> None:
        """Read the server's lines: what is watched, that something has changed, or to stop."""
        for line in sys.stdin:
            match line.split():
                case ["watch", *ids]:
                    self.live_films.watch(ids[0] if ids else None)
                case ["unwatch", *ids]:
                    self.live_films.unwatch(ids[0] if ids else None)
                case ["request", number]:
                    self.live_films.request(int(number))
                case ["stop"]:
                    self.stop_event.set()
                    self._look_for_changes()
                    return
                case _:
                    self._look_for_changes()
        os._exit(1)  # the server was killed; unfinished bouts are played again

    def _look_for_changes(self) -> None:
        """Have everything look for changes in the database."""
        self.live_access.forget()
        self.live_films.refresh_access()
        self.wake_event.set()
        for checker in self.checkers:
            checker.wake_event.set()
        self.remote_worker.wake_event.set()
        if self.mail_sender is not None:
            self.mail_sender.wake_event.set()


def main() -> None:
    die_with_parent()
    logs.configure("background")
    logs.log_uncaught_exceptions()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    given = json.loads(sys.stdin.readline())  # not an argument, which other users could read
    cluster = Cluster(**given["cluster"]) if given["cluster"] else None
    plain = given.get("allow_plain", False)
    mail = MailSettings(**given["mail"]) if given.get("mail") else None
    BackgroundProcess(
        given["database"], given["folder"], given["jobs"], cluster, allow_plain=plain, mail=mail
    ).run()


if __name__ == "__main__":
    main()
