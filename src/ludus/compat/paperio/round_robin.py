"""The original's round robin: all bots of a folder against each other, with all its files.

``python -m ludus.compat.paperio.round_robin TEAM [PROMOTED]`` plays the bots of the folder TEAM
and leaves what the original left: ``TEAM.db``, and in TEAM ``players.txt``, ``errors.txt``,
``RESULT.txt`` and the bouts in ``log``. The bots run in jails, and the bouts are a contest of
Ludus, kept in ``TEAM/contest.db``.

Where the original waited for a bot that hangs until the pairing's time was over, the pairing ends
at once here; it is a TIMEOUT all the same, and nobody gets points for it.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
import sys
import tarfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from ludus.bots.load import NoBot
from ludus.bots.players.base import Bout, Limit
from ludus.bots.players.create import enter
from ludus.bots.resolve import find
from ludus.bots.temp_folders import Scratch
from ludus.compat.jailed_players import complain
from ludus.compat.paperio import records, results
from ludus.contest.crosstable import crosstable, document_screen, event_screen
from ludus.contest.ledger import Ledger
from ludus.contest.model import Pairing
from ludus.contest.presets import preset
from ludus.contest.settings import BotEntry, Settings
from ludus.errors import LudusError
from ludus.games.paperio import GAME
from ludus.lang import tr
from ludus.match.record import Record, unpack, write_whole
from ludus.sandbox.fault import Fault
from ludus.scheduling.loading import sources_of, takers_of
from ludus.scheduling.scheduler import Progress, Scheduler
from ludus.scheduling.store import Brought, Store
from ludus.scheduling.worker_pool import LocalLabour

ROUNDS = 10
PARAMS = (51, 101, 2000, 60.0)
PROMOTED = 2
RAW = "CREATE TABLE `match_raw` ( `plr1` TEXT, `plr2` TEXT, `winner` INTEGER, `type` INTEGER )"
RESULT = (
    "CREATE TABLE `match_result` ( `plr1` TEXT, `plr2` TEXT, `flag` TEXT, `win1` INTEGER,"
    " `win2` INTEGER, `tie` INTEGER, PRIMARY KEY(`plr1`,`plr2`) )"
)
LOADING = Limit(30.0, "cpu", 60.0)
_RAISED = re.compile(r"its file raised \w+(?:: (.*))?", re.DOTALL)

Revision = Literal["event", "document"]
"""The tool as it ran at the event (11 June 2018), or as its document describes it (7 June)."""


def main(
    team: str | Path,
    promoted: int = PROMOTED,
    *,
    rounds: int = ROUNDS,
    params: tuple[int, int, int, float] = PARAMS,
    jobs: int = 2,
    revision: Revision = "event",
    order: Sequence[str] | None = None,
    logs: bool = True,
    show: Callable[[str], None] | None = None,
) -> str:
    """Play a folder of bots; give the final screen.

    ``params`` are k, h, turns and seconds. ``order`` is the order in which players are found, by
    default that of their names; the schedule is drawn from it.
    """
    folder = Path(team).absolute()
    began = time.monotonic()
    players, errors = _discover(folder, order)
    _write(folder / "players.txt", "".join(f"{name}\n" for name in players))
    _write(folder / "errors.txt", "".join(f"{line}\n" for line in errors))
    if len(players) < 2:
        raise LudusError(
            f"{folder} holds {len(players)} valid players; errors.txt tells about the others",
            f"{folder} 中有 {len(players)} 名合法玩家；其余见 errors.txt",
        )
    settings = settings_of(folder.name, rounds, params)
    with Tournament(folder, settings, players, promoted, revision, logs, show) as tournament:
        ledger = tournament.play(jobs)
        screen = tournament.screen(ledger)
    seconds = round(time.monotonic() - began)
    _write(folder / "RESULT.txt", f"{screen}\nrunning time: {seconds} seconds\n")
    if revision == "document":
        _pack_logs(folder / "log", players)
    return screen


def settings_of(name: str, rounds: int, params: tuple[int, int, int, float]) -> Settings:
    """The league of the event's preset, as one group."""
    event = preset("paperio2018").frozen()
    k, h, turns, seconds = params
    league = {**event["format"]["league"]["league"], "tie_breaks": []}
    return preset(
        "paperio2018",
        name=name,
        options={"k": k, "h": h, "turns": turns},
        clock={"budget": float(seconds)},
        format=league,
        match={**event["match"], "bouts": 2 * rounds},
        stages={},
    )


def _write(path: Path, text: str) -> None:
    write_whole(path, text.encode())


# Players


