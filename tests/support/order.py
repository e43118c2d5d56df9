"""Runs the tests in a random order, so that none can lean on another.

Modules are shuffled, and the tests within each. The seed is shown at the start; ``--order-seed N``
gives the same order again, and ``--order-seed file`` the order in which the tests are written.

With ``--dist loadscope`` a worker takes one *unit* after another: a module, or modules that share
a server, a browser or a library. So what its tests share is made once in a run, not once by every
worker. The units that take longest come first, lest one of them be left over when all others are
done.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadScopeScheduling

AS_WRITTEN = "file"
BY_UNITS = "loadscope"
UNITS = {
    "the page": (
        *("page/test_watch", "page/test_files", "page/test_play", "page/test_speed"),
        *("page/test_saiblo", "page/test_games", "page/test_playing_feel", "page/test_analysis"),
        *("page/test_docs", "page/test_course_guide", "page/test_windows"),
    ),
    "the pages of accounts": (
        *("page/test_site_bots", "page/test_site_contests", "page/test_site_admin"),
        *("page/test_site_judging", "page/test_site_rooms", "page/test_wall", "page/test_notes"),
    ),
    "every page": (
        *("page/test_every_page", "page/test_site_search", "page/test_people", "page/test_classes"),
        *("page/test_unsaved", "page/test_site_assignments", "page/test_git", "page/test_term"),
    ),
    "learning": (
        *("learn/test_bots", "learn/test_workers", "learn/test_device_search"),
        *("learn/test_original_bugs", "learn/test_training", "learn/test_environments"),
    ),
}
"""Modules whose tests share a server, a browser or what JAX has compiled. A browser, which a page
module started alone would start for itself, takes a second, and a server two."""
TOGETHER = {f"tests/{name}.py": unit for unit, names in UNITS.items() for name in names}
"""The units of those modules."""
LONGEST = (
    *("every page", "the pages of accounts", "the page", "learning"),
    *("tests/games/test_plain.py", "tests/scheduling/test_durability.py"),
    *("tests/bots/test_bad_bots.py", "tests/bots/test_languages.py"),
    *("tests/sandbox/test_jail.py", "tests/compat/saiblo/test_scenarios.py"),
    *("tests/sdk/", "tests/cli/test_scaffold.py", "tests/server/test_faults.py"),
    *("tests/server/test_playing_online.py", "tests/server/test_abuse.py"),
    *("tests/cli/test_contest.py", "tests/compat/saiblo/test_samples.py", "tests/test_readme.py"),
    *("tests/compat/saiblo/test_sdk.py", "tests/compat/duel2048/test_round_match.py"),
    *("tests/server/test_security.py", "tests/server/test_bots_online.py"),
    *("tests/scheduling/test_multi_scheduler.py", "tests/server/test_backup.py"),
    *("tests/server/test_cluster.py", "tests/server/test_paths_sweep.py"),
    *("tests/server/test_background.py", "tests/bots/test_folders.py"),
)
"""Units, or how their names begin."""


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
    node.workerinput["by_units"] = node.config.getvalue("dist") == BY_UNITS


def pytest_report_header(config: pytest.Config) -> str:
    return f"order: --order-seed {seed_of(config)}"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    seed = seed_of(config)
    if seed != AS_WRITTEN:
        items[:] = shuffled(items, random.Random(seed))
    told: dict[str, Any] = getattr(config, "workerinput", {})
    if told.get("by_units"):
        items.sort(key=lambda item: turn_of(unit_of(item.nodeid)))


def shuffled(items: list[pytest.Item], draw: random.Random) -> list[pytest.Item]:
    modules: dict[str, list[pytest.Item]] = {}
    for item in items:
        modules.setdefault(module_of(item.nodeid), []).append(item)
    names = sorted(modules)
    draw.shuffle(names)
    for tests in modules.values():
        draw.shuffle(tests)
    return [item for name in names for item in modules[name]]


def module_of(test: str) -> str:
    return test.partition("::")[0]


def unit_of(test: str) -> str:
    """What a worker takes as a whole."""
    module = module_of(test)
    return TOGETHER.get(module, module)


def turn_of(unit: str) -> int:
    """Units that take longest come first."""
    return next((n for n, name in enumerate(LONGEST) if unit.startswith(name)), len(LONGEST))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling | None:
    if config.getvalue("dist") != BY_UNITS:
        return None
    from xdist.scheduler import LoadScopeScheduling

    class ByUnits(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return unit_of(nodeid)

    config.option.loadscopereorder = False
    return ByUnits(config, log)
