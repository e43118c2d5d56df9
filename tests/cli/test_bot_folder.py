"""``ludus new bot --folder``: a bot with settings for VS Code that work."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ludus.bots.source_files import list_bot_files
from tests.support.cli import LEGAL, SOURCE, Ludus
from tests.support.debug_client import DebugClient


@pytest.fixture
def folder(cli: Ludus, tmp_path: Path) -> Path:
    assert cli("new", "bot", tmp_path / "mine", "--game", "reversi", "--folder").code == 0
    return tmp_path / "mine"


def settings(folder: Path, name: str) -> Any:
    """A file of settings, with the folder in place of VS Code's word for it."""
    text = (folder / ".vscode" / name).read_text(encoding="utf-8")
    return json.loads(text.replace("${workspaceFolder}", str(folder)))


def test_settings_of_the_editor_are_no_part_of_the_bot(folder: Path) -> None:
    assert set(list_bot_files(folder)) == {"main.py", "ludus.toml", "README.md", "test_bot.py"}


def test_its_own_test_passes_and_fails_with_a_bot_that_does_not_play(folder: Path) -> None:
    command = [sys.executable, "-m", "unittest"]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}

    def run() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)

    ran = run()
    assert ran.returncode == 0 and "Ran 1 test" in ran.stderr, ran.stderr
    (folder / "main.py").write_text(LEGAL.replace("[0]", "[1000]"))
    ran = run()
    assert ran.returncode == 1 and "failures=2" in ran.stderr, ran.stderr


def test_every_task_runs(folder: Path, cli: Ludus) -> None:
    tasks = settings(folder, "tasks.json")["tasks"]
    assert len(tasks) == 4
    for task in tasks:
        python, *words = [task["command"], *task["args"]]
        assert python == sys.executable and words[:2] == ["-m", "ludus"]
        short = ["--seconds", "0.5"] if "analyse" in words else []
        ran = cli(*words[2:], *short)
        assert ran.code == 0, (task["label"], ran.err)


def test_the_launched_debugger_stops_inside_the_bot(folder: Path, cli: Ludus) -> None:
    """As VS Code starts it: under debugpy, which it brings along."""
    pytest.importorskip("debugpy")
    words = ("play", "reversi", folder, "random", "--openings", "none")
    assert cli(*words).code == 0
    launch = settings(folder, "launch.json")["configurations"][0]
    assert (launch["type"], launch["request"], launch["module"]) == ("debugpy", "launch", "ludus")
    arguments = [word.replace("${input:step}", "3") for word in launch["args"]]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    debugpy = ["-m", "debugpy", "--listen", f"127.0.0.1:{port}", "--wait-for-client"]
    with subprocess.Popen(
        [launch["python"], *debugpy, "-m", launch["module"], *arguments],
        cwd=launch["cwd"],
        env={
            **os.environ,
            **launch["env"],
            "PYTHONPATH": os.pathsep.join([str(SOURCE), *filter(None, sys.path)]),
            "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        },
        stdout=subprocess.PIPE,
        text=True,
    ) as ludus:
        assert ludus.stdout is not None
        try:
            with DebugClient(port) as client:
                function, file, _ = client.wait_for_stop()
                assert (function, file) == ("move", str(folder / "main.py"))
                client.resume()
                assert any("step 3: answered" in line for line in ludus.stdout)
            assert ludus.wait() == 0
        finally:
            ludus.kill()


def test_bots_of_other_languages_get_tasks_only(cli: Ludus, tmp_path: Path) -> None:
    words = ("--game", "reversi", "--folder", "--language", "cpp", "--lang", "zh")
    assert cli("new", "bot", tmp_path / "mine", *words).code == 0
    assert (tmp_path / "mine" / "main.cpp").is_file()
    assert os.listdir(tmp_path / "mine" / ".vscode") == ["tasks.json"]
    labels = [task["label"] for task in settings(tmp_path / "mine", "tasks.json")["tasks"]]
    assert labels[0] == "Ludus：对局并观看"


def test_a_folder_that_exists_or_has_a_suffix_is_refused(cli: Ludus, folder: Path) -> None:
    again = cli("new", "bot", folder, "--game", "reversi", "--folder")
    assert again.code == 2 and "exists already; nothing was written" in again.err
    file = cli("new", "bot", folder.parent / "x.py", "--game", "reversi", "--folder")
    assert file.code == 2 and "a bot's folder has no suffix, got 'x.py'" in file.err
    assert "--language python or cpp or javascript" in file.err
