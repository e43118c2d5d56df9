"""The original's round-robin tool: its folders, its files and its way of taking players."""

from __future__ import annotations

import importlib.util
import io
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ludus.compat.duel2048 import constants, plat, records, round_match
from ludus.errors import LudusError
from tests.support.duel2048_scripts import BOTS, EXAMPLE, Steady

QUICK = {"REPEAT": 1, "ROUNDS": 2}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the golden bots and ``player.py`` in it."""
    folder = tmp_path / "here"
    shutil.copytree(BOTS, folder)
    shutil.copy(BOTS / "steady.py", folder / "player.py")
    monkeypatch.chdir(folder)
    return folder


def names_of(summary: str) -> list[str]:
    return re.findall(r"^name: (\d+) ->", summary, re.MULTILINE)


def class_from(file: str) -> Any:
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Player


PATCHER = """
class Player:
    def __init__(self, isFirst, array):
        pass

    def output(self, currentRound, board, mode):
        type(board).add = type(board).move = None
"""
MATCH = """
import sys
from ludus.compat.duel2048 import round_match
from ludus.games.duel2048 import board

print(board.__file__.endswith(".py"))
round_match.main(["patcher.py", "steady.py"], "made", REPEAT=1, ROUNDS=2, debug=True)
"""


@pytest.mark.parametrize("uncompiled", ["", "1"])
def test_a_bot_that_patches_the_board_s_class_fails_alone(here: Path, uncompiled: str) -> None:
    (here / "patcher.py").write_text(PATCHER)
    environment = {**os.environ, "LUDUS_UNCOMPILED": uncompiled}
    done = subprocess.run(
        [sys.executable, "-c", MATCH], capture_output=True, text=True, env=environment, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "True" or not uncompiled
    assert read(here / "made" / "_.txt").count("error: 1 at") == 2
    assert "immutable type" in read(here / "made" / "_Exceptions.txt")


def test_the_bouts_so_far_are_told_whatever_breaks(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = plat.Platform.play
    played: list[Any] = []

    def broken(platform: Any) -> Any:
        if played:
            raise RuntimeError("something of ours")
        played.append(platform)
        return play(platform)

    monkeypatch.setattr(plat.Platform, "play", broken)
    with pytest.raises(RuntimeError):
        round_match.main(["player", "steady"], "made", **QUICK)
    assert "total matches: 1\n" in read(here / "made" / "_.txt")


BUSY = "while True: pass"


class Thinker(Steady):
    """Needs 0.05 s of a core for each decision."""

    def output(self, currentRound: int, board: Any, mode: str) -> Any:
        until = time.thread_time() + 0.05
        while time.thread_time() < until:
            pass
        return super().output(currentRound, board, mode)


def test_a_busy_machine_costs_nobody_a_bout(tmp_path: Path) -> None:
    """Each thinks for 0.2 s of its 0.4; with two programs beside it that takes 0.6."""
    cores = os.sched_getaffinity(0)
    core = {min(cores)}
    busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(2)]
    try:
        for process in busy:
            os.sched_setaffinity(process.pid, core)
        os.sched_setaffinity(0, core)
        found = round_match.main(
            [Thinker, Thinker], str(tmp_path / "made"), toGet=True, REPEAT=1, ROUNDS=2, MAXTIME=0.4
        )
    finally:
        os.sched_setaffinity(0, cores)
        for process in busy:
            process.kill()
            process.wait()
    assert found is not None
    platforms = [platform for both in found.values() for platform in both]
    assert [platform.timeout for platform in platforms] == [None, None]


def test_the_golden_folder_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``round_match_example``, its times and names aside byte for byte."""
    names = names_of((EXAMPLE / "_.txt").read_text())
    played = [records.read(EXAMPLE / f"{name}.txt") for name in names]
    numbers = iter([n for record in played for n in array_of(record)])
    monkeypatch.setattr(plat.random, "randrange", lambda _: next(numbers))
    steady = class_from("steady.py")
    players = ["steady.py", "raiser.py", "cheater.py", ("sleeper.py", -0.25), steady]
    made = tmp_path / "made"
    round_match.main(players, str(made), debug=True, REPEAT=1, MAXTIME=1, ROUNDS=6)
    assert players == ["steady.py", "raiser.py", "cheater.py", "sleeper.py", steady]
    renamed = dict(zip(names_of((made / "_.txt").read_text()), names, strict=True))
    assert {renamed.get(path.stem, path.stem) for path in made.iterdir()} == {
        path.stem for path in EXAMPLE.iterdir()
    }
    for path in made.iterdir():
        name = renamed.get(path.stem, path.stem)
        text = re.sub(r"\d{9,}", lambda found: renamed[found[0]], read(path))
        assert same_times(plain(text), plain(read(EXAMPLE / f"{name}.txt"))), name
    sleeper = read(made / "_.txt").partition("player3 from path")[2]
    first, second = map(float, re.findall(r"average time: (\S+)", sleeper)[:2])
    # how long the sleeper took; a busy machine wakes it later
    assert 1.33 <= first < 2 * 1.35 and 0.99 <= second < 2 * 1.013


