"""Findings: what a check of a bot or of this machine has to say, as data.

A check establishes facts and tells nobody; whoever asked for it prints them, stores them or sends
them to a page. So a finding carries its words in both languages and a code for programs.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ludus.lang import Text, translate


class Severity(enum.StrEnum):
    """How a finding is to be taken."""

    FINE = "fine"
    """As it should be."""
    NOTE = "note"
    """Good to know; neither good nor bad."""
    ODD = "odd"
    """Not a fault, but it may become one elsewhere: on a slower machine, with other options."""
    WRONG = "wrong"
    """A fault. One of these is enough to fail the check."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a finding rests on, for whoever wants to look closer."""

    hint: Text | None = None
    """What it means, or what can be done about it."""
    output: str = ""
    """Verbatim: a traceback, what a bot printed, a command to type."""
    bouts: tuple[int, ...] = ()
    """The bouts of the check in which it was seen, by their numbers from 0."""
    file: str = ""
    """A file of the bot."""
    line: int = 0
    """The line in that file, from 1; 0: no line in particular."""


NO_EVIDENCE = Evidence()


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact that a check has established."""

    code: str
    """Which fact, for programs: ``illegal-moves``. Unlike the words it does not change."""
    severity: Severity
    text: Text
    evidence: Evidence = NO_EVIDENCE


def fine(code: str, en: str, zh: str, evidence: Evidence = NO_EVIDENCE) -> Finding:
    return Finding(code, Severity.FINE, Text(en, zh), evidence)


def note(code: str, en: str, zh: str, evidence: Evidence = NO_EVIDENCE) -> Finding:
    return Finding(code, Severity.NOTE, Text(en, zh), evidence)


def odd(code: str, en: str, zh: str, evidence: Evidence = NO_EVIDENCE) -> Finding:
    return Finding(code, Severity.ODD, Text(en, zh), evidence)


def wrong(code: str, en: str, zh: str, evidence: Evidence = NO_EVIDENCE) -> Finding:
    return Finding(code, Severity.WRONG, Text(en, zh), evidence)


def is_passed(findings: Iterable[Finding]) -> bool:
    """Whether nothing that was found is wrong."""
    return all(finding.severity is not Severity.WRONG for finding in findings)


def finding_as_json(finding: Finding, bouts: Sequence[Text] = ()) -> dict[str, Any]:
    """A finding in the reader's language, with its code for programs; ``bouts`` are the titles of
    the bouts that findings refer to."""
    return {
        "code": str(finding.code),
        "level": finding.severity.value,
        "text": translate(finding.text),
        "detail": describe_evidence(finding, bouts),
    }


def describe_evidence(finding: Finding, bouts: Sequence[Text]) -> str:
    """The evidence of a finding as lines; empty for those that are fine."""
    if finding.severity is Severity.FINE:
        return ""
    evidence = finding.evidence
    lines = [translate(evidence.hint)] if evidence.hint else []
    lines += dict.fromkeys(translate(bouts[n]) for n in evidence.bouts if n < len(bouts))
    if evidence.file:
        lines.append(f"{evidence.file}:{evidence.line}" if evidence.line else evidence.file)
    return "\n".join([*lines, evidence.output]).strip()
