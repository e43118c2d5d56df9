"""The first hour of a new user: what the docs say, done literally and in their order.

Blocks of commands are typed line by line, in one folder; a block of Python is put into the file
that the sentence above it names. After a command, what its page promises is looked at.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.releasing.commands import ReleaseError

PAGES = ("index", "bots", "contests", "games")
"""Start, Write a bot, Hold a contest, Add a game."""
OTHER_MACHINES = ("tls://head", "srun ", "sbatch ")
"""What marks blocks for several machines, which one person at one machine leaves out."""
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
INTO_FILE = re.compile(r"(?:Put this into|写进) `([\w.]+)`")


@dataclass(frozen=True, slots=True)
class TypedCommand:
    """A line of a block of commands, without its comment."""

    page: str
    line: str

    @property
    def arguments(self) -> list[str]:
        """The words after ``./ludus``."""
        return shlex.split(self.line)[1:]

    @property
    def is_server(self) -> bool:
        """It runs until Ctrl-C."""
        return self.arguments[:1] in ([], ["serve"])


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that a page tells its reader to write."""

    page: str
    name: str
    text: str


Action = TypedCommand | WrittenFile


def read_actions(docs: Path, language: str) -> list[Action]:
    """Everything that a reader of the pages does, in order."""
    return [
        action
        for name in PAGES
        for action in parse_page(name, (docs / language / f"{name}.md").read_text("utf-8"))
    ]


def parse_page(name: str, text: str) -> Iterator[Action]:
    """What a page tells its reader to type and to write."""
    for block in BLOCK.finditer(text):
        kind, inside = block.groups()
        before = text[: block.start()].rstrip().rpartition("\n\n")[2]
        if kind == "python":
            if file := INTO_FILE.search(before):
                yield WrittenFile(name, file[1], inside)
        elif not any(mark in inside for mark in OTHER_MACHINES):
            for line in re.sub(r"\\\n *", " ", inside).splitlines():
                if words := shlex.split(line, comments=True):
                    yield TypedCommand(name, shlex.join(words))


def write_file(action: WrittenFile, folder: Path) -> None:
    """Write a file of the docs; a bot of that name is kept as the old version, as pages about
    versions assume (``old.py``, ``new.py``)."""
    file = folder / action.name
    if file.exists():
        shutil.copy(file, folder / "old.py")
    for name in (action.name, "new.py"):
        (folder / name).write_text(action.text, encoding="utf-8")


def check_promise(command: TypedCommand, said: str, folder: Path) -> None:
    """Raise ReleaseError unless a command did what its page says."""
    words = command.arguments
    if words[:4] == ["match", "reversi", "my_bot.py", "greedy"]:
        _check_score(said)
    elif words[:2] == ["contest", "run"]:
        _expect("my_bot" in said and "strong" in said, "the tables name the entrants", said)
    elif words[:2] == ["contest", "report"]:
        winner = read_winner(folder / "report")
        _expect(winner == "strong", "the strongest bot wins the contest", winner)
    elif words[:1] == ["play"]:
        _expect(re.search(r"wins|draw|胜|平", said) is not None, "a bout has a result", said)
    elif "pytest" in words:
        _expect(" passed" in said, "the tests of the new game pass", said)


def _check_score(said: str) -> None:
    score = re.search(r"^my_bot +([\d.]+)%", said, re.MULTILINE)
    _expect(score is not None and float(score[1]) > 50, "the bot beats greedy", said)


def read_winner(folder: Path) -> str:
    """Who is first in the report of the contest, which has to be whole."""
    report = json.loads((folder / "report.json").read_text("utf-8"))
    rows = report["tables"][0]["rows"]
    _expect(report["over"] and len(rows) == 4, "the contest is over", str(rows))
    for name in ("report.html", "report.md", "standings.csv", "bouts.csv"):
        _expect((folder / name).stat().st_size > 0, f"{name} is written", "it is empty")
    _expect(any((folder / "records").iterdir()), "the report has records", "it has none")
    return str(rows[0]["name"])


def _expect(holds: bool, promise: str, said: str) -> None:
    if not holds:
        raise ReleaseError(f"the docs promise that {promise}, but:\n{said[-2000:]}")