def _discover(folder: Path, order: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """The names of valid players, and a line about each file that holds none."""
    files = sorted(folder.glob("*.py"))
    if order is not None:
        files.sort(key=lambda path: order.index(path.stem) if path.stem in order else len(order))
    players, errors = [], []
    for path in files:
        if why := _objection(path):
            errors.append(f"读取{path.name!r}时出错：{why}")
        else:
            players.append(path.stem)
    return players, errors


def _objection(path: Path) -> str | None:
    """Why a file is no player: what the original's import would have raised."""
    try:
        return _raised(path)
    except NoBot:
        pass  # the original said so only after it had read the whole file
    except LudusError as error:
        return error.text["en"]
    with Scratch("player") as scratch:
        copy = Path(scratch, path.name)
        copy.write_bytes(path.read_bytes() + b"\nplay = print\n")
        return _raised(copy) or f"module {path.stem!r} has no attribute 'play'"


def _raised(path: Path) -> str | None:
    """What a file raises when it is read, in a jail; None if it is read without trouble."""
    player = enter(find(str(path), GAME), GAME, isolate=True)
    with contextlib.closing(player):
        try:
            player.start(Bout(GAME, GAME.Options(), 0, 0, GAME.clock, 30.0), LOADING)
        except Fault as fault:
            if fault.kind == "load":
                found = _RAISED.fullmatch(fault.why["en"])
                return (found[1] or "") if found else fault.why["en"]
    return None


class Tournament:
    """The files of a round robin, written as its bouts end."""

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        players: list[str],
        promoted: int,
        revision: Revision,
        logs: bool,
        show: Callable[[str], None] | None,
    ) -> None:
        self.folder, self.settings, self.players = folder, settings, players
        self.promoted, self.revision, self.logs, self.show = promoted, revision, logs, show
        self.settled: set[str] = set()

    def __enter__(self) -> Tournament:
        for path in (self.folder / "contest.db", self.folder.parent / f"{self.folder.name}.db"):
            for each in path.parent.glob(f"{path.name}*"):
                each.unlink()
        self.store = Store.create(str(self.folder / "contest.db"), self.settings, str(self.folder))
        entries = [BotEntry(f"{name}.py", name) for name in self.players]
        self.store.enter(takers_of(entries, GAME, self.folder))
        self.database = sqlite3.connect(self.folder.parent / f"{self.folder.name}.db")
        self.database.execute(RAW)
        self.database.execute(RESULT)
        self.database.commit()
        return self

    def __exit__(self, *_: object) -> None:
        self.database.commit()
        self.database.close()
        self.store.close()

    def play(self, jobs: int) -> Ledger:
        scheduler = Scheduler(self.store, sources_of(self.store), LocalLabour(jobs), self._watch)
        return scheduler.run()

    def _watch(self, progress: Progress) -> None:
        for brought in progress.latest:
            self._keep(brought)
            self._settle(progress.ledger, brought.pairing)
        self.database.commit()
        if self.show is not None:
            self.show(self.screen(progress.ledger))

    def _keep(self, brought: Brought) -> None:
        """One bout: a row, and its files. A bout in which a bot hung left nothing."""
        facts = brought.facts
        if facts.hung:
            return
        record = unpack(brought.record, brought.pairing.id)
        winner, kind = result_of(record)[:2]
        first, second = facts.names
        row = (first, second, -1 if winner is None else winner, kind)
        self.database.execute("INSERT INTO match_raw VALUES (?, ?, ?, ?)", row)
        if self.logs:
            number = facts.number % self.settings.match.half
            self._log(record, f"{first}-{second}({number})", facts.names)

    def _log(self, record: Record, name: str, names: tuple[str, ...]) -> None:
        match = records.to_match(record) | {"players": names}
        path = self.folder / "log" / f"{name}.zlog"
        write_whole(path, records.packed(match), durable=False)
        if self.revision == "event":
            last = records.packed(match["log"][-1])
            write_whole(path.with_name(f"{name}.pkl"), last, durable=False)

    def _settle(self, ledger: Ledger, pairing: Pairing) -> None:
        """A pair is done: two rows, one for each order of seats."""
        result = ledger.state(pairing).result
        if result is None or pairing.id in self.settled:
            return
        self.settled.add(pairing.id)
        flag = "TIMEOUT" if result.ending == "timeout" else "FINISH"
        counted = [
            facts
            for (match, _), facts in ledger.bouts.items()
            if match == pairing.id and not facts.hung
        ]
        for names in (pairing.entrants, pairing.entrants[::-1]):
            ours = [facts.winner for facts in counted if facts.names == names]
            row = (*names, flag, ours.count(0), ours.count(1), ours.count(None))
            self.database.execute("INSERT INTO match_result VALUES (?, ?, ?, ?, ?, ?)", row)

    def screen(self, ledger: Ledger) -> str:
        points = {row.name: row.points for row in ledger.standings().rows}
        table = crosstable(ledger, sorted(self.players), points)
        draw = event_screen if self.revision == "event" else document_screen
        return draw(table, self.promoted)


def result_of(record: Record) -> tuple[Any, ...]:
    """The original's result of a bout."""
    if record.faults:
        return results.of_faults(record.faults)
    return results.of_outcome(record.outcome)


def _pack_logs(folder: Path, players: Sequence[str]) -> None:
    """Every player's bouts in an archive of its own."""
    logs = sorted(folder.glob("*.zlog"))
    for player in players:
        with tarfile.open(folder / f"{player}.tgz", "w:gz") as archive:
            for path in logs:
                if player in path.stem.rpartition("(")[0].split("-"):
                    archive.add(path, path.name)


if __name__ == "__main__":
    try:
        if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
            raise LudusError(
                "usage: round_robin TEAM [PROMOTED]", "用法：round_robin 组别 [晋级人数]"
            )
        print(main(sys.argv[1], *map(int, sys.argv[2:])))
    except LudusError as error:
        complain(error)
    print(tr("done; see RESULT.txt", "完成；见 RESULT.txt"))
