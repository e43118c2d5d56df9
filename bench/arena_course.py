"""A course, compressed: many students, several versions each, a ladder that plays all the while.

    python -m bench.arena_course [STUDENTS] [VERSIONS] [BOUTS] [DATABASE]

There are bots of five strengths: the stronger, the more often it leaves its opponent few moves
instead of moving at random. Versions arrive in rounds, as the deadline of each "day" comes; between
rounds the ladder plays its share of BOUTS. Measured: bytes of storage for each bout and version,
CPU seconds for each bout, the time of the ladder's page at the end, and how far bots of equal code
are rated apart, next to what the ratings claim.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sql

from bench.arena_load import Wire
from ludus.scheduling.schema import BotRow, BoutRow, RatingRow, UserRow, VersionRow
from ludus.server.accounts import sessions, users
from ludus.server.admin.site_settings import SiteSettings
from ludus.server.bots import bots, upload
from ludus.server.database import Database
from tests.support.server_process import Server, settle, stored

KINDS = 5
"""How many different strengths there are."""
BOT = """
import random

class Bot:
    def start(self, seat, position):
        self.seat = seat
        self.chance = random.Random({seed})

    def move(self, position, clock):
        moves = position.legal(self.seat)
        if self.chance.random() * {kinds} < {kind}:
            return max(moves, key=lambda move: self.worth(position, move))
        return self.chance.choice(moves)

    def worth(self, position, move):
        after = position.copy()
        after.play({{self.seat: move}})
        return -sum(len(after.legal(seat)) for seat in after.to_move if seat != self.seat)
# version {version} of student {student}
"""


def code(student: int, version: int) -> dict[str, bytes]:
    kind = student % KINDS
    text = BOT.format(seed=student, kinds=KINDS - 1, kind=kind, version=version, student=student)
    return {"bot.py": text.encode()}


def enrol(database: Database, students: int) -> list[int]:
    """Everybody with a bot; accounts are made directly, since hashing passwords is not the test."""
    found = []
    with database.writing() as session:
        for number in range(students):
            user = users.create_user(session, f"student{number}", "!")
            identity = sessions.make_identity(session, user, "token")
            bot = bots.create_bot(
                session, identity, SiteSettings(), game="reversi", name=f"s{number}"
            )
            found.append(bot.id)
    return found


def hand_in(database: Database, ids: list[int], number: int) -> None:
    """A version of every bot, found good without a check: checks cost what two bouts cost."""
    with database.writing() as session:
        for student, id in enumerate(ids):
            bot = session.get_one(BotRow, id)
            identity = sessions.make_identity(
                session, session.get_one(UserRow, bot.user_id), "token"
            )
            files = code(student, number)
            version = bots.add_version(
                session, identity, SiteSettings(), bot, upload.bundle_files(files)
            )
            version.state = bots.GOOD
            session.flush()
            bot.ladder_version_id = version.id


def cpu_of(pid: int) -> float:
    """Seconds of CPU time of a process and of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended; whoever waited for it has its time
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def tree(pid: int) -> float:
    """The same with all its descendants."""
    from tests.support.contest_faults import children

    return cpu_of(pid) + sum(tree(child) for child in children(pid))


def size_of(database: Database) -> int:
    from ludus.server.admin.overview import measure_database

    with database.reading() as session:
        return measure_database(session)


def wait_until(server: Server, bouts: int) -> None:
    while stored(server) < bouts:
        time.sleep(1)


def rating_error(database: Database) -> dict[str, Any]:
    """Students of one kind have equal bots: how far apart are they rated, and how far is said?"""
    with database.reading() as session:
        rows = session.execute(sql.select(RatingRow.entrant, RatingRow.elo, RatingRow.high)).all()
    by_kind: dict[int, list[tuple[float, float]]] = {}
    for entrant, elo, high in rows:
        if entrant.startswith("s") and "#" in entrant:
            kind = int(entrant[1:].partition(" ")[0]) % KINDS
            by_kind.setdefault(kind, []).append((elo, (high - elo) / 1.96))
    groups = [np.array(values) for values in by_kind.values() if len(values) > 1]
    spread = np.sqrt(np.mean(np.concatenate([(g[:, 0] - g[:, 0].mean()) ** 2 for g in groups])))
    said = np.sqrt(np.mean(np.concatenate([g[:, 1] ** 2 for g in groups])))
    means = [round(float(np.mean(np.array(by_kind[kind])[:, 0]))) for kind in sorted(by_kind)]
    return {"rated apart": round(float(spread)), "claimed": round(float(said)), "kinds": means}


def bots_cpu(database: Database) -> float:
    """Seconds that the bots of a bout have thought, together."""
    with database.reading() as session:
        return float(np.mean([sum(cpu) for cpu in session.scalars(sql.select(BoutRow.cpu))]))


def page_ms(server: Server, path: str, times: int = 20) -> float:
    wire = Wire(server.port)
    spent = []
    for _ in range(times):
        began = time.monotonic()
        status, _ = wire.ask(path)
        assert status == 200
        spent.append(time.monotonic() - began)
    return round(1000 * sorted(spent)[times // 2], 1)


def main() -> None:
    words = [int(word) for word in sys.argv[1:4]]
    usual = (300, 5, 3000)
    students, versions, bouts = (words[i] if len(words) > i else n for i, n in enumerate(usual))
    with tempfile.TemporaryDirectory() as scratch:
        server = Server(Path(scratch), sys.argv[4] if len(sys.argv) > 4 else "", jobs=2)
        server.start()
        try:
            client, own = settle(server)
            client.ask(f"/api/bots/{own}", {"current": None}, "PATCH")
            database = Database(server.database)
            ids = enrol(database, students)
            empty = size_of(database)
            hand_in(database, ids, 1)
            with_code = size_of(database)
            before, began = stored(server), time.monotonic()
            assert server.process is not None
            spent = tree(server.process.pid)
            for number in range(1, versions + 1):
                if number > 1:
                    hand_in(database, ids, number)
                wait_until(server, before + bouts * number // versions)
            played = stored(server) - before
            spent, seconds = tree(server.process.pid) - spent, time.monotonic() - began
            with database.reading() as session:
                handed = session.scalar(sql.select(sql.func.count(VersionRow.id))) or 0
            more = size_of(database) - with_code - (with_code - empty) * (versions - 1)
            print(f"{students} students, {handed} versions, {played} bouts in {seconds:.0f} s")
            version_bytes = (with_code - empty) / students
            print(f"storage: {version_bytes:.0f} B a version, {more / played:.0f} B a bout")
            print(f"CPU of server, background process and workers: {spent / played:.3f} s a bout")
            print(f"CPU of the bots: {bots_cpu(database):.3f} s a bout")
            for path in (
                "/api/ladders/reversi",
                "/api/bots?game=reversi",
                f"/api/bots/{ids[0]}/bouts",
            ):
                print(f"{path}: {page_ms(server, path)} ms")
            print(rating_error(database))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
