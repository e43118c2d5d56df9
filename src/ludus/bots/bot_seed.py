"""The random seed of each bot: repeatable, and unknown to its opponent.

A bout that is played again must give the same moves, so a bot's generators need a seed that follows
from the bout. Every bot receives the bout's seed, and its author may have read this file: a plain
hash of that seed would let a bot predict its opponent's random numbers. So the seed is a *keyed*
hash. The key stays with the referee, and each bot gets only its own hash.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import secrets

from ludus.home import load_or_create_secret, ludus_home

KEY_VARIABLE = "LUDUS_RANDOM_KEY"
"""The same text on two machines gives bots the same random numbers on both. A value of 64
hexadecimal digits is the key itself."""
SEED_VARIABLE = "LUDUS_RANDOM_SEED"
"""Environment variable with the random seed of a Saiblo AI, whose protocol has no field for it."""
KEY_BYTES = 32


def load_random_key() -> bytes:
    """This user's key: ``$LUDUS_RANDOM_KEY``, else a file in Ludus' home, created when missing."""
    if given := os.environ.get(KEY_VARIABLE):
        if re.fullmatch(r"[0-9a-f]{64}", given):
            return bytes.fromhex(given)
        return hashlib.blake2b(given.encode(), digest_size=KEY_BYTES).digest()
    try:
        key = load_or_create_secret(ludus_home() / "random.key", _generate_key)
    except OSError:
        return _process_key()
    return key if len(key) == KEY_BYTES else _process_key()


def derive_random_seed(key: bytes, seed: int, seat: int, player: int) -> str:
    """The seed of one player's generators in one bout, as 64 hexadecimal digits.

    The player's number in the match is part of it. When the seats are swapped on the same bout
    seed, a bot could otherwise remember the numbers it drew on that seat and predict those of the
    opponent who sits there now.
    """
    words = f"{seed}/{seat}/{player}".encode()
    return hashlib.blake2b(words, key=key, digest_size=KEY_BYTES).hexdigest()


def identify_key(key: bytes) -> str:
    """A short text by which a key is recognised, and which does not reveal it."""
    return hashlib.blake2b(b"identity", key=key, digest_size=4).hexdigest()


def _generate_key() -> bytes:
    return secrets.token_bytes(KEY_BYTES)


@functools.cache
def _process_key() -> bytes:
    """The key when no file can be written: bouts are repeatable only within this process."""
    return _generate_key()
