"""Which mail server sends the notices, as the person who starts the server says it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Literal
from urllib.parse import SplitResult, unquote, urlsplit

import msgspec

from ludus.errors import LudusError
from ludus.lang import Text
from ludus.os_errors import describe_os_error
from ludus.server.web.addresses import is_loopback

MailSecurity = Literal["starttls", "tls", "none"]
SCHEMES: dict[str, tuple[MailSecurity, int]] = {
    "smtp": ("starttls", 587),
    "smtps": ("tls", 465),
    "smtp+plain": ("none", 25),
}
"""By scheme: how the connection is encrypted, and the usual port."""
PASSWORD_VARIABLE = "LUDUS_SMTP_PASSWORD"
ADDRESS_PATTERN = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,180}[A-Za-z0-9])?"
)
"""Addresses that every mail server takes: ASCII, without quotes and comments."""


class MailSettings(msgspec.Struct, frozen=True):
    """How mail is sent, and where its links lead. The password is in no text form of it."""

    host: str
    port: int
    security: MailSecurity
    sender: str
    """The address that mails come from."""
    public_url: str
    """Where people open the page, without a slash at the end."""
    user: str = ""
    password: str = ""

    def __repr__(self) -> str:
        return f"MailSettings({self.security} {self.host}:{self.port}, from {self.sender})"


def is_mail_address(text: str) -> bool:
    return ADDRESS_PATTERN.fullmatch(text) is not None and ".." not in text


def read_mail_settings(
    smtp: str, sender: str, password_file: str, public_url: str
) -> MailSettings | None:
    """The settings from the options of ``ludus serve``; None if no mail server is named. The
    password comes from a file or from ``LUDUS_SMTP_PASSWORD``, which child processes do not
    inherit then."""
    password = os.environ.pop(PASSWORD_VARIABLE, "")
    if not smtp:
        return None
    parts = _split_url(smtp)
    security, usual_port = SCHEMES[parts.scheme]
    if password_file:
        password = _read_password(password_file)
    user = unquote(parts.username or "")
    if not is_mail_address(sender):
        raise LudusError(
            f"--mail-from must be the address that mails come from, got {sender!r}",
            f"--mail-from 应为发件地址，得到 {sender!r}",
        )
    if user and not password:
        raise LudusError(
            f"--smtp names the user {user!r}: give the password as {PASSWORD_VARIABLE} or in a"
            " file with --smtp-password-file",
            f"--smtp 中有用户 {user!r}：请用 {PASSWORD_VARIABLE} 或 --smtp-password-file 给出密码",
        )
    assert parts.hostname is not None
    if user and security == "none" and not is_loopback(parts.hostname):
        raise LudusError(
            "smtp+plain would send the password unencrypted; use smtp:// (STARTTLS) or smtps://",
            "smtp+plain 会以明文发送密码；请用 smtp://（STARTTLS）或 smtps://",
        )
    return MailSettings(
        host=parts.hostname,
        port=parts.port or usual_port,
        security=security,
        sender=sender,
        public_url=check_public_url(public_url),
        user=user,
        password=password,
    )


def _split_url(smtp: str) -> SplitResult:
    try:
        parts = urlsplit(smtp)
        valid = parts.scheme in SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise LudusError(
            "--smtp must look like smtp://user@mail.example.org:587 (STARTTLS), smtps://… (TLS)"
            " or smtp+plain://localhost:25",
            "--smtp 应形如 smtp://user@mail.example.org:587（STARTTLS）、smtps://…（TLS）"
            "或 smtp+plain://localhost:25",
        )
    if parts.password is not None:  # other users of the machine can read a command line
        raise LudusError(
            f"--smtp must not contain the password; give it as {PASSWORD_VARIABLE} or in a file"
            " with --smtp-password-file",
            f"--smtp 中不能有密码；请用 {PASSWORD_VARIABLE} 或 --smtp-password-file 给出",
        )
    return parts


def _read_password(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeError) as error:
        not_text = Text("not UTF-8", "不是 UTF-8 文本")
        why = describe_os_error(error) if isinstance(error, OSError) else not_text
        raise LudusError(
            f"cannot read the password file {path}: {why.en}",
            f"无法读取密码文件 {path}：{why.zh}",
        ) from None


def check_public_url(url: str) -> str:
    """The address under which people open the page, without a slash at the end."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise LudusError(
            "mails and invitations contain links: name the address of the page with --public-url"
            f" https://ludus.example.org (mails also take --allow-host), got {url!r}",
            "邮件和邀请中有链接：请用 --public-url https://ludus.example.org"
            f"（邮件也可用 --allow-host）指明页面地址，得到 {url!r}",
        )
    return url.rstrip("/")
