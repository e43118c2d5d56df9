"""What a bot's random numbers begin with: the same whenever a bout is played again, and nothing
that its rival could know.

Every bot is told the bout's seed, and may have read this file. So its generators begin with a keyed
hash, and the key stays with the referee: each bot gets the one hash that is its own.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import secrets

from ludus.home import load_or_create_secret, ludus_home

KEY_VARIABLE = "LUDUS_RANDOM_KEY"
"""Set to the same text on two machines, it makes bots draw the same on both. 64 hexadecimal digits
are the key itself."""
SEED_VARIABLE = "LUDUS_RANDOM_SEED"
"""Tells a Saiblo AI its random seed: its logic knows none."""
KEY_BYTES = 32


def load_random_key() -> bytes:
    """This person's key: ``$LUDUS_RANDOM_KEY``, else a file in Ludus' home, made once."""
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
    """What one player's generators begin with in one bout, as 64 hexadecimal digits.

    The player's number in its match counts: where the seats of a bout are swapped on the same
    seed, the next to sit there must not draw what the one before drew, who remembers it.
    """
    words = f"{seed}/{seat}/{player}".encode()
    return hashlib.blake2b(words, key=key, digest_size=KEY_BYTES).hexdigest()


def _generate_key() -> bytes:
    return secrets.token_bytes(KEY_BYTES)


@functools.cache
def _process_key() -> bytes:
    """Where no file can be kept, bouts are repeatable only as long as the process lives."""
    return _generate_key()
