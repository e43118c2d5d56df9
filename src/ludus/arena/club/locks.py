"""Passwords, tokens and codes: made here, kept as hashes."""

from __future__ import annotations

import functools
import hashlib
import secrets
import threading
from typing import TYPE_CHECKING

from ludus.errors import LudusError

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST, LONGEST = 8, 200
"""Characters of a password."""
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Of codes that people read aloud: nothing that looks like something else."""
COST = (2, 19 * 1024)
"""Passes and KiB of a hash: 20 ms for us, too much for whoever tries all passwords."""
AT_ONCE = threading.BoundedSemaphore(2)
"""A hash takes 19 MiB and a core for a while; nobody shall fill the machine with them."""


def check_password(password: str, name: str = "") -> None:
    """Refuse one that anybody would guess."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise LudusError(
            f"a password has {SHORTEST} to {LONGEST} characters",
            f"密码长度应为 {SHORTEST} 到 {LONGEST} 个字符",
        )
    if password.casefold() == name.casefold() or len(set(password)) < 3:
        raise LudusError("that password is too easy to guess", "密码太容易被猜到")


def hashed(password: str) -> str:
    with AT_ONCE:
        return _hasher().hash(password)


def fits(password: str, kept: str | None) -> bool:
    """Whether it is the password; takes as long if there is none."""
    from argon2.exceptions import InvalidHashError, VerificationError

    against = kept or _nobodys()
    with AT_ONCE:
        try:
            return _hasher().verify(against, password) and kept is not None
        except (VerificationError, InvalidHashError):
            return False


@functools.cache
def _nobodys() -> str:
    return hashed(new_secret())


def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    passes, kibibytes = COST
    return PasswordHasher(time_cost=passes, memory_cost=kibibytes, parallelism=1)


def new_secret() -> str:
    """For a cookie or a program."""
    return secrets.token_urlsafe(32)


def new_code() -> str:
    """For people to type: about 58 bits."""
    return "-".join("".join(secrets.choice(LETTERS) for _ in range(4)) for _ in range(3))


def digest(secret: str) -> str:
    """As a secret is kept. It has too many bits to be guessed, so no salt is needed."""
    return hashlib.sha256(secret.encode()).hexdigest()


def csrf_of(secret: str) -> str:
    """What the page of a session must send with whatever changes something."""
    return hashlib.sha256(f"csrf {secret}".encode()).hexdigest()[:32]
