"""A bout with one blunder, and boards with shapes over them, for tests of the page."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

import ludus
from tests.support.page_site import until

BLUNDER = 2
"""The step at which white throws the won bout on 4 × 4 cells away."""


class First:
    """Plays the first legal move."""

    def move(self, position: Any, clock: Any) -> Any:
        return position.legal(position.to_move[0])[0]


class Last:
    """Plays the last legal move."""

    def move(self, position: Any, clock: Any) -> Any:
        return position.legal(position.to_move[0])[-1]


def play_with_a_blunder(home: Path, name: str) -> None:
    played = ludus.play("reversi", First, Last, openings="none", options={"size": 4})
    played.save(home / "records" / f"{name}.ludus")


def shapes_on(page: Page, count: int) -> None:
    until(page, f"document.querySelector('.board canvas').dataset.shapes === '{count}'")
