"""``ludus why``: every kind of fault explained, in both languages."""

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from ludus.analysis.fault_report import explain_faults
from ludus.bots.players.base import MoveAnswer, Player, TimeLimit
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games.base import Clock, ClockView
from ludus.games.host import Ply
from ludus.games.registry import get
from ludus.match import play
from ludus.match.record import Record, save
from ludus.sandbox.bot_fault import BotFault, FaultKind
from tests.support.cli import LEGAL, Ludus

GAME = get("reversi")
THIRD = (
    "        self.asked = getattr(self, 'asked', 0) + 1\n        if self.asked == 3:\n            "
)
MOVE = "    def move(self, position, clock):\n"
BOTS = {
    "illegal": LEGAL.replace(MOVE, f"{MOVE}{THIRD}return 'a1'\n"),
    "crash": LEGAL.replace(MOVE, f"{MOVE}{THIRD}raise KeyError('e4')\n"),
    "timeout": LEGAL.replace(MOVE, f"{MOVE}{THIRD}\n            while True: pass\n"),
    "memory": LEGAL.replace(MOVE, f"{MOVE}{THIRD}raise MemoryError('table')\n"),
    "output": LEGAL.replace(MOVE, f"{MOVE}{THIRD}print('x' * (20 << 20))\n"),
    "load": "import nothing_of_this_name\n" + LEGAL,
}
"""Bots that fail at their third turn, or when they are loaded."""


class ResigningPlayer:
    """Gives up when it is asked."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.name, self.digest, self.isolation = "tired", "", "in-process"
        self.start, self.end = player.start, player.end
        self.output, self.close = player.output, player.close

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        raise BotFault(FaultKind.RESIGN, "it resigned", "它认输了")


def make_player(spec: str) -> Player:
    return create_player(resolve_bot(spec, GAME), GAME)


def fail(kind: str, folder: Path) -> Record:
    """A bout that the bot on the first seat loses by this kind of fault."""
    if kind == "resign":
        first: Player = ResigningPlayer(make_player("random"))
    else:
        (folder / f"{kind}.py").write_text(BOTS[kind])
        first = make_player(str(folder / f"{kind}.py"))
    players = [first, make_player("random")]
    try:
        return play(GAME, GAME.Options(), 3, players, Clock(budget=0.5))
    finally:
        for player in players:
            player.close()


@pytest.mark.parametrize("kind", [kind.value for kind in FaultKind])
def test_every_kind_of_fault_is_explained(
    kind: str, cli: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    record = fail(kind, tmp_path)
    assert record.verdict == kind
    save(record, tmp_path / "lost.ludus")
    english = cli("why", tmp_path / "lost.ludus")
    assert english.code == 0, english.err
    assert record.faults[0].why["en"].splitlines()[0] in english.out
    monkeypatch.setenv("LUDUS_LANG", "zh")
    chinese = cli("why", tmp_path / "lost.ludus")
    assert record.faults[0].why["zh"].splitlines()[0] in chinese.out
    assert "failed" not in chinese.out and "出错" in chinese.out


def explain(cli: Ludus, kind: str, folder: Path) -> dict[str, object]:
    save(fail(kind, folder), folder / "lost.ludus")
    (fault,) = json.loads(cli("why", folder / "lost.ludus", "--json").out)["faults"]
    assert isinstance(fault, dict)
    return fault


def test_an_illegal_move_is_shown_with_what_was_legal(cli: Ludus, tmp_path: Path) -> None:
    fault = explain(cli, "illegal", tmp_path)
    assert fault["answer"] == "a1" and fault["step"] == 5
    legal = fault["legal"]
    assert isinstance(legal, list) and legal and "a1" not in legal
    ran = cli("why", tmp_path / "lost.ludus")
    assert f"legal moves:   {' '.join(legal)}" in ran.out


def test_an_exception_is_shown_with_the_line_of_the_bots_file(
    cli: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    fault = explain(cli, "crash", tmp_path)
    lines = (tmp_path / "crash.py").read_text().splitlines()
    place = fault["place"]
    assert isinstance(place, dict)
    assert "raise KeyError" in lines[place["line"] - 1]
    excerpt = fault["excerpt"]
    assert isinstance(excerpt, list)
    assert {"line": place["line"], "text": lines[place["line"] - 1]} in excerpt
    ran = cli("why", tmp_path / "lost.ludus")
    assert f"crash.py, line {place['line']}:" in ran.out
    assert "debug" in ran.out and "--bot crash.py" in ran.out


def test_the_clock_of_a_timeout_ends_below_zero(cli: Ludus, tmp_path: Path) -> None:
    fault = explain(cli, "timeout", tmp_path)
    rows = fault["clock"]
    assert isinstance(rows, list)
    assert [row["step"] for row in rows] == [0, 1, 3, 5]
    assert rows[-1]["move"] is None
    assert round(rows[-1]["left"], 3) <= 0.0 < rows[-2]["left"], "a clock counts milliseconds"
    assert rows[-1]["spent"] == max(row["spent"] for row in rows)
    assert "0.5 s of CPU time for the bout" in cli("why", tmp_path / "lost.ludus").out


SLOW = """        import time
        end = time.process_time() + 0.04
        while time.process_time() < end: pass
