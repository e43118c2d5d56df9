"""Words of 64 bits as two of 32, because JAX computes with no more unless it is told to."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

Array = jax.Array
HALF_WORD = 0xFFFF
LOW_WORD = 0xFFFFFFFF


class Word64(NamedTuple):
    """Words of 64 bits; both halves are uint32 arrays of one shape."""

    high: Array
    low: Array

    def __xor__(self, other: Word64) -> Word64:
        return Word64(self.high ^ other.high, self.low ^ other.low)


def constant_word(value: int) -> Word64:
    """One word with that value."""
    return Word64(jnp.uint32(value >> 32), jnp.uint32(value & LOW_WORD))


def xor_shifted(word: Word64, bits: int) -> Word64:
    """``word ^ (word >> bits)``, for 1 to 31 bits."""
    right, left = jnp.uint32(bits), jnp.uint32(32 - bits)
    low = (word.low >> right) | (word.high << left)
    return Word64(word.high ^ (word.high >> right), word.low ^ low)


def multiply(word: Word64, factor: int) -> Word64:
    """The product with a constant, of which the lowest 64 bits are kept."""
    times = constant_word(factor)
    high = _high_product(word.low, factor & LOW_WORD)
    high = high + word.low * times.high + word.high * times.low
    return Word64(high, word.low * times.low)


def _high_product(word: Array, factor: int) -> Array:
    """The upper half of the product of two words of 32 bits."""
    half, sixteen = jnp.uint32(HALF_WORD), jnp.uint32(16)
    factor_low, factor_high = jnp.uint32(factor & HALF_WORD), jnp.uint32(factor >> 16)
    low, high = word & half, word >> sixteen
    left, right = low * factor_high, high * factor_low
    carried = ((low * factor_low) >> sixteen) + (left & half) + (right & half)
    product: Array = (
        high * factor_high + (left >> sixteen) + (right >> sixteen) + (carried >> sixteen)
    )
    return product