def array_of(record: records.Record) -> list[int]:
    """A sequence for six rounds; what was not played does not matter."""
    return list(record.options.get("array", [0] * 6))[:6]


def read(path: Path) -> str:
    return path.read_bytes().decode()


def plain(text: str) -> str:
    """Without what differs between two plays and two Pythons."""
    text = re.sub(r"(?m)^time: .*", "time:", text)
    text = re.sub(r'File ".*/(\w+\.py)", line (\d+), in', r'File "\1", line \2, in', text)
    text = re.sub(r'"plat.py", line \d+', '"plat.py"', text)
    return re.sub(r"(?m)^ *[~^]+\n", "", text)


def same_times(one: str, other: str) -> bool:
    """Equal but for the thinking times, which a busy machine may double."""
    pattern = r"(?<=average time: )\S+"
    times = zip(re.findall(pattern, one), re.findall(pattern, other), strict=True)
    close = all(float(b) - 0.05 < float(a) < 2 * float(b) + 0.5 for a, b in times)
    return close and re.sub(pattern, "", one) == re.sub(pattern, "", other)


class TestTheDocumentsExamples:
    """The calls as the developer document writes them."""

    def test_a_list_of_paths_and_classes(self, here: Path) -> None:
        below = here / "below"
        below.mkdir()
        os.chdir(below)
        round_match.main(["../player.py"] * 3, **QUICK)
        os.chdir(here)
        sys.path.insert(0, str(here))
        try:
            from player import Player as p  # type: ignore[import-not-found]
        finally:
            sys.path.remove(str(here))
            del sys.modules["player"]
        round_match.main(["player.py", p], **QUICK)
        round_match.main([str(here / "player.py"), str(here / "steady.py")], **QUICK)

    def test_a_second_more_for_one_player(self) -> None:
        players = ["player.py", ("player.py", -1)]
        got = round_match.main(players, toGet=True, **QUICK)
        assert players == ["player.py", "player.py"]
        assert got is not None
        assert got[0, 1][0].states[False]["time0"] == -1
        assert got[1, 0][0].states[True]["time0"] == -1
        assert got[0, 1][0].states[False]["time"] < 0

    def test_a_folder_by_default_by_path_and_by_function(self, here: Path) -> None:
        round_match.main(["player.py", "player.py"], **QUICK)
        pattern = r"\d{4}-\d\d-\d\d \d\d-\d\d-\d\d"
        assert [path.name for path in here.iterdir() if re.fullmatch(pattern, path.name)]
        round_match.main(["player.py"] * 2, savepath="../match", **QUICK)
        assert (here.parent / "match" / "_.txt").exists()
        made = []

        def savepath() -> str:
            made.append(str(random.random()))
            return made[-1]

        round_match.main(["player.py"] * 2, savepath=savepath, **QUICK)
        assert (here / made[0] / "_.txt").exists()
        assert len(made) == 1

    def test_a_live_queue(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(constants, "SLEEP", 0)
        q = __import__("queue").Queue()
        round_match.main(["player.py"] * 2, livequeue=q, **QUICK)
        platform = q.get_nowait()
        assert isinstance(q, queue.Queue) and platform.log[-1].startswith("&e:")

    def test_a_player_without_its_extension_and_a_huge_limit(self) -> None:
        got = round_match.main(["player", ("steady", -30)], MAXTIME=114514, toGet=True, **QUICK)
        assert got is not None and got[0, 1][0].states[False]["path"] == "steady"


def test_taken_folder_names_are_counted_on(here: Path) -> None:
    for _ in range(3):
        round_match.main(["player"] * 2, "match", **QUICK)
    (here / "match_4").touch()
    round_match.main(["player"] * 2, "match", **QUICK)
    made = sorted(path.name for path in here.glob("match*") if path.is_dir())
    assert made == ["match", "match_2", "match_3", "match_5"]


def test_the_folder_is_made_even_if_nothing_is_saved(here: Path) -> None:
    round_match.main(["player"] * 2, "empty", toSave=False, toReport=False, **QUICK)
    assert list((here / "empty").iterdir()) == []


def test_each_switch_makes_its_own_files(here: Path) -> None:
    round_match.main(["player"] * 2, "a", toSave=False, **QUICK)
    round_match.main(["player"] * 2, "b", toReport=False, debug=True, **QUICK)
    assert [path.name for path in (here / "a").iterdir()] == ["_.txt"]
    stems = [path.stem for path in (here / "b").iterdir()]
    assert len(stems) == 3 and "_Exceptions" in stems


def test_bouts_are_played_in_the_original_order_and_can_be_got() -> None:
    got = round_match.main(
        ["player", "steady", Steady], "m", toGet=True, toSave=False, REPEAT=2, ROUNDS=1
    )
    assert got is not None
    assert list(got) == [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
    lines = Path("m/_.txt").read_text().splitlines()
    shown = [line.split(" -> ")[1] for line in lines if line.startswith("name")]
    pairs = [(0, 1), (1, 0)] * 2 + [(0, 2), (2, 0)] * 2 + [(1, 2), (2, 1)] * 2
    assert shown == [f"player{i} to player{j}" for i, j in pairs]
    for (i, j), platforms in got.items():
        assert len(platforms) == 2
        for platform in platforms:
            assert platform.states[True]["index"] == (i, True)
            assert platform.states[False]["index"] == (j, False)
            assert platform.name in names_of(Path("m/_.txt").read_text())


def test_without_to_get_nothing_is_returned() -> None:
    assert round_match.main(["player"] * 2, **QUICK) is None


def test_ties_are_in_neither_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plat.random, "randrange", lambda _: 5)
    round_match.main(["player"] * 2, "m", REPEAT=3, ROUNDS=1)
    text = Path("m/_.txt").read_text()
    assert text.count("        win: 0 at\n            \n        lose: 0 at\n            \n") == 4
    assert text.count("win rate: 0.00%") == 4


@pytest.mark.parametrize(
    "name",
    ["GAMMA RAY 2.0.py", "贰零 肆捌.py", "a+b#c=d.py", "random.py", "constants.py", "ludus.py"],
)
def test_a_player_file_may_have_any_name(name: str, here: Path) -> None:
    shutil.copy("player.py", name)
    before = dict(sys.modules)
    got = round_match.main([name, name.removesuffix(".py")], "m", toGet=True, **QUICK)
    assert got is not None and got[0, 1][0].currentRound == 2
    assert f"player0 from path {name}\n" in Path("m/_.txt").read_text(encoding="utf-8")
    assert {key: sys.modules[key] for key in before} == before
    assert str(here) not in sys.path


def test_a_player_may_be_a_package_or_derive_from_anything(here: Path) -> None:
    (here / "packed").mkdir()
    (here / "packed" / "__init__.py").write_text("from .inside import Player\n")
    text = Path("steady.py").read_text().replace("class Player", "class Player(dict)")
    (here / "packed" / "inside.py").write_text(text)
    round_match.main(["packed", "player"], "m", **QUICK)
    assert "error: 0 at" in Path("m/_.txt").read_text()


def test_two_players_may_have_neighbours_of_the_same_name(here: Path) -> None:
    text = "import tricks\n" + Path("steady.py").read_text() + "\n    trick = tricks.NAME\n"
    for name in ("one", "two"):
        (here / name).mkdir()
        (here / name / "player.py").write_text(text)
        (here / name / "tricks.py").write_text(f"NAME = {name!r}\n")
    round_match.main(["one/player.py", "two/player.py"], toReport=False, **QUICK)
    players = ["one/player.py", "two/player.py"]
    got = round_match.main(players, toGet=True, in_process=True, **QUICK)
    assert got is not None
    states = got[0, 1][0].states
    assert [states[side]["player"].trick for side in (True, False)] == ["one", "two"]


def test_a_player_may_import_the_originals_constants(here: Path) -> None:
    text = Path("steady.py").read_text()
    Path("fan.py").write_text("import constants as c\nassert c.Chessboard\n" + text)
    round_match.main(["fan", "player"], **QUICK)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("class Player:\n  def", "line 2: not valid Python"),
        ("import no_such_module_at_all", "ModuleNotFoundError"),
        ("1 / 0", "ZeroDivisionError"),
        ("import sys; sys.stderr.write('loaded')", "does not define a class Player"),
        ("raise SystemExit(3)", "its file raised sys.exit(3)"),
        ("x = 1", "does not define a class Player"),
        ("class Player: pass", "does not define a class Player with a method output"),
        ("Player = 3", "does not define a class Player"),
        ("def Player(a, b): pass", "does not define a class Player"),
    ],
)
def test_a_file_that_is_no_player_is_named_in_a_sentence(
    source: str, sentence: str, here: Path
) -> None:
    Path("broken.py").write_text(source)
    with pytest.raises(LudusError) as caught:
        round_match.main(["player", "broken.py"], "never", **QUICK)
    assert "broken.py" in caught.value.text["en"] and sentence in caught.value.text["en"]
    assert "broken.py" in caught.value.text["zh"]
    assert not Path("never").exists()
    assert str(here) not in sys.path and "broken" not in sys.modules


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"playerList": ["player", "nobody.py"]}, "player 'nobody.py' not found"),
        ({"playerList": ["player", "no/where"]}, "not found: no such Python file"),
        ({"playerList": ["player", ""]}, "not found: no such Python file"),
        ({"playerList": ["player", 3]}, "3 does not define a class"),
        ({"playerList": ["player", ("player", "x")]}, "time zero"),
        ({"playerList": ["player", ("player", float("nan"))]}, "time zero"),
        ({"playerList": ["player", ("player",)]}, "(player, time0)"),
        ({"playerList": ["player"]}, "at least two players"),
        ({"playerList": []}, "at least two players"),
        ({"ROUNDS": 0}, "rounds"),
        ({"REPEAT": 0}, "REPEAT"),
        ({"REPEAT": 1.5}, "REPEAT"),
        ({"MAXTIME": "x"}, "MAXTIME"),
        ({"savepath": "no/such/folder"}, "does not exist"),
        ({"savepath": ""}, "cannot create"),
        ({"savepath": "player.py/x"}, "cannot create"),
        ({"savepath": "a\0b"}, "cannot create"),
        ({"savepath": lambda: 3}, "cannot create"),
    ],
)
def test_what_crashed_the_original_is_a_sentence_here(
    arguments: dict[str, Any], sentence: str, here: Path
) -> None:
    before = sorted(here.rglob("*"))
    given: dict[str, Any] = {"playerList": ["player", "steady"], "savepath": "m", **QUICK}
    with pytest.raises(LudusError) as caught:
        round_match.main(**{**given, **arguments})
    assert sentence in caught.value.text["en"]
    assert caught.value.text["zh"] != caught.value.text["en"]
    assert sorted(path for path in here.rglob("*") if "__pycache__" not in path.parts) == before


