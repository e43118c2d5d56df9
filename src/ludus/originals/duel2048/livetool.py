"""The original's live tool: ``Live()`` plays a match and shows it as it goes on."""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable, MutableSequence
from typing import Any

from ludus.errors import LudusError
from ludus.games.duel2048 import GAME
from ludus.lang import tr
from ludus.originals.duel2048 import round_match
from ludus.originals.duel2048.screen import Display, Screen

POLL = 0.1
"""Seconds between looks at whether the match is still going on."""
USUAL_PLAYER = "player.py"
MODES = (0, 1)
"""2048's own look, and the pictures of the original's second look; a terminal has one look."""


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
        self._players = _usual_players() if playerList is None else playerList
        self._queue: queue.Queue[Any] = queue.Queue()
        self._error: BaseException | None = None
        self._watch(Screen() if display is None else display)
        if self._error is not None:
            raise self._error

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
                    platform = self._queue.get(timeout=POLL)
                except queue.Empty:
                    continue
                display.show(platform)


def _usual_players() -> list[Any]:
    if os.path.exists(USUAL_PLAYER):
        return [USUAL_PLAYER] * 2
    note = tr(
        f"there is no {USUAL_PLAYER} here; the house bot random plays instead",
        f"当前文件夹没有 {USUAL_PLAYER}；由自带的 random 代替",
    )
    print(note, file=sys.stderr)
    return [str(GAME.bots()["random"])] * 2


if __name__ == "__main__":
    Live(playerList=sys.argv[1:] or None)
