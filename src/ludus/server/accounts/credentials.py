"""Passwords, tokens and codes: made here, kept as hashes."""

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
"""Characters of a password."""
CODE_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Of codes that people read aloud: nothing that looks like something else."""
ARGON2_COST = (2, 19 * 1024)
"""Passes and KiB of a hash: 20 ms for us, too much for whoever tries all passwords."""
HASH_SLOTS = threading.BoundedSemaphore(2)
"""A hash takes 19 MiB and a core for a while; nobody shall fill the machine with them."""


def check_password(password: str, name: str = "") -> None:
    """Refuse one that anybody would guess."""
    if not MIN_PASSWORD_CHARS <= len(password) <= MAX_PASSWORD_CHARS:
        raise LudusError(
            f"a password has {MIN_PASSWORD_CHARS} to {MAX_PASSWORD_CHARS} characters",
            f"密码长度应为 {MIN_PASSWORD_CHARS} 到 {MAX_PASSWORD_CHARS} 个字符",
        )
    if is_common(password, name) or len(set(password)) < 3:
        raise LudusError("that password is too easy to guess", "密码太容易被猜到")


def hash_password(password: str) -> str:
    with HASH_SLOTS:
        return _hasher().hash(password)


def verify_password(password: str, kept: str | None) -> bool:
    """Whether it is the password. The same work is done if there is no such person, or if the
    person has not chosen a password yet: how long it takes tells nothing."""
    from argon2.exceptions import InvalidHashError, VerificationError

    chosen = kept is not None and kept.startswith("$argon2")
    with HASH_SLOTS:
        try:
            return (
                _hasher().verify(kept if chosen and kept else _make_unmatchable_hash(), password)
                and chosen
            )
        except (VerificationError, InvalidHashError):
            return False


def _make_unmatchable_hash() -> str:
    """A hash that no password has, as expensive as any."""
    passes, kibibytes = ARGON2_COST
    salt, tag = (base64.b64encode(os.urandom(n)).decode().rstrip("=") for n in (16, 32))
    return f"$argon2id$v=19$m={kibibytes},t={passes},p=1${salt}${tag}"


def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    passes, kibibytes = ARGON2_COST
    return PasswordHasher(time_cost=passes, memory_cost=kibibytes, parallelism=1)


def new_secret() -> str:
    """For a cookie or a program."""
    return secrets.token_urlsafe(32)


def new_code() -> str:
    """For people to type: about 59 bits."""
    return "-".join("".join(secrets.choice(CODE_LETTERS) for _ in range(4)) for _ in range(3))


def digest(secret: str) -> str:
    """As a secret is kept. It has too many bits to be guessed, so no salt is needed."""
    return hashlib.sha256(secret.encode()).hexdigest()


def derive_csrf_token(secret: str) -> str:
    """What the page of a session must send with whatever changes something."""
    return hashlib.sha256(f"csrf {secret}".encode()).hexdigest()[:32]
