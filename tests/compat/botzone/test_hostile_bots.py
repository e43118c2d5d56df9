"""What Botzone calls TLE, MLE, OLE, NJ and RE are faults of Ludus, and nothing is left behind."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludus import sandbox
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot_at, resolve_house_bot
from ludus.games import Clock, get
from ludus.match import play
from ludus.match.replay import verify
from ludus.sandbox import JailLevel, Limits
from tests.support import botzone
from tests.support.botzone import MARKER
from tests.support.leftovers import none_left

SHORT = Clock(budget=0.3, patience=2.0)
READ = (
    "import json, os, sys\ninput_ = json.loads(input()); input_['requests'], input_['responses']\n"
)
ANSWER = """print('{"response": {"x": 2, "y": 3}}', flush=True)\n"""

BOTS = {
    "exits early": ("sys.exit()", "output", "NJ: it ended without an answer"),
    "half a line": ("print('{\"response\": {\"x\"', end='')", "output", "NJ: it answered"),
    "not JSON": ("print('c4')", "output", "NJ: it answered b'c4"),
    "two answers": (ANSWER + ANSWER, "output", "NJ: it answered"),
    "deep JSON": ("print('[' * 100_000)", "output", "NJ: it answered"),
    "half a character": (r"sys.stdout.buffer.write(b'\"\xe4\"')", "output", "NJ: it answered"),
    "2 MB": ("print('1' * (2 << 20))", "output", "OLE: it printed more than 1 MB"),
    "floods stderr": (
        "while True: print('x' * 65536, file=sys.stderr)",
        "output",
        "OLE: it printed more than",
    ),
    "saves too much": (
        "print(json.dumps({'response': {'x': 2, 'y': 3}, 'data': 'x' * 200_000}))",
        "output",
        "OLE: it saved 200002 bytes as data",
    ),
    "exit code": (ANSWER + "sys.exit(3)", "crash", "RE: it exited with code 3"),
    "raises": ("raise ValueError('no move')", "crash", "RE: it exited with code 1"),
    "is killed": ("os.kill(os.getpid(), 11)", "crash", "RE: it was killed by SIGSEGV"),
    "forks": ("os.fork()", "crash", "RE: it exited with code 1"),
    "hangs": ("while True: pass", "timeout", "TLE: it used"),
    "no marker": (
        ANSWER + f"while True: pass  # {MARKER}",
        "timeout",
        "neither ended nor printed the line",
    ),
    "talks on": (
        ANSWER + f"print('{MARKER}\\n{{}}', flush=True); input()",
        "output",
        "NJ: it printed b'{}' after the marker",
    ),
    "illegal cell": ('print(\'{"x": 0, "y": 0}\')', "illegal", "encloses no rival disc"),
    "passes": ('print(\'{"x": -1, "y": -1}\')', "illegal", "it passed although it can move"),
    "outside": ('print(\'{"x": 8, "y": 1}\')', "illegal", 'it answered {"x":8,"y":1}'),
    "no cell": ("print('[true, 3]')", "illegal", "it answered [true,3]"),
}


@pytest.fixture(scope="module", autouse=True)
def nothing_is_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """After all of them: no process, no file, no mount and no control group of ours."""
    usual, tempfile.tempdir = tempfile.tempdir, str(tmp_path_factory.mktemp("temporary"))
    os.chmod(tempfile.tempdir, 0o755)
    try:
        with none_left(Path(tempfile.tempdir)):
            yield
    finally:
        tempfile.tempdir = usual


@pytest.mark.parametrize("name", BOTS)
def test_a_hostile_bot_gets_its_verdict(name: str, tmp_path: Path) -> None:
    code, verdict, words = BOTS[name]
    path = botzone.write_bot(tmp_path, READ + code)
    clock = SHORT if verdict == "timeout" else None
    record = botzone.bout(botzone.player(path), botzone.house(), clock=clock)

    assert record.verdict == verdict, record.faults
    (fault,) = record.faults
    assert fault.seat == 0
    assert words in fault.why["en"]
    assert fault.why["zh"] != fault.why["en"]
    verify(record)


@pytest.mark.parametrize(
    "response",
    [
        "hello",
        {"x0": 0, "y0": 0, "x1": 6, "y1": 0},
        {"x0": -1, "y0": -1, "x1": -1, "y1": -1},
    ],
)
def test_the_record_of_an_answer_that_is_no_move_of_ataxx_can_be_opened(
    response: object, tmp_path: Path
) -> None:
    path = botzone.write_bot(tmp_path, READ + f"print(json.dumps({{'response': {response!r}}}))")
    ataxx = get("ataxx")
    bots = (resolve_bot_at(path, ataxx), resolve_house_bot("random", ataxx))
    players = [create_player(bot, ataxx) for bot in bots]
    try:
        record = play(ataxx, ataxx.Options(), 3, players)
    finally:
        for player in players:
            player.close()

    assert record.verdict == "illegal" and record.faults[0].seat == 0
    verify(record)


def test_a_bot_that_fills_the_memory_gets_mle(tmp_path: Path) -> None:
    path = botzone.write_bot(tmp_path, READ + "held = bytearray(os.urandom(1 << 20)) * 400")
    record = botzone.bout(
        botzone.player(path, Limits(memory=128 << 20)), botzone.house(), clock=Clock(budget=20.0)
    )

    counted = sandbox.choose_level() is JailLevel.STRONG
    assert record.verdict == ("memory" if counted else record.verdict)
    assert record.faults[0].why["en"].startswith("MLE: " if counted else ("MLE: ", "RE: "))


def test_the_owner_gets_the_traceback_of_a_bot_that_raises(tmp_path: Path) -> None:
    path = botzone.write_bot(tmp_path, READ + "raise ValueError('no move')")
    record = botzone.bout(botzone.player(path), botzone.house())

    assert "ValueError: no move" in record.faults[0].trace


def test_a_program_that_keeps_running_is_gone_after_the_bout(tmp_path: Path) -> None:
    seat = botzone.player(botzone.EXAMPLES / "reversi_keep_running.py")
    record = botzone.bout(botzone.house(), seat)

    assert record.verdict == "rules", record.faults
    assert seat.pid is None
