"""Games as PettingZoo and Gymnasium environments."""

import contextlib
import io
import random
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import ludus
from ludus.compat.gym import aec_env, parallel_env, single_env
from ludus.games.registry import get, names
from tests.support.simultaneous_game import ThrowGame

SHORT: dict[str, dict[str, Any]] = {
    "ataxx": {"size": 4, "limit": 12},
    "duel2048": {"rounds": 6},
    "eraser": {"turns": 8},
    "paperio": {"k": 5, "h": 9, "turns": 12},
    "reversi": {"size": 4},
    "tablut": {"limit": 12},
}
GAMES = [(name, SHORT.get(name, {})) for name in names()] + [(ThrowGame(), {})]
EXPECTED_WARNINGS = (
    "Observation is not a NumPy array",  # it is a dict with a mask
    "Observation space for each agent probably should be",
    "Observation numpy array is all zeros",  # an empty board
    "Action mask numpy array is all zeros",  # a seat that waits
    "Action mask is a single number",
)
each_game = pytest.mark.parametrize(("game", "options"), GAMES, ids=[*names(), "throws"])


@contextlib.contextmanager
def only_expected_warnings() -> Iterator[None]:
    with warnings.catch_warnings(record=True) as found, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        yield
    words = {str(each.message) for each in found}
    assert {each for each in words if not each.startswith(EXPECTED_WARNINGS)} == set()


@each_game
def test_pettingzoos_own_tests_pass(game: Any, options: dict[str, Any]) -> None:
    with only_expected_warnings():
        api_test(aec_env(game, **options), num_cycles=40)
        parallel_api_test(parallel_env(game, **options), num_cycles=40)
        seed_test(lambda: aec_env(game, **options), num_cycles=40)
        parallel_seed_test(lambda: parallel_env(game, **options), num_cycles=40)


@pytest.mark.parametrize("name", names())
def test_gymnasiums_own_test_passes(name: str) -> None:
    env = gymnasium.make(
        f"ludus/{name.capitalize()}-v0", opponent="random", **SHORT.get(name, {})
    ).unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(env, skip_render_check=True)
    env.close()


