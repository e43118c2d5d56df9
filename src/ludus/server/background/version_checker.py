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
from ludus.games.registry import listed
from ludus.lang import Text
from ludus.match.parallel import Crew
from ludus.match.series import Played
from ludus.match.task import Task
from ludus.sandbox.fault import PlatformFault
from ludus.scheduling.database import StoreTrouble
from ludus.server.accounts import notices, quotas
from ludus.server.admin import site_settings
from ludus.server.background.check_queue import MOST_STARTS, Queue
from ludus.server.bots import bots, version_check
from ludus.server.bots.version_check import Trial
from ludus.server.bots.version_files import Locker
from ludus.server.tables import BotRow, TrialRow, VersionRow

TRIES = 3
"""How often a check is made when the platform itself fails."""
PAUSE = 2.0
BOUT_SECONDS = 600.0
"""By the clock, for building a version and playing one bout of its check."""


class Checker:
    """One thread that checks one version at a time."""

    def __init__(
        self,
        queue: Queue,
        locker: Locker,
        stop: threading.Event,
        tell: Callable[[dict[str, Any]], None],
    ) -> None:
        self.queue, self.locker, self.stop, self.tell = queue, locker, stop, tell
        self.database = queue.database
        self.bell = threading.Event()
        self.thread = threading.Thread(target=self._run, name="checker", daemon=True)

    def _run(self) -> None:
        while not self.stop.is_set():
            try:
                found = self.queue.next()
                if found is None:
                    self.bell.wait(PAUSE)
                    self.bell.clear()
                    continue
                version_id, starts = found
                try:
                    self._check(version_id, starts)
                finally:
                    self.queue.done(version_id)
            except StoreTrouble:
                self.stop.wait(PAUSE)

    def _check(self, version_id: int, starts: int = 0) -> None:
        with self.database.reading() as session:
            version = session.get_one(VersionRow, version_id)
            bot = session.get_one(BotRow, version.bot_id)
            files = bots.files_of(session, version)
            house = site_settings.read(session)
            name, played = bot.name, bot.game
        if starts >= MOST_STARTS:
            found = _given_up(starts)
        else:
            found = self._tried(version_id, name, played, files, house)
        if not self.stop.is_set():
            self._write(version_id, found)
            self.tell({"type": "version", "id": version_id})

    def _tried(
        self,
        version_id: int,
        name: str,
        game: str,
        files: dict[str, bytes],
        house: site_settings.HouseRules,
    ) -> Trial:
        allowed, level = house.imports.get(game), house.jail
        for _ in range(TRIES):
            try:
                played = listed(game)
                source = partial(self.locker.source, version_id, name, played, limited.STRICT)
                with Crew(1, BOUT_SECONDS) as crew:
                    play = partial(play_one, crew)
                    return version_check.examine(
                        version_id, files, played, allowed, source, play, level
                    )
            except StoreTrouble:
                raise  # it is checked again when the database is back
            except LudusError as error:
                why = dict(error.text)
                break
            except (PlatformFault, OSError) as fault:  # this machine's: its disk may be full
                traceback.print_exception(fault, file=sys.stderr)
                why = {"en": f"this machine failed: {fault}", "zh": f"本机出错：{fault}"}
                self.stop.wait(PAUSE)
            except Exception as error:  # a check that ends oddly must not be the last one
                traceback.print_exception(error, file=sys.stderr)
                why = {"en": "it cannot be checked here", "zh": "无法在本机检查"}
                break
        return _failed(why)

    def _write(self, version_id: int, found: Trial) -> None:
        with self.database.writing() as session:
            version = session.get_one(VersionRow, version_id)
            bot = session.get_one(BotRow, version.bot_id)
            if version.state != bots.CHECKING:
                return
            if found.good and found.built:
                _refuse_too_large(session, bot, found)
            version.built = found.built if found.good else 0
            version.state = bots.GOOD if found.good else bots.BAD
            version.check = found.as_json()
            version.language = found.language or version.language
            for number, data in enumerate(found.records):
                session.merge(TrialRow(version_id=version_id, number=number, data=data))
            if found.good and version.wish and not bot.retired:
                bot.current_id = version.id
            text = _words(bot.name, version.number, found)
            link = f"/bots/{bot.id}"
            notices.tell(session, bots.owners(session, bot), "check", text, link)


def _refuse_too_large(session: Session, bot: BotRow, found: Trial) -> None:
    """What was compiled counts as its owner's, though it is known only now."""
    try:
        quotas.store(session, bot, found.built, site_settings.read(session).storage_megabytes)
    except LudusError as error:
        found.step({"en": "there is room for it", "zh": "有空间存放"}, False, error.text)


def _failed(why: Text) -> Trial:
    failed = Trial()
    failed.step({"en": "it is checked", "zh": "进行检查"}, False, why)
    return failed


def _given_up(starts: int) -> Trial:
    return _failed(
        {
            "en": f"its check was started {starts} times and never finished;"
            " if your code is not the reason, upload it again",
            "zh": f"检查开始了 {starts} 次，从未完成；若非代码的问题，请重新上传",
        }
    )


def play_one(crew: Crew, task: Task) -> Played:
    """One bout, with bots that are started for it; LudusError if it is endless."""
    for _, played in crew.play([task]):
        crew.forget()
        return played
    raise PlatformFault("the bout was not played")


def _words(name: str, number: int, found: Trial) -> dict[str, str]:
    if found.good:
        return {"en": f"{name} #{number} passed its check", "zh": f"{name} #{number} 通过了检查"}
    failed = next((step for step in found.steps if not step["ok"]), None)
    why = failed["why"] if failed else {"en": "", "zh": ""}
    return {
        "en": f"{name} #{number} did not pass its check: {why['en']}",
        "zh": f"{name} #{number} 未通过检查：{why['zh']}",
    }
