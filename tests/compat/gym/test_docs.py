"""What docs/*/gym.md, the README and the benchmark show is what happens."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ludus.compat.gym import ActionValues, single_env
from tests.support.compiled import COMPILED

ROOT = Path(__file__).resolve().parents[3]


def python_blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.S)


@pytest.mark.parametrize("block", python_blocks("docs/en/gym.md"), ids=lambda b: b.split("\n")[0])
def test_a_block_of_the_page_runs(block: str) -> None:
    exec(compile(block, "gym.md", "exec"), {})


def test_both_languages_show_the_same_code() -> None:
    assert python_blocks("docs/en/gym.md") == python_blocks("docs/zh/gym.md")


def readme_lines(readme: str) -> str:
    (block,) = [each for each in python_blocks(readme) if "compat.gym" in each]
    return re.sub(r" *#.*", "", block)


def test_three_lines_of_the_readme_train_a_learner(capsys: pytest.CaptureFixture[str]) -> None:
    block = readme_lines("README.md")
    assert block == readme_lines("README.zh.md")
    assert len([line for line in block.splitlines() if line]) == 3
    exec(compile(block, "README.md", "exec"), {})
    assert float(capsys.readouterr().out) > 0.2


def test_a_learner_repeats_by_seed() -> None:
    def learn() -> list[float]:
        learner = ActionValues(single_env("reversi", "random", size=4))
        return learner.learn(60, seed=2).values.tolist()

    assert learn() == learn()


WITHOUT = """
import sys
sys.modules["gymnasium"] = sys.modules["pettingzoo"] = None
import ludus.compat.gym
from ludus.compat.gym.vector import VectorBouts
VectorBouts("reversi", 2).reset(seed=1)
ludus.compat.gym.load_game("reversi").new_initial_state()
for name in ("aec_env", "parallel_env", "single_env"):
    try:
        getattr(ludus.compat.gym, name)
    except ludus.LudusError as error:
        print(error)
"""


def test_without_gymnasium_and_pettingzoo_the_rest_works_and_errors_say_what_to_add() -> None:
    env = {**os.environ, "LUDUS_LANG": "en"}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], env=env, capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    assert all("./ludus add gymnasium pettingzoo" in line for line in lines)


def test_the_benchmark_measures_every_environment() -> None:
    code = "import gym; print(gym.report(gym.measure(0.02)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "bench", capture_output=True, text=True, check=True
    )
    rates = [int(line.split("|")[2].replace(",", "")) for line in done.stdout.splitlines()[4:]]
    assert len(rates) == 5
    assert rates[0] > rates[4] or not COMPILED  # in lockstep it is faster than one by one
