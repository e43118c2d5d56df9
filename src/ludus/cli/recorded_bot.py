"""The record that a command is about, and the seats that a bot has in it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.errors import LudusError
from ludus.escape import escape_to_one_line
from ludus.lang import tr

if TYPE_CHECKING:
    from ludus.match.record import Record

MAX_SEARCHED_RECORDS = 200
"""Among so many of the records saved last a bot is looked for."""


def choose_record(given: str | None, *bots: str) -> Path:
    """The record that the user named, else the one saved last, which is named on stderr.

    With bots it is the last one in which one of them played; LudusError if there is none.
    """
    if given is not None:
        return Path(given).expanduser()
    path = _find_last_of(bots) if bots else _newest()
    print(tr(f"the record saved last: {path}", f"最近保存的录像：{path}"), file=sys.stderr)
    return path


def refuse_several(records: tuple[str, ...]) -> str | None:
    """The one record that was given, or None; LudusError if a shell's ``*`` made it several."""
    if len(records) < 2:
        return records[0] if records else None
    paths = [Path(each).expanduser() for each in records]
    newest = max(paths, key=lambda path: path.stat().st_mtime_ns if path.exists() else 0)
    count = len(records)
    raise LudusError(
        f"one record, not {count}; the newest of them is {newest}",
        f"只能给出一份录像，而不是 {count} 份；其中最新的是 {newest}",
    )


def find_seats(record: Record, bot: str) -> list[int]:
    """The seats on which the user's bot played: of its name, or of the very same program."""
    return _list_seats(record, *_identify(record, bot))


def _list_seats(record: Record, names: set[str], digest: str) -> list[int]:
    return [
        seat
        for seat, each in enumerate(record.bots)
        if each.name in names or (digest and each.digest == digest)
    ]


def find_own_file(record: Record, seat: int) -> Path | None:
    """A bot of the seat's name in the current folder."""
    from ludus.bots.languages.registry import BY_SUFFIX

    name = record.bots[seat].name
    if "/" in name or name in ("", ".", ".."):
        return None
    paths = (*(Path(f"{name}{suffix}") for suffix in BY_SUFFIX), Path(name))
    return next((path for path in paths if path.exists()), None)


def find_faulty_bot(record: Record, path: Path) -> str:
    """The file of the only bot that failed in a bout; LudusError if it is not certain which."""
    guilty = {fault.seat for fault in record.faults}
    files = {seat: find_own_file(record, seat) for seat in range(len(record.bots))}
    own = [file for seat, file in files.items() if seat in guilty and file is not None]
    if len(guilty) == len(own) == 1:
        return str(own[0])
    shown = [
        f"--bot {file}" if file is not None else escape_to_one_line(record.bots[seat].name)
        for seat, file in files.items()
    ]
    raise LudusError(
        f"say which bot to debug, with --bot FILE; in {path} played: {', '.join(shown)}",
        f"请用 --bot 文件 指明要调试的 AI；{path} 中对局的是：{'、'.join(shown)}",
    )


def did_not_play_error(record: Record, bot: str, path: Path) -> LudusError:
    """``bot`` plays no seat of the record at ``path``."""
    names = ", ".join(escape_to_one_line(each.name) for each in record.bots)
    name = _name_of(bot)
    return LudusError(
        f"{name} did not play in {path}, where {names} did",
        f"{name} 没有参加 {path} 这一局，其中的 AI 是 {names}",
    )


def _name_of(bot: str) -> str:
    """How the bot is called in a sentence: a folder such as ``.`` by its own name."""
    return Path(bot).stem or Path(bot).absolute().name or bot


def _identify(record: Record, bot: str) -> tuple[set[str], str]:
    """Names that the bot may have in the record, and its digest if it can be found now."""
    from ludus.bots.resolve import resolve_bot
    from ludus.match.record import load_game

    names = {bot, Path(bot).stem}
    try:
        source = resolve_bot(bot, load_game(record)[0])
    except LudusError:  # it may be broken now, or be for another game
        return names, ""
    return names | {source.name}, source.digest


def _find_last_of(bots: Sequence[str]) -> Path:
    identities: dict[str, list[tuple[set[str], str]]] = {}  # by game: a bot may be slow to read
    for path, record in _iterate_newest():
        if record.game not in identities:
            identities[record.game] = [_identify(record, bot) for bot in bots]
        if any(_list_seats(record, *identity) for identity in identities[record.game]):
            return path
    for bot in bots:
        if Path(bot).suffix and not Path(bot).expanduser().exists():
            raise LudusError(f"{bot} does not exist", f"{bot} 不存在")
    names = [_name_of(bot) for bot in bots]
    raise LudusError(
        f"{' or '.join(names)} played in none of the records saved last; name the record",
        f"最近保存的录像中都没有 {'、'.join(names)}；请给出录像",
    )


def _iterate_newest() -> Iterator[tuple[Path, Record]]:
    from ludus.compat.reading import read
    from ludus.match.record_files import list_newest_records

    _newest()  # LudusError if there is none at all
    for path in list_newest_records()[:MAX_SEARCHED_RECORDS]:
        try:
            yield path, read(path)
        except LudusError:
            continue


def _newest() -> Path:
    from ludus.match.record_files import find_newest_record

    return find_newest_record()
