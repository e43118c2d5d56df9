"""``ludus check`` for an agent."""

from __future__ import annotations

from typing import Any

from ludus.compat.mcp.texts import shorten
from ludus.compat.mcp.workspace import Workspace
from ludus.findings import finding_as_json, is_passed
from ludus.games.registry import get_listed
from ludus.lang import translate
from ludus.match.bot_check.findings import make_findings
from ludus.match.bot_check.trials import BotCheck


def check_bot(name: str, bot: str, workspace: Workspace) -> dict[str, Any]:
    """Whether a bot is usable, and every finding about it."""
    game = get_listed(name)
    source = workspace.find_bot(bot, game)
    report = BotCheck(source, game).run()
    if fault := report.load_fault:
        return {
            "bot": source.name,
            "usable": False,
            "cannot_be_loaded": shorten(translate(fault.why)),
            "trace": shorten(fault.trace),
        }
    findings = make_findings(game, report)
    titles = [bout.title for bout in report.bouts]
    return {
        "bot": source.name,
        "usable": is_passed(findings),
        "findings": [_describe(finding_as_json(finding, titles)) for finding in findings],
    }


def _describe(facts: dict[str, Any]) -> dict[str, Any]:
    return {**facts, "text": shorten(facts["text"]), "detail": shorten(facts["detail"])}
