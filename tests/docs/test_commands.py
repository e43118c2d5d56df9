"""Every command in the docs, in blocks and within sentences, is one that Ludus understands; Python
of the pages about other platforms runs."""

import itertools
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from ludus.api.bouts import BoutResult
from ludus.bots.engine_bots import engine_paths
from ludus.cli.command import LazyGroup
from ludus.cli.root import ROOT
from ludus.games.registry import get, names
from tools.docs_site.sources import DOCS

PAGES = sorted(DOCS.glob("??/*.md"))
BLOCK = re.compile(r"```sh\n(.*?)```", re.DOTALL)
INDENTED = re.compile(r"^ {4,}(\./ludus .*|ludus .*)$", re.MULTILINE)
INLINE = re.compile(r"`((?:\./)?ludus [^`]+)`")
PASSED_ON = ("python", "add")
"""Commands that give their arguments to another program."""


def commands(page: str) -> Iterator[list[str]]:
    """The words of each command after ``ludus``, as far as they are written out."""
    lines = [
        line for block in BLOCK.findall(page) for line in re.sub(r"\\\n", " ", block).split("\n")
    ]
    for line in [*lines, *INDENTED.findall(page), *INLINE.findall(page)]:
        try:
            words = shlex.split(line.replace("'s ", " "), comments=True)
        except ValueError:
            continue
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            words.pop(0)
        if len(words) > 1 and words[0] in ("ludus", "./ludus"):
            yield words[1:]


def misunderstood(words: list[str]) -> str | None:
    """What is wrong with a command, but for arguments that a sentence leaves out."""
    group: click.Command = ROOT
    context = click.Context(ROOT, info_name="ludus")
    while isinstance(group, LazyGroup) and words and not words[0].startswith("-"):
        name, *words = words
        if not re.fullmatch(r"[a-z]+", name):
            return None  # COMMAND, 命令
        command = group.get_command(context, name)
        if command is None:
            return f"there is no command {name}"
        group, context = command, click.Context(command, info_name=name, parent=context)
    if isinstance(group, LazyGroup) or context.info_name in PASSED_ON:
        return None
    known = {name for option in group.get_params(context) for name in option.opts}
    known |= {"-h", "--help"}
    for word in words:
        option = re.match(r"--?[a-zA-Z][\w-]*(?=$|=)", word)
        if option and option[0] not in known:
            return f"ludus {context.info_name} has no {option[0]}"
    return None


def missing_house_bot(words: list[str]) -> str | None:
    """A seat of a bout that is named like a house bot and is none of its game."""
    if len(words) < 3 or words[0] not in ("play", "match") or words[1] not in names():
        return None
    seats = itertools.takewhile(lambda word: not word.startswith("-"), words[2:])
    named = (seat for seat in seats if re.fullmatch(r"[a-z_]+(?<!folder)", seat))
    game = get(words[1])
    missing = [seat for seat in named if seat not in {*game.bots(), *engine_paths(game)}]
    return f"{words[1]} has no house bot {missing[0]}" if missing else None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_command_in_the_docs_exists_with_its_options(language: str) -> None:
    wrong, count = [], 0
    for path in PAGES:
        if path.parent.name == language:
            for words in commands(path.read_text(encoding="utf-8")):
                count += 1
                if why := misunderstood(words) or missing_house_bot(words):
                    wrong.append(f"{path.name}: {' '.join(words)}: {why}")
    assert wrong == []
    assert count > 200


def test_a_wrong_command_would_be_noticed() -> None:
    assert misunderstood(["paly", "reversi"]) == "there is no command paly"
    assert misunderstood(["play", "reversi", "--budget", "3"]) == "ludus play has no --budget"
    assert misunderstood(["contest", "new", "x", "--preset=y", "-o", "a=1"]) is None
    wrong = "paperio has no house bot greedy"
    assert missing_house_bot(["play", "paperio", "random", "greedy"]) == wrong


@pytest.mark.parametrize("name", ["from-kaggle", "from-pettingzoo"])
def test_python_of_a_page_about_another_platform_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "from-pettingzoo":
        pytest.importorskip("pettingzoo")
    monkeypatch.chdir(tmp_path)
    english, chinese = (
        re.findall(
            r"```python\n(.*?)```", (DOCS / language / f"{name}.md").read_text("utf-8"), re.S
        )
        for language in ("en", "zh")
    )
    assert english == chinese and len(english) == 1
    made: dict[str, object] = {}
    exec(compile(english[0], name, "exec"), made)
    bouts = [each for each in made.values() if isinstance(each, BoutResult)]
    assert not any(bout.faults for bout in bouts), "an example that fails teaches to fail"
