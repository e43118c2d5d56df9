"""Runs the tests in a random order, so that none can lean on another.

Modules are shuffled, and the tests within each, so that what a module's tests share is still made
once. The seed is shown at the start; ``--order-seed N`` gives the same order again, and
``--order-seed file`` the order in which the tests are written.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

AS_WRITTEN = "file"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--order-seed",
        metavar="N",
        help=f"seed of the order of the tests; {AS_WRITTEN}: as they are written",
    )


def seed_of(config: pytest.Config) -> str:
    """The seed of this run: given, or drawn once and told to every worker."""
    told: dict[str, Any] = getattr(config, "workerinput", {})
    seed = told.get("order_seed") or config.getoption("--order-seed")
    if seed is None:
        seed = str(random.SystemRandom().randrange(10**6))
        config.option.order_seed = seed
    return str(seed)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Of xdist: what a worker is told before it collects."""
    node.workerinput["order_seed"] = seed_of(node.config)


def pytest_report_header(config: pytest.Config) -> str:
    return f"order: --order-seed {seed_of(config)}"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    seed = seed_of(config)
    if seed != AS_WRITTEN:
        items[:] = shuffled(items, random.Random(seed))


def shuffled(items: list[pytest.Item], draw: random.Random) -> list[pytest.Item]:
    modules: dict[str, list[pytest.Item]] = {}
    for item in items:
        modules.setdefault(item.nodeid.partition("::")[0], []).append(item)
    names = sorted(modules)
    draw.shuffle(names)
    for tests in modules.values():
        draw.shuffle(tests)
    return [item for name in names for item in modules[name]]
