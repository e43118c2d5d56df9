"""From ``contest.toml`` to a contest in its database, and to the programs of its entrants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from ludus.bots.manifest_paths import is_inside
from ludus.bots.resolve import COMMAND_PREFIX, BotSource, resolve_bot
from ludus.bots.rival_files import find_rival_files, refuse_rival_files
from ludus.contest import settings as files
from ludus.contest.bout_count import refuse_too_many_bouts
from ludus.contest.ledger import Ledger
from ludus.contest.model import Entrant
from ludus.contest.settings import BotEntry, ContestSettings
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.registry import get
from ludus.scheduling.ledger_loading import LedgerReader
from ludus.scheduling.store import ContestStore, EntrantProgram

CONTEST_FILE = "contest.toml"
SQLITE_SIDE_SUFFIXES = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a database."""


class ContestFile:
    """A contest's file and, once it has begun, its database."""

    def __init__(self, path: Path) -> None:
        self.path = path / CONTEST_FILE if path.is_dir() else path
        self.folder = self.path.absolute().parent
        self.settings: ContestSettings = files.read_contest_settings(self.path)
        self.game: Game = get(self.settings.game)

    @property
    def database_address(self) -> str:
        """Of the database."""
        given = self.settings.database
        if "://" in given:
            return given
        path = self.folder / (given or f"{self.path.stem}.db")
        for file in (path, *(path.with_name(path.name + each) for each in SQLITE_SIDE_SUFFIXES)):
            if file.is_symlink() and not (file.exists() and is_inside(file, self.folder)):
                raise LudusError(
                    f"{file} is a link that leads out of the contest's folder, or to nothing;"
                    " remove it, or name the database in the contest's file",
                    f"{file} 是指向赛事文件夹之外或空处的链接；请删除，或在赛事文件中写明数据库",
                )
        return str(path)

    def open_store(self) -> ContestStore | None:
        """The database, if the contest has begun."""
        found = ContestStore.open(self.database_address, self.settings.name)
        if found is not None:
            self._refuse_changes(found.settings())
        return found

    def open_or_create_store(self) -> ContestStore:
        """The database, made and filled with the entrants if the contest has not begun."""
        if (found := self.open_store()) is not None:
            return found
        self.settings.check()
        takers = resolve_entrants(self.settings.entrants, self.game, self.folder)
        if len(takers) < 2:
            raise LudusError(
                f"a contest needs two entrants or more; {self.path} names {len(takers)}",
                f"赛事至少需要两名参赛者；{self.path} 中有 {len(takers)} 名",
            )
        refuse_too_many_bouts(self.settings, [taker.entrant for taker in takers])
        # What a format refuses (a challenger that nobody knows) it refuses before anything is made.
        self.settings.format.pairings([taker.entrant for taker in takers], [])
        store = ContestStore.create(self.database_address, self.settings, str(self.folder))
        store.add_entrants(takers)
        return store

    def _refuse_changes(self, begun: ContestSettings) -> None:
        old, new = begun.frozen_fields(), self.settings.frozen_fields()
        differ = [key for key in new if new[key] != old.get(key)]
        if differ:
            raise LudusError(
                f"{self.path} has changed since the contest began ({', '.join(differ)});"
                " put it back, or begin another contest under another name",
                f"赛事开始后 {self.path} 被修改（{'、'.join(differ)}）；请恢复，或换名新建赛事",
            )

    def add_entrants(self, entries: Sequence[BotEntry]) -> list[EntrantProgram]:
        """Entrants who come late."""
        store = self.open_or_create_store()
        known = store.load_entrants()
        names = [taker.entrant.name for taker in known]
        joined = load_ledger(store).round() + 1
        bots = [BotEntry(taker.bot) for taker in known if not taker.entrant.dropped]
        present = [source for _, source in resolve_programs(bots, self.game, self.folder)[0]]
        takers = resolve_entrants(entries, self.game, self.folder, names, joined, present)
        refuse_too_many_bouts(self.settings, [taker.entrant for taker in (*known, *takers)])
        store.add_entrants(takers)
        return takers


