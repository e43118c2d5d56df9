"""What the audit log keeps of an assignment, so that a change is read as old and new values."""

from __future__ import annotations

from typing import Any

import msgspec

from ludus.courses.assignment import AssignmentSettings, Rival
from ludus.scheduling.schema import AssignmentRow
from ludus.server.courses import gradings


def list_facts(row: AssignmentRow) -> dict[str, Any]:
    settings = gradings.parse_settings(row)
    return {
        "title": row.title,
        "about": row.description,
        "opens": row.opens_at,
        "deadline": row.deadline,
        "reveals": row.reveals_at,
        "published": row.published,
        **_list_settings(settings),
    }


def _list_settings(settings: AssignmentSettings) -> dict[str, Any]:
    """All but the seed, which nobody may learn."""
    rule, late = settings.rule, settings.late
    return {
        "game": settings.game,
        "options": settings.options,
        "clock": msgspec.to_builtins(settings.clock),
        "openings": settings.openings,
        "bouts": settings.bouts,
        "rivals": [_describe_rival(rival) for rival in settings.rivals],
        "hidden": [rival.level for rival in settings.rivals if rival.hidden],
        "no_fault": rule.no_fault,
        "no_fault_share": rule.no_fault_share,
        "ladder": [f"{band.place}: {band.points:g}" for band in rule.ladder],
        "parts": [f"{part.title}: {part.points:g}" for part in rule.manual],
        "round_to": rule.round_to,
        "days": late.days,
        "percent_a_day": late.percent_a_day,
        "attempts_a_day": settings.attempts_a_day,
        "counted": settings.counted,
    }


def _describe_rival(rival: Rival) -> str:
    share = f"{rival.from_percent:g}–{rival.full_percent:g} %"
    return f"{rival.level} {rival.bot}: {rival.points:g} ({share})"