"""


def test_only_an_answer_that_took_all_the_time_looks_like_an_endless_loop(
    cli: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = json.dumps(explain(cli, "timeout", tmp_path))
    assert "a loop that never ends" in endless and "then Ctrl-C" in endless
    monkeypatch.setitem(BOTS, "timeout", LEGAL.replace(MOVE, f"{MOVE}{SLOW}"))
    slow = explain(cli, "timeout", tmp_path)
    assert slow["kind"] == "timeout" and "loop" not in json.dumps(slow)


def test_a_bot_that_slept_is_told_not_to_wait(
    cli: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sleepy = LEGAL.replace(MOVE, f"{MOVE}        import time; time.sleep(9)\n")
    (tmp_path / "sleepy.py").write_text(sleepy)
    own = ("sleepy.py", "random", "--time", "1", "--patience", "1")
    assert cli("play", "reversi", *own).code == 0
    ran = cli("why")
    assert "it slept or waited for" in ran.out and "1.0 s allowed" in ran.out
    assert "--patience 1, here 1 s in a bout" in ran.out
    assert "must not sleep or wait" in ran.out
    assert "used up its time" not in ran.out and "clock.mine" not in ran.out


def test_a_bot_that_used_up_its_time_is_not_said_to_have_slept(
    cli: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loops.py").write_text(LEGAL.replace(MOVE, f"{MOVE}        while True: pass\n"))
    clock = ("--time", "0.5", "--increment", "1")
    assert cli("play", "reversi", "loops.py", "random", *clock).code == 0
    ran = cli("why")
    assert "clock.mine" in ran.out and "slept" not in ran.out and "must not sleep" not in ran.out


def test_a_model_that_waited_too_long_is_told_of_patience(cli: Ludus, tmp_path: Path) -> None:
    record = fail("timeout", tmp_path)
    (fault,) = record.faults
    remote = msgspec.structs.replace(record.bots[fault.seat], name="llm:small")
    record.bots[fault.seat] = remote
    record.times.used[fault.seat] = [0.0, 60.0]
    (report,) = explain_faults(record)
    assert "--patience" in report.advice.en and "sleep" not in report.advice.en


def test_a_bot_of_another_language_is_not_sent_to_the_debugger(
    cli: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save(fail("illegal", tmp_path), tmp_path / "lost.ludus")
    ran = cli("why", "lost.ludus")
    assert "ludus debug lost.ludus --bot illegal.py" in ran.out
    (tmp_path / "illegal.py").rename(tmp_path / "illegal.cpp")
    ran = cli("why", "lost.ludus")
    assert "--bot illegal.cpp --diff OTHER" in ran.out and "--logs logs" in ran.out
    (tmp_path / "illegal.cpp").unlink()
    assert "--bot FILE" in cli("why", "lost.ludus").out


def test_a_bout_without_a_fault_points_to_the_analysis(cli: Ludus, home: Path) -> None:
    assert cli("play", "reversi", "greedy", "random", "--seed", "1").code == 0
    ran = cli("why")
    assert ran.code == 0
    assert ran.out.startswith("no seat failed: ") and "ludus analyse" in ran.out
    (path,) = (home / "records").glob("*.ludus")
    facts = json.loads(cli("why", path, "--json").out)
    assert facts["faults"] == [] and facts["verdict"] == "rules"


def test_wrong_calls_get_one_sentence(cli: Ludus, tmp_path: Path) -> None:
    (tmp_path / "x.ludus").write_text("no record")
    for words, sentence in (
        (["none.ludus"], "none.ludus"),
        ([tmp_path / "x.ludus"], "is not a Ludus record"),
        ([], "no record has been saved yet"),
    ):
        ran = cli("why", *words)
        assert ran.code == 2
        assert sentence in ran.err and len(ran.err.splitlines()) == 1


def test_in_a_game_with_a_program_of_its_own_that_program_is_named(cli: Ludus, home: Path) -> None:
    game = Path(__file__).parents[2] / "examples" / "botzone" / "nim"
    assert cli("play", game, "careful", "greedy", "--seed", "1").code == 0
    ran = cli("why")
    assert ran.code == 0, ran.err
    assert "decided this bout" in ran.out and "replay show" in ran.out
    (path,) = (home / "records").glob("*.ludus")
    refused = cli("debug", path, "--bot", "greedy", "--step", "2", "--seat", "0")
    assert refused.code == 2
    assert "are asked by a program of its own" in refused.err


@pytest.mark.parametrize(
    ("game", "code", "line", "expected"),
    [
        (
            "duel2048",
            "class Bot:\n    def move(position, clock):\n        return '0,3'\n",
            "→     2      def move(position, clock):",
            "write def move(self, position, clock):",
        ),
        (
            "duel2048",
            "class Player:\n    def __init__(self): pass\n    def output(self, a, b, c): pass\n",
            "→     2      def __init__(self): pass",
            "write def __init__(self, isFirst, array):",
        ),
        (
            "paperio",
            "\ndef play(stat):\n    return 'L'\n",
            "→     2  def play(stat):",
            "write def play(stat, storage):",
        ),
    ],
)
def test_a_function_with_other_arguments_is_shown_with_what_it_should_take(
    cli: Ludus, tmp_path: Path, game: str, code: str, line: str, expected: str
) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(code)
    cli("play", game, mine, "random", "--bout-seed", 1)
    said = cli("why", "--bot", mine).out
    assert line in said and expected in said
    assert "runner.py" not in said
