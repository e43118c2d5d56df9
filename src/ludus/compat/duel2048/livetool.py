"""The original's live tool: ``Live()`` plays a match and shows it live.

It is shown in the browser, or in the terminal if there is no display for a browser;
``LUDUS_LIVE=web`` or ``LUDUS_LIVE=terminal`` chooses.
"""

from __future__ import annotations

import contextlib
import functools
import os
import queue
import sys
import threading
from collections.abc import Callable, MutableSequence
from typing import TYPE_CHECKING, Any, Self

from ludus.compat.duel2048 import round_match
from ludus.compat.duel2048.plat import Platform
from ludus.compat.duel2048.screen import Display, Screen
from ludus.compat.jailed_players import split_in_process_flag
from ludus.errors import LudusError
from ludus.games.base import Position
from ludus.games.duel2048 import GAME
from ludus.lang import tr
from ludus.match import record_files
from ludus.match.referee import BoutEnded, BoutEvent, BoutStarted

if TYPE_CHECKING:
    from ludus.server.embedded import EmbeddedPage

POLL_INTERVAL_S = 0.1
"""Seconds between checks whether the match is still running."""
DEFAULT_PLAYER_FILE = "player.py"
MODES = (0, 1)
"""The look of 2048 and the original's second look; the terminal has only one."""
DISPLAY_VARIABLE = "LUDUS_LIVE"
WEB, TERMINAL = "web", "terminal"


class Live:
    """Plays ``func(playerList, livequeue=…, REPEAT=1)`` and shows it until it ends."""

    def __init__(
        self,
        mode: int = 0,
        func: Callable[..., Any] = round_match.main,
        playerList: MutableSequence[Any] | None = None,
        *,
        display: Display | None = None,
    ) -> None:
        if mode not in MODES:
            raise LudusError(
                f"mode must be 0 or 1, got {mode!r}", f"mode 只能是 0 或 1，得到 {mode!r}"
            )
        self._func = func
        self._players = _default_players() if playerList is None else playerList
        self._queue: queue.Queue[Any] = queue.Queue()
        self._error: BaseException | None = None
        if display is None and choose_display() == WEB:
            self._show_on_page(mode)
        else:
            self._watch(Screen() if display is None else display)
        if self._error is not None:
            raise self._error

    def _show_on_page(self, mode: int) -> None:
        from ludus.server.embedded import open_page

        with open_page() as page:
            self._queue = on_page = PageQueue(page, mode)
            with contextlib.closing(on_page):
                self._watch(on_page)
            page.wait_for_visitors()

    def _play(self) -> None:
        try:
            self._func(self._players, livequeue=self._queue, REPEAT=1)
        except BaseException as error:
            self._error = error

    def _watch(self, display: Display) -> None:
        thread = threading.Thread(target=self._play, daemon=True)
        thread.start()
        with display:
            while thread.is_alive() or not self._queue.empty():
                try:
                    platform = self._queue.get(timeout=POLL_INTERVAL_S)
                except queue.Empty:
                    continue
                display.show(platform)


class PageQueue(queue.Queue[Any]):
    """A live queue whose bouts are journalled, so that the page shows them."""

    def __init__(self, page: EmbeddedPage, mode: int) -> None:
        super().__init__()
        self._page, self._mode = page, mode
        self._stem = ""
        self._bouts = 0
        self._journal: record_files.LiveJournal | None = None

    def watch(self, event: BoutEvent, position: Position) -> None:
        """Journal an event of the platform."""
        if isinstance(event, BoutStarted):
            self._begin([os.path.basename(bot.name) for bot in event.bots])
        if self._journal is not None:
            self._journal(event, position)
        if isinstance(event, BoutEnded):
            self.close()

    def _begin(self, names: list[str]) -> None:
        self.close()
        self._stem = self._stem or record_files.make_stem(GAME.name, names)
        self._journal = record_files.LiveJournal(
            record_files.BoutFileNames(self._stem, 1).for_bout(self._bouts)
        )
        self._bouts += 1
        if self._bouts == 1:
            from ludus.server.page_links import page_link

            self._page.show(page_link("/watch/:id", self._journal.id, {"look": self._mode}))

    def close(self) -> None:
        """Close the journal: the bout has ended or was aborted."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *why: object) -> None:
        self.close()

    def show(self, platform: Platform) -> None:
        """Nothing to do: the page shows the journal."""


def choose_display() -> str:
    """Where a match is shown: on the page or in the terminal."""
    given = os.environ.get(DISPLAY_VARIABLE)
    if given in (WEB, TERMINAL):
        return given
    if given:
        raise LudusError(
            f"{DISPLAY_VARIABLE} must be {WEB} or {TERMINAL}, got {given!r}",
            f"{DISPLAY_VARIABLE} 只能是 {WEB} 或 {TERMINAL}，得到 {given!r}",
        )
    from ludus.server.embedded import has_screen

    return WEB if has_screen() else TERMINAL


def _default_players() -> list[Any]:
    if os.path.exists(DEFAULT_PLAYER_FILE):
        return [DEFAULT_PLAYER_FILE] * 2
    note = tr(
        f"{DEFAULT_PLAYER_FILE} not found in this folder; the house bot random plays instead",
        f"当前文件夹没有 {DEFAULT_PLAYER_FILE}；由自带的 random 代替",
    )
    print(note, file=sys.stderr)
    return [str(GAME.bots()["random"])] * 2


if __name__ == "__main__":
    words, in_process = split_in_process_flag(sys.argv[1:])
    Live(func=functools.partial(round_match.main, in_process=in_process), playerList=words or None)
