"""Value targets: what the network should have predicted, from the searches and results of a wave.

Everything counts for seat 0 here: chances of win, draw and loss. The same lines serve arrays of
the device and of numpy.
"""

from __future__ import annotations

from typing import Any

Array = Any


def value_to_chances(value: Array, draw: Array, np: Any) -> Array:
    """Chances that say: worth so much, and a draw so likely."""
    draw = np.minimum(draw, 1 - np.abs(value))
    win, loss = (1 - draw + value) / 2, (1 - draw - value) / 2
    return np.stack([win, draw, loss], -1)


def score_to_chances(score: Array, np: Any) -> Array:
    """Chances that are certain."""
    return np.stack([score > 0, score == 0, score < 0], -1).astype(np.float32)


def propagate_result(
    later: Array, ended: Array, score: Array, said: Array, trust: float, np: Any
) -> Array:
    """The result to foresee at a ply, from the one at the ply after it.

    ``ended`` and ``score``: whether the move ended the bout, and how; ``said``: by the search.
    """
    known = np.where(ended[:, None], score_to_chances(score, np), later)
    return (1 - trust) * known + trust * said


def for_mover(result: Array, seat: Array, np: Any) -> Array:
    """The same chances as the mover sees them."""
    return np.where((seat == 0)[..., None], result, result[..., ::-1])
