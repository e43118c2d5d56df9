"""How much a person may do in a day."""

from __future__ import annotations

from sqlalchemy.orm import Session

from ludus.arena.club.tables import SpentRow
from ludus.arena.club.times import today
from ludus.arena.club.viewer import Viewer
from ludus.arena.refusals import TooOften


def spend(session: Session, viewer: Viewer, what: str, count: int, most: int) -> None:
    """Take from today's share, or refuse. The staff has no quota."""
    if viewer.staff:
        return
    row = session.get(SpentRow, (viewer.id, today(), what), with_for_update=True)
    if row is None:
        row = SpentRow(user_id=viewer.id, day=today(), what=what, count=0)
        session.add(row)
    if row.count + count > most:
        left = max(0, most - row.count)
        raise TooOften(
            f"that is more than is left of today's {most} ({what}): {left}",
            f"超出今日限额 {most}（{what}），剩余 {left}",
        )
    row.count += count
