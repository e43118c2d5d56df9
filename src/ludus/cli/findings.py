"""Shows findings on the command line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ludus.findings import Finding, Severity, describe_evidence
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


def render_findings(findings: Iterable[Finding], bouts: Sequence[Text] = ()) -> Iterator[RichText]:
    """The printed lines of findings; ``bouts`` are the titles of the bouts they refer to."""
    from rich.text import Text as RichText

    from ludus.cli.output import escape_unsafe

    for finding in findings:
        sign = (SIGNS[finding.severity], STYLES[finding.severity])
        line = RichText.assemble(sign, " ", escape_unsafe(translate(finding.text)))
        detail = escape_unsafe(describe_evidence(finding, bouts)).rstrip()
        line.append("".join(f"\n    {each}" for each in detail.splitlines()), "dim")
        yield line
