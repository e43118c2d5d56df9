"""A bout that a test lets go on move by move."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ludus.games.registry import get
from ludus.match import record, record_files
from ludus.match.referee import BoutEnded, BoutEvent, play
from ludus.server.live.film_updates import LiveBoutInfo
from tests.support.site import Site


class Dealer:
    """A bout that goes on only when told to, and is written to a journal or told of otherwise."""

    def __init__(
        self,
        home: Path,
        name: str = "bout-01",
        seed: int = 1,
        *,
        journal: record_files.LiveJournal | None = None,
        tell: Callable[[BoutEvent], None] | None = None,
    ) -> None:
        from ludus.bots.players.create import create_player
        from ludus.bots.resolve import resolve_bot

        self.name, self.home = name, home
        self.allowed = threading.Semaphore(0)
        self.free = False
        self.told = 0
        """Events that have been told."""
        game = get("reversi")
        players = [create_player(resolve_bot(bot, game), game) for bot in ("greedy", "random")]
        if tell is None and journal is None:
            journal = record_files.LiveJournal(name)
        self.id = name if journal is None else journal.id

        def watch(event: BoutEvent, position: Any) -> None:
            if not self.free:
                self.allowed.acquire()
            if journal is not None:
                journal(event, position)
            if tell is not None:
                tell(event)
            self.told += 1

        def run() -> None:
            found = play(game, game.Options(), seed, players, watch=watch)
            if journal is not None:
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


def deal_contest_bout(site: Site, contest_id: int, name: str) -> Dealer:
    """A bout of a contest, told to those who film such bouts as a worker would tell it."""
    films = site.state.live_films
    info = LiveBoutInfo(name, "reversi", f"rr/1/{name}", 0, contest_id, ("greedy", "random"))

    def tell(event: BoutEvent) -> None:
        films.add_event(info, event)
        if isinstance(event, BoutEnded):
            films.end_events(name)

    return Dealer(site.home, name, tell=tell)