def resolve_entrants(
    entries: Sequence[BotEntry],
    game: Game,
    folder: Path,
    taken: Sequence[str] = (),
    joined: int = 1,
    present: Sequence[BotSource] = (),
) -> list[EntrantProgram]:
    """Find the programs of entrants and give every one a name of its own.

    ``taken`` are the names, and ``present`` the programs, of those who have entered before. Whoever
    has forty files to enter wants to hear of all that are broken at once.
    """
    found, objections = resolve_programs(entries, game, folder, present)
    if len(objections) == 1:
        raise objections[0]
    if objections:
        count = len(objections)
        raise LudusError(
            f"{count} of {len(entries)} bots cannot enter:",
            f"{len(entries)} 个 AI 中有 {count} 个不能参赛：",
            "\n".join(map(str, objections)),
        )
    wanted = Counter(entry.name or source.name for entry, source in found)
    used = set(taken)
    takers = []
    for entry, source in found:
        name = entry.name or source.name
        if entry.name and (wanted[name] > 1 or name in used):
            raise LudusError(f"two entrants are called {name!r}", f"有两名参赛者都叫 {name!r}")
        name = _choose_free_name(name, used, wanted[name] > 1)
        used.add(name)
        entrant = Entrant(name, entry.seed, entry.group, joined=joined)
        takers.append(EntrantProgram(entrant, entry.bot, source.digest))
    return takers


def resolve_programs(
    entries: Sequence[BotEntry], game: Game, folder: Path, present: Sequence[BotSource] = ()
) -> tuple[list[tuple[BotEntry, BotSource]], list[LudusError]]:
    """The programs that were found, and what is to be said about the others.

    None of those found, and none of those present, sees the files of another one.
    """
    found, objections = [], []
    for entry in entries:
        try:
            found.append((entry, resolve_source(entry.bot, game, folder)))
        except LudusError as objection:
            objections.append(objection)
    together = [*(source for _, source in found), *present]
    seen = find_rival_files(together)
    objections += [objection for objection in seen if objection is not None]
    sound = [pair for pair, objection in zip(found, seen, strict=False) if objection is None]
    return sound, objections


def _choose_free_name(name: str, used: set[str], numbered: bool) -> str:
    if not numbered and name not in used:
        return name
    number = 1
    while f"{name}#{number}" in used:
        number += 1
    return f"{name}#{number}"


def resolve_source(bot: str, game: Game, folder: Path) -> BotSource:
    """A bot as a contest names it: relative paths begin at the contest's folder."""
    if not bot.startswith(COMMAND_PREFIX) and bot not in game.bots():
        path = Path(bot).expanduser()
        bot = str(path if path.is_absolute() else folder / path)
    return resolve_bot(bot, game)


def create_source_loader(store: ContestStore) -> Callable[[], dict[str, BotSource]]:
    """Gives the programs of all entrants who still play, unchanged since they entered."""
    settings, folder = store.settings(), Path(store.folder())
    game = get(settings.game)

    def sources() -> dict[str, BotSource]:
        found = {}
        for taker in store.load_entrants():
            name = taker.entrant.name
            if taker.entrant.dropped:
                continue
            source = resolve_source(taker.bot, game, folder)
            if source.digest != taker.digest:
                raise LudusError(
                    f"the program of {name} has changed since it entered; put it back, or have"
                    f" its bouts played again with: ludus contest rejudge --bot {name}",
                    f"{name} 的程序在参赛后被修改；请恢复，或用 ludus contest rejudge --bot {name}"
                    " 重新进行它的对局",
                )
            found[name] = source
        refuse_rival_files(list(found.values()))
        return found

    return sources


def load_ledger(store: ContestStore) -> Ledger:
    """Everything that a database knows of its contest."""
    return LedgerReader(store).refresh()
