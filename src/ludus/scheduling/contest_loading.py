"""Loads ``contest.toml``, its database and the programs of its entrants."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from ludus.bots.engine_bots import engine_names, is_engine_level
from ludus.bots.manifest_paths import is_inside
from ludus.bots.resolve import COMMAND_PREFIX, BotSource, resolve_bot
from ludus.bots.rival_files import find_rival_files, refuse_rival_files
from ludus.bots.seat_schemes import has_scheme
from ludus.called import program_name
from ludus.contest import settings as files
from ludus.contest.bout_count import refuse_too_many_bouts
from ludus.contest.ledger import Ledger
from ludus.contest.model import Entrant
from ludus.contest.settings import BotEntry, ContestSettings
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.registry import get
from ludus.match.record import write_atomically
from ludus.scheduling.contest_store import ContestStore, EntrantProgram
from ludus.scheduling.lease import is_lease_held
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
        """The stored contest; None if it has not begun.

        LudusError if a bout was played by other settings than the file has now.
        """
        store = ContestStore.open(self.database_address, self.settings.name)
        if store is not None:
            stored = store.settings()
            self.settings = files.read_contest_settings(self.path, stored)
            if (differ := self._find_changes(stored)) and store.has_bouts():
                raise self._changed_error(differ)
        return store

    def open_or_create_store(self) -> ContestStore:
        """The stored contest; if it has not begun, it is created with its entrants.

        Until its first bout is played, it follows every change of the file.
        """
        existing = self.open_store()
        if existing is not None and existing.has_bouts():
            return existing
        programs = self._check_entrants()
        if existing is None:
            store = ContestStore.create(self.database_address, self.settings, str(self.folder))
            store.add_entrants(programs)
            return store
        self._follow_file(existing, programs)
        return existing

    def _check_entrants(self) -> list[EntrantProgram]:
        """The file's entrants; LudusError if they cannot play by the file's settings."""
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
        return programs

    def _follow_file(self, store: ContestStore, programs: Sequence[EntrantProgram]) -> None:
        """Take over what has changed in the file of a contest of which nothing was played."""
        stored = store.settings()
        differ = self._find_changes(stored)
        if not differ and _list_facts(store.load_entrants()) == _list_facts(programs):
            return
        if is_lease_held(store):  # its first bouts are being played
            if differ:
                raise self._changed_error(differ)
            return
        store.begin_anew(self.settings, programs)

    def _find_changes(self, stored: ContestSettings) -> list[str]:
        old, new = stored.frozen_fields(), self.settings.frozen_fields()
        new["openings"] = new["openings"] or old["openings"]
        return [key for key in new if new[key] != old.get(key)]

    def _changed_error(self, differ: Sequence[str]) -> LudusError:
        return LudusError(
            f"{self.path} has changed since the contest began ({', '.join(differ)});"
            " undo the change, or start another contest under another name",
            f"赛事开始后 {self.path} 被修改（{'、'.join(differ)}）；请恢复，或换名新建赛事",
        )

    def add_entrants(self, entries: Sequence[BotEntry]) -> list[EntrantProgram]:
        """Add entrants: to the file until the first bout is played, and to a contest that has
        begun. If one of them cannot enter, nothing is changed."""
        store = self.open_store()
        has_bouts = store is not None and store.has_bouts()
        begun = store if store is not None and (has_bouts or is_lease_held(store)) else None
        known = self._check_entrants() if begun is None else begun.load_entrants()
        joined = 1 if begun is None else load_ledger(begun).round() + 1
        programs = self._resolve_joining(entries, known, joined)
        if not has_bouts:
            self._write_entrants(programs)
        if begun is not None:
            begun.add_entrants(programs)
        elif store is not None:
            self._follow_file(store, [*known, *programs])
        return programs

    def _resolve_joining(
        self, entries: Sequence[BotEntry], known: Sequence[EntrantProgram], joined: int
    ) -> list[EntrantProgram]:
        """The programs of those who join entrants that are known."""
        names = [each.entrant.name for each in known]
        bots = [BotEntry(each.bot) for each in known if not each.entrant.dropped]
        present = [source for _, source in resolve_programs(bots, self.game, self.folder)[0]]
        programs = resolve_entrants(entries, self.game, self.folder, names, joined, present)
        refuse_too_many_bouts(self.settings, [each.entrant for each in (*known, *programs)])
        return programs

    def _write_entrants(self, programs: Sequence[EntrantProgram]) -> None:
        from ludus.contest.toml_text import append_tables  # slow to import, and seldom needed

        rows = [
            {"bot": each.bot, "name": each.entrant.name}
            | ({"seed": each.entrant.seed} if each.entrant.seed else {})
            | ({"group": each.entrant.group} if each.entrant.group else {})
            for each in programs
        ]
        text = append_tables(self.path.read_text(encoding="utf-8"), "entrants", rows)
        write_atomically(self.path, text.encode())


def _list_facts(programs: Sequence[EntrantProgram]) -> list[tuple[str, int, str, str, str]]:
    """What the file says of entrants, in its order, which decides draws where no seed does."""
    return [
        (each.entrant.name, each.entrant.seed, each.entrant.group, each.bot, each.digest)
        for each in programs
    ]


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
    placed = map_bot_path(bot, game, lambda path: folder / path)
    return resolve_bot(placed, game, trust=trust, typed=bot)


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


def relative_bot_path(bot: str, game: Game, folder: Path) -> str:
    """What a user wrote for a bot, with its path as a contest file in this folder names it:
    relative to the folder, unless it is an absolute path to a place outside of it. A path at which
    there is nothing stays as it was written, for the message that says so."""

    def change(path: Path) -> Path:
        inside = os.path.relpath(path.absolute(), folder)
        is_outside = inside.split(os.sep)[0] == os.pardir
        return path if not path.exists() or (path.is_absolute() and is_outside) else Path(inside)

    return map_bot_path(bot, game, change)


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
                    f" replay its bouts with: {program_name()} contest rejudge --bot {name}",
                    f"{name} 的程序在参赛后被修改；请恢复，或重新进行它的对局："
                    f"{program_name()} contest rejudge --bot {name}",
                )
            by_name[name] = source
        refuse_rival_files(list(by_name.values()))
        return by_name

    return sources


def load_ledger(store: ContestStore) -> Ledger:
    """The ledger of a stored contest with all its bouts."""
    return LedgerReader(store).refresh()
