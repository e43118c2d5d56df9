"""The original's round robin: all bots of a folder against each other, with all its files.

``python -m ludus.compat.paperio.round_robin TEAM [PROMOTED]`` plays the bots of the folder TEAM
and writes the same files as the original: ``TEAM.db``, and in TEAM ``players.txt``, ``errors.txt``,
``RESULT.txt`` and the bouts in ``log``. The bots run in jails, and the bouts are a contest of
Ludus, kept in ``TEAM/contest.db``.

The original waited for a hanging bot until the time of the pairing was over. Here the pairing ends
at once; it is a TIMEOUT as well, and no points are given for it.
"""

from __future__ import annotations

import contextlib
import sqlite3
import sys
import tarfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from ludus.bots.load import NoBotDefined
from ludus.bots.players.base import SeatBout, TimeLimit
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.bots.temp_folders import TempFolder
from ludus.compat.jailed_players import exit_with_error
from ludus.compat.paperio import records, results
from ludus.contest.crosstable import build_crosstable, render_document_screen, render_event_screen
from ludus.contest.ledger import Ledger
from ludus.contest.model import Pairing
from ludus.contest.presets import load_preset
from ludus.contest.settings import BotEntry, ContestSettings
from ludus.errors import LudusError
from ludus.games.paperio import GAME
from ludus.lang import tr
from ludus.match.record import Record, unpack, write_atomically
from ludus.sandbox.bot_fault import BotFault, FaultCause, FaultKind
from ludus.scheduling.bout_store import PlayedBout
from ludus.scheduling.contest_loading import create_source_loader, resolve_entrants
from ludus.scheduling.contest_store import ContestStore
from ludus.scheduling.scheduler import ContestProgress, Scheduler
from ludus.workers.pool import LocalPool

ROUNDS = 10
PARAMS = (51, 101, 2000, 60.0)
PROMOTED = 2
RAW_TABLE_SQL = (
    "CREATE TABLE `match_raw` ( `plr1` TEXT, `plr2` TEXT, `winner` INTEGER, `type` INTEGER )"
)
RESULT_TABLE_SQL = (
    "CREATE TABLE `match_result` ( `plr1` TEXT, `plr2` TEXT, `flag` TEXT, `win1` INTEGER,"
    " `win2` INTEGER, `tie` INTEGER, PRIMARY KEY(`plr1`,`plr2`) )"
)
LOADING_LIMIT = TimeLimit(30.0, "cpu", 60.0)

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
    """Play the bots of a folder; returns the final screen.

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
            f"{folder} has {len(players)} valid players; see errors.txt for the others",
            f"{folder} 中有 {len(players)} 名合法玩家；其余见 errors.txt",
        )
    settings = make_settings(folder.name, rounds, params)
    with Tournament(folder, settings, players, promoted, revision, logs, show) as tournament:
        ledger = tournament.play(jobs)
        screen = tournament.screen(ledger)
    seconds = round(time.monotonic() - began)
    _write(folder / "RESULT.txt", f"{screen}\nrunning time: {seconds} seconds\n")
    if revision == "document":
        _pack_logs(folder / "log", players)
    return screen


def make_settings(name: str, rounds: int, params: tuple[int, int, int, float]) -> ContestSettings:
    """The league of the event's preset, as one group."""
    event = load_preset("paperio2018").frozen_fields()
    k, h, turns, seconds = params
    league = {**event["format"]["league"]["league"], "tie_breaks": []}
    return load_preset(
        "paperio2018",
        name=name,
        options={"k": k, "h": h, "turns": turns},
        clock={"budget": float(seconds)},
        format=league,
        match={**event["match"], "bouts": 2 * rounds},
        stages={},
    )


def _write(path: Path, text: str) -> None:
    write_atomically(path, text.encode())


# Players


