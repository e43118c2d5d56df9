"""Games in folders: opened by the person who types their path, and by nobody else."""

import json
import os
import re
from pathlib import Path

import pytest

import ludus
from ludus.errors import LudusError
from ludus.games import registry
from tests.support.cli import Ludus
from tests.support.talking import HAND, PROTOCOL, ROCK_PAPER_SCISSORS

SOURCE = Path(ludus.__file__).parent


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "desk").mkdir()
    monkeypatch.chdir(tmp_path / "desk")
    return tmp_path / "desk"


def game(folder: Path, manifest: str = "", name: str = "rps") -> Path:
    (folder / "ais").mkdir(parents=True)
    facts = manifest or 'logic = "python3+logic.py"\nbots = "ais"\ntime = 20.0\n'
    (folder / "saiblo.toml").write_text(f'name = "{name}"\n{facts}')
    (folder / "logic.py").write_text(PROTOCOL + ROCK_PAPER_SCISSORS)
    for hand in ("rock", "paper"):
        (folder / "ais" / f"{hand}.py").write_text(PROTOCOL + HAND.format(hand=hand))
    return folder


def test_only_the_command_line_and_the_python_api_open_paths() -> None:
    """Both take the words of the machine's owner; whatever else asks for a game gives its name."""
    found = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if "registry" in (text := path.read_text())
        if re.search(r"registry(\.| import (\([^)]*?|[^\n(]*?)\b)open_(game|folder)\b", text)
    }
    assert {path for path in found if not path.startswith(("api/", "cli/"))} == {"match/spec.py"}


def test_a_path_is_no_name(desk: Path) -> None:
    game(desk / "rps")
    for word in ("./rps", str(desk / "rps"), "../desk/rps", "rps", "./rps:2"):
        for find in (registry.get, registry.get_listed):
            with pytest.raises(LudusError, match="there is no game"):
                find(word)
    registry.open_game("./rps")
    assert registry.get("rps").name == "rps"
    with pytest.raises(LudusError, match="there is no game"):
        registry.get_listed("rps")


def test_a_folder_without_a_manifest_is_told(cli: Ludus, tmp_path: Path) -> None:
    ran = cli("match", tmp_path, "a", "b")
    assert ran.code == 2
    assert f"{tmp_path} is a folder without a botzone.toml or saiblo.toml" in ran.err


@pytest.mark.parametrize("name", ["uno", "reversi"])
def test_a_folder_replaces_no_game_of_the_machine(desk: Path, name: str) -> None:
    game(desk / "mine", name=name)
    with pytest.raises(LudusError, match=f"is called '{name}', as another game of this machine"):
        registry.open_game("./mine")
    assert getattr(registry.get(name), "folder", None) != desk / "mine"


