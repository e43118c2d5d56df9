"""What ``ludus new`` writes works at once; what it refuses leaves nothing behind."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from ludus.bots import load, resolve
from ludus.bots.bot_templates import NATIVE_DIALECT, SOURCE_SUFFIXES, find_template
from ludus.bots.players.create import create_player
from ludus.bots.players.local import LocalPlayer
from ludus.cli import scaffold
from ludus.errors import LudusError
from ludus.games import get, names
from ludus.games.registry import open_game
from ludus.match import replay, series
from tests.support.languages import need
from tests.support.shared_caches import hasten_compilers, keep_builds

DUEL = get("duel2048")


@pytest.fixture(autouse=True)
def in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_LANG", "en")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new game, with a title that would break careless quoting."""
    folder = tmp_path_factory.mktemp("games")
    scaffold.write_game("three_stones", folder, 'The "Three"\nStones \\ 三子')
    return folder / "three_stones"


@pytest.fixture(scope="module")
def installed(project: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Folders for PYTHONPATH that make the new game look installed."""
    facts = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    site = tmp_path_factory.mktemp("site")
    info = site / f"{facts['name'].replace('-', '_')}-{facts['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {facts['name']}\nVersion: {facts['version']}\n")
    [(name, target)] = facts["entry-points"]["ludus.games"].items()
    (info / "entry_points.txt").write_text(f"[ludus.games]\n{name} = {target}\n")
    return [str(site), str(project / "src")]


def run(arguments: list[str], folders: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    """Python with some more folders to import from."""
    known = [path for path in sys.path if path]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([*folders, *known]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
    }
    environment.pop("PYTEST_ADDOPTS", None)
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


def test_a_new_game_is_a_complete_project(project: Path) -> None:
    files = sorted(str(p.relative_to(project)) for p in project.rglob("*") if p.is_file())
    assert files == [
        "README.md",
        "pyproject.toml",
        "src/three_stones/__init__.py",
        "src/three_stones/bots/random.py",
        "src/three_stones/guide/en.md",
        "src/three_stones/guide/pictures.toml",
        "src/three_stones/guide/zh.md",
        "tests/test_three_stones.py",
    ]
    for file in files:
        text = (project / file).read_text(encoding="utf-8")
        assert not re.findall(r"__[A-Z]+__", text), f"a placeholder is left in {file}"
    facts = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert facts["description"] == 'The "Three" Stones \\ 三子'
    assert facts["entry-points"] == {"ludus.games": {"three_stones": "three_stones:GAME"}}


def test_the_wheel_of_a_new_game_takes_its_guide_and_its_openings_along(
    project: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(project, tmp_path / "project")
    (copy / "src" / "three_stones" / "openings.txt").write_text("")
    build = "from setuptools.build_meta import build_wheel; print(build_wheel('.'))"
    done = run(["-c", build], [], copy)
    assert done.returncode == 0, done.stdout + done.stderr
    [wheel] = copy.glob("*.whl")
    assert {name for name in zipfile.ZipFile(wheel).namelist() if "dist-info" not in name} == {
        *("three_stones/__init__.py", "three_stones/bots/random.py", "three_stones/openings.txt"),
        *(f"three_stones/guide/{name}" for name in ("en.md", "zh.md", "pictures.toml")),
    }


def test_a_new_game_passes_its_own_tests_and_the_contract(project: Path) -> None:
    done = run(["-m", "pytest", "-q", "-p", "no:cacheprovider"], [], project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"1\d passed", done.stdout)


PLAY_IT = """
import sys
from pathlib import Path
from ludus.bots.resolve import resolve_bot
from ludus.bots.load import load_bot
from ludus.bots.players.create import create_player
from ludus.bots.players.local import LocalPlayer
from ludus.cli.scaffold import write_bot
from ludus.games import get, names
from ludus.match import replay, series

assert "three_stones" in names()
game = get("three_stones")
assert game.title["en"] == 'The "Three" Stones \\\\ 三子'
own = write_bot(Path(sys.argv[1]), game, None, "zh")

def player(spec):
    source = resolve_bot(spec, game)
    return LocalPlayer(source.name, lambda: load_bot(source.path, game), source.digest)

wins = 0.0
for played in series(game, game.Options(), [player(str(own)), player("random")], 40, 3):
    assert played.record.faults == []
    replay.verify(played.record)
    wins += played.score(0)
print(wins)

jailed = [create_player(resolve_bot(spec, game), game) for spec in ("search:20", "random")]
for played in series(game, game.Options(), jailed, 2, 3):
    assert played.record.faults == [], played.record.faults
"""


def test_an_installed_new_game_is_found_and_played(
    project: Path, installed: list[str], tmp_path: Path
) -> None:
    done = run(["-c", PLAY_IT, str(tmp_path / "mine.py")], installed, tmp_path)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) > 20, "a bot that takes a win beats random moves"


def test_a_name_that_is_taken_by_an_installed_game_is_refused(
    installed: list[str], tmp_path: Path
) -> None:
    code = (
        "from pathlib import Path; from ludus.cli import scaffold;"
        "scaffold.write_game('three_stones', Path('.'))"
    )
    done = run(["-c", code], installed, tmp_path)
    assert "there is a game 'three_stones' already" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "lower-case letters"),
        ("two words", "lower-case letters"),
        ("my-game", "lower-case letters"),
        ("3stones", "lower-case letters"),
        ("Stones", "lower-case letters"),
        ("_stones", "lower-case letters"),
        ("../stones", "lower-case letters"),
        ("棋", "lower-case letters"),
        ("class", "word of the Python language"),
        ("match", "word of the Python language"),
        ("duel2048", "there is a game"),
        ("random", "installed Python module"),
        ("ludus", "installed Python module"),
    ],
)
def test_a_bad_name_for_a_game_is_refused_and_nothing_written(
    name: str, why: str, tmp_path: Path
) -> None:
    with pytest.raises(LudusError) as refusal:
        scaffold.write_game(name, tmp_path / "games", None)
    assert why in refusal.value.text["en"]
    assert refusal.value.text["zh"] != refusal.value.text["en"]
    assert list(tmp_path.iterdir()) == []


def test_an_existing_folder_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "stones").mkdir()
    (tmp_path / "stones" / "mine.txt").write_text("keep")
    with pytest.raises(LudusError, match="exists already"):
        scaffold.write_game("stones", tmp_path, None)
    assert [p.name for p in tmp_path.rglob("*")] == ["stones", "mine.txt"]


def test_a_full_disk_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_text = Path.write_text

    def fail_on_rules(self: Path, *args: object, **more: object) -> int:
        write_text(self, *args, **more)
        if self.name in ("__init__.py", "mine.py"):
            raise OSError(28, "No space left on device")
        return 0

    monkeypatch.setattr(Path, "write_text", fail_on_rules)
    with pytest.raises(LudusError, match="No space left on device"):
        scaffold.write_game("stones", tmp_path, None)
    with pytest.raises(LudusError, match="No space left on device"):
        scaffold.write_bot(tmp_path / "mine.py", DUEL, None, "en")
    assert list(tmp_path.iterdir()) == []


def test_a_game_without_a_title_is_called_by_its_name(tmp_path: Path) -> None:
    scaffold.write_game("go_stones", tmp_path, "  ")
    text = (tmp_path / "go_stones" / "src" / "go_stones" / "__init__.py").read_text("utf-8")
    assert 'title = Text("go_stones", "go_stones")' in text
    assert "class GoStones(Game)" in text


# Bots.


@pytest.mark.parametrize("lang", scaffold.COMMENT_LANGUAGES)
@pytest.mark.parametrize("dialect", [None, "native", "Player"])
def test_a_new_bot_plays_whole_bouts_on_both_seats(
    dialect: str | None, lang: str, tmp_path: Path
) -> None:
    path = scaffold.write_bot(tmp_path / "mine.py", DUEL, dialect, lang)
    text = path.read_text(encoding="utf-8")
    assert not re.findall(r"__[A-Z]+__", text)
    assert ("class Player" in text) == (dialect == "Player")
    assert DUEL.title[lang] in text
    source = resolve.resolve_bot(str(path), DUEL)
    house = resolve.resolve_bot("random", DUEL)
    players = [
        LocalPlayer(each.name, lambda each=each: load.load_bot(each.path, DUEL))
        for each in (source, house)
    ]
    for played in series(DUEL, DUEL.Options(rounds=60), players, 2, 1):
        assert played.record.faults == []
        replay.verify(played.record)


@pytest.mark.parametrize("language", ["cpp", "javascript"])
def test_a_new_bot_in_another_language_plays_whole_bouts(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In English; comments_are_all_that_differs below. Optimised, as for everybody."""
    need(language)
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    keep_builds(monkeypatch)
    path = scaffold.write_bot(tmp_path / "mine", DUEL, None, "en", language)
    assert path.suffix == SOURCE_SUFFIXES[language]
    assert not re.findall(r"__[A-Z]+__", path.read_text(encoding="utf-8"))
    players = [
        create_player(resolve.resolve_bot(spec, DUEL), DUEL) for spec in (str(path), "random")
    ]
    for played in series(DUEL, DUEL.Options(rounds=60), players, 2, 1):
        assert played.record.faults == []
        replay.verify(played.record)


def test_a_files_suffix_tells_its_language(tmp_path: Path) -> None:
    path = scaffold.write_bot(tmp_path / "mine.mjs", DUEL)
    assert 'from "ludus"' in path.read_text(encoding="utf-8")
    with pytest.raises(LudusError, match="written in Python"):
        scaffold.write_bot(tmp_path / "mine.cpp", DUEL, "Player")
    with pytest.raises(LudusError, match=r"ends in \.cpp"):
        scaffold.write_bot(tmp_path / "mine.py", DUEL, None, "en", "cpp")


@pytest.mark.parametrize("name", names())
def test_every_kind_of_bot_of_our_games_has_a_template_in_both_languages(name: str) -> None:
    game = get(name)
    for dialect in (NATIVE_DIALECT, *game.dialects):
        for lang in scaffold.COMMENT_LANGUAGES:
            assert find_template(game, dialect, "python", lang)


@pytest.mark.parametrize("suffix", [".cpp", ".mjs"])
def test_comments_are_all_that_differs_in_other_languages_too(suffix: str, tmp_path: Path) -> None:
    def code(lang: str) -> str:
        path = scaffold.write_bot(tmp_path / f"{lang}{suffix}", DUEL, None, lang)
        text = re.sub(r"/\*(.|\n)*?\*/|//.*", "", path.read_text(encoding="utf-8"))
        return re.sub(r"\s+", " ", text)

    assert code("en") == code("zh")


@pytest.mark.parametrize("dialect", ["native", "Player"])
def test_comments_are_all_that_differs_between_languages(dialect: str, tmp_path: Path) -> None:
    def code(lang: str) -> list[str]:
        path = scaffold.write_bot(tmp_path / f"{lang}.py", DUEL, dialect, lang)
        text = re.sub(r'"""(.|\n)*?"""', "", path.read_text(encoding="utf-8"))
        return [line.split("#")[0].rstrip() for line in text.splitlines()]

    assert code("en") == code("zh")


def test_a_file_without_a_suffix_gets_one(tmp_path: Path) -> None:
    assert scaffold.write_bot(tmp_path / "new" / "mine", DUEL, None, "en").name == "mine.py"


@pytest.mark.parametrize(
    ("file", "dialect", "lang", "why"),
    [
        ("mine.txt", None, "en", "ends in .py"),
        ("random.py", None, "en", "hide Python's own module 'random'"),
        ("there.py", None, "en", "exists already"),
        ("mine.py", "Plaser", "en", "there are: native, Player"),
        ("mine.py", None, "fr", "not in 'fr'"),
    ],
)
def test_a_bad_bot_file_is_refused_and_nothing_written(
    file: str, dialect: str | None, lang: str, why: str, tmp_path: Path
) -> None:
    (tmp_path / "there.py").write_text("keep")
    with pytest.raises(LudusError) as refusal:
        scaffold.write_bot(tmp_path / file, DUEL, dialect, lang)
    assert why in refusal.value.text["en"]
    assert refusal.value.text["zh"] != refusal.value.text["en"]
    assert [p.name for p in tmp_path.iterdir()] == ["there.py"]
    assert (tmp_path / "there.py").read_text() == "keep"


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LudusError, match="cannot write"):
        scaffold.write_bot(tmp_path / "file" / "mine.py", DUEL, None, "en")
    with pytest.raises(LudusError, match="cannot write"):
        scaffold.write_game("stones", tmp_path / "file", None)


