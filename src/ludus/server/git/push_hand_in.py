"""``git push -o submit=7``: handing in the pushed version for an assignment."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.orm import Session

from ludus.errors import LudusError
from ludus.lang import Text
from ludus.server.accounts.identity import Identity
from ludus.server.courses import assignments, submissions
from ludus.server.git.pack_scan import GitRefused

SUBMIT_OPTION = "submit"
MAX_ASSIGNMENT_DIGITS = 9


def parse_options(options: Sequence[str]) -> int | None:
    """The assignment that the options of a push name; GitRefused for options that do not exist."""
    found: int | None = None
    for option in options:
        name, _, value = option.partition("=")
        if name != SUBMIT_OPTION or not value.isdecimal() or len(value) > MAX_ASSIGNMENT_DIGITS:
            raise GitRefused(
                "the only option of a push is submit=NUMBER, with the number of an assignment",
                "推送的选项只有 submit=编号，编号为作业的编号",
            )
        found = int(value)
    return found


def hand_in(session: Session, identity: Identity, assignment_id: int, version_id: int) -> Text:
    """Hand a version in; gives the line for the person. The push is refused if it is not taken, so
    that a push that ended well has been handed in."""
    try:
        row = assignments.get_assignment(session, assignment_id, identity)
        submissions.submit_version(session, identity, row, version_id)
    except LudusError as error:
        why = error.text
        raise GitRefused(
            f"it cannot be handed in for assignment {assignment_id}: {why['en']}",
            f"无法提交到作业 {assignment_id}：{why['zh']}",
        ) from None
    return Text(f"handed in for “{row.title}”", f"已提交到作业“{row.title}”")
