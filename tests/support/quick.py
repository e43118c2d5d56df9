"""``--quick SECONDS``: the tests of what was changed, then one test of every other module.

A test module belongs to a changed file if it is that file, imports it, or names it. Changed is what
differs from the last commit; where nothing does, what the last commit changed. No test is started
once the time is over; how many were left out is said at the end.
"""

from __future__ import annotations

import ast
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
UNTIL = pytest.StashKey[float | None]()
"""When no more tests are started."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", type=float, metavar="SECONDS", help=str(__doc__).splitlines()[0])


def changed_files() -> set[str]:
    """Paths from the repository's root."""

    def git(*words: str) -> list[str]:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
        return done.stdout.splitlines()

    now = git("diff", "--name-only", "HEAD") + git("ls-files", "--others", "--exclude-standard")
    return set(now or git("diff", "--name-only", "HEAD~1", "HEAD"))


def module_of(path: str) -> str:
    return path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports_of(source: str) -> set[str]:
    """Every module that a file may import: of ``from a import b`` both a and a.b."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def belongs(path: str, source: str, changed: Iterable[str]) -> bool:
    """Whether a test module is to be run whole because of what was changed."""
    imports = imports_of(source)
    return any(
        path == name
        or (module_of(name) in imports if name.endswith(".py") else Path(name).name in source)
        for name in changed
    )


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Of xdist: all workers stop at the same time."""
    node.workerinput["quick_until"] = node.config.stash.get(UNTIL, None)


def pytest_configure(config: pytest.Config) -> None:
    seconds = config.getoption("--quick")
    told: dict[str, Any] = getattr(config, "workerinput", {})
    config.stash[UNTIL] = told.get("quick_until") or (seconds and time.time() + seconds)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """After the order was drawn: first what belongs to the change, then a cross-section."""
    if config.stash[UNTIL] is None:
        return
    changed = changed_files()
    modules: dict[str, list[pytest.Item]] = {}
    for item in items:
        modules.setdefault(item.nodeid.partition("::")[0], []).append(item)
    ours = {path for path in modules if belongs(path, (ROOT / path).read_text("utf-8"), changed)}
    chosen = [item for path in modules if path in ours for item in modules[path]]
    chosen += [tests[0] for path, tests in modules.items() if path not in ours]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
    items[:] = chosen


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    until = item.config.stash[UNTIL]
    return True if until is not None and time.time() > until else None


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if config.stash[UNTIL] is None:
        return
    run = sum(len(terminalreporter.stats.get(word, ())) for word in ("passed", "failed", "skipped"))
    terminalreporter.write_line(
        f"quick: {run} tests were run, not all; ./test runs all of them", yellow=True
    )
