"""Ludus as a GTP engine."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import list_house_bots, resolve_bot
from ludus.compat.gtp.engine import GtpEngine
from ludus.errors import LudusError
from ludus.games import get
from ludus.match.series import PlannedBout, play_bouts
from tests.support.cli import LEGAL

REVERSI = get("reversi")
TABLUT = get("tablut")
FAILS = "class Bot:\n    def move(self, position, clock): return 1 / 0\n"
WATCHES_CLOCK = """
class Bot:
    def move(self, position, clock):
        raise ValueError(f"{round(clock.mine)} {round(clock.limit)}")
"""


def make_engine(bot: str = "greedy", size: int = 8) -> GtpEngine:
    source = resolve_bot(bot, REVERSI)
    return GtpEngine(
        REVERSI,
        REVERSI.Options(size=size),
        source.name,
        lambda: create_player(source, REVERSI, isolate=False),
        seed=1,
    )


@pytest.fixture
def engine() -> Iterator[GtpEngine]:
    engine = make_engine()
    yield engine
    engine.close()


def ask(engine: GtpEngine, *commands: str) -> list[str]:
    """The answers without their ends."""
    answers = [engine.answer(command) for command in commands]
    assert all(answer is not None and answer.endswith("\n\n") for answer in answers)
    return [str(answer).removesuffix("\n\n") for answer in answers]


def test_it_introduces_itself(engine: GtpEngine) -> None:
    assert ask(engine, "protocol_version", "name", "12 known_command genmove") == [
        "= 2",
        "= Ludus greedy",
        "=12 true",
    ]
    (known,) = ask(engine, "list_commands")
    assert {"boardsize", "genmove", "quit", "undo"} < set(known.removeprefix("= ").split())
    assert not engine.finished
    assert ask(engine, "3 quit") == ["=3"] and engine.finished


@pytest.mark.parametrize("line", ["", "\n", "  \t\r\n", "# a comment", "\x07"])
def test_a_line_without_a_command_has_no_answer(engine: GtpEngine, line: str) -> None:
    assert engine.answer(line) is None


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("fly", "unknown command"),
        ("7 fly", "unknown command"),
        ("_do_quit", "unknown command"),
        ("play black", "syntax error: expected 2 arguments"),
        ("play pink d3", "invalid color 'pink'"),
        ("play black a1", "illegal move: a disc there encloses no rival disc"),
        ("play black z99", "illegal move: expected a cell from a1 to h8"),
        ("play white d3", "illegal move: it is not white's turn"),
        ("play black pass", "illegal move: only a side that cannot move passes"),
        ("genmove white", "illegal move: it is not white's turn"),
        ("boardsize nine", "syntax error: 'nine' is not an integer"),
        ("boardsize 7", "unacceptable size"),
        ("boardsize 100", "unacceptable size"),
        ("set_game Go", "unsupported game; this engine plays Othello"),
        ("undo", "cannot undo"),
        ("boardsize", "syntax error: expected 1 argument"),
        ("play black", "syntax error: expected 2 arguments"),
        ("time_settings 10 x 0", "syntax error: 'x' is not an integer"),
        ("x" * (2 << 20), "unknown command"),
    ],
)
def test_what_it_cannot_do_is_an_error(engine: GtpEngine, command: str, error: str) -> None:
    (answer,) = ask(engine, command)
    assert answer == f"?{7 if command.startswith('7') else ''} {error}"
    assert ask(engine, "play black d3") == ["="]


def test_the_board_is_shown_with_the_names_of_its_cells(engine: GtpEngine) -> None:
    (shown, _) = ask(engine, "showboard", "play black d3")
    head, first, *_ = shown.removeprefix("= ").lstrip("\n").splitlines()
    assert head.split() == list("abcdefgh") and first.split() == ["1", *"........"]
    row = ask(engine, "showboard")[0].splitlines()[4]
    assert row.split()[:6] == ["3", ".", ".", ".", "x", "."]
    assert row.index("x") == ask(engine, "showboard")[0].splitlines()[1].index("d")


def test_it_plays_both_colours_and_takes_moves_back(engine: GtpEngine) -> None:
    first = ask(engine, "boardsize 8", "clear_board", "play BLACK D3", "genmove w", "genmove b")
    again = ask(
        engine, "undo", "undo", "undo", "play black d3 # mine", "genmove white", "genmove b"
    )
    assert first[:3] == ["="] * 3 and again[:3] == ["="] * 3
    assert first[2:] == again[3:]
    assert ask(engine, "showboard")[0].splitlines()[-1] == "white to move"
    assert ask(engine, "set_game othello", "komi 6.5", "list_games") == ["=", "=", "= Othello"]
    assert "black to move" in ask(engine, "showboard")[0]


def test_a_whole_game_with_passes_comes_out_as_the_rules_say() -> None:
    engine = make_engine("random", size=4)
    position = REVERSI.start(REVERSI.Options(size=4), 0)
    passes, turn = 0, 0
    while position.to_move:
        colour = ("black", "white")[turn]
        (answer,) = ask(engine, f"genmove {colour}")
        vertex = answer.removeprefix("= ")
        if vertex == "pass":
            assert turn not in position.to_move
            passes += 1
        else:
            position.play({turn: vertex})
        turn = 1 - turn
    assert ask(engine, "genmove black", "genmove white") == ["= pass", "= pass"]
    assert ask(engine, "play black b1")[0] == "? illegal move: the game is over"
    assert "the game is over" in ask(engine, "showboard")[0]
    undone = passes + 2 + 1
    assert ask(engine, *["undo"] * undone)[-1] == "="
    engine.close()


def test_the_bot_learns_how_much_time_it_has(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(WATCHES_CLOCK)
    engine = make_engine(str(bot))

    def told(*commands: str) -> str:
        return ask(engine, *commands, "genmove black")[-1].rpartition("ValueError: ")[2]

    assert told() == "30 30"
    assert told("time_settings 100 0 0") == "100 100"
    assert told("time_left black 50 0") == "50 50"
    assert told("time_left black 20 4") == "20 5"
    assert told("time_settings 0 12 3") == "12 4"
    assert told("time_settings 0 12 0") == "3600 3600"
    engine.close()


def test_a_bot_that_fails_is_an_error_and_may_try_again(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(FAILS)
    engine = make_engine(str(bot))
    answers = ask(engine, "genmove black", "genmove black", "play black d3")
    assert answers[0] == answers[1]
    assert answers[0].startswith("? the bot failed (crash): it raised ZeroDivisionError")
    assert answers[2] == "="
    engine.close()


def test_tablut_has_a_dialect_of_its_own() -> None:
    source = resolve_bot("random", TABLUT)
    engine = GtpEngine(TABLUT, TABLUT.Options(), "random", lambda: create_player(source, TABLUT))
    answers = ask(engine, "set_game Tablut", "boardsize 9", "play white e6f6", "genmove black")
    assert answers[:3] == ["="] * 3 and len(answers[3]) == len("= d9d7")
    assert ask(engine, "boardsize 11") == ["? unacceptable size"]
    engine.close()


@pytest.mark.parametrize("game", ["reversi", "tablut"])
def test_without_a_bot_it_is_the_strongest_one_of_the_house(game: str) -> None:
    command = [sys.executable, "-m", "ludus", "engine", game]
    ran = subprocess.run(command, input="name\nquit\n", capture_output=True, text=True, check=True)
    known = list_house_bots(get(game))
    strongest = [name for name in get(game).levels if name in known][-1]
    assert ran.stdout.startswith(f"= Ludus {strongest}\n")


def test_a_game_without_vertices_has_no_engine() -> None:
    game = get("duel2048")
    with pytest.raises(LudusError, match="its moves are not written as vertices"):
        GtpEngine(game, game.Options(), "random", lambda: pytest.fail("no bot is needed"))


def test_the_command_plays_on_a_seat_as_the_bot_itself_does(tmp_path: Path) -> None:
    """Our engine against our engine, each a process of its own behind a ``gtp:`` seat."""
    bot = tmp_path / "first.py"
    bot.write_text(LEGAL)
    engine = f"gtp:{sys.executable} -m ludus engine reversi {bot}"

    def moves(*specs: str) -> list[str]:
        sources = [resolve_bot(spec, REVERSI, trust=True) for spec in specs]
        players = [create_player(source, REVERSI) for source in sources]
        bout = PlannedBout(0, 1, (0, 1), ("d3", "c5"))
        (played,) = play_bouts(REVERSI, REVERSI.Options(), players, [bout])
        assert played.record.verdict == "rules", played.record.faults
        return played.record.moves

    assert moves(engine, f"{engine} --seed 5") == moves(str(bot), str(bot))


def test_what_a_bot_prints_does_not_break_the_protocol(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "class Bot:\n    def move(self, position, clock):\n"
        "        print('thinking')\n        return position.legal(0)[0]\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "ludus", "engine", "reversi", str(bot)],
        input="genmove black\nquit\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "= d3\n\n=\n\n"
