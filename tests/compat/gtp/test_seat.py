"""GTP engines on seats: those that keep to the protocol, and those that do not."""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot, resolve_bot_at
from ludus.errors import LudusError
from ludus.games import Clock, get
from ludus.match import replay
from ludus.match.record import Record
from ludus.match.series import PlannedBout, play_bouts
from ludus.sandbox import list_levels
from tests.support.leftovers import jailed_processes, none_left

GAME = get("reversi")
ROOT = Path(__file__).resolve().parents[3]
ENGINE = f"gtp:{sys.executable} {ROOT / 'examples' / 'gtp_engine.py'}"
SMALL = GAME.Options(size=4)
HASTE = Clock(budget=1.0, measure="wall")

HOSTILE = """
import os, sys, time
mode = sys.argv[1]

def say(text):
    print(text, end="\\n\\n", flush=True)

for line in sys.stdin:
    command = line.split()[0]
    if command == "quit":
        break
    if command == "list_commands":
        say("= play\\ngenmove\\nboardsize\\nclear_board")
    elif command == "boardsize" and mode == "size":
        say("? unacceptable size")
    elif command == "play" and mode == "deaf":
        say("? illegal move")
    elif command != "genmove":
        say("=")
    elif mode == "half":
        sys.stdout.write("= b1\\n"); sys.stdout.flush(); time.sleep(600)
    elif mode == "hang":
        time.sleep(600)
    elif mode == "exit":
        sys.exit(3)
    elif mode == "segfault":
        os.kill(os.getpid(), 11)
    elif mode == "flood":
        sys.stderr.write("x" * (17 << 20)); say("= b1")
    elif mode == "twice":
        say("= b1"); say("= c1")
    else:
        say({"bare": "b1", "long": "= " + "x" * (2 << 20), "error": "? I am\\x1b[2J lost",
             "resign": "= Resign", "pass": "= pass", "corner": "= A1", "far": "= z99",
             "two": "= b1 c1", "nothing": "=", "deaf": "= b1"}[mode])
"""


@pytest.fixture(scope="module", autouse=True)
def nothing_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No engine leaves a process, a folder, a mount or a control group behind."""
    folder = tmp_path_factory.mktemp("temporary")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder))
        with none_left(folder):
            yield


def bout(
    *specs: str,
    options: object = SMALL,
    clock: Clock | None = None,
    opening: Sequence[str] = (),
    trust: bool = False,
    bouts: int = 1,
) -> list[Record]:
    players = [create_player(resolve_bot(spec, GAME, trust=trust), GAME) for spec in specs]
    orders = [(0, 1), (1, 0)] * bouts
    plan = [PlannedBout(n, 7, orders[n], tuple(opening)) for n in range(bouts)]
    return [each.record for each in play_bouts(GAME, options, players, plan, clock=clock)]


def test_an_engine_plays_whole_matches_from_both_seats_and_from_openings() -> None:
    records = bout(ENGINE, "greedy", options=GAME.Options(), opening=("d3", "c5", "d6"), bouts=2)
    for record in records:
        assert record.verdict == "rules" and record.moves[:3] == ["d3", "c5", "d6"]
        replay.verify(record)
    (engine,) = {bot for record in records for bot in record.bots if bot.name != "greedy"}
    assert engine.isolation == list_levels()[0] and len(engine.digest) == 64
    assert {record.bots.index(engine) for record in records} == {0, 1}


def test_an_engine_learns_of_passes() -> None:
    """On the small board somebody has to pass in almost every bout."""
    records = bout(ENGINE, "random", bouts=6)
    passes = 0
    for record in records:
        assert record.verdict == "rules"
        position = GAME.start(SMALL, record.seed)
        for move in record.moves:
            (seat,) = position.to_move
            position.play({seat: move})
            passes += position.to_move == (seat,)
    assert passes > 2


def test_an_engine_of_the_users_may_be_trusted() -> None:
    jailed, trusted = (bout(ENGINE, "greedy", trust=trust)[0] for trust in (False, True))
    assert trusted.bots[0].isolation == "unjailed"
    assert trusted.moves == jailed.moves and trusted.bots[0].digest == jailed.bots[0].digest


def test_a_folder_may_be_an_engine(tmp_path: Path) -> None:
    text = (ROOT / "examples" / "gtp_engine.py").read_text()
    (tmp_path / "main.py").write_text(text)
    (tmp_path / "ludus.toml").write_text('name = "discs"\nlanguage = "python"\nprotocol = "gtp"\n')
    players = [
        create_player(source, GAME)
        for source in (resolve_bot_at(tmp_path, GAME), resolve_bot("random", GAME))
    ]
    (played,) = play_bouts(GAME, SMALL, players, [PlannedBout(0, 7, (0, 1))])
    assert played.record.verdict == "rules" and played.record.bots[0].name == "discs"


@pytest.mark.parametrize(
    ("mode", "verdict", "says"),
    [
        ("bare", "output", "begins with = or ?"),
        ("long", "output", "longer than 64 kB"),
        ("twice", "output", "before it was asked"),
        ("two", "output", "expected a vertex"),
        ("nothing", "output", "expected a vertex"),
        ("flood", "output", "more than 16 MB"),
        ("half", "timeout", "without the empty line"),
        ("hang", "timeout", "(asked: genmove black)"),
        ("exit", "crash", "exited with code 3"),
        ("segfault", "crash", "SIGSEGV"),
        ("error", "crash", "with an error: I am"),
        ("deaf", "crash", "'play white"),
        ("size", "load", "'boardsize 4' with an error: unacceptable size"),
        ("corner", "illegal", "encloses no rival disc"),
        ("far", "illegal", "expected a cell"),
        ("pass", "illegal", "it passed although it can move"),
        ("resign", "resign", "it resigned"),
    ],
)
def test_a_hostile_engine_gets_its_verdict_and_leaves_nothing(
    tmp_path: Path, mode: str, verdict: str, says: str
) -> None:
    script = tmp_path / "engine.py"
    script.write_text(HOSTILE)
    (record,) = bout(f"gtp:{sys.executable} {script} {mode}", "random", clock=HASTE)
    (fault,) = record.faults
    assert fault.kind == verdict and fault.seat == 0 and record.scores == [0.0, 1.0]
    assert says in fault.why["en"] and "\x1b" not in fault.why["en"]
    assert not jailed_processes(str(script))
    replay.verify(record)


@pytest.mark.parametrize(
    ("command", "says"), [("cat", "begins with = or ?"), ("/nowhere/engine", "cannot be started")]
)
def test_what_is_no_engine_cannot_be_loaded(command: str, says: str) -> None:
    (record,) = bout(f"gtp:{command}", "random")
    assert record.verdict == "load" and says in record.faults[0].why["en"]


def test_a_game_without_vertices_has_no_such_seats() -> None:
    with pytest.raises(LudusError, match="GTP engines cannot play duel2048"):
        resolve_bot("gtp:cat", get("duel2048"))
    with pytest.raises(LudusError, match="gtp: needs a command"):
        resolve_bot("gtp:", GAME)