def play_randomly(env: Any, seed: int) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Every agent, what it saw and what it did, through one bout."""
    generator = random.Random(seed)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        seen, _, over, _, _ = env.last()
        action = None if over else generator.choice(np.flatnonzero(seen["action_mask"]).tolist())
        if action is not None:
            yield agent, seen, action
        env.step(action)


@each_game
def test_masks_allow_exactly_the_legal_moves(game: Any, options: dict[str, Any]) -> None:
    env = aec_env(game, **options)
    for agent, seen, action in play_randomly(env, 3):
        seat, position = env.possible_agents.index(agent), env.bout.position
        numbers = np.flatnonzero(seen["action_mask"]).tolist()
        texts = [env.bout.actions.text(position, seat, number) for number in numbers]
        assert sorted(texts) == sorted(position.legal(seat))
        assert [env.bout.actions.number(position, seat, text) for text in texts] == numbers
        assert env.observation_space(agent).contains(seen)
        assert action in numbers


@pytest.mark.parametrize("name", ["ataxx", "reversi", "tablut"])
def test_actions_are_numbered_as_networks_know_them(name: str) -> None:
    game = get(name)
    env = aec_env(name, **SHORT[name])
    for _, seen, _ in play_randomly(env, 5):
        position = game.search_position(env.bout.position)
        numbers = {position.action_of(move): position.text(move) for move in position.moves()}
        assert set(numbers) == set(np.flatnonzero(seen["action_mask"]).tolist())
        listed = game.list_actions(env.bout.options)
        assert {number: listed[number] for number in numbers} == numbers


@pytest.mark.parametrize("name", names())
def test_a_games_list_of_actions_names_each_move_once(name: str) -> None:
    game = get(name)
    for options in ({}, *game.odd):
        moves = [move for move in game.list_actions(game.Options.parse(options)) or () if move]
        assert len(set(moves)) == len(moves)


@each_game
def test_what_was_observed_never_changes(game: Any, options: dict[str, Any]) -> None:
    env = aec_env(game, **options)
    kept = [(seen, {k: v.copy() for k, v in seen.items()}) for _, seen, _ in play_randomly(env, 1)]
    for seen, copied in kept:
        for name, array in copied.items():
            assert np.array_equal(seen[name], array)


@each_game
def test_rewards_are_those_of_the_outcome(game: Any, options: dict[str, Any]) -> None:
    env = aec_env(game, **options)
    totals = dict.fromkeys(env.possible_agents, 0.0)
    env.reset(seed=4)
    for agent in env.agent_iter():
        seen, reward, over, _, _ = env.last()
        totals[agent] += reward
        env.step(None if over else env.action_space(agent).sample(seen["action_mask"]))
    outcome = env.bout.position.outcome
    assert [totals[agent] for agent in env.possible_agents] == [
        2 * score - 1 for score in outcome.scores
    ]


def test_an_illegal_action_loses() -> None:
    env = aec_env("reversi")
    env.reset(seed=1)
    env.step(0)
    assert env.terminations == {"black_0": True, "white_1": True}
    assert env.rewards == {"black_0": -1.0, "white_1": 1.0}
    assert "0" in env.infos["black_0"]["fault"]


def test_seats_that_move_at_once_do_not_see_each_others_choice() -> None:
    env = aec_env(ThrowGame())
    env.reset(seed=1)
    before = env.observe("right_1")
    env.step(0)
    assert env.agent_selection == "right_1"
    assert all(np.array_equal(before[name], env.observe("right_1")[name]) for name in before)
    env.step(1)
    assert env.bout.position.points == [1, 0]


def test_a_seat_of_a_parallel_environment_waits_for_its_turn() -> None:
    env = parallel_env("reversi", size=4)
    seen, _ = env.reset(seed=1)
    assert np.flatnonzero(seen["white_1"]["action_mask"]).tolist() == [env.wait]
    assert not seen["black_0"]["action_mask"][env.wait]
    move = int(np.flatnonzero(seen["black_0"]["action_mask"])[0])
    seen, *_ = env.step({"black_0": move, "white_1": env.wait})
    assert np.flatnonzero(seen["black_0"]["action_mask"]).tolist() == [env.wait]


def test_planes_show_the_board_to_the_seat_that_moves() -> None:
    env = aec_env("reversi")
    env.reset()
    planes = env.observe("black_0")["observation"]
    assert planes.shape == (3, 8, 8)
    assert planes[0].nonzero()[0].tolist() == [3, 4]
    assert planes[2].sum() == 4


def test_own_tokens_come_first_where_the_board_language_is_observed() -> None:
    env = aec_env("paperio", k=5, h=9)
    env.reset(seed=1)
    first, second = (env.observe(agent)["observation"] for agent in env.possible_agents)
    assert np.array_equal(first[0], second[1])
    assert np.array_equal(first[1], second[0])
    assert not np.array_equal(first[0], second[0])


def test_bouts_differ_and_seeds_repeat_them() -> None:
    env = aec_env("eraser")
    boards = []
    for seed in (7, None, None, 7, None):
        env.reset(seed=seed)
        boards.append(env.state().tobytes())
    assert boards[0] == boards[3]
    assert boards[1] == boards[4]
    assert len(set(boards)) == 3


def test_openings_vary_the_start_of_a_game_without_chance() -> None:
    env = aec_env("reversi", openings="random:4")
    starts = set()
    for seed in range(4):
        env.reset(seed=seed)
        starts.add(env.bout.position.digest())
    assert len(starts) > 1


@pytest.mark.parametrize("name", names())
def test_every_game_is_rendered(name: str) -> None:
    env = aec_env(name, render_mode="rgb_array", **SHORT.get(name, {}))
    env.reset(seed=1)
    picture = env.render()
    assert picture.dtype == np.uint8 and picture.shape[2] == 3
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 1
    text = aec_env(name, render_mode="ansi", **SHORT.get(name, {}))
    text.reset(seed=1)
    assert len(text.render().splitlines()) == env.bout.scene["rows"]


# One seat against bots


def learn(env: Any, seed: int) -> tuple[list[float], list[int]]:
    """Rewards and seats of four bouts of random actions."""
    generator = random.Random(seed)
    rewards, seats = [], []
    for bout in range(4):
        seen, info = env.reset(seed=seed if bout == 0 else None)
        over = False
        while not over:
            choices = np.flatnonzero(seen["action_mask"]).tolist()
            seen, reward, over, _, info = env.step(generator.choice(choices))
        rewards.append(reward)
        seats.append(info["seat"])
    return rewards, seats


def test_a_learner_changes_seats_and_repeats_by_seed() -> None:
    env = single_env("reversi", "random", size=4)
    first = learn(env, 3)
    assert first[1] == [0, 1, 0, 1]
    assert learn(env, 3) == first


def test_the_learners_random_numbers_are_its_own() -> None:
    env = single_env("reversi", "random", size=4, seat=1)
    random.seed(9)
    expected = [random.random() for _ in range(3)]
    random.seed(9)
    found = [random.random()]
    seen, _ = env.reset(seed=1)
    found.append(random.random())
    env.step(int(np.flatnonzero(seen["action_mask"])[0]))
    found.append(random.random())
    assert found == expected


def test_a_bout_of_the_learner_has_a_record_that_is_true(tmp_path: Path) -> None:
    env = single_env("tablut", "greedy", seat=1, limit=8)
    learn(env, 1)
    assert env.record is not None
    assert [bot.name for bot in env.record.bots] == ["greedy", "learner"]
    from ludus.match.replay import verify

    verify(env.record)


def test_a_jailed_program_is_a_rival_and_its_fault_wins(tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text("class Bot:\n    def move(self, p, c):\n        return 'z9'\n")
    env = single_env("reversi", file, seat=0, size=4)
    seen, _ = env.reset(seed=1)
    _, reward, over, _, info = env.step(int(np.flatnonzero(seen["action_mask"])[0]))
    env.close()
    assert (reward, over) == (1.0, True)
    assert info["reason"] == "illegal"
    with pytest.raises(ludus.LudusError, match="reset"):
        env.step(0)


def test_an_illegal_action_of_the_learner_loses() -> None:
    env = single_env("reversi", "random", seat=0)
    env.reset(seed=1)
    _, reward, over, _, info = env.step(0)
    assert (reward, over) == (-1.0, True)
    assert "fault" in info
    assert not env.action_masks().any()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: aec_env("uno"), "a program of its own"),
        (lambda: aec_env("reversi", render_mode="human"), "render_mode must be one of"),
        (lambda: aec_env("reversi", sice=3), "no option 'sice'"),
        (lambda: single_env("reversi", ["random", "random"]), "name 1 opponents"),
        (lambda: single_env("reversi", "random", seat=2), "a seat from 0 to 1"),
        (lambda: single_env("reversi", "nobody"), "no house bot"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(
    call: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDUS_LANG", "en")
    with pytest.raises(ludus.LudusError, match=words) as caught:
        call()
    assert any("一" <= letter <= "鿿" for letter in caught.value.text["zh"])


# Mistakes of the caller


def test_what_is_not_the_number_of_a_move_is_refused_in_a_sentence() -> None:
    with pytest.raises(ludus.LudusError, match="'plan'"):
        single_env("reversi", "random", jail="plan")
    single = single_env("reversi", "random", seat=0, size=4)
    single.reset(seed=1)
    with pytest.raises(ludus.LudusError, match="'d3'"):
        single.step("d3")  # type: ignore[arg-type]
    one_by_one = aec_env("reversi", size=4)
    one_by_one.reset(seed=1)
    for wrong in ("d3", None):
        with pytest.raises(ludus.LudusError, match=repr(wrong)):
            one_by_one.step(wrong)  # type: ignore[arg-type]
    together = parallel_env("reversi", size=4)
    together.reset(seed=1)
    with pytest.raises(ludus.LudusError, match="'d3'"):
        together.step(dict.fromkeys(together.agents, "d3"))  # type: ignore[arg-type]
    with pytest.raises(ludus.LudusError, match=together.agents[0]):
        together.step({})


def test_a_step_without_a_bout_asks_for_a_reset() -> None:
    for step in (
        lambda: single_env("reversi", "random", size=4).step(0),
        lambda: aec_env("reversi", size=4).step(0),
        lambda: parallel_env("reversi", size=4).step({}),
    ):
        with pytest.raises(ludus.LudusError, match="reset"):
            step()


def test_an_illegal_action_is_named_by_its_number() -> None:
    env = single_env("reversi", "random", seat=0, size=4)
    seen, _ = env.reset(seed=1)
    wrong = int(np.flatnonzero(seen["action_mask"] == 0)[0])
    _, reward, over, _, info = env.step(wrong)
    assert over and reward == -1 and f"action {wrong}" in info["fault"]