# Games for Saiblo


@pytest.fixture
def sticks(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    need("cpp")
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    keep_builds(monkeypatch)
    written = scaffold.write_saiblo_game("sticks", tmp_path, "Sticks", request.param)
    for path in written:
        assert not re.findall(r"__[A-Z]+__", path.read_text(encoding="utf-8")), path
    return tmp_path / "sticks"


HASTY_PYTEST = """
import sys, pytest
from ludus.bots.languages.cpp import Cpp
Cpp.optimisation = "-Og"
sys.exit(pytest.main(sys.argv[1:]))
"""
"""As ``hasten_compilers``, in another process."""


@pytest.mark.parametrize("sticks", ["python", "cpp"], indirect=True)
def test_a_new_saiblo_game_passes_its_own_tests(sticks: Path) -> None:
    tests = str(sticks / "tests")
    command = [sys.executable, "-P", "-c", HASTY_PYTEST, "-q", "-p", "no:cacheprovider", tests]
    ran = subprocess.run(command, cwd=sticks, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout[-3000:]
    assert "3 passed" in ran.stdout


@pytest.mark.parametrize("sticks", ["python"], indirect=True)
def test_a_new_saiblo_game_tells_readers_its_rules_and_not_how_it_is_developed(
    sticks: Path,
) -> None:
    game = open_game(str(sticks))
    for language, word in (("en", "whoever takes the last one wins"), ("zh", "取到最后一根者胜")):
        rules = game.rules_text(game.Options(), language)
        assert word in rules and "ludus" not in rules.lower() and "`3`" in rules


@pytest.mark.parametrize("sticks", ["python"], indirect=True)
@pytest.mark.parametrize("suffix", [".py", ".cpp"])
def test_comments_are_all_that_differs_in_bots_for_a_saiblo_game(
    sticks: Path, suffix: str, tmp_path: Path
) -> None:
    game = open_game(str(sticks))

    def code(lang: str) -> str:
        path = tmp_path / lang / f"mine{suffix}"
        text = scaffold.write_bot(path, game, None, lang, None, str(sticks)).read_text("utf-8")
        assert f"ludus play {sticks} mine{suffix} careful" in text
        comments = r'"""(.|\n)*?"""|#(?!include).*|/\*(.|\n)*?\*/|//.*'
        return re.sub(r"\s+", " ", re.sub(comments, "", text))

    assert code("en") == code("zh")


@pytest.mark.parametrize("sticks", ["python"], indirect=True)
def test_a_new_bot_for_a_saiblo_game_plays_it(
    sticks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasten_compilers(monkeypatch)
    game = open_game(str(sticks))
    for suffix in (".py", ".cpp"):
        path = scaffold.write_bot(tmp_path / f"mine{suffix}", game, None, "en", None, str(sticks))
        players = [
            create_player(resolve.resolve_bot(spec, game), game) for spec in (str(path), "careful")
        ]
        for played in series(game, game.Options(), players, 2, 1):
            assert played.record.verdict == "rules"
            assert "IA" not in played.record.moves[-1]
            replay.verify(played.record)


@pytest.mark.parametrize("sticks", ["python"], indirect=True)
def test_a_saiblo_game_has_no_templates_in_other_languages(sticks: Path, tmp_path: Path) -> None:
    with pytest.raises(LudusError, match="no template"):
        scaffold.write_bot(tmp_path / "mine.mjs", open_game(str(sticks)))
