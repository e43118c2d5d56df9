"""Starting up, help, and mistakes in how a command is called."""

import re
import subprocess
import sys

import pytest

import ludus
from ludus.cli.command_registry import COMMANDS
from tests.support.cli import SOURCE, Ludus

CJK = re.compile(r"[\u4e00-\u9fff]")
EVERY = [[name] for name in COMMANDS] + [
    *(["replay", name] for name in ("show", "verify", "convert", "stats")),
    ["new", "bot"],
    ["new", "game"],
]
GROUPS = [["replay"], ["new"], ["contest"], ["remote"], ["challenge"]]
"""Commands that only have commands of their own."""
QUICKLY = """
import sys
from ludus.cli.main import run
run(["--help"])
slow = {"click", "rich", "msgspec", "numpy", "importlib.metadata"}
slow |= {"typing", "dataclasses", "inspect"}
slow &= set(sys.modules)
sys.exit(str(slow) if slow else 0)
"""
STARTED = """
import resource, subprocess, sys

def spent(*words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

help = min(spent("-m", "ludus", "--help") for _ in range(4))
print(help / min(spent("-c", "pass") for _ in range(4)))
"""


def test_help_imports_nothing_that_takes_long() -> None:
    ran = subprocess.run([sys.executable, "-c", QUICKLY], env={"PYTHONPATH": str(SOURCE)})
    assert ran.returncode == 0


def test_help_takes_little_longer_than_python_itself() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", STARTED],
        env={"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
    )
    assert float(ran.stdout) < 8


@pytest.mark.parametrize("command", EVERY, ids=" ".join)
def test_every_command_explains_itself_in_english(cli: Ludus, command: list[str]) -> None:
    ran = cli(*command, "--help")
    assert ran.code == 0
    assert ran.out.startswith(f"Usage: ludus {' '.join(command)}")
    assert not CJK.search(ran.out)


@pytest.mark.parametrize("command", EVERY, ids=" ".join)
def test_every_command_explains_itself_in_chinese(
    cli: Ludus, chinese: None, command: list[str]
) -> None:
    ran = cli(*command, "--help")
    assert ran.code == 0
    assert ran.out.startswith(f"用法：ludus {' '.join(command)}")
    assert "选项：\n" in ran.out or "命令：\n" in ran.out
    assert "显示本说明" in ran.out or command in GROUPS
    assert not re.search(r"required\]|OPTIONS|COMMAND|ARGS", ran.out)


def test_help_tells_what_must_be_given(cli: Ludus, chinese: None) -> None:
    shown = cli("debug", "--help").out
    assert "ludus debug [选项] [RECORD]\n" in shown
    assert "[必填]" in cli("sprt", "--help").out


def test_the_overview_names_every_command(cli: Ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    for lang in ("en", "zh"):
        monkeypatch.setenv("LUDUS_LANG", lang)
        overview = cli("--help").out
        assert cli("-h").out == overview
        assert all(f"  {name} " in overview for name in COMMANDS)


def test_the_version_is_told(cli: Ludus) -> None:
    ran = cli("--version")
    assert (ran.code, ran.out) == (0, f"ludus {ludus.__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "sentence", "satz"),
    [
        (["plya"], "there is no command 'plya'; did you mean 'play'?", "没有命令 'plya'"),
        (["replay", "x"], "there is no command 'x'", "没有命令 'x'"),
        (["play"], "GAME is missing", "缺少 GAME"),
        (["check", "random"], "--game is missing", "缺少 --game"),
        (["games", "uno", "all"], "too many arguments: all", "参数过多：all"),
        (["play", "--bots"], "there is no option --bots; did you mean", "没有选项 --bots；是不是"),
        (["serve", "--no-open"], "there is no option --no-open\n", "没有选项 --no-open\n"),
        (["serve", "--no-demos"], "did you mean --no-demo?", "是不是 --no-demo？"),
        (["play", "x", "--seed"], "--seed needs a value", "--seed 后面要有值"),
        (["games", "--json=1"], "--json takes no value", "--json 不带值"),
        (["completion", "tcsh"], "must be one of bash, zsh, fish", "只能是 bash, zsh, fish 之一"),
    ],
)
def test_a_wrong_call_gets_a_sentence_and_exit_code_2(
    cli: Ludus,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    sentence: str,
    satz: str,
) -> None:
    ran = cli(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("ludus: ")
    assert sentence in ran.err
    monkeypatch.setenv("LUDUS_LANG", "zh")
    assert satz in cli(*arguments).err


def test_a_group_without_a_command_shows_its_commands(cli: Ludus) -> None:
    ran = cli("replay")
    assert ran.code == 2
    assert "verify" in ran.err
