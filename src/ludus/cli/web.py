"""``--web``: a session shown on the page while it is played."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ludus.cli.serve import READER_MODULE

if TYPE_CHECKING:
    from ludus.cli.session import MakeWatch, Session
    from ludus.games.base import Position
    from ludus.match.referee import BoutEvent


@contextlib.contextmanager
def show_on_page(session: Session) -> Iterator[None]:
    """Show a session on the page while it is played and reported, if its plan says so."""
    if not session.plan.web:
        yield
        return
    from ludus.server.embedded import open_page
    from ludus.server.records.opened_files import reader_command

    with open_page(reader_command(READER_MODULE)) as page:
        session.page = page
        yield
        sys.stdout.flush()
        page.wait_for_visitors()


def make_delay_watch(delay: float) -> MakeWatch:
    """The page draws the bouts; all that is left to do is to give people time."""

    def watch(event: BoutEvent, position: Position) -> None:
        time.sleep(delay)

    return lambda planned: watch
