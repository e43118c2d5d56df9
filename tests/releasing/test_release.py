"""What ``tools/release`` checks, in small: the sources, and a wheel as a new user has it."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
import yaml

from ludus.cli.command_registry import COMMANDS
from tools.releasing.pythons import VERSIONS, select_build_tools
from tools.releasing.source_checks import (
    find_changelog_problems,
    find_source_problems,
    find_tree_problems,
    read_version,
)
from tools.releasing.wheels import (
    NEEDED_FILES,
    build_plain_wheel,
    build_sdist,
    find_wheel_problems,
    unpack_sdist,
)

ROOT = Path(__file__).parents[2]
WORKFLOWS = ROOT / ".github/workflows"
PLAY = ("play", "tablut", "greedy", "random", "--seed", "1")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the sdist alone, uncompiled."""
    if not (ROOT / "src/ludus/server/page/index.html").is_file():
        pytest.skip("the page is not built")
    folder = tmp_path_factory.mktemp("release")
    sdist = build_sdist(ROOT, folder / "out", folder / "egg")
    sources = unpack_sdist(sdist, folder / "sources")
    return build_plain_wheel(sources, Path(sys.executable), folder / "out")


def test_a_wheel_of_the_sdist_has_everything(wheel: Path) -> None:
    assert list(find_wheel_problems(wheel, [])) == []
    (missing,) = find_wheel_problems(wheel, ["src/ludus/games/tablut/board.py"])
    assert missing.endswith("has ludus/games/tablut/board uncompiled")
    facts = f"ludus_arena-{read_version(ROOT)}.dist-info/METADATA"
    with zipfile.ZipFile(wheel) as packed:
        lines = packed.read(facts).decode().splitlines()
    needed = [line for line in lines if line.startswith("Requires-Dist") and "extra" not in line]
    assert needed and not [line for line in needed if "cython" in line or "onnx" in line]


def test_a_wheel_that_lacks_something_is_refused(tmp_path: Path) -> None:
    poor = tmp_path / "poor.whl"
    with zipfile.ZipFile(poor, "w") as packed:
        packed.writestr("ludus/games/tablut/board.c", "")
    found = list(find_wheel_problems(poor, []))
    assert len(found) == len(NEEDED_FILES) + 1 and "board.c" in found[-1]


def test_it_plays_without_compiler_home_and_terminal_in_any_folder(
    wheel: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "a folder 文件夹"
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder / "site")
    here = folder / "work"
    here.mkdir()
    packages = sysconfig.get_path("purelib")
    start = f"import sys; sys.path[1:1] = [{str(folder / 'site')!r}, {packages!r}]"
    code = f"{start}; from ludus.cli.main import main; main()"
    ran = subprocess.run(
        [sys.executable, "-S", "-P", "-c", code, *PLAY],
        cwd=here,
        env={"PATH": "/nonexistent", "LUDUS_HOME": str(here / "home"), "LUDUS_LANG": "en"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        start_new_session=True,
    )
    assert ran.returncode == 0 and "wins" in ran.stdout, ran.stdout + ran.stderr
    assert list((here / "home/records").glob("*.ludus"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("## 1.2.3 (2030-01-02)\n\n- A line.\n", ""),
        ("## 1.2.3 (2030-01-02)\n\nThe first one.\n\n### Games\n\n- A line.\n", ""),
        ("## 1.2.3 (2030-01-02)\n\n## 1.2.2 (2029-01-02)\n\n- A line.\n", "no lines"),
        ("## Unreleased\n\n- A line.\n", "a release needs"),
        ("## 1.2.2 (2030-01-02)\n\n- A line.\n", "pyproject.toml says 1.2.3"),
        ("Nothing.\n", "no headings"),
    ],
)
def test_the_changelog_must_begin_with_the_version(text: str, problem: str) -> None:
    found = list(find_changelog_problems(text, "1.2.3"))
    assert problem in "".join(found) and bool(problem) == bool(found)


def test_one_version_is_said_everywhere() -> None:
    """Between releases the changelog begins with “Unreleased”, and the page may not be built."""
    found = [each for each in find_source_problems(ROOT) if "is not built" not in each]
    assert [each for each in found if "“Unreleased”" not in each] == []


def test_the_tag_must_be_that_of_the_version_at_this_commit(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "one")
    assert list(find_tree_problems(tmp_path, "1.2.3")) == []
    git("tag", "v1.2.3")
    assert list(find_tree_problems(tmp_path, "1.2.3")) == [], "as when the tag is built"
    (other,) = find_tree_problems(tmp_path, "1.2.4")
    assert "has the tag v1.2.3" in other
    git("commit", "-q", "--allow-empty", "-m", "two")
    assert ["at another commit" in each for each in find_tree_problems(tmp_path, "1.2.3")] == [True]
    (tmp_path / "new.txt").touch()
    assert "not committed" in next(find_tree_problems(tmp_path, "1.2.4"))


def test_build_tools_come_from_the_lock_with_their_hashes() -> None:
    chosen = select_build_tools((ROOT / "requirements.lock").read_text())
    names = [line.split("==")[0] for line in chosen.splitlines() if line[:1].isalpha()]
    assert names == ["cython", "setuptools"] and chosen.count("--hash=") > 10


def test_workflows_run_what_contributors_run() -> None:
    test = yaml.safe_load((WORKFLOWS / "test.yml").read_text())["jobs"]["test"]
    assert test["strategy"]["matrix"]["python"] == list(VERSIONS)
    programs = [step["run"].split()[0] for step in test["steps"] if "run" in step]
    release = yaml.safe_load((WORKFLOWS / "release.yml").read_text())["jobs"]
    programs += [step["run"].split()[0] for step in release["build"]["steps"] if "run" in step]
    for program in programs:
        assert program == "sudo" or os.access(ROOT / program, os.X_OK), program
    versions = " ".join(f"cp3{each.split('.')[1]}-*" for each in VERSIONS)
    assert release["other-systems"]["steps"][1]["env"]["CIBW_BUILD"] == versions
    tried = release["other-systems"]["steps"][1]["env"]["CIBW_TEST_COMMAND"].split()
    assert tried[1] in COMMANDS and tuple(tried[1:]) == PLAY
