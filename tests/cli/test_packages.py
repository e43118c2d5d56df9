"""Packages beside Ludus: how they come there, and what Ludus itself is called among them."""

import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

import ludus
from ludus.cli.add import drop_no_news
from ludus.packages import DISTRIBUTION_NAME, add_command
from tests.support.cli import Ludus

ROOT = Path(ludus.__file__).parents[2]


def test_the_distribution_is_called_otherwise_than_the_module() -> None:
    facts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert facts["name"] == DISTRIBUTION_NAME == "ludus-arena"
    assert facts["scripts"] == {"ludus": "ludus.cli.main:main"}
    assert any(each.startswith(DISTRIBUTION_NAME) for each in facts["optional-dependencies"]["dev"])
    assert metadata.version(DISTRIBUTION_NAME) == ludus.__version__


def test_a_package_is_installed_where_bots_find_it(cli: Ludus, tmp_path: Path) -> None:
    wheel = tmp_path / "ludus_test_gift-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        facts = "ludus_test_gift-1.dist-info"
        packed.writestr("gift.py", "WORD = 'given'")
        packed.writestr(
            f"{facts}/METADATA", "Metadata-Version: 2.1\nName: ludus-test-gift\nVersion: 1\n"
        )
        packed.writestr(
            f"{facts}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        packed.writestr(f"{facts}/RECORD", "")
    target = tmp_path / "site"  # the environment of the tests is left as it is
    asked = ("--no-deps", "--no-index", "--target", target, wheel)
    ran = cli("add", "--quiet", *asked)
    assert ran.code == 0
    assert (target / "gift.py").is_file()
    assert cli("add", "--no-index", "--quiet", "ludus-test-no-such-package").code == 2
    assert cli("add").code == 2


def test_a_question_of_pip_is_shown_at_once_and_what_is_no_news_never() -> None:
    told = list[str]()

    def pip() -> Iterator[str]:
        yield "Looking in indexes\nUser for pypi.example: "
        assert "".join(told).endswith("\nUser for pypi.example: ")
        yield "Password: \nRequirement alr"
        yield "eady satisfied: click\nRequired"
        assert told[-1] == "Required"
        yield " by hand\nRequirement already satisfied: rich"

    for text in drop_no_news(pip()):
        told.append(text)
    assert "".join(told) == (
        "Looking in indexes\nUser for pypi.example: Password: \nRequired by hand\n"
    )


def test_python_is_the_interpreter_of_ludus() -> None:
    code = "import sys, ludus; print(sys.executable, sys.argv[1:], ludus.__version__)"
    command = [sys.executable, "-m", "ludus", "python", "-c", code, "--help", "-x"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout == f"{sys.executable} ['--help', '-x'] {ludus.__version__}\n"
    failed = subprocess.run([*command[:4], "-c", "raise SystemExit(7)"], timeout=60)
    assert failed.returncode == 7


def test_messages_name_the_command_that_was_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_CALLED", "./ludus")
    assert add_command("jax") == "./ludus add jax"
    monkeypatch.delenv("LUDUS_CALLED")
    assert add_command("[learn]") == "ludus add 'ludus-arena[learn]'"


def test_nothing_tells_people_to_install_other_packages_by_pip() -> None:
    """Which pip that would be, no one knows: not the one of .venv."""
    places = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    places += [*(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.tmpl")]
    other = re.compile(
        r"pip install (?!(--\S+ )*'?(\[\^|ludus-arena|__PACKAGE__|\{DISTRIBUTION_NAME\}))"
    )
    saying = [
        str(path.relative_to(ROOT))
        for path in places
        if other.search(path.read_text(encoding="utf-8"))
    ]
    assert saying == ["src/ludus/cli/add.py"]  # what its help says it is like
