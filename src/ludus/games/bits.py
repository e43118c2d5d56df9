"""Operations on words of 64 bits.

Plain Python reads them here; compiled modules take the same from bits.pxd.
"""

from __future__ import annotations


def count_bits(bits: int) -> int:
    """How many bits are set."""
    return bits.bit_count()


def lowest_bit(bits: int) -> int:
    """The number of the lowest bit that is set; there must be one."""
    return (bits & -bits).bit_length() - 1


def leading_zeros(bits: int) -> int:
    """How many of 64 bits come before the highest one that is set; there must be one."""
    return 64 - bits.bit_length()
