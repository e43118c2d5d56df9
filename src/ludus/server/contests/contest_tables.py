"""The tables of contests as the page shows them, cached and updated incrementally."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, tzinfo
from typing import Any, TypeVar

import msgspec
import sqlalchemy as sql

from ludus.analysis.contest_turning_points import ContestTurningPoints
from ludus.contest.formats import AnyFormat
from ludus.contest.ledger import Ledger
from ludus.contest.match_bouts import MatchRules
from ludus.contest.presets import PRESETS
from ludus.contest.report import texts
from ludus.contest.report.data import build_report_data
from ludus.contest.settings_help import SETTING_NOTES
from ludus.lang import Text
from ludus.scheduling.contest_store import ContestStore
from ludus.scheduling.ledger_loading import LedgerReader
from ludus.scheduling.schema import BoutRow
from ludus.server.contests import report_page
from ludus.server.contests.contest_results import Films, describe_tables
from ludus.server.contests.contest_schemas import (
    ContestTables,
    FormatForms,
    FormatInfo,
    PresetInfo,
    SettingInfo,
)
from ludus.server.contests.live_access import is_delay_over
from ludus.server.contests.report_schemas import ReportSite
from ludus.server.database import Database
from ludus.server.records.played_bouts import BOUT_FILM_PREFIX
from ludus.timestamps import now

MAX_CACHED_CONTESTS = 32
"""How many contests are cached."""
T = TypeVar("T")


class ContestViews:
    """Computes tables and reports of contests; for any thread, one at a time for each contest."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._readers: OrderedDict[int, tuple[LedgerReader, threading.Lock]] = OrderedDict()
        self._lock = threading.Lock()

    def with_ledger(self, contest_id: int, act: Callable[[Ledger], T]) -> T:
        """The result of a function of everything known of a contest now."""
        with self._lock:
            if contest_id not in self._readers:
                store = ContestStore(self.database.engine, contest_id)
                self._readers[contest_id] = (LedgerReader(store), threading.Lock())
            self._readers.move_to_end(contest_id)
            while len(self._readers) > MAX_CACHED_CONTESTS:
                self._readers.popitem(last=False)
            reader, lock = self._readers[contest_id]
        with lock:
            return act(reader.refresh())

    def forget(self, contest_id: int) -> None:
        """Drop what is cached of a contest that was deleted."""
        with self._lock:
            self._readers.pop(contest_id, None)

    def load_tables(
        self, contest_id: int, delay: float = 0.0, through: int | None = None
    ) -> ContestTables:
        """``delay``: without the bouts of the last so many seconds; ``through``: without those
        that ended after the bout with this id."""
        films = self.list_films(contest_id, through)

        def described(ledger: Ledger) -> ContestTables:
            shown = cut_ledger(ledger, delay)
            if through is not None:
                shown = keep_bouts(shown, films)
            return describe_tables(shown, films)

        return self.with_ledger(contest_id, described)

    def list_films(self, contest_id: int, through: int | None = None) -> Films:
        query = sql.select(BoutRow.match_id, BoutRow.number, BoutRow.id).where(
            BoutRow.contest_id == contest_id, BoutRow.void.is_(False)
        )
        if through is not None:
            query = query.where(BoutRow.id <= through)
        found: Films = {}
        with self.database.reading() as session:
            for match, number, id in session.execute(query.order_by(BoutRow.number)):
                found.setdefault(match, {})[number] = f"{BOUT_FILM_PREFIX}{id}"
        return found

    def load_report_data(self, contest_id: int, delay: float = 0.0) -> dict[str, Any]:
        """What every form of report is made from."""
        return self.with_ledger(
            contest_id, lambda ledger: build_report_data(cut_ledger(ledger, delay))
        )

    def write_report(
        self,
        contest_id: int,
        form: str,
        language: str,
        seed: int | None,
        delay: float = 0.0,
        turning_points: ContestTurningPoints | None = None,
        people: dict[str, str] | None = None,
        address: str = "",
        zone: tzinfo = UTC,
    ) -> str:
        """``html``, ``csv``, ``json`` or ``md``; with the contest's seed, or None instead of it.
        ``people``: who is behind each entrant, for the HTML; ``address``: the server's own, for
        its links; ``zone``: for the times of ``md``."""
        films = self.list_films(contest_id)
        site = ReportSite(address, contest_id)

        def written(known: Ledger) -> str:
            ledger = cut_ledger(known, delay)
            turns = None if turning_points is None else msgspec.to_builtins(turning_points)
            data = build_report_data(ledger, turning_points=turns, made=now())
            data["seed"] = seed
            match form:
                case "html":
                    return report_page.render_report(
                        ledger,
                        data,
                        language,
                        records=False,
                        people=people,
                        site=site,
                        films=films,
                    )
                case "csv":
                    return texts.format_standings_csv(data, language)
                case "md":
                    return texts.format_markdown(data, language, zone)
                case _:
                    return msgspec.json.encode(data).decode()

        return self.with_ledger(contest_id, written)


def cut_ledger(ledger: Ledger, delay: float) -> Ledger:
    """The results as they were some seconds ago, by the times of the bouts."""
    if not delay:
        return ledger
    found = Ledger(ledger.settings, ledger.entrants)
    for (match, _), facts in ledger.bouts.items():
        if is_delay_over(facts.began, facts.wall, delay):
            found.add(ledger.pairings[match], facts)
    return found


def keep_bouts(ledger: Ledger, films: Films) -> Ledger:
    """The results of the bouts with these films alone."""
    found = Ledger(ledger.settings, ledger.entrants)
    for (match, number), facts in ledger.bouts.items():
        if number in films.get(match, ()):
            found.add(ledger.pairings[match], facts)
    return found


# Forms


def describe_formats() -> FormatForms:
    """Every format, and the rules of a match, with their settings as form fields."""
    found = []
    for kind in AnyFormat.__args__:
        info: Any = msgspec.inspect.type_info(kind)
        settings = [_describe_setting(info.tag, field) for field in info.fields]
        found.append(FormatInfo(info.tag, settings))
    rules: Any = msgspec.inspect.type_info(MatchRules)
    return FormatForms(found, [_describe_setting("match", field) for field in rules.fields])


def _describe_setting(owner: str, field: Any) -> SettingInfo:
    default = field.default if field.default is not msgspec.NODEFAULT else None
    if field.default_factory is not msgspec.NODEFAULT:
        default = field.default_factory()
    shown = type(field.type).__name__.removesuffix("Type").lower()
    choices = list(getattr(field.type, "values", ())) or None
    note = SETTING_NOTES.get(owner, {}).get(field.name, Text("", ""))
    return SettingInfo(field.name, shown, msgspec.to_builtins(default), choices, note)


def list_presets() -> list[PresetInfo]:
    return [
        PresetInfo(name, title, settings["game"], settings)
        for name, (title, settings) in PRESETS.items()
    ]
