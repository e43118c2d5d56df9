"""A bout that a test lets go on move by move."""

import os
import threading
from pathlib import Path
from typing import Any

from ludus.games.registry import get
from ludus.match import record, record_files
from ludus.match.referee import BoutEvent, play


class Dealer:
    """A bout that goes on only when told to, in a process that journals it."""

    def __init__(self, home: Path, name: str = "bout-01", seed: int = 1) -> None:
        from ludus.bots.players.create import create_player
        from ludus.bots.resolve import resolve_bot

        self.name, self.home = name, home
        self.allowed = threading.Semaphore(0)
        self.free = False
        game = get("reversi")
        players = [create_player(resolve_bot(bot, game), game) for bot in ("greedy", "random")]
        journal = record_files.LiveJournal(name)
        self.id = f"{name}.{os.getpid()}"

        def watch(event: BoutEvent, position: Any) -> None:
            if not self.free:
                self.allowed.acquire()
            journal(event, position)

        def run() -> None:
            found = play(game, game.Options(), seed, players, watch=watch)
            record.save(found, home / "records" / f"{name}.ludus")
            journal.close()

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()

    def go(self, steps: int) -> None:
        for _ in range(steps):
            self.allowed.release()

    def finish(self) -> None:
        self.free = True
        self.go(1)
        self.thread.join(20)
