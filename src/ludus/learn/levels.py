"""How strongly the shipped networks play against people: ``learned:easy``, ``normal``, ``hard``.

A weaker level looks at fewer positions and does not insist on the best move: it draws among the
moves that, by its search, cost at most a given part of the expected score. So it errs as a person
does, by one step at a time, and never plays a move that it knows to lose if another does not.
docs/en/learning.md says how strong each level is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from ludus.learn.search import SearchParameters, playing_parameters


@dataclass(frozen=True, slots=True)
class PolicyStyle:
    """How a policy is played."""

    temperature: float = 0.0
    """0 plays the likeliest move; above, moves are drawn by their probability to the power of
    1 / temperature."""
    hunts: bool = True
    """Whether it goes for the other's band as soon as that cannot get home any more."""


HARD = "hard"
"""What ``learned`` without a level plays."""
LEVELS: Mapping[str, SearchParameters] = {
    "easy": SearchParameters(
        simulations=32, gumbel=True, considered=32, max_loss=0.35, temperature=1.0
    ),
    "normal": SearchParameters(
        simulations=32, gumbel=True, considered=32, max_loss=0.15, temperature=1.0
    ),
    HARD: playing_parameters(400),
}
POLICY_LEVELS: Mapping[str, PolicyStyle] = {
    "easy": PolicyStyle(temperature=2.0, hunts=False),
    "normal": PolicyStyle(temperature=1.0),
    HARD: PolicyStyle(),
}
"""The same for games that are played without a search."""
Style = TypeVar("Style")


def find_level(name: str, levels: Mapping[str, Style]) -> Style:
    """The parameters of a level; an empty name is the hardest."""
    return levels[name or HARD]