def test_a_folder_on_a_shelf_may_be_called_otherwise(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game(desk / "rps-main")
    monkeypatch.setenv("LUDUS_GAMES", str(desk))
    assert registry.get_listed("rps-main").name == "rps"
    assert registry.get_listed("rps").name == "rps"


def test_workers_are_told_where_a_game_lies(cli: Ludus, desk: Path) -> None:
    game(desk / "rps")
    ran = cli("match", "./rps", "rock", "paper", "--bouts", 4, "--jobs", 2, "--json", "--no-save")
    assert ran.code == 0, ran
    assert len(json.loads(ran.out)["bouts"]) == 4


SECRET = "MARK-OF-A-SECRET"


@pytest.mark.parametrize(
    ("key", "word"),
    [
        ("logic", "python3+logic.py+{secret}"),
        ("logic", "{secret}"),
        ("logic", "cat+../closed/secret.txt"),
        ("logic", "cat+link"),
        ("logic", "../closed/run.sh"),
        ("logic", "python3+/usr/../{secret}"),
        ("bots", "/etc"),
        ("bots", "../closed"),
        ("bots", "links"),
        ("scene", "{secret}"),
        ("scene", "link"),
        ("scene", "pipe"),
    ],
)
def test_a_game_that_somebody_downloaded_opens_no_file_of_the_player(
    cli: Ludus, desk: Path, key: str, word: str
) -> None:
    closed = desk / "closed"
    closed.mkdir(mode=0o700)
    (closed / "secret.txt").write_text(SECRET)
    (closed / "run.sh").write_text("#!/bin/sh\ncat secret.txt\n")
    (closed / "run.sh").chmod(0o755)
    said = word.format(secret=closed / "secret.txt")
    facts = {"logic": "python3+logic.py", "bots": "ais", key: said}
    folder = game(desk / "game", "".join(f'{name} = "{value}"\n' for name, value in facts.items()))
    (folder / "link").symlink_to(closed / "secret.txt")
    (folder / "links").symlink_to(closed)
    os.mkfifo(folder / "pipe")
    ran = cli("play", "./game", "rock", "paper", "--save", desk / "kept")
    assert ran.code == 2, ran
    assert f"saiblo.toml: {key} = " in ran.err
    assert "a manifest may only refer to its own folder" in ran.err
    assert SECRET not in f"{ran}"
    assert not (desk / "kept").exists()


DEEP = "[" * 3000 + "]" * 3000
ODD = {
    "a huge number": f"version = {'9' * 5000}",
    "a number of 400 digits": f"time = {'9' * 400}",
    "endless": "time = inf",
    "no number": "silence = nan",
    "a month": "match_time = 2592000",
    "gigabytes": "length = 99999999999",
    "deep": f"config = {{x = {DEEP}}}",
    "deep keys": f"{'.'.join('a' * 3000)} = 1",
    "a huge number for the logic": f"config = {{x = 0x{'f' * 5000}}}",
    "a date for the logic": "config = {x = 2020-01-01}",
    "no number for the logic": "config = {x = nan}",
}


@pytest.mark.parametrize("line", ODD.values(), ids=ODD)
def test_an_odd_manifest_is_refused_in_a_sentence(cli: Ludus, desk: Path, line: str) -> None:
    game(desk / "game", f'logic = "python3+logic.py"\n{line}\n')
    ran = cli("play", "./game", "rock", "paper")
    assert (ran.code, ran.out) == (2, "")
    assert str(desk / "game" / "saiblo.toml") in ran.err and len(ran.err) < 600, ran.err


def test_an_odd_config_is_refused_in_a_sentence(cli: Ludus, desk: Path) -> None:
    game(desk / "game")
    ran = cli("play", "./game", "rock", "paper", "-o", f"config={DEEP}")
    assert ran.code == 2 and "the config must be a JSON object" in ran.err
    assert len(ran.err) < 600, ran.err


def test_an_ai_that_is_a_link_out_of_its_game_is_refused(cli: Ludus, desk: Path) -> None:
    folder = game(desk / "game")
    (desk / "mine.py").write_text("")
    (folder / "ais" / "rock.py").unlink()
    (folder / "ais" / "rock.py").symlink_to(desk / "mine.py")
    ran = cli("play", "./game", "rock", "paper")
    assert ran.code == 2
    assert "a link out of the game's folder" in ran.err


def test_an_ai_called_like_a_command_is_none(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name from the page is looked up among the game's files, whatever it looks like."""
    from ludus.server.bots.catalogue import BotCatalogue

    folder = game(desk / "rps")
    (folder / "ais" / "cmd:cat .py").write_text("")
    monkeypatch.setenv("LUDUS_GAMES", str(desk))
    source = BotCatalogue().find("cmd:cat ", registry.get_listed("rps"))
    assert list(source.build_spec.files) == ["/bot/cmd:cat .py"]


def test_games_that_lend_each_other_their_boards_are_refused(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, other in (("here", "there"), ("there", "here")):
        game(desk / name, f'logic = "logic.py"\nlike = "{other}"\n', name)
    monkeypatch.setenv("LUDUS_GAMES", str(desk))
    rules = registry.get_listed("here")
    with pytest.raises(LudusError, match="has no board of its own"):
        rules.scene(rules.Options())


def test_the_command_that_a_person_types_may_name_files_anywhere(cli: Ludus, desk: Path) -> None:
    folder = game(desk / "rps")
    (desk / "elsewhere").mkdir()
    os.chdir(desk / "elsewhere")
    ais = [f"python3+{folder}/ais/{hand}.py" for hand in ("rock", "paper")]
    seed = ("--config", '{"random_seed": 1}')
    ran = cli("judge", "--json", *seed, f"python3+{folder}/logic.py", *ais, "replay.json")
    assert ran.code == 0, ran
