"""Bouts that other processes of this machine play, followed through their journals.

A bout costs nothing but reading until somebody looks at it: then it is played again, from its
first move. A journal whose writer has died is removed.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from ludus.games.base import Position
from ludus.games.registry import get
from ludus.match.journal import decode
from ludus.match.referee import Moved, Started
from ludus.server.live.hub import Hub, Reporter, Stage, message
from ludus.server.records.library import NUMBERED

SUFFIX = ".jsonl"
QUICK, SLOW = 0.1, 0.5
"""Seconds between two looks, with and without watchers."""
GRACE = 2.0
"""Seconds that a writer has to lock its new journal."""
CHUNK = 1 << 20
ENDED = b'{"type":"ended"'


class Shown(Protocol):
    """How a bout is shown."""

    @property
    def delay(self) -> float: ...
    @property
    def private(self) -> bool: ...


class AtOnce(NamedTuple):
    """To everybody, as it is played."""

    delay: float = 0.0
    private: bool = False


Terms = Callable[[str], Shown | None]
"""How the bout of an id is shown; None: not at all for now."""


class JournalStage(Stage):
    """A bout of another process."""

    def __init__(self, path: Path) -> None:
        super().__init__(path.name.removesuffix(SUFFIX), "live")
        self.path = path
        self.fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self.lines: list[bytes] = []
        """Events that nobody has looked at yet."""
        self.announced = False
        """Whether those who watched the bout before it know of it."""
        self._held: deque[tuple[float, bytes]] = deque()
        """Events that may not be seen yet, and when they were written."""
        self.complete = False
        self.unreadable = False
        """It cannot be shown; whoever writes it may still be at it."""
        self._rest = b""
        self._reporter = Reporter(self, lambda function, *given: function(*given))
        self._position: Position | None = None
        name, _, self.process = self.id.rpartition(".")
        self.name = name
        if found := NUMBERED.fullmatch(name):
            self.match = {"id": found["stem"], "number": int(found["number"]), "of": None}

    @property
    def series(self) -> tuple[str, str]:
        """The same for all bouts of one match."""
        return (str(self.match["id"]) if self.match else self.name, self.process)

    def read(self, shown: Shown | None) -> None:
        """Take over what has been written since, as far as it may be seen."""
        moment = time.monotonic()
        self.private = shown is None or shown.private
        while chunk := os.read(self.fd, CHUNK):
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            self._held += ((moment, line) for line in lines)
        while self._held and shown is not None and moment - self._held[0][0] >= shown.delay:
            self.lines.append(self._held.popleft()[1])
        self.complete = self.complete or any(line.startswith(ENDED) for line in self.lines[-1:])

    @property
    def begun(self) -> bool:
        """Whether there is anything to be seen of it."""
        return bool(self.lines or self.films)

    @property
    def behind(self) -> bool:
        """Whether some of it may not be seen yet."""
        return bool(self._held)

    def catch_up(self) -> None:
        """Play what has been written, and tell the watchers."""
        lines, self.lines = self.lines, []
        try:
            for line in lines:
                self._follow(line)
        except Exception:  # of another Ludus, of a game of other rules, or damaged
            self.unreadable = True

    def _follow(self, line: bytes) -> None:
        event = decode(line)
        match event:
            case Started():
                game = get(event.game)
                self._position = game.start(game.Options.parse(event.options), event.seed)
            case Moved(moves=moves) if self._position is not None:
                self._position.play(moves)
        if self._position is not None:
            self._reporter(event, self._position)

    def abandoned(self) -> bool:
        """Whether nobody writes this journal any more."""
        try:
            if time.time() - os.fstat(self.fd).st_mtime < GRACE:
                return False
            fcntl.flock(self.fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return False
        fcntl.flock(self.fd, fcntl.LOCK_UN)
        return True

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


class Journals:
    """Follows a folder of journals and keeps the hub up to date."""

    def __init__(self, folder: Path, hub: Hub, terms: Terms = lambda _: AtOnce()) -> None:
        self.folder, self.hub, self.terms = folder, hub, terms
        self.known: dict[str, JournalStage] = {}
        self._latest: dict[tuple[str, str], JournalStage] = {}

    async def follow(self) -> None:
        """For as long as the server runs."""
        try:
            while True:
                self.look()
                watched = self.hub.looked_at or any(s.watchers for s in self.known.values())
                await asyncio.sleep(QUICK if watched else SLOW)
        finally:
            for stage in self.known.values():
                stage.close()

    def look(self) -> None:
        """One look at the folder and at every journal in it."""
        present = self._names()
        for name in sorted(present - self.known.keys()):
            self._open(name)
        for name, stage in list(self.known.items()):
            stage.read(self.terms(stage.id))
            if stage.begun and not stage.announced:
                self._announce(stage)
            if stage.watchers:
                stage.catch_up()
            if stage.behind:
                continue
            if name not in present or stage.complete:
                self._finish(name, stage)
            elif stage.abandoned():
                with contextlib.suppress(OSError):
                    stage.path.unlink(missing_ok=True)
                self._finish(name, stage)

    def open_new(self, id: str) -> bool:
        """Whether a journal of that id has appeared since the last look; then follow it, too.

        Costs one look at one name: anybody may ask for any id, again and again.
        """
        name = f"{id}{SUFFIX}"
        if name in self.known or name.startswith(".") or os.sep in id or "\0" in id:
            return False
        if not os.path.isfile(self.folder / name):
            return False
        self._open(name)
        if (stage := self.known.get(name)) is None:
            return False
        stage.read(self.terms(stage.id))
        if stage.begun:
            self._announce(stage)
        return True

    def _names(self) -> set[str]:
        with contextlib.suppress(OSError):
            names = os.listdir(self.folder)
            return {n for n in names if n.endswith(SUFFIX) and not n.startswith(".")}
        return set()

    def _open(self, name: str) -> None:
        try:
            stage = JournalStage(self.folder / name)
        except OSError:
            return
        self.known[name] = stage
        self.hub.add(stage)

    def _announce(self, stage: JournalStage) -> None:
        """Lead whoever watched the bout before to this one."""
        stage.announced = True
        before = self._latest.get(stage.series)
        self._latest[stage.series] = stage
        if before is not None:
            before.say(message("next", id=stage.id))

    def _finish(self, name: str, stage: JournalStage) -> None:
        """The bout is over, or its writer is dead; whoever watched has been told all there is."""
        gone = not (self.folder / name).exists()
        if not stage.complete:
            stage.say(message("gone"))
        if stage.complete and (stage.films or self.hub.looked_at):  # its end is shown for a while
            stage.catch_up()
        elif gone or not stage.complete:
            self.hub.remove(stage)
        if gone:
            stage.close()
            del self.known[name]
            self._forget()

    def _forget(self) -> None:
        """Matches long over need no memory."""
        while len(self._latest) > 256:
            del self._latest[next(iter(self._latest))]


def record_name(id: str) -> str:
    """The name of the record that the bout of a journal becomes."""
    return id.rpartition(".")[0]
