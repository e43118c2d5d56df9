"""Bots in processes: programs of any language, what they see, and how they end."""

import gc
import os
import select
import sys
from pathlib import Path

import pytest

from ludus.bots import protocol
from ludus.bots.build import python_bot
from ludus.bots.players.base import TimeLimit
from ludus.bots.players.bot_process import BotProcess
from ludus.bots.players.create import create_player
from ludus.bots.players.process import ProcessPlayer
from ludus.bots.resolve import resolve_bot
from ludus.games import Clock, get
from ludus.match.record import Record, remove_traces
from ludus.match.replay import verify
from ludus.match.series import series
from ludus.sandbox import Limits, Program, choose_level, list_levels
from ludus.sandbox.bot_fault import BotFault, FaultKind
from tests.support.frames import FRAMES

GAME = get("duel2048")
BAD = Path(__file__).parent / "bad"

PROGRAM = (
    FRAMES
    + """
while message := read():
    kind = message["type"]
    if kind == "hello":
        say(type="hello", protocol="ludus/1", want=["legal", "view"])
    elif kind == "turn":
        assert len(message["view"]["layers"]["tiles"]) == 32
        say(type="move", n=message["n"], move=message["legal"][-1])
    else:
        say(type="ready")
"""
)


def program(folder: Path, text: str) -> str:
    path = folder / "program.py"
    path.write_text(text)
    return f"cmd:{sys.executable} {path}"


def bout(*specs: str, rounds: int = 10, clock: Clock | None = None) -> Record:
    players = [create_player(resolve_bot(spec, GAME), GAME) for spec in specs]
    (played,) = series(GAME, GAME.Options(rounds=rounds), players, 1, 1, clock=clock)
    return played.record


def test_a_program_needs_no_ludus_and_no_rules(tmp_path: Path) -> None:
    record = bout(program(tmp_path, PROGRAM), "random")
    assert record.verdict == "rules", record.faults
    assert record.bots[0].isolation == list_levels()[0]


@pytest.mark.parametrize(
    ("old", "new", "verdict", "says"),
    [
        ('n=message["n"]', "n=0", "output", "answered turn 0"),
        ('say(type="move"', 'say(type="ready"); say(type="move"', "output", "it answered"),
        ('move=message["legal"][-1]', 'move="sideways"', "illegal", "sideways"),
        ('say(type="move"', 'print("thinking…", flush=True); say(type="move"', "output", "frame"),
        ('say(type="hello"', 'say(type="hallo"', "load", "not a frame"),
        ("import json", "import jason", "load", "exited with code 1"),
        ('say(type="ready")', "sys.exit(9)", "load", "exited with code 9"),
        ('type="move"', 'type="error", kind="load", en="sour", zh="酸"', "crash", "sour"),
        (
            'type="move"',
            'type="error", kind="x", en="a\\nludus: b", zh=""',
            "crash",
            r"a\nludus: b",
        ),
    ],
)
def test_a_program_that_breaks_the_protocol_is_told_how(
    tmp_path: Path, old: str, new: str, verdict: str, says: str
) -> None:
    assert old in PROGRAM
    record = bout(program(tmp_path, PROGRAM.replace(old, new)), "random")
    assert record.verdict == verdict, record.faults
    assert says in record.faults[0].why["en"]


@pytest.mark.parametrize(
    ("claimed", "verdict"),
    [
        ("memory", "memory"),
        ("illegal", "crash"),
        ("timeout", "crash"),
        ("output", "crash"),
        ("resign", "crash"),
    ],
)
def test_a_program_chooses_no_verdict_of_the_referees(
    tmp_path: Path, claimed: str, verdict: str
) -> None:
    claim = f'type="error", kind="{claimed}", en="my own words", zh="我的话"'
    record = bout(program(tmp_path, PROGRAM.replace('type="move"', claim)), "random")
    (fault,) = record.faults
    assert (fault.kind.value, fault.move) == (verdict, None)
    assert fault.why["en"] == "my own words"
    assert "my own words" not in remove_traces(record).faults[0].why["en"]
    verify(record)


def test_a_program_that_does_not_exist_is_a_fault_of_loading(tmp_path: Path) -> None:
    record = bout("cmd:./no/such/program", "random")
    assert record.verdict == "load"
    assert "cannot be started" in record.faults[0].why["en"]


def test_a_python_error_comes_with_the_bots_own_lines_only() -> None:
    record = bout(str(BAD / "raises.py"), "random", rounds=20)
    trace = record.faults[0].trace
    assert "raises.py" in trace and "1 / 0" in trace
    assert "runner.py" not in trace


