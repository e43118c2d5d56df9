"""Games with the words of OpenSpiel, for code that was written for its states.

``load_game("reversi", size=6).new_initial_state()`` gives a state with ``legal_actions``,
``apply_action``, ``returns`` and so on. Actions, masks and observations are those of the other
environments. Seats that move at the same time are asked one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ludus.compat.gym.actions import read_action
from ludus.compat.gym.numbered_bout import NumberedBout
from ludus.compat.notebook.board_text import draw_text
from ludus.errors import LudusError
from ludus.games.base import Game

TERMINAL_PLAYER = -4
"""``current_player`` of a state in which the bout is over, as in OpenSpiel."""


class SpielGame:
    """A game with its options."""

    def __init__(self, bout: NumberedBout) -> None:
        self._bout = bout

    def num_players(self) -> int:
        return self._bout.seats

    def num_distinct_actions(self) -> int:
        return self._bout.actions.count

    def observation_tensor_shape(self) -> list[int]:
        return list(self._bout.encoder.shapes["observation"].shape)

    def min_utility(self) -> float:
        return -1.0

    def max_utility(self) -> float:
        return 1.0

    def new_initial_state(self, seed: int = 0) -> SpielState:
        """The first state; the seed fixes everything that is left to chance."""
        self._bout.start(seed)
        return SpielState(self, self._bout, self._bout.position, [])

    def __str__(self) -> str:
        return self._bout.game.name


class SpielState:
    """A moment of a bout."""

    def __init__(
        self, game: SpielGame, bout: NumberedBout, position: Any, history: list[int]
    ) -> None:
        self._game, self._bout, self._position = game, bout, position
        self._history = history
        self._chosen: dict[int, str] = {}

    def get_game(self) -> SpielGame:
        return self._game

    def current_player(self) -> int:
        """The seat that has to act; ``TERMINAL_PLAYER`` when the bout is over."""
        waiting = [seat for seat in self._position.to_move if seat not in self._chosen]
        return waiting[0] if waiting else TERMINAL_PLAYER

    def is_terminal(self) -> bool:
        return not self._position.to_move

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The numbers of the legal actions, in order."""
        numbers: list[int] = np.flatnonzero(self._mask(player)).tolist()
        return numbers

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        mask: list[int] = self._mask(player).tolist()
        return mask

    def apply_action(self, action: int) -> None:
        """Play an action of the current player."""
        player, number = self.current_player(), read_action(action)
        move = None if player < 0 else self._bout.actions.text(self._position, player, number)
        if move is None:
            raise LudusError(
                f"action {action} is not legal for player {player}",
                f"动作 {action} 对玩家 {player} 不合法",
            )
        self._chosen[player] = move
        self._history.append(number)
        if len(self._chosen) == len(self._position.to_move):
            self._position.play(self._chosen)
            self._chosen = {}

    def apply_actions(self, actions: Sequence[int]) -> None:
        """Play an action for each seat that has to act."""
        for action in actions:
            self.apply_action(action)

    def returns(self) -> list[float]:
        """What each seat has got: 0 until the bout is over."""
        self._bout.follow(self._position, [])
        return self._bout.rewards()

    rewards = returns

    def player_return(self, player: int) -> float:
        return self.returns()[player]

    def action_to_string(self, player: int, action: int) -> str:
        """The move that a legal action means."""
        move = self._bout.actions.text(self._position, player, action)
        return "" if move is None else move

    def string_to_action(self, move: str) -> int:
        """The action of a legal move of the current player."""
        player = self.current_player()
        if player < 0 or move not in self._position.legal(player):
            raise LudusError(
                f"{move!r} is not a legal move of player {player}",
                f"{move!r} 不是玩家 {player} 的合法着法",
            )
        return self._bout.actions.number(self._position, player, move)

    def observation_tensor(self, player: int | None = None) -> list[float]:
        seat = max(self.current_player(), 0) if player is None else player
        found = self._bout.encoder.encode(self._position, seat)["observation"]
        numbers: list[float] = found.astype(float).ravel().tolist()
        return numbers

    def observation_string(self, player: int | None = None) -> str:
        """The board as text, as far as the seat may see it."""
        seat = player if self._bout.game.hidden else None
        return draw_text(self._bout.scene, self._position.view(seat))

    def information_state_string(self, player: int | None = None) -> str:
        """The actions so far; for hidden information what the seat sees."""
        if self._bout.game.hidden:
            return self.observation_string(
                max(self.current_player(), 0) if player is None else player
            )
        return self.history_str()

    def history(self) -> list[int]:
        return list(self._history)

    def history_str(self) -> str:
        return ", ".join(map(str, self._history))

    def move_number(self) -> int:
        return len(self._history)

    def clone(self) -> SpielState:
        """An independent state."""
        twin = SpielState(self._game, self._bout, self._position.copy(), list(self._history))
        twin._chosen = dict(self._chosen)
        return twin

    def child(self, action: int) -> SpielState:
        """The state after an action; this one stays as it is."""
        twin = self.clone()
        twin.apply_action(action)
        return twin

    def __str__(self) -> str:
        return self.observation_string()

    def _mask(self, player: int | None) -> Any:
        current = self.current_player()
        if current < 0 or player not in (None, current):
            return np.zeros(self._bout.actions.count, np.int8)
        return self._bout.actions.mask(self._position, current)


def load_game(game: str | Game, **options: Any) -> SpielGame:
    """A game in OpenSpiel's words: ``load_game("reversi", size=6)``."""
    return SpielGame(NumberedBout(game, options))
