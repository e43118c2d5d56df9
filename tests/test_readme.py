"""What the README shows is what happens."""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from ludus.cli.main import run

ROOT = Path(__file__).parents[1]
PROGRAM = re.search(
    r"```python\n(import json.*?)```", (ROOT / "docs/en/protocol.md").read_text(), re.S
)


def blocks(readme: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / readme).read_text(), re.S)


def commands(readme: str) -> list[list[str]]:
    lines = [line for block in blocks(readme, "sh") for line in block.splitlines()]
    typed = [shlex.split(line, comments=True) for line in lines]
    return [words[1:] for words in typed if words and words[0] == "./ludus"]


def test_both_languages_show_the_same_commands() -> None:
    assert commands("README.md") == commands("README.zh.md")
    assert len(commands("README.md")) > 6


def test_files_are_written_before_they_are_used_and_for_the_same_game() -> None:
    written: dict[str, str] = {}
    for words in commands("README.md"):
        if words[:2] == ["new", "bot"]:
            assert words[2] not in written, "that file exists already"
            written[words[2]] = words[4]
        for name in (word for word in words if word.endswith(".py")):
            assert written[name] in words, words


def test_the_figures_of_both_languages_are_the_measured_ones() -> None:
    measured = (ROOT / "bench/RESULTS.md").read_text(encoding="utf-8")
    tables = []
    for readme in ("README.md", "README.zh.md"):
        rows = re.findall(r"^\| .+ \| (.+) \| (.+) \|$", (ROOT / readme).read_text(), re.M)
        tables.append([re.findall(r"\d[\d.,–]*(?: [kM]\b)?", " ".join(row)) for row in rows[:6]])
    assert tables[0] == tables[1] and len(tables[0][5]) == 2
    for figure in (each for row in tables[0] for each in row):
        assert figure in measured, figure
    for name in ("duel.gif", "ladder.gif"):
        assert 50_000 < (ROOT / ".github/pictures" / name).stat().st_size < 1_000_000


def laid_out(folder: Path) -> Path:
    """A student's folder: a bot, a program, and the original's template."""
    assert PROGRAM
    (folder / "my_program.py").write_text(PROGRAM[1])
    bot = blocks("README.md", "python")[0]
    for name in ("my_bot.py", "reversi_bot.py"):
        (folder / name).write_text(bot)
    template = ROOT / "src/ludus/games/duel2048/bots/random.py"
    (folder / "player.py").write_text(template.read_text())
    return folder


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    return laid_out(tmp_path)


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A student's folder with a contest that was played as the README says."""
    folder = laid_out(tmp_path_factory.mktemp("contest"))
    for words in (["contest", "new", "reversi", "greedy", "random", *SMALL], ["contest", "run"]):
        assert ludus(folder, *words) == 0
    return folder


SHORT, SMALL = ["-o", "rounds=4"], ["-o", "size=4"]


def quicker(words: list[str]) -> list[str]:
    """Options with which a command plays shorter bouts."""
    if words[:2] in (["play", "duel2048"], ["match", "duel2048"]):
        return SHORT
    return SMALL if words[0] == "sprt" else []


def ludus(desk: Path, *words: str) -> int:
    """The exit code of a command that is typed in that folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(desk)
        patch.setenv("LUDUS_HOME", str(desk / "home"))
        patch.setenv("LUDUS_LANG", "en")
        return run([*words])


@pytest.mark.parametrize("words", commands("README.md"), ids=lambda words: " ".join(words))
def test_a_command_of_the_readme_works(
    desk: Path, words: list[str], request: pytest.FixtureRequest
) -> None:
    if words[:1] == ["replay"]:
        assert ludus(desk, "play", "duel2048", "random", "random", *SHORT) == 0
    if words[:1] == ["contest"] and words[1] != "new":
        desk = request.getfixturevalue("contest")
    if words == ["contest", "run"]:
        return  # that is how this contest came to be
    if words[:2] == ["new", "bot"]:
        (desk / words[2]).unlink()
    if not words or words[0] == "serve":
        open_the_page(desk, *words)
        return
    assert ludus(desk, *words, *quicker(words)) == 0


def open_the_page(desk: Path, *words: str) -> None:
    """``./ludus`` alone says where the page is, and ends with Ctrl-C."""
    env = {**os.environ, "LUDUS_HOME": str(desk / "home"), "LUDUS_LANG": "en"}
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        env.pop(name, None)
    start = [sys.executable, "-m", "ludus", *words, *(["--no-demo"] if words else [])]
    with subprocess.Popen(start, cwd=desk, env=env, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        said = server.stdout.readline()
        found = re.search(r"http://\S+", said)
        assert found, said
        with urlopen(f"{found[0]}/api/games", timeout=30) as answer:
            assert b"duel2048" in answer.read()
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 130


def test_the_program_of_the_protocol_page_plays(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = f"cmd:{sys.executable} {desk / 'my_program.py'}"
    assert ludus(desk, "play", "duel2048", program, "random", *SHORT, "--json") == 0
    assert '"verdict":"rules"' in capsys.readouterr().out.replace(" ", "")


def test_the_originals_tool_runs_as_shown(desk: Path) -> None:
    env = {**os.environ, "LUDUS_HOME": str(desk / "home"), "LUDUS_LANG": "en"}
    code = [sys.executable, "-c", blocks("README.md", "python")[-1]]
    done = subprocess.run(code, cwd=desk, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (folder,) = [path for path in desk.iterdir() if (path / "_.txt").exists()]
    assert "total matches: 4" in (folder / "_.txt").read_text()
