"""Many bouts in lockstep."""

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import ludus
from ludus.compat.gym.numbered_bout import NumberedBout
from ludus.compat.gym.vector import VectorBouts
from ludus.games.registry import get, names
from tests.support.compiled import COMPILED
from tests.support.simultaneous_game import ThrowGame

SHORT: dict[str, dict[str, Any]] = {
    "ataxx": {"size": 4, "limit": 12},
    "duel2048": {"rounds": 4},
    "eraser": {"turns": 6},
    "paperio": {"k": 5, "h": 9, "turns": 8},
    "reversi": {"size": 6},
    "tablut": {"limit": 14},
}


def is_varied(name: str) -> bool:
    """Whether the bouts of the game start differently."""
    game = get(name)
    return game.is_seeded(game.Options.parse(SHORT.get(name, {})))


FIXED = [(name, SHORT.get(name, {})) for name in names() if not is_varied(name)]
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("reversi", {"size": 10}),
    ("tablut", {"variant": "ashton"}),
    ("tablut", {"variant": "ardri", "first": "attackers", "repetition": "draw"}),
]


@pytest.mark.parametrize(("name", "options"), [*FIXED, *VARIANTS])
def test_bouts_in_lockstep_are_those_of_the_rules(name: str, options: dict[str, Any]) -> None:
    bouts = VectorBouts(name, 3, **options)
    step = bouts.reset(seed=1)
    single = NumberedBout(name, options)
    finished = 0
    for _ in range(400):
        (seat,) = single.to_move
        assert int(step.seats[1]) == seat
        seen = single.observe(seat)
        assert np.array_equal(step.masks[1], seen["action_mask"])
        assert np.array_equal(step.observations[1], seen["observation"])
        actions = bouts.sample()
        single.play_numbers({seat: int(actions[1])})
        step = bouts.step(actions)
        assert step.rewards[1].tolist() == single.rewards()
        assert bool(step.done[1]) == (not single.to_move)
        if not single.to_move:
            finished += 1
            if finished == 3:
                return
            single.start(0)
    assert finished > 0


@pytest.mark.parametrize("name", names())
def test_every_game_runs_in_lockstep_and_begins_anew(name: str) -> None:
    bouts = VectorBouts(name, 2, **SHORT.get(name, {}))
    bouts.reset(seed=1)
    ends, total = 0, np.zeros(2)
    for _ in range(70):
        step = bouts.step(bouts.sample())
        ends += int(step.done.sum())
        total += step.rewards.sum(axis=0)
        assert step.masks.sum(axis=1).min() > 0
        assert (step.rewards[~step.done] == 0).all()
    assert ends > 1
    assert total.sum() == 0


@pytest.mark.parametrize("name", ["reversi", "eraser"])
def test_the_same_seed_gives_the_same_bouts(name: str) -> None:
    bouts = VectorBouts(name, 3, openings="random:2", **SHORT[name])

    def play(seed: int) -> bytes:
        seen = [bouts.reset(seed=seed).observations.tobytes()]
        seen += [bouts.step(bouts.sample()).observations.tobytes() for _ in range(12)]
        return b"".join(seen)

    assert play(5) == play(5) != play(6)


def test_arrays_of_a_step_do_not_change_later() -> None:
    bouts = VectorBouts("reversi", 4)
    step = bouts.reset(seed=1)
    kept = [array.copy() for array in step]
    for _ in range(10):
        bouts.step(bouts.sample())
    for array, copied in zip(step, kept, strict=True):
        assert np.array_equal(array, copied)


def test_without_copies_the_arrays_are_written_again() -> None:
    bouts = VectorBouts("reversi", 4, copy=False)
    step = bouts.reset(seed=1)
    assert bouts.step(bouts.sample()).observations.base is step.observations.base


def test_an_illegal_action_changes_no_bout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_LANG", "en")
    for name in ("reversi", "eraser"):
        bouts = VectorBouts(name, 3)
        before = bouts.reset(seed=1)
        actions = bouts.sample()
        wrong = actions.copy()
        wrong[2] = bouts.actions
        with pytest.raises(ludus.LudusError, match=f"action {bouts.actions} of bout 2"):
            bouts.step(wrong)
        with pytest.raises(ludus.LudusError, match="expected 3 actions"):
            bouts.step(actions[:2])
        after = bouts.step(actions)
        assert not np.array_equal(before.observations[0], after.observations[0])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: VectorBouts("reversi", 0), "at least 1"),
        (lambda: VectorBouts(ThrowGame(), 2), "take turns"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(
    call: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDUS_LANG", "en")
    with pytest.raises(ludus.LudusError, match=words):
        call()


TRACE = """
import hashlib
from ludus.compat.gym.vector import VectorBouts
found = hashlib.sha256()
for name, options in (("reversi", {"size": 6}), ("tablut", {"limit": 12})):
    bouts = VectorBouts(name, 2, **options)
    step = bouts.reset(seed=3)
    for _ in range(36):
        step = bouts.step(bouts.sample())
        for array in step:
            found.update(array.tobytes())
print(bouts.is_compiled, found.hexdigest())
"""


@pytest.mark.elsewhere(not COMPILED)
def test_uncompiled_the_bouts_are_the_same() -> None:
    found = []
    for plain in ("", "1"):
        done = subprocess.run(
            [sys.executable, "-c", TRACE],
            env={**os.environ, "LUDUS_UNCOMPILED": plain},
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(done.stdout.split())
    assert [compiled for compiled, _ in found] == ["True", "False"]
    assert found[0][1] == found[1][1]
