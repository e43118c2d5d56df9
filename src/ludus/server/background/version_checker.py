"""Checks the versions that wait for it."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any

from sqlalchemy.orm import Session

from ludus.bots import limited
from ludus.errors import LudusError
from ludus.games.registry import get_listed
from ludus.lang import Text
from ludus.match.parallel import ParallelWorkers
from ludus.match.series import SeriesBout
from ludus.match.task import MatchTask
from ludus.sandbox.fault import PlatformFault
from ludus.scheduling.database import DatabaseUnavailable
from ludus.scheduling.schema import BotRow, CheckRecordRow, VersionRow
from ludus.server.accounts import notices, quotas
from ludus.server.admin import site_settings
from ludus.server.background.check_queue import MAX_CHECK_STARTS, CheckQueue
from ludus.server.bots import bots, version_check
from ludus.server.bots.version_check import VersionCheckReport
from ludus.server.bots.version_files import VersionFiles

MAX_CHECK_TRIES = 3
"""How often a check is made when the platform itself fails."""
RETRY_PAUSE_S = 2.0
CHECK_BOUT_TIMEOUT_S = 600.0
"""By the clock, for building a version and playing one bout of its check."""


class VersionChecker:
    """One thread that checks one version at a time."""

    def __init__(
        self,
        queue: CheckQueue,
        locker: VersionFiles,
        stop: threading.Event,
        tell: Callable[[dict[str, Any]], None],
    ) -> None:
        self.queue, self.version_files, self.stop_event, self.send_message = (
            queue,
            locker,
            stop,
            tell,
        )
        self.database = queue.database
        self.wake_event = threading.Event()
        self.thread = threading.Thread(target=self._run, name="checker", daemon=True)

    def _run(self) -> None:
        while not self.stop_event.is_set():
            try:
                found = self.queue.take_next()
                if found is None:
                    self.wake_event.wait(RETRY_PAUSE_S)
                    self.wake_event.clear()
                    continue
                version_id, starts = found
                try:
                    self._check(version_id, starts)
                finally:
                    self.queue.finish(version_id)
            except DatabaseUnavailable:
                self.stop_event.wait(RETRY_PAUSE_S)

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
            self.send_message({"type": "version", "id": version_id})

    def _run_check(
        self,
        version_id: int,
        name: str,
        game: str,
        files: dict[str, bytes],
        house: site_settings.SiteSettings,
    ) -> VersionCheckReport:
        allowed, level = house.imports.get(game), house.jail
        for _ in range(MAX_CHECK_TRIES):
            try:
                played = get_listed(game)
                source = partial(
                    self.version_files.source, version_id, name, played, limited.STRICT_BOUNDS
                )
                with ParallelWorkers(1, CHECK_BOUT_TIMEOUT_S) as crew:
                    play = partial(play_one, crew)
                    return version_check.check_version(
                        version_id, files, played, allowed, source, play, level
                    )
            except DatabaseUnavailable:
                raise  # it is checked again when the database is back
            except LudusError as error:
                why = dict(error.text)
                break
            except (PlatformFault, OSError) as fault:  # this machine's: its disk may be full
                traceback.print_exception(fault, file=sys.stderr)
                why = {"en": f"this machine failed: {fault}", "zh": f"本机出错：{fault}"}
                self.stop_event.wait(RETRY_PAUSE_S)
            except Exception as error:  # a check that ends oddly must not be the last one
                traceback.print_exception(error, file=sys.stderr)
                why = {"en": "it cannot be checked here", "zh": "无法在本机检查"}
                break
        return _make_failed_report(why)

    def _save_report(self, version_id: int, found: VersionCheckReport) -> None:
        with self.database.writing() as session:
            version = session.get_one(VersionRow, version_id)
            bot = session.get_one(BotRow, version.bot_id)
            if version.state != bots.CHECKING:
                return
            if found.passed and found.built:
                _refuse_too_large(session, bot, found)
            version.built = found.built if found.passed else 0
            version.state = bots.GOOD if found.passed else bots.BAD
            version.check = found.as_json()
            version.language = found.language or version.language
            for number, data in enumerate(found.records):
                session.merge(CheckRecordRow(version_id=version_id, number=number, data=data))
            if found.passed and version.wish and not bot.retired:
                bot.current_id = version.id
            text = _notice_text(bot.name, version.number, found)
            link = f"/bots/{bot.id}"
            notices.add_notices(session, bots.list_owner_ids(session, bot), "check", text, link)


def _refuse_too_large(session: Session, bot: BotRow, found: VersionCheckReport) -> None:
    """What was compiled counts as its owner's, though it is known only now."""
    try:
        quotas.refuse_over_storage(
            session, bot, found.built, site_settings.read_settings(session).storage_megabytes
        )
    except LudusError as error:
        found.add_step({"en": "there is room for it", "zh": "有空间存放"}, False, error.text)


def _make_failed_report(why: Text) -> VersionCheckReport:
    failed = VersionCheckReport()
    failed.add_step({"en": "it is checked", "zh": "进行检查"}, False, why)
    return failed


def _make_unfinished_report(starts: int) -> VersionCheckReport:
    return _make_failed_report(
        {
            "en": f"its check was started {starts} times and never finished;"
            " if your code is not the reason, upload it again",
            "zh": f"检查开始了 {starts} 次，从未完成；若非代码的问题，请重新上传",
        }
    )


def play_one(crew: ParallelWorkers, task: MatchTask) -> SeriesBout:
    """One bout, with bots that are started for it; LudusError if it is endless."""
    for _, played in crew.play([task]):
        crew.forget_matches()
        return played
    raise PlatformFault("the bout was not played")


def _notice_text(name: str, number: int, found: VersionCheckReport) -> dict[str, str]:
    if found.passed:
        return {"en": f"{name} #{number} passed its check", "zh": f"{name} #{number} 通过了检查"}
    failed = next((step for step in found.steps if not step["ok"]), None)
    why = failed["why"] if failed else {"en": "", "zh": ""}
    return {
        "en": f"{name} #{number} did not pass its check: {why['en']}",
        "zh": f"{name} #{number} 未通过检查：{why['zh']}",
    }
