"""What all tests share."""

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """``@pytest.mark.elsewhere(True)``: about another kind of machine than this one.

    Such a test is left out, not skipped: nothing that could be installed here is missing.
    """
    away = [item for item in items if any(m.args[0] for m in item.iter_markers("elsewhere"))]
    if away:
        config.hook.pytest_deselected(items=away)
        items[:] = [item for item in items if item not in away]
