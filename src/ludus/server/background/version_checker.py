"""Checks uploaded versions in the background process."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from sqlalchemy.orm import Session

from ludus.bots import limited_calls
from ludus.errors import LudusError, PlatformFault
from ludus.findings import Severity
from ludus.games.registry import get_listed
from ludus.lang import Text
from ludus.match.bot_check.pooled import check_on_pool
from ludus.match.bot_check.trials import CheckProgress
from ludus.scheduling.database import DatabaseUnavailable
from ludus.scheduling.schema import BotRow, CheckRecordRow, VersionRow
from ludus.server.accounts import notices, quotas
from ludus.server.admin import site_settings
from ludus.server.background.check_queue import MAX_CHECK_STARTS, CheckQueue
from ludus.server.bots import bots, version_check
from ludus.server.bots.version_check import VersionCheckReport
from ludus.server.bots.version_files import VersionFiles
from ludus.server.page_links import page_link
from ludus.workers.pool import LocalPool

log = logging.getLogger(__name__)

MAX_CHECK_TRIES = 3
"""How often a check is tried when the platform itself fails."""
RETRY_PAUSE_S = 2.0
IDLE_WORKER_S = 60.0
"""Seconds without a check after which a checker's worker is stopped."""
CHECK_BOUT_TIMEOUT_S = 600.0
"""Seconds of wall time for building a version and playing one bout of its check."""


class VersionChecker:
    """One thread that checks one version at a time, in one worker process.

    The worker is kept from check to check, since starting one costs more than most checks. Bots are
    not: every bout of a check has processes of its own.
    """

    def __init__(
        self,
        queue: CheckQueue,
        version_files: VersionFiles,
        stop: threading.Event,
        send_message: Callable[[dict[str, Any]], None],
        *,
        core: int = 0,
    ) -> None:
        """``core``: the CPU core on which the bouts are played."""
        self.queue, self.version_files, self.stop_event, self.send_message = (
            queue,
            version_files,
            stop,
            send_message,
        )
        self.database = queue.database
        self.pool = LocalPool(1, first_core=core)
        self.wake_event = threading.Event()
        self.thread = threading.Thread(target=self._run, name="checker", daemon=True)

    def _run(self) -> None:
        checked_at = time.monotonic()
        with self.pool:
            while not self.stop_event.is_set():
                try:
                    if (waiting := self.queue.take_next()) is not None:
                        try:
                            self._check(*waiting)
                        finally:
                            self.queue.finish(waiting[0])
                        checked_at = time.monotonic()
                        continue
                except DatabaseUnavailable:
                    self.stop_event.wait(RETRY_PAUSE_S)
                    continue
                if time.monotonic() - checked_at > IDLE_WORKER_S:
                    self.pool.stop_idle_workers()
                self.wake_event.wait(RETRY_PAUSE_S)
                self.wake_event.clear()

    def _check(self, version_id: int, starts: int = 0) -> None:
        with self.database.reading() as session:
            version = session.get_one(VersionRow, version_id)
            bot = session.get_one(BotRow, version.bot_id)
            files = bots.read_files(session, version)
            house = site_settings.read_settings(session)
            name, played = bot.name, bot.game
        if starts >= MAX_CHECK_STARTS:
            found = _make_unfinished_report(starts)
        else:
            found = self._run_check(version_id, name, played, files, house)
        if not self.stop_event.is_set():
            self._save_report(version_id, found)
            log.info(
                "version %d (%s, %s) %s its check",
                version_id,
                name,
                played,
                "passed" if found.passed else "did not pass",
            )
            self.send_message({"type": "version", "id": version_id})

    def _run_check(
        self,
        version_id: int,
        name: str,
        game: str,
        files: dict[str, bytes],
        house: site_settings.SiteSettings,
    ) -> VersionCheckReport:
        run_check = partial(
            check_on_pool,
            self.pool,
            bout_timeout_s=CHECK_BOUT_TIMEOUT_S,
            on_progress=partial(self._send_progress, version_id),
        )
        for _ in range(MAX_CHECK_TRIES):
            try:
                played = get_listed(game)
                source = partial(
                    self.version_files.source, version_id, name, played, limited_calls.STRICT_BOUNDS
                )
                return version_check.check_version(
                    version_id,
                    files,
                    played,
                    house.imports.get(game),
                    source,
                    run_check,
                    house.check_plan(),
                    house.jail,
                )
            except DatabaseUnavailable:
                raise  # the check is repeated when the database is back
            except LudusError as error:
                why = error.text
                break
            except (
                PlatformFault,
                OSError,
            ) as fault:  # a failure of this machine, such as a full disk
                log.warning(
                    "version %d (%s) cannot be checked now", version_id, name, exc_info=fault
                )
                why = Text(f"this machine failed: {fault}", f"本机出错：{fault}")
                self.stop_event.wait(RETRY_PAUSE_S)
            except Exception as error:  # an unexpected error must not stop later checks
                log.error("the check of version %d (%s) failed", version_id, name, exc_info=error)
                why = Text("it cannot be checked here", "无法在本机检查")
                break
        return VersionCheckReport().refuse("not-checked", why)

    def _send_progress(self, version_id: int, progress: CheckProgress) -> None:
        self.send_message({"type": "check", "id": version_id, "progress": progress})

    def _save_report(self, version_id: int, found: VersionCheckReport) -> None:
        with self.database.writing() as session:
            version = session.get_one(VersionRow, version_id)
            bot = session.get_one(BotRow, version.bot_id)
            if version.state != bots.CHECKING:
                return
            if found.passed and found.built:
                _refuse_too_large(session, bot, found)
            version.build_bytes = found.built if found.passed else 0
            version.state = bots.GOOD if found.passed else bots.BAD
            version.check_result = found.as_json()
            version.language = found.language or version.language
            for number, data in found.records.items():
                session.merge(CheckRecordRow(version_id=version_id, number=number, data=data))
            if found.passed and version.enter_ladder_when_checked and not bot.retired:
                bot.ladder_version_id = version.id
            text = _notice_text(bot.name, version.number, found)
            link = page_link("/bots/:id", bot.id)
            notices.add_notices(session, bots.list_owner_ids(session, bot), "check", text, link)


def _refuse_too_large(session: Session, bot: BotRow, found: VersionCheckReport) -> None:
    """Fail the check if the compiled program exceeds its owner's storage."""
    try:
        quotas.refuse_over_storage(
            session, bot, found.built, site_settings.read_settings(session).storage_megabytes
        )
    except LudusError as error:
        found.refuse("too-large", error.text)


def _make_unfinished_report(starts: int) -> VersionCheckReport:
    return VersionCheckReport().refuse(
        "not-finished",
        Text(
            f"its check was started {starts} times and never finished;"
            " if your code is not the reason, upload it again",
            f"检查开始了 {starts} 次，从未完成；若非代码的问题，请重新上传",
        ),
    )


def _notice_text(name: str, number: int, found: VersionCheckReport) -> Text:
    if found.passed:
        return Text(
            f"{name}: version {number} passed its check", f"{name}：第 {number} 版通过了检查"
        )
    failed = next(each for each in found.result.findings if each.severity is Severity.WRONG)
    place, why = failed.evidence, failed.text
    where = f"{place.file}:{place.line}: " if place.file else ""
    return Text(
        f"{name}: version {number} did not pass its check: {where}{why['en']}",
        f"{name}：第 {number} 版未通过检查：{where}{why['zh']}",
    )
