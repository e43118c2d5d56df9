"""The texts of e-mails, in the language of the account."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid

from ludus.escape import escape_to_one_line
from ludus.lang import Text, language
from ludus.server.mail.mail_queue import ClaimedMail
from ludus.server.mail.mail_settings import MailSettings

SUBJECT_CHARS = 80
TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
"""A time in a notice."""


def compose_mail(mail: ClaimedMail, settings: MailSettings) -> EmailMessage:
    """The whole message. Everything that people wrote is in its plain text or, on one line, in its
    subject."""
    subject, body = (_verification if mail.kind == "verify" else _notices)(mail, settings)
    language_key = mail.language or language()
    message = EmailMessage()
    message["From"] = f"Ludus 弈场 <{settings.sender}>"
    message["To"] = mail.address
    message["Subject"] = subject[language_key]
    message["Date"] = format_datetime(datetime.now(UTC))
    message["Message-ID"] = make_msgid(f"ludus-{mail.id}", settings.sender.partition("@")[2])
    message["Auto-Submitted"] = "auto-generated"
    if mail.kind == "notices":
        message["List-Unsubscribe"] = f"<{_unsubscribe_link(mail, settings)}>"
    message.set_content(body[language_key])
    return message


def _unsubscribe_link(mail: ClaimedMail, settings: MailSettings) -> str:
    """The code is behind ``#``, so that it is in no log and no other page learns it."""
    return f"{settings.public_url}/mail/stop#code={mail.code}"


def _verification(mail: ClaimedMail, settings: MailSettings) -> tuple[Text, Text]:
    link = f"{settings.public_url}/mail/confirm#code={mail.code}"
    return Text("Confirm your e-mail address", "请确认你的邮箱地址"), Text(
        f"Hello {mail.name},\n\nopen this link to get your notices from Ludus at this address:\n\n"
        f"{link}\n\nIt is valid for three days. If you did not ask for this, ignore this mail;"
        " you will get no other.\n",
        f"{mail.name}，你好：\n\n打开以下链接，即可在此邮箱收到弈场的通知：\n\n{link}\n\n"
        "链接三天内有效。如果这不是你的操作，请忽略此邮件，你不会再收到其他邮件。\n",
    )


def _notices(mail: ClaimedMail, settings: MailSettings) -> tuple[Text, Text]:
    count = len(mail.notices) + mail.further
    first = mail.notices[0][0]
    if count == 1:
        subject = Text(*(_one_line(_spell_times(first[key], key)) for key in ("en", "zh")))
    else:
        subject = Text(f"{count} new notices", f"{count} 条新通知")
    body = {key: _list_notices(mail, settings, key) for key in ("en", "zh")}
    stop = _unsubscribe_link(mail, settings)
    me = f"{settings.public_url}/me"
    return subject, Text(
        f"Hello {mail.name},\n\n{body['en']}\nAll notices: {me}\n"
        f"No more mails like this one: {stop}\n",
        f"{mail.name}，你好：\n\n{body['zh']}\n全部通知：{me}\n不再接收此类邮件：{stop}\n",
    )


def _spell_times(text: str, key: str) -> str:
    """Times as people write them. Where the reader is, is not known, so they stay in UTC."""

    def spell(found: re.Match[str]) -> str:
        try:
            moment = datetime.fromisoformat(found[0])
        except ValueError:  # a text that only looks like a time
            return found[0]
        if key == "zh":
            return f"{moment.year}年{moment.month}月{moment.day}日 {moment:%H:%M}（UTC）"
        return f"{moment.day} {moment:%b %Y, %H:%M} UTC"

    return TIME.sub(spell, text)


def _one_line(text: str) -> str:
    line = escape_to_one_line(" ".join(text.split()))
    return line if len(line) <= SUBJECT_CHARS else f"{line[: SUBJECT_CHARS - 1]}…"


def _list_notices(mail: ClaimedMail, settings: MailSettings, key: str) -> str:
    parts = [
        f"* {_spell_times(text[key], key)}\n" + (f"  {settings.public_url}{link}\n" if link else "")
        for text, link in mail.notices
    ]
    if mail.further:
        more = Text(f"* and {mail.further} more\n", f"* 另有 {mail.further} 条\n")
        parts.append(more[key])
    return "".join(parts)
