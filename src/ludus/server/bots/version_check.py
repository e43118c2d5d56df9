"""The check of an upload: is its text allowed, is it a bot, and how does it play?

The last question is answered by the same check as in ``ludus check``, so that its results agree
with those on a student's own machine.
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
from ludus.server.bots.hint_words import reword_finding

RunCheck = Callable[[CheckRequest], BotCheckReport]
"""Runs a check somewhere; LudusError if the bot cannot be started."""


@dataclass
class VersionCheckReport:
    """The check of a version, while it runs and afterwards."""

    result: VersionCheckResult = field(default_factory=VersionCheckResult)
    records: dict[int, bytes] = field(default_factory=dict)
    """Packed records of the bouts to keep, by number."""
    language: str = ""
    built: int = 0
    """Bytes of the compiled program."""

    @property
    def passed(self) -> bool:
        return is_passed(self.result.findings)

    def refuse(self, code: str, why: Text, output: str = "") -> VersionCheckReport:
        """Fail the check for a reason other than its bouts."""
        evidence = Evidence(output=output)
        self.result.findings.append(Finding(code, Severity.WRONG, why, evidence))
        return self

    def as_json(self) -> dict[str, Any]:
        data: dict[str, Any] = msgspec.to_builtins(self.result)
        return data


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
    """Check a version step by step, until a step fails."""
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
    """Add the results of the bouts. The bouts on every seat and those with a fault are kept."""
    for bout in played.bouts:
        kept = bout.trial is Trial.SEATS or bool(bout.faults)
        if kept:
            report.records[bout.number] = pack(remove_traces(bout.record))
        film = f"check-{version_id}-{bout.number}" if kept else None
        report.result.bouts.append(CheckedBout(bout.title, film))
    report.result.findings += map(reword_finding, make_findings(game, played))
    bout, fault = _pick_shown_bout(played)
    output = bout.outputs[bout.seats.index(fault.seat) if fault else 0]
    report.result.stdout, report.result.stderr = output["stdout"], output["stderr"]
    if fault and fault.trace not in report.result.stderr:
        report.result.stderr = f"{report.result.stderr}\n{fault.trace}".strip()


def _pick_shown_bout(played: BotCheckReport) -> tuple[TrialBout, SeatFault | None]:
    """The bout whose output is shown in full: the first with a fault that matters, otherwise the
    first, in which the bot was loaded."""
    usual = [bout for bout in played.bouts if bout.trial is not Trial.ODD_OPTIONS]
    serious = [bout for bout in usual if bout.trial is not Trial.SHORT_CLOCK]
    return next(iter_faults(serious), (played.bouts[0], None))
