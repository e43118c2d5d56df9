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

from ludus.cli.replay.reel import ReplayCursor
from ludus.lang import tr

if TYPE_CHECKING:
    from rich.console import Console

KEY_ACTIONS = {
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


def play_record(reel: ReplayCursor, console: Console, delay: float) -> None:
    """Play a record from its start until it ends or the user quits."""
    playing = True
    reel.go_to_step(0)
    with (
        _open_key_reader() as key,
        Live(console=console, auto_refresh=False, redirect_stdout=False) as live,
    ):
        while True:
            live.update(
                Group(reel.render(), Text(), Text(_help_text(playing), "dim")), refresh=True
            )
            pressed = key(delay if playing else None)
            if pressed == "leave":
                return
            if pressed == "pause":
                playing = not playing
            elif pressed is not None:
                playing = False
                reel.go_to_step(_target_step(reel, pressed))
            elif playing:
                if reel.step == reel.last_step:
                    return
                reel.go_to_step(reel.step + 1)


def _target_step(reel: ReplayCursor, pressed: str) -> int:
    places = {"first": 0, "last": reel.last_step, "next": reel.step + 1, "back": reel.step - 1}
    return max(0, min(reel.last_step, places[pressed]))


def _help_text(playing: bool) -> str:
    space = tr("pause", "暂停") if playing else tr("play", "播放")
    return tr(
        f"space {space} · ← → step · Home End · q quit",
        f"空格 {space} · ← → 单步 · Home End · q 退出",
    )


@contextlib.contextmanager
def _open_key_reader() -> Iterator[KeyReader]:
    """Read keys one by one and without echo inside the ``with``."""
    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)
    try:
        tty.setcbreak(fd)
        yield KeyReader(fd)
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)


class KeyReader:
    """Wait for a key and return its meaning."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def __call__(self, seconds: float | None) -> str | None:
        if not select.select([self.fd], [], [], seconds)[0]:
            return None
        pressed = os.read(self.fd, 8).decode(errors="replace")
        return (
            KEY_ACTIONS.get(pressed) or KEY_ACTIONS.get(pressed[:3]) or KEY_ACTIONS.get(pressed[:1])
        )
