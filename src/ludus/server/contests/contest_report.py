"""The content of a contest's report, from its ledger and the data of every other form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from ludus.contest.ledger import Ledger
from ludus.games.registry import get
from ludus.lang import Text
from ludus.rating.elo import EloEstimate
from ludus.server.contests.contest_results import Films, describe_tables
from ludus.server.contests.report_schemas import (
    ContestReport,
    RatedEntrant,
    RatingAnchor,
    ReportBot,
    ReportBout,
    ReportMatch,
    ReportRatings,
    ReportSite,
    ReportTurningPoint,
    ReportTurningPoints,
)

MAX_REASON_CHARS = 160
"""Of what a bot's fault says; the record has all of it."""


def describe_report(
    ledger: Ledger,
    data: Mapping[str, Any],
    language: Literal["en", "zh"],
    *,
    records: bool,
    people: dict[str, str] | None = None,
    site: ReportSite | None = None,
    films: Films | None = None,
) -> ContestReport:
    """``data`` is from ``build_report_data``; ``records``: the records lie beside the report;
    ``site`` and ``films``: where bouts have pages."""
    game = get(ledger.settings.game)
    films = films or {}
    tables = describe_tables(ledger, films)
    if not any(table.crossed for table in tables.tables):
        tables.crosstable = None  # not shown, and large with many entrants
    return ContestReport(
        language=language,
        title=data["name"],
        game=Text.of(game.title),
        seats=[Text.of(seat) for seat in game.seats],
        entrants=len(data["entrants"]),
        seed=None if data["seed"] is None else str(data["seed"]),
        made=data["made"],
        first_bout=data["first_bout"],
        last_bout=data["last_bout"],
        tables=tables,
        ratings=_describe_ratings(data) if data["bouts"] else None,
        bots=msgspec.convert(data["bots"], list[ReportBot]),
        matches=msgspec.convert(data["matches"], list[ReportMatch]),
        bouts=[_describe_bout(bout, records, films) for bout in data["bouts"]],
        turning_points=_describe_turning_points(data["turning_points"], records, films),
        site=site,
        people=people,
    )


def _describe_turning_points(
    found: Mapping[str, Any] | None, records: bool, films: Films
) -> ReportTurningPoints | None:
    if found is None:
        return None
    points = [
        ReportTurningPoint(
            point["names"],
            Text.of(point["sentence"]),
            point["record"] if records else None,
            films.get(point["match"], {}).get(point["number"]),
        )
        for point in found["points"]
    ]
    return ReportTurningPoints(found["judged"], found["bouts"], points)


def _describe_ratings(data: Mapping[str, Any]) -> ReportRatings:
    found, anchor = data["ratings"], data["anchor"]
    return ReportRatings(
        rows=[_describe_rating(row) for row in found["ratings"]],
        anchor=None if anchor is None else RatingAnchor(**anchor),
        seat=found["seat_advantage"],
        seat_error=found["seat_advantage_margin"],
    )


def _describe_rating(row: Mapping[str, Any]) -> RatedEntrant:
    estimate = EloEstimate(row["elo"], row["low"], row["high"])
    return RatedEntrant(row["name"], *estimate, shown=estimate.format(), group=row["group"])


def _describe_bout(bout: Mapping[str, Any], records: bool, films: Films) -> ReportBout:
    faults = [Text.of(fault["why"]) for fault in bout["faults"]]
    reason = Text("; ".join(why.en for why in faults), "；".join(why.zh for why in faults))
    return ReportBout(
        names=bout["names"],
        winner=bout["winner"],
        reason=reason.map(_shorten) if faults else Text.of(bout["reason"]),
        fault=bool(faults),
        plies=bout["plies"],
        cpu=[round(seconds, 3) for seconds in bout["cpu"]],
        record=bout["record"] if records else None,
        film=films.get(bout["match"], {}).get(bout["number"] - 1),
    )


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_REASON_CHARS else f"{text[: MAX_REASON_CHARS - 1]}…"