def _discover(folder: Path, order: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """The names of valid players, and a line about each invalid file."""
    files = sorted(folder.glob("*.py"))
    if order is not None:
        files.sort(key=lambda path: order.index(path.stem) if path.stem in order else len(order))
    players, errors = [], []
    for path in files:
        if (why := _load_error(path)) is not None:
            errors.append(f"读取{path.name!r}时出错：{why}")
        else:
            players.append(path.stem)
    return players, errors


def _load_error(path: Path) -> str | None:
    """Why a file is not a player, in the original's words; None if it is one."""
    try:
        return _import_error(path)
    except NoBotDefined:
        pass  # the original reported this only after running the whole file
    except LudusError as error:
        return error.text["en"]
    with TempFolder("player") as scratch:
        copy = Path(scratch, path.name)
        copy.write_bytes(path.read_bytes() + b"\nplay = print\n")
        why = _import_error(copy)
    return f"module {path.stem!r} has no attribute 'play'" if why is None else why


def _import_error(path: Path) -> str | None:
    """Load a file in a jail: the message of its exception, or of another failure; None if it can
    be loaded."""
    player = create_player(resolve_bot(str(path), GAME), GAME, isolate=True)
    with contextlib.closing(player):
        try:
            player.start(SeatBout(GAME, GAME.Options(), 0, 0, GAME.clock, 30.0), LOADING_LIMIT)
        except BotFault as fault:
            if fault.kind is FaultKind.LOAD:
                raised = fault.cause is FaultCause.EXCEPTION
                return fault.message if raised else fault.why["en"]
    return None


class Tournament:
    """The files of a round robin, written as its bouts end."""

    def __init__(
        self,
        folder: Path,
        settings: ContestSettings,
        players: list[str],
        promoted: int,
        revision: Revision,
        logs: bool,
        show: Callable[[str], None] | None,
    ) -> None:
        self.folder, self.settings, self.players = folder, settings, players
        self.promoted, self.revision, self.logs, self.show = promoted, revision, logs, show
        self.settled_pairings: set[str] = set()

    def __enter__(self) -> Tournament:
        for path in (self.folder / "contest.db", self.folder.parent / f"{self.folder.name}.db"):
            for each in path.parent.glob(f"{path.name}*"):
                each.unlink()
        self.store = ContestStore.create(
            str(self.folder / "contest.db"), self.settings, str(self.folder)
        )
        entries = [BotEntry(f"{name}.py", name) for name in self.players]
        self.store.add_entrants(resolve_entrants(entries, GAME, self.folder))
        self.database = sqlite3.connect(self.folder.parent / f"{self.folder.name}.db")
        self.database.execute(RAW_TABLE_SQL)
        self.database.execute(RESULT_TABLE_SQL)
        self.database.commit()
        return self

    def __exit__(self, *_: object) -> None:
        self.database.commit()
        self.database.close()
        self.store.close()

    def play(self, jobs: int) -> Ledger:
        scheduler = Scheduler(
            self.store, create_source_loader(self.store), LocalPool(jobs), self._watch
        )
        return scheduler.run()

    def _watch(self, progress: ContestProgress) -> None:
        for bout in progress.new_bouts:
            self._save_bout(bout)
            self._save_pairing(progress.ledger, bout.pairing)
        self.database.commit()
        if self.show is not None:
            self.show(self.screen(progress.ledger))

    def _save_bout(self, bout: PlayedBout) -> None:
        """Save one bout: a row and its files; nothing for a bout in which a bot hung."""
        facts = bout.facts
        if facts.hung:
            return
        record = unpack(bout.record, bout.pairing.id)
        winner, kind = original_result(record)[:2]
        first, second = facts.names
        row = (first, second, -1 if winner is None else winner, kind)
        self.database.execute("INSERT INTO match_raw VALUES (?, ?, ?, ?)", row)
        if self.logs:
            number = facts.number % self.settings.match.half_bouts
            self._log(record, f"{first}-{second}({number})", facts.names)

    def _log(self, record: Record, name: str, names: tuple[str, ...]) -> None:
        match = records.to_match(record) | {"players": names}
        path = self.folder / "log" / f"{name}.zlog"
        write_atomically(path, records.pack_pickle(match), durable=False)
        if self.revision == "event":
            last = records.pack_pickle(match["log"][-1])
            write_atomically(path.with_name(f"{name}.pkl"), last, durable=False)

    def _save_pairing(self, ledger: Ledger, pairing: Pairing) -> None:
        """Save a finished pair: two rows, one for each order of seats."""
        result = ledger.match_state(pairing).result
        if result is None or pairing.id in self.settled_pairings:
            return
        self.settled_pairings.add(pairing.id)
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
        table = build_crosstable(ledger, sorted(self.players), points)
        draw = render_event_screen if self.revision == "event" else render_document_screen
        return draw(table, self.promoted)


def original_result(record: Record) -> tuple[Any, ...]:
    """The original's result of a bout."""
    if record.faults:
        return results.result_from_faults(record.faults)
    return results.result_from_outcome(record.outcome)


def _pack_logs(folder: Path, players: Sequence[str]) -> None:
    """Write the bouts of each player to an archive."""
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
        exit_with_error(error)
    print(tr("done; see RESULT.txt", "完成；见 RESULT.txt"))
