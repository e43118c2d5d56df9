"""``git push -o submit=7``: handing in the pushed version for an assignment.

After the deadline ``-o late=yes`` is needed too: a push must not cost points, or replace a better
submission, unasked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from ludus.errors import LudusError
from ludus.lang import Text
from ludus.server.accounts.identity import Identity
from ludus.server.courses import assignments, submissions
from ludus.server.git.pack_scan import GitRefused

SUBMIT_OPTION = "submit"
LATE_OPTION = "late=yes"
MAX_ASSIGNMENT_DIGITS = 9


@dataclass(frozen=True, slots=True)
class HandInWish:
    """The assignment that the options of a push name, and whether it may be late."""

    assignment: int
    late: bool


def parse_options(options: Sequence[str]) -> HandInWish | None:
    """What the options of a push ask for; GitRefused for options that do not exist."""
    assignment: int | None = None
    for option in options:
        name, _, value = option.partition("=")
        if option == LATE_OPTION:
            continue
        if name != SUBMIT_OPTION or not value.isdecimal() or len(value) > MAX_ASSIGNMENT_DIGITS:
            raise GitRefused(
                "the options of a push are submit=NUMBER, with the number of an assignment, and"
                f" {LATE_OPTION} to hand in after its deadline",
                f"推送的选项只有 submit=编号（作业的编号）和 {LATE_OPTION}（截止后仍要提交）",
            )
        assignment = int(value)
    return None if assignment is None else HandInWish(assignment, LATE_OPTION in options)


def hand_in(session: Session, identity: Identity, wish: HandInWish, version_id: int) -> list[Text]:
    """Hand a version in; gives the lines for the person. The push is refused if it is not taken, so
    that a push that ended well has been handed in."""
    assignment_id = wish.assignment
    try:
        row = assignments.get_assignment(session, assignment_id, identity)
        submissions.submit_version(session, identity, row, version_id)
        late = submissions.describe_lateness(session, row, identity)
    except LudusError as error:
        why = error.text
        raise GitRefused(
            f"it cannot be handed in for assignment {assignment_id}: {why['en']}",
            f"无法提交到作业 {assignment_id}：{why['zh']}",
        ) from None
    if late is not None and not wish.late:
        raise GitRefused(
            f"{late.en} To hand it in all the same, add -o {LATE_OPTION}",
            f"{late.zh}若仍要提交，请加上 -o {LATE_OPTION}",
        )
    said = Text(f"handed in for “{row.title}”", f"已提交到作业“{row.title}”")
    return [said] if late is None else [said, late]
