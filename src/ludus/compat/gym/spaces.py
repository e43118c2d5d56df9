"""The spaces of actions and observations in Gymnasium's words."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from ludus.compat.gym.numbered_bout import NumberedBout


def make_observation_space(bout: NumberedBout, actions: int) -> spaces.Dict:
    """The space of what ``NumberedBout.observe`` returns, with a mask of so many actions."""
    boxes: dict[str, spaces.Space[Any]] = {
        name: spaces.Box(low, high, shape, kind)
        for name, (shape, kind, low, high) in bout.encoder.shapes.items()
    }
    boxes["action_mask"] = spaces.Box(0, 1, (actions,), np.int8)
    return spaces.Dict(boxes)


def make_agent_names(bout: NumberedBout) -> list[str]:
    """A name for each seat, as PettingZoo wants them: ``black_0``, ``white_1``."""
    return [f"{name.replace(' ', '_')}_{seat}" for seat, name in enumerate(bout.game.seat_keys)]
