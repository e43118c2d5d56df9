"""The stored result of a version's check, as its owner sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from ludus.findings import Evidence, Finding, Severity
from ludus.lang import Text


class CheckedBout(msgspec.Struct):
    """A bout of a check; findings refer to it by number."""

    title: Text
    film: str | None = None
    """The id of its film; bouts without findings are not kept."""


class VersionCheckResult(msgspec.Struct):
    """The result of a version's check for its owner; stored as JSON."""

    findings: list[Finding] = []
    bouts: list[CheckedBout] = []
    stdout: str = ""
    """The bot's output in the failed bout, or in the first one if none failed."""
    stderr: str = ""


def make_objection_finding(objection: Mapping[str, Any]) -> Finding:
    """A finding about a line of its files that is not allowed."""
    where = Evidence(file=objection["file"], line=objection["line"])
    return Finding("source-refused", Severity.WRONG, Text.of(objection["why"]), where)


# Results of older checks


class _OldStep(msgspec.Struct):
    name: Text
    ok: bool
    why: Text | None = None
    film: str | None = None


class _OldObjection(msgspec.Struct):
    file: str
    line: int
    why: Text


class _OldResult(msgspec.Struct):
    """The format from when a check was a list of steps that ended with the first failure."""

    steps: list[_OldStep]
    static: list[_OldObjection] = []
    stdout: str = ""
    stderr: str = ""


def read_check(kept: dict[str, Any] | None) -> VersionCheckResult | None:
    """The stored result of a check, of any age."""
    if kept is None:
        return None
    if "steps" in kept:
        return _convert_old_result(msgspec.convert(kept, _OldResult))
    return msgspec.convert(kept, VersionCheckResult)


def _convert_old_result(old: _OldResult) -> VersionCheckResult:
    found = VersionCheckResult(stdout=old.stdout, stderr=old.stderr)
    found.findings += [make_objection_finding(msgspec.to_builtins(each)) for each in old.static]
    for step in old.steps:
        if old.static and not step.ok:
            continue  # it only repeats the first objection
        numbers: tuple[int, ...] = ()
        if step.film:
            numbers = (len(found.bouts),)
            found.bouts.append(CheckedBout(step.name, step.film))
        severity = Severity.FINE if step.ok else Severity.WRONG
        hint = step.why or None
        evidence = Evidence(hint, bouts=numbers)
        found.findings.append(Finding("step", severity, step.name, evidence))
    return found
