"""Every game as an environment for learners: PettingZoo, Gymnasium, OpenSpiel's words, and batches.

``aec_env`` and ``parallel_env`` are PettingZoo environments, ``single_env`` is a Gymnasium
environment in which one seat learns against bots, ``load_game`` speaks like OpenSpiel, and
``vector`` plays many bouts in lockstep; ``ActionValues`` is a small learner to try them with.
Importing this package registers ``ludus/Reversi-v0`` and the like with Gymnasium, where that is
installed.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ludus.errors import LudusError

if TYPE_CHECKING:
    from ludus.compat.gym.action_values import ActionValues
    from ludus.compat.gym.aec import aec_env
    from ludus.compat.gym.parallel import parallel_env
    from ludus.compat.gym.single import single_env
    from ludus.compat.gym.spiel import load_game

__all__ = ["ActionValues", "aec_env", "load_game", "parallel_env", "single_env"]

_MODULES = {
    "ActionValues": "action_values",
    "aec_env": "aec",
    "load_game": "spiel",
    "parallel_env": "parallel",
    "single_env": "single",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("gymnasium", "numpy", "pettingzoo"):
            raise
        raise LudusError(
            f"{name} needs the package {error.name}: ./ludus add gymnasium pettingzoo",
            f"{name} 需要软件包 {error.name}：./ludus add gymnasium pettingzoo",
        ) from None


if find_spec("gymnasium") is not None:
    from ludus.compat.gym.registration import register_environments

    register_environments()
