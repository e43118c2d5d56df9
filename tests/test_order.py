"""The order of the tests, and what a worker takes as a whole."""

import itertools
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support import order

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", [*order.TOGETHER, *order.LONGEST])
def test_a_unit_has_tests(name: str) -> None:
    assert name in order.TOGETHER.values() or (ROOT / name).exists()


def test_modules_that_share_a_server_are_one_unit() -> None:
    watch, play = "tests/page/test_watch.py::test_a", "tests/page/test_play.py::test_b[1]"
    assert order.unit_of(watch) == order.unit_of(play)
    assert order.unit_of("tests/cli/test_check.py::test_c[a::b]") == "tests/cli/test_check.py"
    assert order.turn_of(order.unit_of(watch)) < order.turn_of("tests/cli/test_check.py")


def test_a_seed_draws_the_order_of_modules_and_of_the_tests_in_each() -> None:
    names = [f"tests/{module}.py::test_{n}" for module in "abcdef" for n in range(5)]
    items: list[Any] = [SimpleNamespace(nodeid=name) for name in names]

    def drawn(seed: str) -> list[str]:
        return [item.nodeid for item in order.shuffled(items, random.Random(seed))]

    assert drawn("5") == drawn("5") != drawn("6")
    assert sorted(drawn("5")) == names != drawn("5")
    modules = [name for name, _ in itertools.groupby(map(order.module_of, drawn("5")))]
    assert sorted(modules) == sorted(set(modules))  # the tests of each are together
