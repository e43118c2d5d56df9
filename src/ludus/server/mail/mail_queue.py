"""The queue of e-mails in the database.

A mail is claimed before it is sent and settled afterwards, each in a transaction. So a process that
is killed, or several that send at once, never send a mail twice: one that was claimed and not
settled may have left, and is not sent again. Notices themselves are the queue of what people are
to be told: ``UserRow.mailed_notice_id`` moves on in the transaction that makes a mail of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.lang import Text
from ludus.scheduling.schema import MailRow, NoticeRow, UserRow
from ludus.scheduling.schema.posts import MailState
from ludus.server.accounts import credentials, notices
from ludus.server.web.errors import NotFound
from ludus.timestamps import now, now_plus

CODE_LIFETIME_S = 3 * 86400
"""How long the link that confirms an address is valid."""
MAX_MAIL_AGE_S = 2 * 86400
"""A mail that could not be sent for so long is given up."""
CLAIM_TIMEOUT_S = 600
"""A mail that was claimed so long ago was lost with its process."""
KEPT_S = 90 * 86400
"""How long rows are kept: so long the link that ends the mails is valid."""
MAX_NOTICES_PER_MAIL = 20
NOTICES_INTERVAL_S = 600
"""Seconds between two mails with notices to the same person; what happens meanwhile goes into one
mail."""


@dataclass(frozen=True)
class ClaimedMail:
    """A mail that this process alone sends now, with all that its text needs."""

    id: int
    kind: str
    address: str
    name: str
    language: str
    code: str
    """For the link in it; the database knows its hash only."""
    notices: list[tuple[Text, str]]
    """Texts and links, oldest first."""
    further: int
    """How many more there are on the page."""


# What people ask for


def request_verification(session: Session, user: UserRow, address: str) -> None:
    """Send a link to an address, which becomes the person's. Earlier links are not valid then."""
    user.email, user.email_verified, user.mail_notices = address, False, False
    earlier = sql.update(MailRow).where(MailRow.user_id == user.id, MailRow.kind == "verify")
    session.execute(earlier.values(code_digest=""))
    waiting = sql.delete(MailRow).where(MailRow.user_id == user.id, MailRow.state == "queued")
    session.execute(waiting)
    session.add(_make_mail(user, "verify"))


def confirm_address(session: Session, code: str) -> UserRow:
    """The person whose address a code confirms; from now on they get their notices there."""
    row = _find_by_code(session, code, "verify")
    user = session.get_one(UserRow, row.user_id) if row else None
    if row is None or user is None or row.address != user.email or _is_older(row, CODE_LIFETIME_S):
        raise NotFound(
            "this link is not valid any more; ask for another one on your account's page",
            "此链接已失效；请在账号页面重新获取",
        )
    user.email_verified = True
    start_notices(session, user)
    return user


def start_notices(session: Session, user: UserRow) -> None:
    """Mail the person's notices from now on."""
    user.mail_notices = True
    user.mailed_notice_id = notices.find_newest_id(session)


def end_notices_by_code(session: Session, code: str) -> UserRow:
    """End the mails of the person to whom a mail with this code was sent."""
    row = _find_by_code(session, code, "notices")
    if row is None:
        raise NotFound(
            "this link is not valid any more; end the mails on your account's page",
            "此链接已失效；请在账号页面停止邮件通知",
        )
    user = session.get_one(UserRow, row.user_id)
    user.mail_notices = False
    return user


def _find_by_code(session: Session, code: str, kind: str) -> MailRow | None:
    query = sql.select(MailRow).where(
        MailRow.code_digest == credentials.digest(code), MailRow.kind == kind
    )
    return session.scalars(query).first()


def _is_older(row: MailRow, seconds: float) -> bool:
    return row.created_at < now_plus(-seconds)


def _make_mail(user: UserRow, kind: str, after: int = 0, last: int = 0) -> MailRow:
    return MailRow(
        user_id=user.id,
        kind=kind,
        address=user.email,
        after_notice=after,
        last_notice=last,
        code_digest="",
        state="queued",
        attempts=0,
        created_at=now(),
        due_at=now(),
    )


