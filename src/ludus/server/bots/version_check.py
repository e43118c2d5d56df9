"""The check of an upload: is its text allowed, is it a bot, and how does it play?

The last question is answered by the check that ``ludus check`` makes, so that a student reads here
what they could have read at home.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from ludus.bots.resolve import BotSource
from ludus.errors import LudusError
from ludus.findings import Evidence, Finding, Severity, is_passed
from ludus.games.base import Game
from ludus.lang import Text
from ludus.match.bot_check.findings import make_findings
from ludus.match.bot_check.pooled import CheckRequest
from ludus.match.bot_check.trials import BotCheckReport, CheckPlan, Trial, TrialBout, iter_faults
from ludus.match.record import pack, remove_traces
from ludus.match.verdict import SeatFault
from ludus.scheduling.database import DatabaseUnavailable
from ludus.server.bots import import_policy
from ludus.server.bots.check_result import (
    CheckedBout,
    VersionCheckResult,
    make_objection_finding,
)

RunCheck = Callable[[CheckRequest], BotCheckReport]
"""Plays a bot somewhere; LudusError if it cannot be made to run."""


@dataclass
class VersionCheckReport:
    """A check of a version that is under way, or over."""

    result: VersionCheckResult = field(default_factory=VersionCheckResult)
    records: dict[int, bytes] = field(default_factory=dict)
    """Bouts to be kept, packed, by their numbers."""
    language: str = ""
    built: int = 0
    """Bytes that its compiler made of it."""

    @property
    def passed(self) -> bool:
        return is_passed(self.result.findings)

    def refuse(self, code: str, why: Text, output: str = "") -> VersionCheckReport:
        """Something besides its bouts is wrong with it."""
        evidence = Evidence(output=output)
        self.result.findings.append(Finding(code, Severity.WRONG, why, evidence))
        return self

    def as_json(self) -> dict[str, Any]:
        told: dict[str, Any] = msgspec.to_builtins(self.result)
        return told


def check_version(
    version_id: int,
    files: Mapping[str, bytes],
    game: Game,
    allowed: Sequence[str] | None,
    source: Callable[[], BotSource],
    run_check: RunCheck,
    plan: CheckPlan,
    jail: str | None = None,
) -> VersionCheckReport:
    """Check a version, one question after the other, until one has a bad answer."""
    report = VersionCheckReport()
    try:
        objections = import_policy.find_objections_limited(files, game, allowed)
    except LudusError as error:
        return report.refuse("unreadable-source", error.text)
    report.result.findings += map(make_objection_finding, objections)
    if objections:
        return report
    try:
        bot = source()
    except DatabaseUnavailable:
        raise
    except LudusError as error:
        return report.refuse("not-a-bot", error.text, error.detail)
    report.language = bot.build_spec.language.name if bot.build_spec.language else ""
    try:
        played = run_check(CheckRequest(game.name, bot, plan, jail))
    except LudusError as error:
        return report.refuse("does-not-run", error.text, error.detail)
    _add_played(report, version_id, game, played)
    if report.passed:
        report.built = bot.build_spec.built_bytes()
    return report


def _add_played(
    report: VersionCheckReport, version_id: int, game: Game, played: BotCheckReport
) -> None:
    """What came of its bouts. Kept are those on every seat, and those with a fault."""
    for bout in played.bouts:
        kept = bout.trial is Trial.SEATS or bool(bout.faults)
        if kept:
            report.records[bout.number] = pack(remove_traces(bout.record))
        film = f"check-{version_id}-{bout.number}" if kept else None
        report.result.bouts.append(CheckedBout(bout.title, film))
    report.result.findings += make_findings(game, played)
    bout, fault = _pick_shown_bout(played)
    said = bout.outputs[bout.seats.index(fault.seat) if fault else 0]
    report.result.stdout, report.result.stderr = said["stdout"], said["stderr"]
    if fault and fault.trace not in report.result.stderr:
        report.result.stderr = f"{report.result.stderr}\n{fault.trace}".strip()


def _pick_shown_bout(played: BotCheckReport) -> tuple[TrialBout, SeatFault | None]:
    """The bout whose output is shown whole: the first with a fault that matters, or else the first
    of all, in which the bot was loaded."""
    usual = [bout for bout in played.bouts if bout.trial is not Trial.ODD_OPTIONS]
    serious = [bout for bout in usual if bout.trial is not Trial.SHORT_CLOCK]
    return next(iter_faults(serious), (played.bouts[0], None))
