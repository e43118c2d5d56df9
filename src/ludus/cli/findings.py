"""Shows findings on the command line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ludus.findings import Finding, Severity
from ludus.lang import Text, translate

if TYPE_CHECKING:
    from rich.text import Text as RichText

SIGNS = {Severity.FINE: "✓", Severity.NOTE: "·", Severity.ODD: "!", Severity.WRONG: "✗"}
STYLES = {
    Severity.FINE: "green",
    Severity.NOTE: "dim",
    Severity.ODD: "yellow",
    Severity.WRONG: "red",
}


def as_json(finding: Finding, bouts: Sequence[Text] = ()) -> dict[str, Any]:
    """A finding in the reader's language, with its code for programs."""
    return {
        "code": str(finding.code),
        "level": finding.severity.value,
        "text": translate(finding.text),
        "detail": _describe_evidence(finding, bouts),
    }


def render_findings(findings: Iterable[Finding], bouts: Sequence[Text] = ()) -> Iterator[RichText]:
    """The printed lines of findings; ``bouts`` are the titles of the bouts they refer to."""
    from rich.text import Text as RichText

    from ludus.cli.output import escape_unsafe

    for finding in findings:
        sign = (SIGNS[finding.severity], STYLES[finding.severity])
        line = RichText.assemble(sign, " ", escape_unsafe(translate(finding.text)))
        detail = escape_unsafe(_describe_evidence(finding, bouts)).rstrip()
        line.append("".join(f"\n    {each}" for each in detail.splitlines()), "dim")
        yield line


def _describe_evidence(finding: Finding, bouts: Sequence[Text]) -> str:
    """The evidence of a finding as lines; empty for those that are fine."""
    if finding.severity is Severity.FINE:
        return ""
    evidence = finding.evidence
    lines = [translate(evidence.hint)] if evidence.hint else []
    lines += dict.fromkeys(translate(bouts[n]) for n in evidence.bouts if n < len(bouts))
    if evidence.file:
        lines.append(f"{evidence.file}:{evidence.line}" if evidence.line else evidence.file)
    return "\n".join([*lines, evidence.output]).strip()
