"""Loads ``contest.toml``, its database and the programs of its entrants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from ludus.bots.engine_bots import engine_names, is_engine_level
from ludus.bots.manifest_paths import is_inside
from ludus.bots.resolve import COMMAND_PREFIX, BotSource, resolve_bot
from ludus.bots.rival_files import find_rival_files, refuse_rival_files
from ludus.bots.seat_schemes import has_scheme
from ludus.contest import settings as files
from ludus.contest.bout_count import refuse_too_many_bouts
from ludus.contest.ledger import Ledger
from ludus.contest.model import Entrant
from ludus.contest.settings import BotEntry, ContestSettings
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.registry import get
from ludus.scheduling.contest_store import ContestStore, EntrantProgram
from ludus.scheduling.ledger_loading import LedgerReader

CONTEST_FILE = "contest.toml"
SQLITE_SIDE_SUFFIXES = ("-wal", "-shm", "-journal")
"""Suffixes of the files that SQLite keeps beside a database."""


class ContestFile:
    """A ``contest.toml`` and, once the contest has begun, its database."""

    def __init__(self, path: Path) -> None:
        self.path = path / CONTEST_FILE if path.is_dir() else path
        self.folder = self.path.absolute().parent
        self.settings: ContestSettings = files.read_contest_settings(self.path)
        self.game: Game = get(self.settings.game)

    @property
    def database_address(self) -> str:
        """The address of the database: a URL, or the path of a SQLite file."""
        given = self.settings.database
        if "://" in given:
            return given
        path = self.folder / (given or f"{self.path.stem}.db")
        for file in (path, *(path.with_name(path.name + each) for each in SQLITE_SIDE_SUFFIXES)):
            if file.is_symlink() and not (file.exists() and is_inside(file, self.folder)):
                raise LudusError(
                    f"{file} is a broken link, or one that leads out of the contest's folder;"
                    " remove it, or name the database in the contest's file",
                    f"{file} 是失效的链接，或指向赛事文件夹之外；请删除，或在赛事文件中写明数据库",
                )
        return str(path)

    def open_store(self) -> ContestStore | None:
        """The stored contest; None if it has not begun."""
        store = ContestStore.open(self.database_address, self.settings.name)
        if store is not None:
            stored = store.settings()
            self.settings = files.read_contest_settings(self.path, stored)
            self._refuse_changes(stored)
        return store

    def open_or_create_store(self) -> ContestStore:
        """The stored contest; if it has not begun, it is created with its entrants."""
        if (existing := self.open_store()) is not None:
            return existing
        self.settings.check()
        programs = resolve_entrants(self.settings.entrants, self.game, self.folder)
        if len(programs) < 2:
            raise LudusError(
                f"a contest needs two entrants or more; {self.path} has {len(programs)}",
                f"赛事至少需要两名参赛者；{self.path} 中有 {len(programs)} 名",
            )
        refuse_too_many_bouts(self.settings, [each.entrant for each in programs])
        # Let the format refuse invalid settings (an unknown challenger) before anything is stored.
        self.settings.format.pairings([each.entrant for each in programs], [])
        store = ContestStore.create(self.database_address, self.settings, str(self.folder))
        store.add_entrants(programs)
        return store

    def _refuse_changes(self, stored: ContestSettings) -> None:
        old, new = stored.frozen_fields(), self.settings.frozen_fields()
        new["openings"] = new["openings"] or old["openings"]
        differ = [key for key in new if new[key] != old.get(key)]
        if differ:
            raise LudusError(
                f"{self.path} has changed since the contest began ({', '.join(differ)});"
                " undo the change, or start another contest under another name",
                f"赛事开始后 {self.path} 被修改（{'、'.join(differ)}）；请恢复，或换名新建赛事",
            )

    def add_entrants(self, entries: Sequence[BotEntry]) -> list[EntrantProgram]:
        """Add entrants to a contest that may have begun already."""
        store = self.open_or_create_store()
        known = store.load_entrants()
        names = [each.entrant.name for each in known]
        joined = load_ledger(store).round() + 1
        bots = [BotEntry(each.bot) for each in known if not each.entrant.dropped]
        present = [source for _, source in resolve_programs(bots, self.game, self.folder)[0]]
        programs = resolve_entrants(entries, self.game, self.folder, names, joined, present)
        refuse_too_many_bouts(self.settings, [each.entrant for each in (*known, *programs)])
        store.add_entrants(programs)
        return programs


def resolve_entrants(
    entries: Sequence[BotEntry],
    game: Game,
    folder: Path,
    taken: Sequence[str] = (),
    joined: int = 1,
    present: Sequence[BotSource] = (),
) -> list[EntrantProgram]:
    """Find the programs of entrants and give each a unique name.

    ``taken`` are the names, and ``present`` the programs, of those who have entered before. All
    invalid bots are reported together: a teacher with forty files wants to know about all of them
    at once.
    """
    resolved, objections = resolve_programs(entries, game, folder, present)
    if len(objections) == 1:
        raise objections[0]
    if objections:
        count = len(objections)
        raise LudusError(
            f"{count} of {len(entries)} bots cannot enter:",
            f"{len(entries)} 个 AI 中有 {count} 个不能参赛：",
            "\n".join(map(str, objections)),
        )
    wanted = Counter(entry.name or source.name for entry, source in resolved)
    used = set(taken)
    programs = []
    for entry, source in resolved:
        name = entry.name or source.name
        if entry.name and (wanted[name] > 1 or name in used):
            raise LudusError(f"two entrants are called {name!r}", f"有两名参赛者都叫 {name!r}")
        name = _choose_free_name(name, used, wanted[name] > 1)
        used.add(name)
        entrant = Entrant(name, entry.seed, entry.group, joined=joined)
        programs.append(EntrantProgram(entrant, entry.bot, source.digest))
    return programs


def resolve_programs(
    entries: Sequence[BotEntry], game: Game, folder: Path, present: Sequence[BotSource] = ()
) -> tuple[list[tuple[BotEntry, BotSource]], list[LudusError]]:
    """The programs that were found, and the errors about the others.

    A program that would see the files of another one, or of one in ``present``, is an error.
    """
    resolved, objections = [], []
    for entry in entries:
        try:
            resolved.append((entry, resolve_source(entry.bot, game, folder)))
        except LudusError as objection:
            objections.append(objection)
    together = [*(source for _, source in resolved), *present]
    conflicts = find_rival_files(together)
    objections += [conflict for conflict in conflicts if conflict is not None]
    valid = [pair for pair, conflict in zip(resolved, conflicts, strict=False) if conflict is None]
    return valid, objections


def _choose_free_name(name: str, used: set[str], numbered: bool) -> str:
    if not numbered and name not in used:
        return name
    number = 1
    while f"{name}#{number}" in used:
        number += 1
    return f"{name}#{number}"


def resolve_source(bot: str, game: Game, folder: Path, *, trust: bool = False) -> BotSource:
    """Find a bot of a contest file: relative paths start at the contest's folder.

    ``trust``: programs that are named by their commands run without a jail.
    """
    return resolve_bot(map_bot_path(bot, game, lambda path: folder / path), game, trust=trust)


def map_bot_path(bot: str, game: Game, change: Callable[[Path], Path]) -> str:
    """What a user wrote for a bot, with its path changed, if there is one.

    House bots, ``cmd:PROGRAM``, seats like ``gtp:PROGRAM``, ``search:800`` and ``learned:easy``
    have none; that of ``learned:net.onnx`` is behind the colon.
    """
    if bot.startswith(COMMAND_PREFIX) or bot in game.bots() or has_scheme(bot):
        return bot
    engine, _, argument = bot.partition(":")
    if engine in engine_names():
        if not argument or argument.isdecimal() or is_engine_level(bot):
            return bot
        return f"{engine}:{change(Path(argument).expanduser())}"
    return str(change(Path(bot).expanduser()))


def create_source_loader(
    store: ContestStore, *, trust: bool = False
) -> Callable[[], dict[str, BotSource]]:
    """A function that loads the programs of all entrants who still play.

    ``trust``: programs that are named by their commands run without a jail.
    It raises LudusError if a program has changed since it entered.
    """
    settings, folder = store.settings(), Path(store.folder())
    game = get(settings.game)

    def sources() -> dict[str, BotSource]:
        by_name = {}
        for program in store.load_entrants():
            name = program.entrant.name
            if program.entrant.dropped:
                continue
            source = resolve_source(program.bot, game, folder, trust=trust)
            if source.digest != program.digest:
                raise LudusError(
                    f"the program of {name} has changed since it entered; undo the change, or"
                    f" replay its bouts with: ludus contest rejudge --bot {name}",
                    f"{name} 的程序在参赛后被修改；请恢复，或用 ludus contest rejudge --bot {name}"
                    " 重新进行它的对局",
                )
            by_name[name] = source
        refuse_rival_files(list(by_name.values()))
        return by_name

    return sources


def load_ledger(store: ContestStore) -> Ledger:
    """The ledger of a stored contest with all its bouts."""
    return LedgerReader(store).refresh()
