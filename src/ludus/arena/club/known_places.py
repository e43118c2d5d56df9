"""Browsers and addresses from which somebody has logged in: strangers cannot keep them out."""

from __future__ import annotations

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.arena.addresses import network_of
from ludus.arena.club import locks, names, people
from ludus.arena.club.backoff import Attempt
from ludus.arena.club.tables import KnownPlaceRow
from ludus.arena.club.times import now
from ludus.arena.club.viewer import ORGANISER

MOST = 40
"""Of one person; those not seen for longest are forgotten."""


def attempt(session: Session, name: str, address: str, devices: dict[int, str]) -> Attempt:
    """Who tries to log in. ``devices``: what a browser shows for each account, by its id."""
    user = people.find(session, name)
    folded = names.folded(name.strip())[:80]
    if user is None:
        return Attempt(folded, address)
    device = devices.get(user.id, "")
    return Attempt(
        folded,
        address,
        device=locks.digest(device) if _known(session, user.id, _browser(device)) else "",
        known_address=_known(session, user.id, _address(address)),
        organiser=user.role == ORGANISER,
    )


def remember(session: Session, user_id: int, address: str, device: str) -> str:
    """Somebody has logged in: what their browser shall show the next time."""
    if not _known(session, user_id, _browser(device)):
        device = locks.new_secret()
    for place in (_address(address), _browser(device)):
        row = session.get(KnownPlaceRow, (user_id, place))
        if row is None:
            session.add(KnownPlaceRow(user_id=user_id, digest=place, at=now()))
        else:
            row.at = now()
    session.flush()
    kept = (
        sql.select(KnownPlaceRow.digest)
        .where(KnownPlaceRow.user_id == user_id)
        .order_by(KnownPlaceRow.at.desc())
        .limit(MOST)
    )
    session.execute(
        sql.delete(KnownPlaceRow).where(
            KnownPlaceRow.user_id == user_id,
            KnownPlaceRow.digest.not_in(session.scalars(kept).all()),
        )
    )
    return device


def _known(session: Session, user_id: int, place: str) -> bool:
    return session.get(KnownPlaceRow, (user_id, place)) is not None


def _browser(secret: str) -> str:
    return locks.digest(f"browser {secret}")


def _address(address: str) -> str:
    return locks.digest(f"address {network_of(address)}")
