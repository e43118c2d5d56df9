"""The original's ``match_interface``: plays series of bouts, reads and writes their files."""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludus.compat.paperio import match_core, pickles, records, results
from ludus.compat.paperio.match_core import match
from ludus.errors import LudusError
from ludus.match.record import write_atomically

__all__ = [
    "clear_storage",
    "load_compact_log",
    "load_match_log",
    "match",
    "repeated_match",
    "save_compact_log",
    "save_match_log",
    "swap_storage",
]


def clear_storage() -> None:
    """Give both bots an empty storage."""
    match_core.STORAGE = [{}, {}]


def swap_storage() -> None:
    """Swap the bots' seats together with their storages."""
    match_core.STORAGE = match_core.STORAGE[::-1]


def repeated_match(
    players: Sequence[Any],
    names: Sequence[str],
    rounds: int,
    log_record: bool = False,
    *args: Any,
    **kwargs: Any,
) -> tuple[dict[int | None, int], list[tuple[Any, ...]]]:
    """Play ``rounds`` bouts on the same seats; returns the wins of each bot and all results."""
    clear_storage()
    _call_bots(players, "init")
    wins: dict[int | None, int] = {0: 0, 1: 0, None: 0}
    outcomes = []
    for number in range(rounds):
        log = match_core.match(players, names, *args, **kwargs)
        wins[log["result"][0]] += 1
        outcomes.append(log["result"])
        if log_record:
            save_match_log(log, f"log/{names[0]}-VS-{names[1]}_{number}.zlog")
    _call_bots(players, "summaryall")
    return wins, outcomes


def _call_bots(players: Sequence[Any], name: str) -> None:
    """Call an optional function of the bots; its exceptions are ignored, SystemExit too."""
    for player, storage in zip(players, match_core.STORAGE, strict=True):
        with contextlib.suppress(Exception, SystemExit):
            getattr(player, name)(storage)


def save_match_log(match_log: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a zlog."""
    _save(match_log, path)


def save_compact_log(match_log: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a clog."""
    _save(records.make_compact(match_log), path)


def _save(value: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a file. An exception that only its bot could unpickle is replaced by its message."""
    result = value["result"]
    if len(result) == 3 and isinstance(result[2], BaseException):
        value = value | {"result": (*result[:2], _portable(result[2]))}
    write_atomically(Path(path), records.pack_pickle(value), durable=False)


def _portable(raised: BaseException) -> BaseException:
    try:
        copy = pickles.load(records.pack_pickle(raised))
        plain = isinstance(copy, pickles.InertObject) and copy.name.module == "builtins"
        return raised if plain else Exception(results.format_exception(raised))
    except (pickle.PicklingError, TypeError, AttributeError, LudusError):
        return Exception(results.format_exception(raised))


def load_match_log(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a zlog or a clog without running any code in it."""
    contents = pickles.load(records.read_contents(Path(path)))
    if isinstance(contents, dict) and "traces" in contents:
        return _expand_compact(contents)
    records.from_match(contents)
    return _with_exception(contents)


def load_compact_log(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a clog; the bout is simulated to get its frames."""
    return load_match_log(path)


def _expand_compact(contents: dict[str, Any]) -> dict[str, Any]:
    log = records.to_match(records.from_match(contents))
    for frame, first, second in zip(log["log"], *contents["timeleft"], strict=True):
        frame["timeleft"] = (first, second)
    kept = {key: contents[key] for key in ("players", "maxtime", "result")}
    return _with_exception(log | kept)


def _with_exception(log: dict[str, Any]) -> dict[str, Any]:
    result = log["result"]
    if len(result) == 3:
        log["result"] = (*result[:2], results.as_exception(result[2]))
    return log
