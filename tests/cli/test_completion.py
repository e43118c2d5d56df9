"""The tab key in real shells, with the scripts that ``ludus completion`` prints."""

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.cli import SOURCE, Ludus

SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source {script}"),
    "zsh": (["zsh", "-f", "-i"], "autoload -Uz compinit; compinit -u -D; source {script}"),
}
SECONDS = 60


@pytest.fixture
def shell_environment(tmp_path: Path, home: Path) -> dict[str, str]:
    """A path with a ``ludus`` of these sources."""
    program = tmp_path / "bin/ludus"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ludus "$@"\n')
    program.chmod(0o755)
    path = os.pathsep.join([str(program.parent), os.environ["PATH"]])
    settings = {"PATH": path, "PYTHONPATH": str(SOURCE), "HOME": str(tmp_path), "TERM": "dumb"}
    return {**os.environ, **settings}


def save_script(cli: Ludus, shell: str, folder: Path) -> Path:
    script = folder / f"completion.{shell}"
    script.write_text(cli("completion", shell).out)
    return script


@pytest.mark.parametrize("shell", SHELLS)
def test_the_tab_key_completes_a_command_in_a_shell(
    shell: str, cli: Ludus, tmp_path: Path, shell_environment: dict[str, str]
) -> None:
    if not shutil.which(shell):
        pytest.skip(f"there is no {shell} here")
    command, load = SHELLS[shell]
    screen, terminal = pty.openpty()
    running = subprocess.Popen(
        command,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=shell_environment,
        cwd=tmp_path,
        start_new_session=True,
    )
    os.close(terminal)
    try:
        prepare = load.format(script=save_script(cli, shell, tmp_path))
        os.write(screen, f"{prepare}; echo rea''dy\n".encode())
        wait_for_text(screen, "ready")
        os.write(screen, b"ludus replay ver\t")
        wait_for_text(screen, "ludus replay verify")
    finally:
        running.kill()
        running.wait()
        os.close(screen)


def wait_for_text(screen: int, text: str) -> None:
    """Read from a terminal until a text appears."""
    seen = ""
    until = time.monotonic() + SECONDS
    while text not in seen:
        assert time.monotonic() < until, seen
        if select.select([screen], [], [], 0.5)[0]:
            seen += os.read(screen, 65536).decode(errors="replace")


def test_the_tab_key_writes_nothing_into_the_prompt(shell_environment: dict[str, str]) -> None:
    """Whatever language is asked for."""
    asked = {"_LUDUS_COMPLETE": "bash_complete", "COMP_WORDS": "ludus pla", "COMP_CWORD": "1"}
    ran = subprocess.run(
        [sys.executable, "-m", "ludus"],
        env={**shell_environment, **asked, "LUDUS_LANG": "xx"},
        capture_output=True,
        text=True,
    )
    assert "play" in ran.stdout and ran.stderr == ""


def test_fish_completes_commands_and_games(
    cli: Ludus, tmp_path: Path, shell_environment: dict[str, str]
) -> None:
    if not shutil.which("fish"):
        pytest.skip("there is no fish here")
    script = save_script(cli, "fish", tmp_path)
    asked = f"source {script}; complete -C 'ludus replay ver'; complete -C 'ludus play du'"
    ran = subprocess.run(
        ["fish", "--no-config", "-c", asked], env=shell_environment, capture_output=True, text=True
    )
    found = [line.split("\t")[0] for line in ran.stdout.splitlines()]
    assert found == ["verify", "duel2048"], ran.stderr
