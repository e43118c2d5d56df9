"""A server that is killed while people use it, and what must be left then."""

from __future__ import annotations

import contextlib
import os
import random
import secrets
import signal
import threading
import time
from dataclasses import dataclass, field

import sqlalchemy as sql

from ludus.scheduling.schema import BoutRow, ContestRow, RecordRow, SeatRow, TeamRow, VersionRow
from ludus.server.database import Database
from tests.support.server_process import (
    BOT,
    Client,
    Gone,
    Server,
    play_on,
    settle,
)

MOST = 15
"""Teams and challenges that one person makes; the site allows few more."""
WAITING = 1
"""Versions that one person sends between two kills: each costs a check of two bouts."""


@dataclass
class Acknowledged:
    """What people were told has been done."""

    teams: set[str] = field(default_factory=set)
    versions: set[int] = field(default_factory=set)
    challenges: set[int] = field(default_factory=set)
    gone: int = 0


class Busy:
    """Somebody who does one thing after the other, whatever happens to the server."""

    def __init__(self, client: Client, bot: int) -> None:
        self.client, self.bot = client, bot
        self.done = Acknowledged()
        self.failure: BaseException | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Busy:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(60)
        if self.failure is not None:
            raise self.failure

    def _run(self) -> None:
        turn = sent = gone = 0
        try:
            while not self._stop.is_set():
                turn += 1
                if gone != self.done.gone:
                    gone, sent = self.done.gone, 0
                try:
                    sent += self._act(turn, sent < WAITING)
                except Gone:
                    self.done.gone += 1
                    time.sleep(0.1)
        except BaseException as error:
            self.failure = error

    def _act(self, turn: int, may_send: bool) -> bool:
        """One thing after the other; gives whether it was a version."""
        name = f"team {secrets.token_hex(6)}"
        if turn % 9 == 0 and len(self.done.challenges) < MOST:
            asked = {"game": "reversi", "bots": [self.bot, "random"], "options": {"size": 4}}
            self.done.challenges.add(self.client.ask("/api/challenges", asked)["id"])
        elif turn % 3 == 0 and may_send:
            files = {"bot.py": BOT.format(taste=turn) + f"# {name}\n"}
            made = self.client.ask(f"/api/bots/{self.bot}/versions", {"files": files})
            self.done.versions.add(made["id"])
            return True
        elif len(self.done.teams) < MOST:
            self.client.ask("/api/teams", {"name": name})
            self.done.teams.add(name)
        else:
            self.client.ask("/api/ladders/reversi")
        time.sleep(0.1)
        return False


def examine(server: Server, done: Acknowledged) -> int:
    """Everything that was acknowledged is there, and every bout counts once; tells how many."""
    database = Database(server.database)
    with database.reading() as session:
        teams = set(session.scalars(sql.select(TeamRow.name)))
        versions = set(session.scalars(sql.select(VersionRow.id)))
        events = set(session.scalars(sql.select(ContestRow.id)))
        assert done.teams <= teams, f"{len(done.teams - teams)} teams are lost"
        assert done.versions <= versions, f"{len(done.versions - versions)} versions are lost"
        assert done.challenges <= events, f"{len(done.challenges - events)} challenges are lost"
        key = (BoutRow.contest_id, BoutRow.match_id, BoutRow.number)
        twice = sql.select(*key).where(~BoutRow.void).group_by(*key)
        assert not session.execute(twice.having(sql.func.count() > 1)).all(), "counted twice"
        seats = (
            sql.select(sql.func.count())
            .where(SeatRow.bout_id == BoutRow.id)
            .correlate(BoutRow)
            .scalar_subquery()
        )
        records = sql.exists().where(RecordRow.bout_id == BoutRow.id).correlate(BoutRow)
        halves = sql.select(BoutRow.id).where(sql.or_(~records, seats != 2))
        assert not session.scalars(halves).all(), "a bout is there without all its parts"
        count = session.scalar(sql.select(sql.func.count(BoutRow.id))) or 0
    database.close()
    return count


def disturb(
    server: Server, kills: int, rng: random.Random, size: int = 8
) -> tuple[Acknowledged, int, int]:
    """Kill the server so many times, and workers in between; gives how many of those."""
    client, bot = settle(server, size)
    play_on(server)
    workers = 0
    with Busy(client, bot) as busy:
        for _ in range(kills):
            time.sleep(rng.uniform(0.2, 1.5))
            if rng.random() < 0.5 and (found := server.workers()):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(rng.choice(found), signal.SIGKILL)
                    workers += 1
                time.sleep(rng.uniform(0, 0.5))
            server.kill()
            server.start()
            play_on(server)
    return busy.done, examine(server, busy.done), workers