def test_a_bot_sees_none_of_our_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "42")
    bot = tmp_path / "spy.py"
    bot.write_text(
        "import os\nprint(sorted(os.environ), os.getcwd())\n" + (BAD / "normal.py").read_text()
    )
    player = ProcessPlayer("spy", python_bot(bot))
    house = create_player(resolve_bot("random", GAME), GAME)
    (played,) = series(GAME, GAME.Options(rounds=2), [player, house], 1, 1)
    assert played.record.verdict == "rules"
    assert "SECRET_TOKEN" not in played.outputs[0]["stdout"]
    assert str(tmp_path) not in played.outputs[0]["stdout"]


def test_a_bot_inherits_no_descriptors_of_ours(tmp_path: Path) -> None:
    bot = tmp_path / "spy.py"
    bot.write_text(
        "import os\nprint([os.readlink(f'/proc/self/fd/{fd}') for fd in os.listdir('/proc/self/fd')"
        " if os.path.exists(f'/proc/self/fd/{fd}')])\n" + (BAD / "normal.py").read_text()
    )
    with open(tmp_path / "open_file", "w") as ours:
        os.set_inheritable(ours.fileno(), True)
        player = ProcessPlayer("spy", python_bot(bot))
        house = create_player(resolve_bot("random", GAME), GAME)
        (played,) = series(GAME, GAME.Options(rounds=2), [player, house], 1, 1)
    assert "open_file" not in played.outputs[0]["stdout"]


def test_a_bot_that_does_not_read_cannot_block_the_referee() -> None:
    child = BotProcess(
        Program(argv=("sleep", "1000")), Limits(), choose_level(), "", protocol.ReplyReader()
    )
    with pytest.raises(BotFault) as caught:
        child.call(b"x" * (1 << 20), TimeLimit(seconds=1, measure="cpu", asleep=0.3))
    assert caught.value.kind is FaultKind.TIMEOUT
    child.kill()


EARLY = """
    if kind == "hello":
        say(type="hello", protocol="ludus/1")
        say(type="ready")
        continue
"""


def test_an_answer_that_was_there_before_the_question_is_no_answer(tmp_path: Path) -> None:
    text = PROGRAM.replace('    if kind == "hello":\n', f'{EARLY}    if kind == "hello":\n', 1)
    text = text.replace("def say(**answer):", "def say(**answer):\n    time.sleep(0.05)")
    player = create_player(resolve_bot(program(tmp_path, f"import time\n{text}"), GAME), GAME)
    assert isinstance(player, ProcessPlayer)
    child = BotProcess(player._program, Limits(), choose_level(), "", protocol.ReplyReader())
    limit = TimeLimit(seconds=30, measure="cpu", asleep=60)
    assert child.call(protocol.pack_frame(protocol.Hello(protocol.PROTOCOL_NAME)), limit)
    waiting = select.poll()
    waiting.register(child._from, select.POLLIN)
    assert waiting.poll(30_000), "the answer to a question that was not asked yet"
    with pytest.raises(BotFault, match="before it was asked") as caught:
        child.call(
            protocol.pack_frame(protocol.MatchBeginRequest("duel2048", 1, ["a", "b"])), limit
        )
    assert caught.value.kind is FaultKind.OUTPUT
    child.kill()


def test_no_descriptors_are_lost_over_many_starts() -> None:
    bout(str(BAD / "hard_exit.py"), "random")  # opens what a process keeps for all its bouts
    gc.collect()  # what earlier tests left open may be closed at any time
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        bout(str(BAD / "hard_exit.py"), "random")
    assert len(os.listdir("/proc/self/fd")) <= before


def test_wall_time_on_request() -> None:
    clock = Clock(budget=0.5, measure="wall")
    record = bout(str(BAD / "sleeps.py"), "random", clock=clock)
    assert record.verdict == "timeout"
    assert "wall" in record.faults[0].why["en"]


def test_a_program_that_wants_what_there_is_not_is_told_so(tmp_path: Path) -> None:
    wrong = PROGRAM.replace('"legal", "view"', '"legals"')
    (fault,) = bout(program(tmp_path, wrong), "random").faults
    assert fault.kind == FaultKind.LOAD
    assert fault.why["en"].startswith("it wants 'legals'") and "legal, view" in fault.why["zh"]


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (f"{sys.executable} my_bot.py", "my_bot"),
        (f"{sys.executable} -u my_bot.py other.txt", "my_bot"),
        (f"{sys.executable} -c pass", Path(sys.executable).name),
        ("./run.sh my_bot.py", "run.sh"),
    ],
)
def test_a_command_is_called_like_the_users_own_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for file in ("my_bot.py", "other.txt", "run.sh"):
        Path(file).write_text("#!/bin/sh\n")
        Path(file).chmod(0o755)
    assert resolve_bot(f"cmd:{command}", GAME).name == name


def test_what_a_program_wrote_is_quoted_as_text(tmp_path: Path) -> None:
    (fault,) = bout(program(tmp_path, "print('{}{}{}{}', flush=True); input()"), "random").faults
    assert "b'" not in fault.why["en"] and "b'" not in fault.why["zh"]
