"""Lines of a check: what is fine, what is odd, what is wrong, and what to do about it."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ludus.lang import tr

if TYPE_CHECKING:
    from rich.text import Text


class Severity(enum.StrEnum):
    """How a finding is to be taken."""

    FINE = "fine"
    NOTE = "note"
    ODD = "odd"
    WRONG = "wrong"


SIGNS = {Severity.FINE: "✓", Severity.NOTE: "·", Severity.ODD: "!", Severity.WRONG: "✗"}
STYLES = {
    Severity.FINE: "green",
    Severity.NOTE: "dim",
    Severity.ODD: "yellow",
    Severity.WRONG: "red",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One line."""

    level: Severity
    text: str
    detail: str = ""
    """What belongs to it: a traceback, or the command that mends it."""

    def as_json(self) -> dict[str, Any]:
        return {"level": self.level.value, "text": self.text, "detail": self.detail}


def fine(en: str, zh: str) -> Finding:
    return Finding(Severity.FINE, tr(en, zh))


def note(en: str, zh: str) -> Finding:
    return Finding(Severity.NOTE, tr(en, zh))


def odd(en: str, zh: str, detail: str = "") -> Finding:
    return Finding(Severity.ODD, tr(en, zh), detail)


def wrong(en: str, zh: str, detail: str = "") -> Finding:
    return Finding(Severity.WRONG, tr(en, zh), detail)


def render_findings(findings: Iterable[Finding]) -> Iterable[Text]:
    """The findings as they are printed."""
    from rich.text import Text

    from ludus.cli.output import escape_unsafe

    for finding in findings:
        line = Text.assemble(
            (SIGNS[finding.level], STYLES[finding.level]), " ", escape_unsafe(finding.text)
        )
        if finding.detail:
            detail = escape_unsafe(finding.detail).rstrip().splitlines()
            line.append("".join(f"\n    {each}" for each in detail), "dim")
        yield line
