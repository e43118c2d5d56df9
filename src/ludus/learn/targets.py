"""What the network should predict, from the searches and results of a wave.

Everything is from the point of view of seat 0: probabilities of win, draw and loss. The functions
work on arrays of the device and of numpy.
"""

from __future__ import annotations

from typing import Any

Array = Any
KEPT_POLICY_MOVES = 24
"""The most moves of a policy that a sample keeps."""
UNKNOWN_MARGIN = 1000.0
"""Stands for the margin of a bout whose end is not known."""


def value_to_chances(value: Array, draw: Array, np: Any) -> Array:
    """Probabilities of win, draw and loss with this value and this probability of a draw."""
    draw = np.minimum(draw, 1 - np.abs(value))
    win, loss = (1 - draw + value) / 2, (1 - draw - value) / 2
    return np.stack([win, draw, loss], -1)


def score_to_chances(score: Array, np: Any) -> Array:
    """Probabilities of a certain result."""
    return np.stack([score > 0, score == 0, score < 0], -1).astype(np.float32)


def propagate_result(
    later: Array, ended: Array, score: Array, search_chances: Array, trust: float, np: Any
) -> Array:
    """The target at a ply, from the target at the next ply.

    ``ended`` and ``score``: whether the move ended the bout, and its result; ``search_chances``:
    the probabilities found by the search, with the weight ``trust``.
    """
    known = np.where(ended[:, None], score_to_chances(score, np), later)
    return (1 - trust) * known + trust * search_chances


def for_mover(result: Array, seat: Array, np: Any) -> Array:
    """The same probabilities from the mover's point of view."""
    return np.where((seat == 0)[..., None], result, result[..., ::-1])
