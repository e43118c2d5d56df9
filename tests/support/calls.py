"""How often something of the server was called: for tests that nothing happens meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.site import wait_for


class Calls:
    """Of one method, of all objects of a class."""

    def __init__(self, patch: pytest.MonkeyPatch, kind: type, name: str) -> None:
        self.count = 0
        original = getattr(kind, name)

        def counted(*given: Any, **named: Any) -> Any:
            result = original(*given, **named)
            self.count += 1
            return result

        patch.setattr(kind, name, counted)

    def wait_for_more(self, calls: int) -> None:
        wanted = self.count + calls
        wait_for(lambda: self.count >= wanted)
