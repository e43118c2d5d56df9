"""``ludus judge``, and Saiblo games under the other commands."""

import base64
import gzip
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ludus.cli.judge import COMMAND
from tests.support.cli import Ludus, start
from tests.support.languages import need
from tests.support.leftovers import jailed_processes
from tests.support.talking import ECHO, HAND, PROTOCOL, PYTHON, ROCK_PAPER_SCISSORS, script

ASK = 'init = receive()\nopen("/replay/replay.json", "w").write(json.dumps(init))\n'


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a logic and an AI in it, to work in."""
    script(tmp_path, "logic", ASK + 'end(len(ask(1, 0, "okay")["content"]), 0)')
    script(tmp_path, "ai", ECHO)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_match_in_the_originals_words(cli: Ludus, desk: Path) -> None:
    ran = cli("judge", f"{PYTHON}+logic.py", f"{PYTHON}+ai.py", f"{PYTHON}+ai.py", "replay.json")
    assert ran.code == 0, ran
    assert "1 rounds" in ran.out
    init = json.loads((desk / "replay.json").read_text())
    assert init["replay"] == "/replay/replay.json"


def test_source_files_are_programs_too(cli: Ludus, desk: Path) -> None:
    need("c")
    (desk / "ai.c").write_text(
        "#include <unistd.h>\n"
        'int main(void) { char b[4]; read(0, b, 4); write(1, "\\0\\0\\0\\3abc", 7); pause(); }\n'
    )
    ran = cli("judge", "--json", "logic.py", "ai.c", "ai.py", "replay.json")
    assert ran.code == 0, ran
    assert json.loads(ran.out)["scores"] == [3.0, 0.0]


def test_config_and_version_reach_the_logic(cli: Ludus, desk: Path) -> None:
    (desk / "config.json").write_text('{"rounds": 5}')
    ran = cli("judge", "--config", "@config.json", "logic.py", "ai.py", "ai.py", "replay.json")
    assert ran.code == 0, ran
    assert json.loads((desk / "replay.json").read_text())["config"] == {"rounds": 5}
    logic = (desk / "logic.py").read_text().replace("/replay/", "")
    (desk / "logic.py").write_text(logic)
    old = ["judge", "--protocol", "v1", "--config", "text"]
    ran = cli(*old, "logic.py", "ai.py", "ai.py", "replay.json")
    assert ran.code == 0, ran
    init = json.loads((desk / "replay.json").read_text())
    assert (init["config"], init["replay"]) == ("text", "replay.json")


@pytest.mark.parametrize("name", ["said.jsonl", "said.jsonl.gz"])
def test_a_transcript_holds_every_word(cli: Ludus, desk: Path, name: str) -> None:
    ran = cli("judge", "--transcript", name, "logic.py", "ai.py", "ai.py", "replay.json")
    assert ran.code == 0, ran
    text = (desk / name).read_bytes()
    lines = (gzip.decompress(text) if name.endswith("gz") else text).splitlines()
    meta, *said = map(json.loads, lines)
    assert meta == {"meta": {"protocol": "v2"}}
    assert [each["dir"] for each in said] == ["J>L", "L>J", "J>A0", "A0>J", "J>L", "L>J"]
    assert base64.b64decode(said[3]["b64"]) == b"\0\0\0\4okay"
    assert base64.b64decode(said[1]["b64"])[4:8] == b"\xff" * 4


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["logic.py"], "name LOGIC AI… REPLAY"),
        (["--serve", "tablut"], "name AI… REPLAY"),
        (["--protocol", "v9", "a", "b"], "must be one of v1, v1.1, v2"),
        (["--config", "{", "a", "b"], "is not JSON"),
        (["--listen", "host:x", "logic.py", "human", "b"], "HOST:PORT"),
        (["logic.py", "bot:tablut", "b"], "bot:GAME/BOT"),
        (["--console", "x"], "takes no arguments"),
    ],
)
def test_a_mistake_is_told(cli: Ludus, desk: Path, arguments: list[str], sentence: str) -> None:
    ran = cli("judge", *arguments)
    assert ran.code == 2
    assert sentence in ran.err


@pytest.mark.parametrize("ai", ["nothing.py", f"{PYTHON}+nothing.py", "python3+nothing.py", "./no"])
def test_an_ai_that_is_not_there_is_told_before_anything_is_played(
    cli: Ludus, desk: Path, ai: str
) -> None:
    ran = cli("judge", f"{PYTHON}+logic.py", f"{PYTHON}+ai.py", ai, "replay.json")
    assert (ran.code, ran.out) == (2, "")
    assert "program or file" in ran.err
    assert not (desk / "replay.json").exists()


@pytest.mark.parametrize("logic", ["nothing_here", "nothing.py", f"{PYTHON}+nothing.py"])
def test_a_logic_that_is_not_there_is_told_before_anything_is_played(
    cli: Ludus, desk: Path, logic: str
) -> None:
    ran = cli("judge", logic, f"{PYTHON}+ai.py", f"{PYTHON}+ai.py", "replay.json")
    assert (ran.code, ran.out) == (2, "")
    assert f"program or file {logic.removeprefix(f'{PYTHON}+')!r} not found" in ran.err
    assert not (desk / "replay.json").exists()


def test_python3_is_the_python_of_ludus(cli: Ludus, desk: Path) -> None:
    import numpy

    own = f"import numpy\nassert numpy.__file__ == {numpy.__file__!r}\n"
    (desk / "own.py").write_text(own + (desk / "ai.py").read_text())
    ran = cli("judge", "python3+logic.py", "python3+own.py", "python3+own.py", "replay.json")
    assert ran.code == 0, ran
    assert "RE" not in ran.out


def test_a_served_game_leaves_a_record(cli: Ludus, desk: Path) -> None:
    config = json.dumps({"seed": 4})
    bots = ["bot:tablut/greedy", "bot:tablut/random"]
    ran = cli("judge", "--serve", "tablut", "--config", config, *bots, "bout.ludus")
    assert ran.code == 0, ran
    assert cli("replay", "verify", "bout.ludus").code == 0
    ran = cli("judge", "--again", "bout.ludus")
    assert ran.code == 2
    assert "has no logic program" in ran.err


def test_the_console_is_a_command(home: Path, desk: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ludus", "judge", "--console"],
        input="state\n5\n",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == (
        "You can input help to know the instrution set\n"
        "> debug_logic = False\ndebug_ai = False\nindex    AI_state\n> "
    )


def test_a_saiblo_game_is_played_watched_and_verified(cli: Ludus, desk: Path) -> None:
    folder = desk / "rps"
    (folder / "ais").mkdir(parents=True)
    (folder / "saiblo.toml").write_text(
        'name = "rps"\nlogic = "logic.py"\nbots = "ais"\ntime = 20.0'
    )
    (folder / "logic.py").write_text(PROTOCOL + ROCK_PAPER_SCISSORS)
    for hand in ("rock", "paper"):
        (folder / "ais" / f"{hand}.py").write_text(PROTOCOL + HAND.format(hand=hand))
    ran = cli("match", "./rps", "rock", "paper", "--bouts", 2, "--json", "--save", desk / "kept")
    assert ran.code == 0, ran
    rows = json.loads(ran.out)["bouts"]
    assert [row["scores"] for row in rows] == [[0.0, 1.0], [1.0, 0.0]]
    for file in sorted((desk / "kept").glob("*.ludus")):
        assert cli("replay", "verify", file).code == 0
        ran = cli("judge", "--again", file)
        assert ran.code == 0, ran
        assert "the same messages again" in ran.out
    (folder / "logic.py").write_text(PROTOCOL + "raise SystemExit('no')")
    assert cli("judge", "--again", file).code == 1


def test_interrupted_by_a_person_nothing_is_left(home: Path, desk: Path) -> None:
    script(desk, "logic", "receive()\ntime.sleep(600)")
    command = f"{PYTHON}+{desk}/logic.py"
    with start("judge", command, f"{PYTHON}+{desk}/ai.py", "replay.json") as process:
        for _ in range(200):
            if len(jailed_processes(str(desk))) >= 3:  # the command itself, the logic, the AI
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130
    for _ in range(100):
        if not jailed_processes(str(desk)):
            break
        time.sleep(0.1)
    assert jailed_processes(str(desk)) == []


DOCS = [Path(__file__).parents[2] / "docs" / lang / "judger.md" for lang in ("en", "zh")]


def test_the_ai_in_the_docs_plays(cli: Ludus, desk: Path) -> None:
    (in_english,), (in_chinese,) = (
        re.findall(r"```python\n(.*?)```", doc.read_text(), re.S) for doc in DOCS
    )
    assert in_english == in_chinese
    (desk / "my_ai.py").write_text(in_english)
    ran = cli("judge", "--serve", "reversi", "--json", "my_ai.py", "my_ai.py", "bout.ludus")
    assert ran.code == 0, ran
    assert [seat["verdict"] for seat in json.loads(ran.out)["seats"]] == ["OK", "OK"]


def test_the_docs_name_every_option() -> None:
    names = {
        name
        for option in COMMAND.params
        for name in option.opts
        if name.startswith("--") and name != "--json"
    }
    for doc in DOCS:
        assert {name for name in names if f"`{name}" not in doc.read_text()} == set()