def test_one_player_without_a_report_plays_nothing() -> None:
    assert round_match.main(["player"], toReport=False, toGet=True) == {}


def test_a_full_disk_leaves_no_half_written_file(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.FileIO):
        def write(self, data: Any) -> int:
            super().write(data[:100])
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fdopen", lambda handle, mode: Full(handle, mode))
    with pytest.raises(LudusError, match="No space left"):
        round_match.main(["player"] * 2, "m", **QUICK)
    assert list((here / "m").iterdir()) == []


def test_the_tool_runs_from_the_command_line(here: Path) -> None:
    code = (
        "import sys; sys.argv[1:] = {}; import runpy; runpy.run_module({!r}, run_name='__main__')"
    )
    module = "ludus.compat.duel2048.round_match"
    shorter = "import ludus.games.duel2048.constants as c; c.REPEAT = 1; c.ROUNDS = 2; "
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "LUDUS_LANG": "en"}

    def run(*players: str) -> subprocess.CompletedProcess[str]:
        script = shorter + code.format(list(players), module)
        command = [sys.executable, "-W", "error", "-c", script]
        return subprocess.run(command, capture_output=True, text=True, env=env, timeout=60)

    good = run("player.py", "steady.py")
    assert (good.returncode, good.stderr) == (0, "")
    assert len(list(here.glob("*/_.txt"))) == 1
    bad = run("player.py", "nobody.py")
    assert bad.returncode == 2
    assert bad.stderr.startswith("player 'nobody.py' not found")


def test_the_tool_tells_who_won_and_where_the_report_is(here: Path) -> None:
    run = [sys.executable, "-m", "ludus.compat.duel2048.round_match", "player.py", "steady.py"]
    said = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    *wins, end = said.splitlines()
    told = [re.fullmatch(r"(\S+): (\d+) of 20 bouts won", line) for line in wins]
    assert [found and found[1] for found in told] == ["player.py", "steady.py"]
    assert sum(int(found[2]) for found in told if found) <= 20
    assert Path(end.removeprefix("done; the report: ")).is_file()
