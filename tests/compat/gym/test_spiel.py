"""Games in the words of OpenSpiel."""

import random
from typing import Any

import pytest

import ludus
from ludus.compat.gym import load_game
from ludus.compat.gym.spiel import TERMINAL_PLAYER
from tests.support.simultaneous_game import ThrowGame


@pytest.mark.parametrize("game", ["reversi", "duel2048", pytest.param(ThrowGame(), id="throws")])
def test_a_state_is_played_to_its_end(game: Any) -> None:
    options = {"reversi": {"size": 4}, "duel2048": {"rounds": 3}}.get(str(game), {})
    rules = load_game(game, **options)
    state = rules.new_initial_state(seed=1)
    generator = random.Random(1)
    while not state.is_terminal():
        player, legal = state.current_player(), state.legal_actions()
        assert sum(state.legal_actions_mask()) == len(legal)
        assert len(state.legal_actions_mask()) == rules.num_distinct_actions()
        assert state.legal_actions(1 - player) == []
        action = generator.choice(legal)
        assert state.string_to_action(state.action_to_string(player, action)) == action
        assert state.returns() == [0.0, 0.0]
        before = state.history()
        child = state.child(action)
        assert state.history() == before
        state.apply_action(action)
        assert child.history() == state.history()
        assert str(child) == str(state)
        size = 1
        for side in rules.observation_tensor_shape():
            size *= side
        assert len(state.observation_tensor(player)) == size
    assert state.current_player() == TERMINAL_PLAYER
    assert state.legal_actions() == []
    assert sum(state.returns()) == 0
    assert state.move_number() == len(state.information_state_string().split(","))


def test_an_illegal_action_is_refused() -> None:
    state = load_game("reversi").new_initial_state()
    with pytest.raises(ludus.LudusError, match="0"):
        state.apply_action(0)


def test_two_states_of_one_game_are_independent() -> None:
    game = load_game("reversi")
    one, other = game.new_initial_state(), game.new_initial_state()
    one.apply_action(one.legal_actions()[0])
    assert other.history() == []
    assert other.legal_actions() == game.new_initial_state().legal_actions()
    assert one.returns() == other.returns()


def test_a_text_that_is_no_legal_move_has_no_action() -> None:
    state = load_game("reversi", size=4).new_initial_state()
    for move in ("a1", "nonsense"):
        with pytest.raises(ludus.LudusError, match=move):
            state.string_to_action(move)
    with pytest.raises(ludus.LudusError, match="'d3'"):
        state.apply_action("d3")  # type: ignore[arg-type]
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    with pytest.raises(ludus.LudusError, match="a1"):
        state.string_to_action("a1")
