"""The luck of bouts that begin with chance: a word of 32 bits, from which everything is computed.

Chance that both seats see from the first move on need not be stored number by number: a state
holds the word, and whatever the rules ask for is a hash of the word and an index. The functions
work on arrays of the device and of numpy.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Array = jax.Array
LUCK_BYTES = 4


def draw_luck(count: int, key: Array | None) -> Array:
    """A word for each bout, uint32; the key must be given."""
    if key is None:
        raise ValueError("bouts of this game begin with chance, so they need a key")
    return jax.random.bits(key, (count,), jnp.uint32)


def hash_luck(luck: Any, index: Any, np: Any) -> Any:
    """An evenly distributed word for each luck and index; both are uint32."""
    word = luck ^ (index * np.uint32(0x9E3779B9))
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        word = (word ^ (word >> np.uint32(shift))) * np.uint32(factor)
    return word ^ (word >> np.uint32(16))


def luck_to_bytes(luck: Array) -> Array:
    """The words as four bytes of a state each."""
    return jax.lax.bitcast_convert_type(luck, jnp.int8)


def luck_from_bytes(stored: Array) -> Array:
    """The words that ``luck_to_bytes`` has stored."""
    return jax.lax.bitcast_convert_type(stored, jnp.uint32)


class LuckLog:
    """Remembers which word each drawn thing came from, so that positions can become bouts again."""

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self.words: dict[Any, int] = {}

    def add(self, word: int, drawn: Any) -> Any:
        """Remember and return what was drawn from a word."""
        self.words[drawn] = word
        return drawn

    def find(self, drawn: list[Any]) -> np.ndarray[Any, np.dtype[np.uint32]]:
        """The words of drawn things; ValueError for one that was not drawn here."""
        if any(each not in self.words for each in drawn):
            raise ValueError(f"a position's {self.subject} was not drawn by this environment")
        return np.array([self.words[each] for each in drawn], np.uint32)
