"""``ludus debug``: a bot in the middle of a recorded bout, under a debugger; ``--diff``."""

import bdb
import importlib.util
import io
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cli import SOURCE, Ludus, WriteBot
from tests.support.debug_client import DebugClient

BOT = """
class Bot:
    def start(self, seat, position):
        self.seat = seat
        self.asked = 0

    def move(self, position, clock):
        self.asked += 1
        chosen = position.legal(self.seat)[0]
        return chosen
"""
FAILING = BOT.replace(
    "        chosen", "        assert self.asked < 4, 'too often'\n        chosen"
)


@pytest.fixture(autouse=True)
def no_breakpoints() -> Iterator[None]:
    """Breakpoints belong to the process, whatever debugger set them."""
    yield
    bdb.Breakpoint.clearBreakpoints()


@pytest.fixture
def record(cli: Ludus, bot: WriteBot, home: Path) -> Path:
    """A bout of ``mine.py`` against ``random``."""
    return play(cli, bot(BOT), home)


def play(cli: Ludus, mine: Path, home: Path) -> Path:
    ran = cli("play", "reversi", mine, "random", "--seed", "4", "--openings", "none")
    assert ran.code == 0, ran.err
    (path,) = (home / "records").glob("*.ludus")
    return path


def type_in(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """What a person types at the debugger."""
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_it_stops_inside_the_bots_move_with_what_the_bot_knew(
    cli: Ludus, record: Path, bot: WriteBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    type_in(monkeypatch, "p ('asked', self.asked)", "n", "p ('asked', self.asked)", "where", "c")
    ran = cli("debug", record, "--step", "5", "--bot", bot(BOT))
    assert ran.code == 0, ran.err
    assert "before step 5" in ran.out
    assert "2 earlier turns, 2 answered as in the record" in ran.out
    assert "mine.py(8)move()" in ran.out, "at its first line"
    assert ran.out.index("('asked', 2)") < ran.out.index("('asked', 3)")
    assert "step 5: answered" in ran.out and "as in the record" in ran.out


def test_the_bots_files_are_read_anew_the_next_time(
    cli: Ludus, record: Path, bot: WriteBot
) -> None:
    paths = list(sys.path)
    bot("CHOSEN = 0\n", "neighbour_of_mine.py")
    chosen = BOT.replace("[0]", "[neighbour_of_mine.CHOSEN]")
    mine = bot(f"import neighbour_of_mine\n{chosen}", "read_anew.py")
    ran = cli("debug", record, "--step", "5", "--seat", "0", "--bot", mine, "--no-stop")
    assert ran.code == 0, ran.err
    assert sys.path == paths
    assert not {"read_anew", "neighbour_of_mine"} & set(sys.modules)
    bot("CHOSEN = -1  # edited\n", "neighbour_of_mine.py")
    again = cli("debug", record, "--step", "5", "--seat", "0", "--bot", mine, "--no-stop")
    assert again.code == 1


def test_earlier_bouts_of_a_match_are_announced_and_can_be_left_out(
    cli: Ludus, bot: WriteBot, home: Path
) -> None:
    remembering = BOT.replace(
        "        self.asked = 0\n",
        "        self.asked = 0\n        global bouts\n        bouts += 1\n",
    ).replace("[0]", "[-1 if bouts > 2 else 0]")
    mine = bot(f"bouts = 0\n{remembering}")
    assert (
        cli(
            "play", "reversi", mine, "random", "-o", "size=4", "--openings", "none", "--bouts", 3
        ).code
        == 0
    )
    last = max((home / "records").glob("*.ludus"))
    words = ("debug", last, "--bot", mine, "--seat", "0", "--step", "1", "--no-stop")
    ran = cli(*words)
    assert ran.code == 0, ran.out
    assert "first replays the earlier bouts of the match (2)" in ran.err and "--fresh" in ran.err
    fresh = cli(*words, "--fresh")
    assert fresh.code == 1 and ", the record has " in fresh.out and not fresh.err


def test_leaving_the_debugger_ends_the_command(
    cli: Ludus, record: Path, bot: WriteBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    swallowing = BOT.replace(
        "        chosen = position.legal(self.seat)[0]\n",
        "        try:\n"
        "            chosen = position.legal(self.seat)[0]\n"
        "        except Exception:\n"
        "            chosen = 'a1'\n",
    )
    type_in(monkeypatch, "n", "n", "q")
    ran = cli("debug", record, "--step", "5", "--bot", bot(swallowing))
    assert ran.code == 0
    assert ran.out.rstrip().endswith("left the debugger")


def test_playing_on_shows_what_it_answers_and_what_was_played(
    cli: Ludus, record: Path, bot: WriteBot
) -> None:
    other = BOT.replace("[0]\n", "[-1 if self.asked > 3 else 0]\n")
    ran = cli("debug", record, "--step", "5", "--to", "9", "--bot", bot(other), "--no-stop")
    assert ran.code == 1
    assert "note: this is not the version that played as mine" in ran.out
    assert "step 5: answered" in ran.out
    assert "step 7: answered" in ran.out and ", the record has " in ran.out
    assert "step 9: answered" in ran.out and "step 11" not in ran.out


def test_a_breakpoint_holds_while_it_plays_on(
    cli: Ludus, record: Path, bot: WriteBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    type_in(
        monkeypatch, "b 10", "c", "p ('asked', self.asked)", "c", "p ('asked', self.asked)", "c"
    )
    ran = cli("debug", record, "--step", "5", "--to", "7", "--bot", bot(BOT))
    assert ran.code == 0, ran.err
    assert ran.out.index("('asked', 3)") < ran.out.index("('asked', 4)")


def test_without_a_step_it_stops_where_the_bot_failed(
    cli: Ludus, bot: WriteBot, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = play(cli, bot(FAILING), home)
    type_in(monkeypatch, "c", "p ('asked', self.asked)", "q")
    ran = cli("debug", path, "--bot", bot(FAILING))
    assert "before step 7" in ran.out
    assert "it raised AssertionError: too often" in ran.out
    assert "('asked', 4)" in ran.out, "its variables when it failed"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--step", "999"], "so step 999 does not exist"),
        (["--step", "0"], "--step must be at least 1"),
        ([], "say where to stop: --step N"),
        (["--step", "5", "--to", "3"], "--to 3 lies before step 5"),
        (["--step", "5", "--seat", "red"], "there is no seat 'red'; there are: 0 black, 1 white"),
        (["--step", "5", "--json"], "--json belongs to --diff"),
        (["--step", "5", "--diff", "x.py"], "--diff cannot be combined with --step"),
        (["--fresh", "--diff", "x.py"], "--diff cannot be combined with --fresh"),
        (["--step", "5", "--no-stop", "--listen", "7"], "--no-stop cannot be combined with"),
        (["--step", "5", "--bot", "none.py"], "none did not play in "),
        (["--step", "5", "--seat", "0", "--bot", "none.py"], "there is no file and no house bot"),
        (
            ["--step", "5", "--seat", "0", "--bot", "cmd:true"],
            "is not a Python bot that can run inside a debugger",
        ),
    ],
)
def test_a_wrong_call_gets_one_sentence(
    cli: Ludus, record: Path, bot: WriteBot, words: list[str], sentence: str
) -> None:
    ran = cli("debug", record, "--bot", bot(BOT), *words)
    assert ran.code == 2
    assert sentence in ran.err and len(ran.err.splitlines()) == 1


@pytest.mark.parametrize("seat", [[], ["--seat", "0"]])
def test_at_a_step_of_the_rival_it_goes_on_to_the_bots_next_one(
    cli: Ludus, record: Path, bot: WriteBot, seat: list[str]
) -> None:
    ran = cli("debug", record, "--bot", bot(BOT), "--step", "2", "--no-stop", *seat)
    assert ran.code == 0, ran.err
    assert "step 2 is random's; the next step of mine is 3" in ran.out
    assert "1 earlier turn, 1 answered as in the record" in ran.out
    assert "before step 3" in ran.out


def test_without_a_bot_it_is_the_one_that_failed(
    cli: Ludus, bot: WriteBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    failing = bot(FAILING)
    assert cli("play", "reversi", failing.name, "random", "--openings", "none").code == 0
    assert "too often" in cli("debug", "--no-stop").out
    assert cli("play", "reversi", "greedy", "random", "-o", "size=4").code == 0
    ran = cli("debug", "--step", "1")
    assert ran.code == 2
    assert "say which bot to debug, with --bot FILE" in ran.err and "greedy, random" in ran.err


def test_an_answer_that_is_no_move_is_shown_as_python_shows_it(
    cli: Ludus, bot: WriteBot, home: Path
) -> None:
    wrong = bot(BOT.replace("return chosen", "return ()"))
    path = play(cli, wrong, home)
    assert "answered ();" in cli("debug", path, "--bot", wrong, "--no-stop").out


def test_steps_of_an_opening_have_no_bot_to_stop(cli: Ludus, bot: WriteBot, home: Path) -> None:
    mine = bot(BOT)
    assert cli("play", "reversi", mine, "random", "--openings", "random:4").code == 0
    (path,) = (home / "records").glob("*.ludus")
    ran = cli("debug", path, "--bot", mine, "--step", "1")
    assert ran.code == 2
    assert "step 1 is part of the opening" in ran.err and "first asked at step 5" in ran.err


def test_versions_that_answer_alike_and_otherwise(cli: Ludus, record: Path, bot: WriteBot) -> None:
    mine, twin = bot(BOT), bot(BOT, "twin.py")
    same = cli("debug", record, "--bot", mine, "--diff", twin)
    assert same.code == 0 and "0 answered differently" in same.out
    other = bot(BOT.replace("[0]", "[-1]"), "other.py")
    ran = cli("debug", record.parent, "--bot", mine, "--diff", other, "--json")
    assert ran.code == 1
    facts = json.loads(ran.out)
    assert facts["different"] is True
    assert cli("play", "reversi", "greedy", "random", "-o", "size=4").code == 0
    latest = cli("debug", "--bot", other, "--diff", mine)
    assert f"the record saved last: {record}" in latest.err, "in which one of the two played"
    assert " in 1 record: " in latest.out
    (seat,) = facts["records"]
    assert seat["seat"] == 0 and seat["record"] == str(record)
    for each in seat["differences"]:
        first, second = each["answers"]
        assert first["move"] == each["played"] != second["move"]
        assert first["legal"] and second["legal"]


def test_a_version_that_fails_is_shown_with_its_fault(
    cli: Ludus, record: Path, bot: WriteBot
) -> None:
    ran = cli("debug", record, "--bot", bot(BOT), "--diff", bot(FAILING, "failing.py"))
    assert ran.code == 1
    assert "✗ crash: it raised AssertionError" in ran.out
    assert "(failed before)" not in ran.out, "only where two bots are asked and differ"


def test_listening_without_debugpy_says_what_to_install(
    cli: Ludus, record: Path, bot: WriteBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "debugpy", None)
    ran = cli("debug", record, "--bot", bot(BOT), "--step", "5", "--listen")
    assert ran.code == 2
    assert "needs the package debugpy" in ran.err and "ludus add debugpy" in ran.err


@pytest.mark.skipif(importlib.util.find_spec("debugpy") is None, reason="debugpy is not installed")
def test_an_editors_debugger_stops_inside_the_bot(record: Path, bot: WriteBot) -> None:
    mine = bot(BOT)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["debug", record, "--bot", mine, "--step", "5", "--listen", port]
    with subprocess.Popen(
        [sys.executable, "-m", "ludus", *map(str, command)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), *sys.path])},
        stdout=subprocess.PIPE,
        text=True,
    ) as ludus:
        assert ludus.stdout is not None
        try:
            assert "waiting for a debugger" in ludus.stdout.readline()
            with DebugClient(port) as client:
                assert client.wait_for_stop() == ("move", str(mine), 8)
                assert client.evaluate("self.asked") == "2"
                client.resume()
                assert any("step 5: answered" in line for line in ludus.stdout)
            assert ludus.wait() == 0
        finally:
            ludus.kill()


HASHING = BOT.replace("position.legal(self.seat)[0]", "list(set(position.legal(self.seat)))[0]")


def test_sets_have_the_order_that_they_had_in_the_jail(
    cli: Ludus, bot: WriteBot, home: Path
) -> None:
    """A command of its own begins anew with the hash seed of jails."""
    mine = bot(HASHING)
    path = play(cli, mine, home)
    words = ["debug", path, "--bot", mine, "--step", "9", "--to", "60", "--no-stop"]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONHASHSEED": "random"}
    ran = subprocess.run(
        [sys.executable, "-m", "ludus", *map(str, words)],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "4 earlier turns, 4 answered as in the record" in ran.stdout


def test_without_a_record_it_is_the_last_one_with_the_bot_wherever_it_was_saved(
    cli: Ludus, bot: WriteBot, tmp_path: Path
) -> None:
    mine = bot(BOT)
    own = ("play", "reversi", mine, "random", "--openings", "none", "-o", "size=4")
    assert cli(*own).code == 0
    assert cli(*own, "--save", tmp_path / "bouts").code == 0
    (saved,) = (tmp_path / "bouts").glob("*.ludus")
    assert cli("play", "reversi", "greedy", "random", "-o", "size=4").code == 0
    ran = cli("debug", "--bot", mine, "--step", "1", "--no-stop")
    assert ran.code == 0, ran.err
    assert f"the record saved last: {saved}" in ran.err
    assert f"{saved}" in cli("why", "--bot", mine).err
    assert "greedy" in cli("why").err, "the newest of all"
    other = bot(f"{BOT}\n", "other.py")
    for words in (["debug", "--step", "1"], ["why"]):
        ran = cli(*words, "--bot", other)
        assert ran.code == 2 and "other played in none of the records" in ran.err
    for words in (["debug", saved, "--step", "1"], ["why", saved]):
        ran = cli(*words, "--bot", other)
        assert ran.code == 2 and f"other did not play in {saved}, where mine, random" in ran.err


def test_a_folder_that_cannot_be_reached_any_more_is_left_out(
    cli: Ludus, bot: WriteBot, home: Path, tmp_path: Path
) -> None:
    own = ("play", "reversi", bot(BOT), "random", "-o", "size=4")
    assert cli(*own, "--save", tmp_path / "bouts").code == 0
    (saved,) = (tmp_path / "bouts").glob("*.ludus")
    known = home / "saved-elsewhere.txt"
    unreachable = f"/{'x' * 300}/a.ludus"  # OSError, and not because it is not there
    known.write_text(f"{unreachable}\n{known.read_text()}")
    assert f"{saved}" in cli("why").err
    assert cli(*own, "--save", tmp_path / "others").code == 0
    (newest,) = (tmp_path / "others").glob("*.ludus")
    assert f"{newest}" in cli("why").err


def test_a_folder_as_a_bot_is_called_by_its_name(
    cli: Ludus, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("play", "reversi", "greedy", "random", "-o", "size=4").code == 0
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path / "mine")
    assert "mine played in none of the records" in cli("why", "--bot", ".").err


def test_several_records_are_refused_with_the_newest(cli: Ludus, bot: WriteBot, home: Path) -> None:
    mine = bot(BOT)
    assert cli("play", "reversi", mine, "random", "-o", "size=4", "--bouts", "3").code == 0
    first, *_, last = sorted((home / "records").glob("*.ludus"))
    os.utime(first, (1, 1))
    for words in (["debug", "--bot", mine], ["why"]):
        ran = cli(*words, last, first)
        assert ran.code == 2 and f"one record, not 2; the newest of them is {last}" in ran.err


def test_the_board_has_the_clocks_of_the_bout_before_the_first_move(
    cli: Ludus, record: Path, bot: WriteBot
) -> None:
    ran = cli("debug", record, "--bot", bot(BOT), "--step", "1", "--no-stop")
    clocks = [float(said) for said in re.findall(r"(\d+\.\d\d) s  discs", ran.out)]
    assert len(clocks) == 2 and min(clocks) > 29, ran.out
