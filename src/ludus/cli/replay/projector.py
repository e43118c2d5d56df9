"""Steps through a record on a terminal: space pauses, arrows step, q leaves."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
import tty
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Group
from rich.live import Live
from rich.text import Text

from ludus.cli.replay.reel import Reel
from ludus.lang import tr

if TYPE_CHECKING:
    from rich.console import Console

KEYS = {
    "\x1b[C": "next",
    "\x1b[D": "back",
    "]": "next",
    "[": "back",
    "\x1b[H": "first",
    "\x1b[F": "last",
    " ": "pause",
    "q": "leave",
    "\x1b": "leave",
}


def project(reel: Reel, console: Console, delay: float) -> None:
    """Play a record from its start until it ends or somebody leaves."""
    playing = True
    reel.wind(0)
    with (
        _keys() as key,
        Live(console=console, auto_refresh=False, redirect_stdout=False) as live,
    ):
        while True:
            live.update(Group(reel.picture(), Text(), Text(_help(playing), "dim")), refresh=True)
            pressed = key(delay if playing else None)
            if pressed == "leave":
                return
            if pressed == "pause":
                playing = not playing
            elif pressed is not None:
                playing = False
                reel.wind(_target(reel, pressed))
            elif playing:
                if reel.number == reel.last:
                    return
                reel.wind(reel.number + 1)


def _target(reel: Reel, pressed: str) -> int:
    places = {"first": 0, "last": reel.last, "next": reel.number + 1, "back": reel.number - 1}
    return max(0, min(reel.last, places[pressed]))


def _help(playing: bool) -> str:
    space = tr("pause", "暂停") if playing else tr("play", "播放")
    return tr(
        f"space {space} · ← → step · Home End · q leave",
        f"空格 {space} · ← → 单步 · Home End · q 退出",
    )


@contextlib.contextmanager
def _keys() -> Iterator[KeyReader]:
    """Keys one by one, without echo, as long as this lasts."""
    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)
    try:
        tty.setcbreak(fd)
        yield KeyReader(fd)
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)


class KeyReader:
    """Waits for a key and says what it means."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def __call__(self, seconds: float | None) -> str | None:
        if not select.select([self.fd], [], [], seconds)[0]:
            return None
        pressed = os.read(self.fd, 8).decode(errors="replace")
        return KEYS.get(pressed) or KEYS.get(pressed[:3]) or KEYS.get(pressed[:1])
