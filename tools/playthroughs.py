"""Writes tests/playthroughs/*.txt: everything observable in one random bout of each game.

    .venv/bin/python tools/playthroughs.py            write them again
    .venv/bin/python tools/playthroughs.py --check    only tell which are out of date

After a change of rules that is meant, write them again and read the difference like code. If an
old record would now replay differently, raise the game's version.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

from ludus.games import get, names
from ludus.games.base import Game
from ludus.games.contract import playthrough

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "playthroughs"
COMMAND = ".venv/bin/python tools/playthroughs.py"
SEED = 1


def built_in() -> list[Game]:
    """Our own games, without those of installed packages."""
    games = [get(name) for name in names()]
    return [game for game in games if type(game).__module__.startswith("ludus.games.")]


def file_name(game: Game, given: Mapping[str, Any]) -> str:
    """``duel2048.txt`` for the default options, ``duel2048.rounds-40.txt`` for others."""
    parts = [f"{name}-{value}" for name, value in sorted(given.items())]
    return ".".join([game.name, *parts, "txt"])


def wanted(games: list[Game] | None = None) -> dict[str, str]:
    """What every file should contain now."""
    return {
        file_name(game, given): playthrough(game, game.Options.parse(given), SEED)
        for game in games or built_in()
        for given in game.odd
    }


def problems(texts: Mapping[str, str], folder: Path = FOLDER) -> list[str]:
    """What is wrong with the files, one sentence each."""
    found = []
    for name, text in texts.items():
        file = folder / name
        if not file.exists():
            found.append(f"{name} is missing")
        elif (line := first_difference(file.read_text(encoding="utf-8"), text)) is not None:
            found.append(f"{name} is out of date from line {line} on")
    there = {file.name for file in folder.glob("*.txt")}
    return found + [f"{name} belongs to no game" for name in sorted(there - set(texts))]


def first_difference(old: str, new: str) -> int | None:
    """The number of the first line that differs."""
    if old == new:
        return None
    lines = zip_longest(old.split("\n"), new.split("\n"))
    return next(number for number, (a, b) in enumerate(lines, 1) if a != b)


def write(texts: Mapping[str, str], folder: Path = FOLDER) -> None:
    """Make the files what they should be, and remove what belongs to no game."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.glob("*.txt"):
        if file.name not in texts:
            file.unlink()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def main() -> int:
    kind = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=kind)
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 if out of date"
    )
    check = parser.parse_args().check
    texts = wanted()
    found = problems(texts)
    for problem in found:
        print(problem)
    if not check:
        write(texts)
        print(f"{len(texts)} playthroughs, {len(found)} changed")
        return 0
    if found:
        print(f"to write them again: {COMMAND}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
