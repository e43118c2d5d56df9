"""E-mail over HTTP: confirming an address, and starting and ending mails."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from litestar import patch, post
from litestar.params import JSONBody

from ludus.errors import LudusError
from ludus.scheduling.schema import UserRow
from ludus.server.accounts.account_routes import describe_account
from ludus.server.accounts.account_schemas import AccountInfo
from ludus.server.accounts.auth import SESSION_ONLY, InjectedIdentity
from ludus.server.mail import mail_queue
from ludus.server.mail.mail_settings import is_mail_address
from ludus.server.services import InjectedBackground, InjectedDatabase, InjectedSite
from ludus.server.web.errors import Conflict
from ludus.server.web.responses import Done


class AddressRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The address at which a person wants their notices, and the language of mails."""

    email: Annotated[str, msgspec.Meta(max_length=200)]
    language: Literal["en", "zh"]


class MailChange(msgspec.Struct, forbid_unknown_fields=True):
    """Whether notices are sent by e-mail."""

    notices: bool


class MailCode(msgspec.Struct, forbid_unknown_fields=True):
    """The code in the link of a mail."""

    code: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


@post("/me/mail", sync_to_thread=True, status_code=200, scope=SESSION_ONLY)
def verify_address(
    site: InjectedSite,
    background: InjectedBackground,
    identity: InjectedIdentity,
    data: JSONBody[AddressRequest],
) -> AccountInfo:
    """Send a link to your address; once it is opened, your notices are mailed there."""
    identity.require_login()
    if not site.sends_mail:
        raise Conflict("this server sends no e-mail", "此服务器不发送邮件")
    address = data.email.strip()
    if not is_mail_address(address):
        raise LudusError(f"{address!r} is not an e-mail address", f"{address!r} 不是邮箱地址")
    limits = site.rate_limits
    with (
        limits.verification_mails.count_try(str(identity.id)),
        limits.mails_to_address.count_try(address.casefold()),
        site.database.writing() as session,
    ):
        user = session.get_one(UserRow, identity.id)
        user.language = data.language
        mail_queue.request_verification(session, user, address)
    background.wake()
    return describe_account(site, identity)


@patch("/me/mail", sync_to_thread=True, scope=SESSION_ONLY)
def change_mail(
    site: InjectedSite, identity: InjectedIdentity, data: JSONBody[MailChange]
) -> AccountInfo:
    """Start or end mails with your notices."""
    identity.require_login()
    with site.database.writing() as session:
        user = session.get_one(UserRow, identity.id)
        if not data.notices:
            user.mail_notices = False
        elif not user.email_verified:
            raise Conflict("confirm your address first", "请先确认邮箱地址")
        elif not user.mail_notices:
            mail_queue.start_notices(session, user)
    return describe_account(site, identity)


@post("/mail/confirm", sync_to_thread=True, status_code=200, scope=SESSION_ONLY)
def confirm_address(database: InjectedDatabase, data: JSONBody[MailCode]) -> Done:
    """Confirm an address with the code of a mail; no login is needed."""
    with database.writing() as session:
        mail_queue.confirm_address(session, data.code)
    return Done()


@post("/mail/stop", sync_to_thread=True, status_code=200, scope=SESSION_ONLY)
def stop_mail(database: InjectedDatabase, data: JSONBody[MailCode]) -> Done:
    """End the mails with notices, with the code of one of them; no login is needed."""
    with database.writing() as session:
        mail_queue.end_notices_by_code(session, data.code)
    return Done()


HANDLERS = [verify_address, change_mail, confirm_address, stop_mail]
