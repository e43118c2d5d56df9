"""What bots of other platforms say about their moves, each in its own way, for its owner alone."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ludus.bots.notes import SeatNotes
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.compat.botzone.bot_player import read_debug
from ludus.compat.saiblo.samples import FOLDER
from ludus.games.registry import get
from ludus.games.tablut.variants import TablutOptions
from ludus.match.series import SeriesBout, collect_outputs, series
from tests.support.botzone import EXAMPLES, RULES
from tests.support.challenge_clients import EXAMPLE, PYTHON
from tests.support.note_readers import read_as_owner

ROOT = Path(__file__).resolve().parents[2]


def play(game: str, bots: Sequence[str], options: Any = None) -> SeriesBout:
    rules = get(game)
    players = [create_player(resolve_bot(bot, rules, trust=True), rules) for bot in bots]
    (played,) = series(rules, options or rules.Options(), players, 1, 1)
    assert played.record.verdict == "rules", played.record.faults
    return played


def first_notes(played: SeriesBout) -> SeatNotes:
    """The notes of the first seat, which only its owner reads."""
    assert not played.seat_notes(1)
    found = read_as_owner(played)
    said = found.notes[0].note.text
    assert said and said not in str(collect_outputs(played)[1])
    return found


def test_debug_of_a_bot_of_botzone_is_its_note() -> None:
    found = first_notes(play("reversi", [str(EXAMPLES / "reversi_traditional.py"), "random"]))
    assert [each.note.text for each in found.notes][:3] == ["turn 1", "turn 2", "turn 3"]
    assert [each.step for each in found.notes][:2] == [0, 2]


def test_debug_may_have_the_fields_of_a_note(tmp_path: Path) -> None:
    text = (EXAMPLES / "reversi_traditional.py").read_text()
    path = tmp_path / "bot.py"
    path.write_text(text.replace('f"turn {turns}"', '{"text": "SAID", "score": 0.5}'))
    found = first_notes(play("reversi", [str(path), "random"]))
    assert (found.notes[0].note.text, found.notes[0].note.score) == ("SAID", 0.5)


SIMPLE_MAIN = """
lines = [input() for _ in range(2 * int(input()) - 1)]
moves = [dict(zip("xy", map(int, line.split()))) for line in lines]
mine = BLACK if moves[0]["x"] < 0 else WHITE
board = {(3, 4): BLACK, (4, 3): BLACK, (3, 3): WHITE, (4, 4): WHITE}
for number, move in enumerate(moves):
    play(board, move, mine if number % 2 else -mine)
answer = choose(board, mine)
print(answer["x"], answer["y"])
print("SAID", len(lines))
"""


def test_the_second_line_of_a_bot_with_simple_interaction_is_its_note(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(RULES + SIMPLE_MAIN)
    (tmp_path / "ludus.toml").write_text(
        'name = "simple"\nlanguage = "python"\nmain = "bot.py"\nprotocol = "botzone-simpleio"\n'
    )
    found = first_notes(play("reversi", [str(tmp_path), "random"]))
    assert [each.note.text for each in found.notes][:3] == ["SAID 1", "SAID 3", "SAID 5"]
    assert [each.step for each in found.notes][:2] == [0, 2]


def test_debug_is_a_note_in_every_game_with_the_generic_request() -> None:
    """A bot of Botzone that is kept running, in a game that Botzone does not have."""
    options = get("eraser").Options(turns=6)
    found = first_notes(play("eraser", [str(EXAMPLES / "any_game"), "random"], options))
    assert all(each.note.text.startswith("eraser, seat 0, step") for each in found.notes)
    assert [f"step {each.step}:" in each.note.text for each in found.notes] == [True] * 3


@pytest.mark.parametrize(
    ("debug", "note"),
    [
        ("why", "why"),
        (None, None),
        ({"score": 0.5, "depth": 3}, {"score": 0.5, "depth": 3}),
        ({"best": 1}, '{"best":1}'),
        ([1, 2], "[1,2]"),
        (7, "7"),
    ],
)
def test_any_debug_can_be_read(debug: Any, note: Any) -> None:
    assert read_debug(debug) == note


def test_what_an_engine_writes_to_stderr_while_it_thinks_is_its_note(tmp_path: Path) -> None:
    engine = (ROOT / "examples" / "gtp_engine.py").read_text()
    path = tmp_path / "engine.py"
    path.write_text(
        "import sys\n"
        "class Told:\n"
        "    def __iter__(self):\n"
        "        for line in iter(sys.__stdin__.readline, ''):\n"
        "            print('SAID', line.split()[0], file=sys.stderr, flush=True)\n"
        "            yield line\n"
        "sys.stdin = Told()\n" + engine.replace("from __future__ import annotations", "")
    )
    size = get("reversi").Options(size=4)
    found = first_notes(play("reversi", [f"gtp:{sys.executable} {path}", "random"], size))
    assert {each.note.text for each in found.notes} == {"SAID genmove"}


def test_what_a_player_of_the_tablut_challenge_prints_is_its_note(tmp_path: Path) -> None:
    path = tmp_path / "player.py"
    head = "def choose(board, side):\n"
    path.write_text(EXAMPLE.read_text().replace(head, f'{head}    print("SAID", flush=True)\n'))
    options = TablutOptions(variant="ashton")
    found = first_notes(play("tablut", [f"tcp:{PYTHON} {path}", "random"], options))
    assert {each.note.text for each in found.notes} == {"SAID"}


def test_what_an_ai_of_saiblo_writes_to_stderr_is_its_note(tmp_path: Path) -> None:
    path = tmp_path / "ai.py"
    text = (FOLDER / "saiblo_reversi" / "ais" / "corners.py").read_text()
    head = "    def move(self, turn: Turn) -> str:\n"
    told = '        import sys\n        print("SAID", file=sys.stderr, flush=True)\n'
    path.write_text(text.replace(head, head + told))
    played = play("saiblo_reversi", [str(path), "corners"])
    found = first_notes(played)
    assert {each.note.text for each in found.notes} == {"SAID"}
    assert len(found.notes) > 10
