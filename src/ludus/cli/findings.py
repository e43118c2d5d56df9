"""Shows findings on the command line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ludus.findings import Finding, Severity, describe_evidence
from ludus.lang import Text, translate

if TYPE_CHECKING:
    from rich.console import RenderableType

SIGNS = {Severity.FINE: "✓", Severity.NOTE: "·", Severity.ODD: "!", Severity.WRONG: "✗"}
STYLES = {
    Severity.FINE: "green",
    Severity.NOTE: "dim",
    Severity.ODD: "yellow",
    Severity.WRONG: "red",
}


def render_findings(
    findings: Iterable[Finding], bouts: Sequence[Text] = ()
) -> Iterator[RenderableType]:
    """The printed lines of findings; ``bouts`` are the titles of the bouts they refer to."""
    from rich.padding import Padding
    from rich.text import Text as RichText

    from ludus.cli.output import escape_unsafe

    for finding in findings:
        sign = (SIGNS[finding.severity], STYLES[finding.severity])
        yield RichText.assemble(sign, " ", escape_unsafe(translate(finding.text)))
        if detail := escape_unsafe(describe_evidence(finding, bouts)).rstrip():
            yield Padding.indent(RichText(detail, "dim"), 4)  # wrapped lines are indented too
