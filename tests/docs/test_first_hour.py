"""A new user's first hour, in small; ``tools/release`` does it in fresh clones and with wheels."""

from pathlib import Path

import pytest

from ludus.cli.main import run
from tools.docs_site.sources import DOCS
from tools.releasing.commands import ReleaseError
from tools.releasing.first_hour import (
    PAGES,
    TypedCommand,
    WrittenFile,
    check_promise,
    parse_page,
    read_actions,
    read_winner,
    write_file,
)

TRIED_ELSEWHERE = ("sprt", "add", "python", "check")
"""With the README, or where packages can be installed."""


def lines(language: str) -> list[str]:
    actions = read_actions(DOCS, language)
    return [each.line if isinstance(each, TypedCommand) else each.name for each in actions]


def test_both_languages_tell_a_new_user_the_same() -> None:
    assert lines("en") == lines("zh")
    pages = [each.page for each in read_actions(DOCS, "en")]
    assert tuple(dict.fromkeys(pages)) == PAGES and len(pages) >= 18


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_new_user_gets_from_the_first_bot_to_a_contest(
    language: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """On small boards, and without what other tests do."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LUDUS_LANG", language)
    for action in read_actions(DOCS, language):
        if isinstance(action, WrittenFile):
            write_file(action, tmp_path)
        elif not action.is_server and action.arguments[0] not in TRIED_ELSEWHERE:
            words = make_smaller(action.arguments)
            if words[:2] != ["play", "fourinarow"]:  # it is not installed here
                assert run(words) == 0, capsys.readouterr()
                said = capsys.readouterr().out
                if words[:2] == ["contest", "run"]:
                    check_promise(action, said, tmp_path)
    assert (tmp_path / "old.py").is_file()
    assert read_winner(tmp_path / "report") in ("strong", "greedy", "random", "my_bot")
    assert (tmp_path / "fourinarow/pyproject.toml").is_file()


def make_smaller(words: list[str]) -> list[str]:
    """The same command with few bouts on a small board."""
    if "--bouts" not in words:
        return words
    size = ["-o", "rounds=4"] if "duel2048" in words else ["-o", "size=4"]
    at = words.index("--bouts")
    return [*words[:at], "--bouts", "2", *size]


def test_a_block_for_other_machines_is_left_out_and_a_file_is_named_by_its_sentence() -> None:
    page = (
        "Put this into `a.py`. It is good:\n\n```python\nx = 1\n```\n\nAn example:\n\n"
        "```python\ny = 1\n```\n\n```sh\n./ludus play x \\\n    y  # watch\n```\n\n"
        "```sh\nludus worker tls://head:8786\n```\n"
    )
    assert list(parse_page("p", page)) == [
        WrittenFile("p", "a.py", "x = 1\n"),
        TypedCommand("p", "./ludus play x y"),
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("./ludus match reversi my_bot.py greedy", "my_bot  40.0%   8–0–12\n"),
        ("./ludus match reversi my_bot.py greedy", "nothing\n"),
        ("./ludus contest run", "a table\n"),
        ("./ludus play fourinarow random random", "saved\n"),
        ("./ludus python -m pytest fourinarow", "no tests ran\n"),
    ],
)
def test_a_broken_promise_is_noticed(line: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="the docs promise"):
        check_promise(TypedCommand("p", line), said, tmp_path)
