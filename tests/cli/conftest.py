"""A person with an empty home who types commands."""

from pathlib import Path

import pytest

from ludus.cli.main import run
from tests.support.cli import LEGAL, Ludus, Ran, WriteBot
from tests.support.shared_caches import keep_builds


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty $LUDUS_HOME; English, no terminal."""
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LUDUS_LANG", "en")
    keep_builds(monkeypatch)
    for name in ("COLUMNS", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "home"


@pytest.fixture
def cli(home: Path, capsys: pytest.CaptureFixture[str]) -> Ludus:
    """Runs a command line in this process."""

    def call(*arguments: object) -> Ran:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        return Ran(code, *capsys.readouterr())

    return call


@pytest.fixture
def chinese(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_LANG", "zh")


@pytest.fixture
def bot(tmp_path: Path) -> WriteBot:
    """Writes a bot's file."""

    def write(text: str = LEGAL, name: str = "mine.py") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write
