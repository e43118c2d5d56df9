"""What all tests share."""

import gc
import os
import signal

import pytest

gc.disable()  # until everything is collected: there is no garbage in that
pytest.register_assert_rewrite("tests.support")
gc.set_threshold(50_000, 20, 20)  # collections were a thirtieth of all the time tests take
os.environ.setdefault("LUDUS_RANDOM_KEY", "tests")  # bots draw the same on every machine
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as every ``ludus`` does for itself

pytest_plugins = [
    "tests.support.browser",
    "tests.support.order",
    "tests.support.quick",
    "tests.support.postgres",
    "tests.support.shared_caches",
]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background job ignores Ctrl-C, and so would every program that a test interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """``@pytest.mark.elsewhere(True)``: about another kind of machine than this one.

    Such a test is left out, not skipped: nothing that could be installed here is missing.
    """
    away = [item for item in items if any(m.args[0] for m in item.iter_markers("elsewhere"))]
    if away:
        config.hook.pytest_deselected(items=away)
        items[:] = [item for item in items if item not in away]


def pytest_collection_finish() -> None:
    """What was collected stays: no collection of garbage need walk through it, now or later.

    A walk takes a third of a second, and is charged to the bot that is just thinking in process.
    """
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def no_game_opened_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of a game that another test opened by its folder means nothing here."""
    monkeypatch.setattr("ludus.games.registry._opened_folders", {})
