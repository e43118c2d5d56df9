"""Hands in a version for an assignment of a server, and shows the points that it gets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from ludus.cli.output import escape_unsafe
from ludus.cli.remote.answers import AssignmentReply, SubmissionReply
from ludus.cli.remote.http_client import RemoteClient
from ludus.lang import tr
from ludus.server.page_links import page_link

MAX_WAIT_S = 3600.0
"""Seconds after which the points are to be looked up on the page."""


def hand_in(
    remote: RemoteClient, assignment: int, version: int, say: Callable[[str], None]
) -> SubmissionReply:
    """Hand in a version and wait until its public bouts are played; ``say`` gets lines to show."""
    path = f"/api/assignments/{assignment}"
    told = remote.post(f"{path}/submissions", {"version": version}, AssignmentReply)
    title = escape_unsafe(told.title)
    say(tr(f"handed in for {title}", f"已提交到“{title}”"))
    if told.late is not None:
        say(escape_unsafe(str(told.late)))
    say(page_link("/assignments/:id", assignment, base=remote.url))
    until = time.monotonic() + MAX_WAIT_S
    submission = told.work.submissions[0]
    while not _is_over(submission) and time.monotonic() < until:
        time.sleep(0.5)
        submission = remote.get(path, AssignmentReply).work.submissions[0]
    for line in _describe_marks(submission):
        say(line)
    return submission


def _is_over(submission: SubmissionReply) -> bool:
    played = submission.state == "grading" and submission.played >= submission.planned
    return played or submission.state == "refused" or submission.stopped is not None


def _describe_marks(submission: SubmissionReply) -> Iterator[str]:
    if submission.stopped is not None:
        yield escape_unsafe(str(submission.stopped))
    if (marks := submission.marks) is None:
        return
    for line in marks.lines:
        points = "–" if line.points is None else f"{line.points:g}"
        yield f"  {points:>6} / {line.most:<6g} {escape_unsafe(str(line.why))}"
    yield tr(f"points so far: {marks.total:g}", f"目前得分：{marks.total:g}")