# What the background process does


def queue_notices(session: Session, interval_s: float = NOTICES_INTERVAL_S) -> None:
    """Make a mail of the new notices of each person who wants them so, and had none lately."""
    recent = sql.select(MailRow.id).where(
        MailRow.user_id == UserRow.id,
        MailRow.kind == "notices",
        sql.or_(
            MailRow.state.in_(("queued", "sending")), MailRow.created_at > now_plus(-interval_s)
        ),
    )
    newest = sql.func.max(NoticeRow.id)
    query = (
        sql.select(UserRow, newest)
        .join(NoticeRow, NoticeRow.user_id == UserRow.id)
        .where(
            UserRow.mail_notices.is_(True),
            UserRow.email_verified.is_(True),
            UserRow.active.is_(True),
            NoticeRow.id > UserRow.mailed_notice_id,
            NoticeRow.read.is_(False),
            ~recent.exists(),
        )
        .group_by(UserRow.id)
    )
    for user, last in session.execute(query).all():
        session.add(_make_mail(user, "notices", user.mailed_notice_id, last))
        user.mailed_notice_id = last


def settle_old_mails(session: Session) -> None:
    """Give up mails that were lost or are too old, and forget those of long ago."""
    lost = sql.update(MailRow).where(
        MailRow.state == "sending", MailRow.due_at < now_plus(-CLAIM_TIMEOUT_S)
    )
    session.execute(lost.values(state="unknown"))
    late = sql.update(MailRow).where(
        MailRow.state == "queued", MailRow.created_at < now_plus(-MAX_MAIL_AGE_S)
    )
    session.execute(late.values(state="failed"))
    session.execute(sql.delete(MailRow).where(MailRow.created_at < now_plus(-KEPT_S)))


def has_due_mail(session: Session) -> bool:
    query = sql.select(MailRow.id).where(MailRow.state == "queued", MailRow.due_at <= now())
    return session.scalars(query.limit(1)).first() is not None


def claim_mail(session: Session) -> ClaimedMail | None:
    """The next mail that is due, with a new code for its link; None if there is none. A mail whose
    notices were all read meanwhile is dropped."""
    query = sql.select(MailRow).where(MailRow.state == "queued", MailRow.due_at <= now())
    for row in session.scalars(query.order_by(MailRow.due_at, MailRow.id)):
        claim = sql.update(MailRow).where(MailRow.id == row.id, MailRow.state == "queued")
        code = credentials.new_secret()
        values = {"state": "sending", "due_at": now(), "code_digest": credentials.digest(code)}
        if session.scalar(claim.values(**values).returning(MailRow.id)) is None:
            continue  # another process was faster
        user = session.get_one(UserRow, row.user_id)
        unread = _list_unread(session, row)
        wanted = row.kind == "verify" or (user.mail_notices and user.email == row.address)
        if not wanted or (row.kind == "notices" and not unread) or not user.active:
            session.delete(row)
            continue
        shown = [(Text.of(each.text), each.link) for each in unread[:MAX_NOTICES_PER_MAIL]]
        further = max(0, len(unread) - MAX_NOTICES_PER_MAIL)
        return ClaimedMail(
            row.id, row.kind, row.address, user.name, user.language, code, shown, further
        )
    return None


def _list_unread(session: Session, mail: MailRow) -> list[NoticeRow]:
    query = sql.select(NoticeRow).where(
        NoticeRow.user_id == mail.user_id,
        NoticeRow.id > mail.after_notice,
        NoticeRow.id <= mail.last_notice,
        NoticeRow.read.is_(False),
    )
    return list(session.scalars(query.order_by(NoticeRow.id).limit(1000)))


def settle_mail(session: Session, id: int, state: MailState) -> None:
    session.execute(sql.update(MailRow).where(MailRow.id == id).values(state=state))


def retry_mail(session: Session, id: int, pause_s: float) -> None:
    """Try a mail again later, each time after twice as long; it certainly was not sent."""
    row = session.get_one(MailRow, id)
    row.attempts += 1
    row.state, row.due_at = "queued", now_plus(min(3600.0, pause_s * 2**row.attempts))
