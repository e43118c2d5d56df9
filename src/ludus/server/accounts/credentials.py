"""Creates and verifies passwords, tokens and codes, which are stored as hashes."""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
import threading
from typing import TYPE_CHECKING

from ludus.errors import LudusError
from ludus.server.accounts.common_passwords import is_common

if TYPE_CHECKING:
    from argon2 import PasswordHasher

MIN_PASSWORD_CHARS, MAX_PASSWORD_CHARS = 8, 200
"""The shortest and longest password."""
CODE_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Letters of codes that people read aloud: none looks like another."""
ARGON2_COST = (2, 19 * 1024)
"""Passes and KiB of a hash: 20 ms for the server, too expensive for guessing many passwords."""
HASH_SLOTS = threading.BoundedSemaphore(2)
"""A hash takes 19 MiB and a core for a while, so few are computed at once."""


def check_password(password: str, name: str = "") -> None:
    """Raise LudusError for a password that is too short, too long or easy to guess."""
    if not MIN_PASSWORD_CHARS <= len(password) <= MAX_PASSWORD_CHARS:
        raise LudusError(
            f"a password must have {MIN_PASSWORD_CHARS} to {MAX_PASSWORD_CHARS} characters",
            f"密码长度应为 {MIN_PASSWORD_CHARS} 到 {MAX_PASSWORD_CHARS} 个字符",
        )
    if is_common(password, name) or len(set(password)) < 3:
        raise LudusError(
            "that password is too easy to guess: it is a common word, a run of keys, the user name,"
            " or made of few different characters",
            "密码太容易被猜到：它是常见的词、键盘上相邻的键、用户名，或只用了很少几种字符",
        )


def hash_password(password: str) -> str:
    with HASH_SLOTS:
        return _make_hasher().hash(password)


def verify_password(password: str, kept: str | None) -> bool:
    """Whether the password is right. The same work is done if there is no such account or no
    password yet, so that the time it takes tells an attacker nothing."""
    from argon2.exceptions import InvalidHashError, VerificationError

    chosen = kept is not None and kept.startswith("$argon2")
    with HASH_SLOTS:
        try:
            return (
                _make_hasher().verify(
                    kept if chosen and kept else _make_unmatchable_hash(), password
                )
                and chosen
            )
        except (VerificationError, InvalidHashError):
            return False


def _make_unmatchable_hash() -> str:
    """A hash that no password matches, as expensive as any."""
    passes, kibibytes = ARGON2_COST
    salt, tag = (base64.b64encode(os.urandom(n)).decode().rstrip("=") for n in (16, 32))
    return f"$argon2id$v=19$m={kibibytes},t={passes},p=1${salt}${tag}"


def _make_hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    passes, kibibytes = ARGON2_COST
    return PasswordHasher(time_cost=passes, memory_cost=kibibytes, parallelism=1)


def new_secret() -> str:
    """A random secret for a cookie or a token."""
    return secrets.token_urlsafe(32)


def new_code() -> str:
    """A random code for people to type, of about 59 bits."""
    return "-".join("".join(secrets.choice(CODE_LETTERS) for _ in range(4)) for _ in range(3))


def digest(secret: str) -> str:
    """The hash under which a secret is stored. Secrets cannot be guessed, so it needs no salt."""
    return hashlib.sha256(secret.encode()).hexdigest()


def derive_csrf_token(secret: str) -> str:
    """The token that a session's page must send with every change."""
    return hashlib.sha256(f"csrf {secret}".encode()).hexdigest()[:32]
