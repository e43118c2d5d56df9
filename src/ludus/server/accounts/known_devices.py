"""Browsers and addresses that have logged in to an account before; other people's wrong guesses do
not slow them down."""

from __future__ import annotations

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.scheduling.schema import KnownDeviceRow
from ludus.server.accounts import credentials, name_rules, users
from ludus.server.accounts.identity import ORGANISER
from ludus.server.accounts.login_backoff import LoginAttempt
from ludus.server.web.addresses import network_key
from ludus.timestamps import now

MAX_KNOWN_PLACES = 40
"""The most places of one person; the oldest are forgotten."""


def describe_attempt(
    session: Session, name: str, address: str, devices: dict[int, str]
) -> LoginAttempt:
    """The attempt to log in. ``devices``: the secrets of the browser's device cookies, by account
    id."""
    user = users.find_user(session, name)
    folded = name_rules.fold_name(name.strip())[:80]
    if user is None:
        return LoginAttempt(folded, address)
    device = devices.get(user.id, "")
    return LoginAttempt(
        folded,
        address,
        device=credentials.digest(device)
        if _is_known(session, user.id, _hash_browser(device))
        else "",
        known_address=_is_known(session, user.id, _hash_address(address)),
        organiser=user.role == ORGANISER,
    )


def remember_login(session: Session, user_id: int, address: str, device: str) -> str:
    """Remember a successful login; gives the secret for the browser's device cookie."""
    if not _is_known(session, user_id, _hash_browser(device)):
        device = credentials.new_secret()
    for place in (_hash_address(address), _hash_browser(device)):
        row = session.get(KnownDeviceRow, (user_id, place))
        if row is None:
            session.add(KnownDeviceRow(user_id=user_id, digest=place, seen_at=now()))
        else:
            row.seen_at = now()
    session.flush()
    kept = (
        sql.select(KnownDeviceRow.digest)
        .where(KnownDeviceRow.user_id == user_id)
        .order_by(KnownDeviceRow.seen_at.desc())
        .limit(MAX_KNOWN_PLACES)
    )
    session.execute(
        sql.delete(KnownDeviceRow).where(
            KnownDeviceRow.user_id == user_id,
            KnownDeviceRow.digest.not_in(session.scalars(kept).all()),
        )
    )
    return device


def _is_known(session: Session, user_id: int, place: str) -> bool:
    return session.get(KnownDeviceRow, (user_id, place)) is not None


def _hash_browser(secret: str) -> str:
    return credentials.digest(f"browser {secret}")


def _hash_address(address: str) -> str:
    return credentials.digest(f"address {network_key(address)}")
