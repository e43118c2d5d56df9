"""What bots say about their moves: by every way to say it, bounded, and never at the cost of a
move."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest

import ludus
from ludus.bots.notes import (
    MAX_BOUT_NOTES_BYTES,
    MAX_NOTE_TEXT_BYTES,
    MoveNote,
    NoteBook,
    SeatNotes,
    clean_note,
    decode_note,
    unpack_notes,
)
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games.board_shapes import MAX_SHAPES
from ludus.games.registry import get
from ludus.match.series import SeriesBout, series
from tests.support.note_readers import read_as_owner

CELLS = 64
RING = {"kind": "ring", "cell": 20}


def problems(note: MoveNote | None) -> str:
    assert note is not None
    assert all(each["en"] != each["zh"] for each in note.problems)
    return " ".join(each["en"] for each in note.problems)


# What is kept of a note


def test_a_note_is_kept_as_it_was_said() -> None:
    said = {
        "text": "two\nlines",
        "score": 0.25,
        "depth": 9,
        "nodes": 10**9,
        "line": ["d3", "c4"],
        "shapes": [{"kind": "arrow", "cell": 0, "to": 63, "tone": "good"}, RING],
    }
    note = clean_note(said, CELLS)
    assert note == MoveNote(**said)  # type: ignore[arg-type]
    assert clean_note(note, CELLS) == note


@pytest.mark.parametrize("said", [None, "", {}, {"text": ""}, {"shapes": []}])
def test_nothing_said_is_no_note(said: Any) -> None:
    assert clean_note(said, CELLS) is None


@pytest.mark.parametrize("letter", ["x", "棋", "\x00", "\ud800", "😀"])
def test_a_megabyte_of_text_is_cut(letter: str) -> None:
    note = clean_note({"text": letter * 1_000_000}, CELLS)
    assert note is not None
    assert 0 < len(note.text.encode()) <= MAX_NOTE_TEXT_BYTES
    assert "longer than 1024 bytes" in problems(note)


def test_control_characters_are_made_visible() -> None:
    note = clean_note("a\x1b[2J\rb\u202ec\r\nd\te", CELLS)
    assert note is not None
    assert note.text == "a\\x1b[2J\\rb\\u202ec\nd\te"


def test_endless_arrows_are_bounded() -> None:
    note = clean_note({"shapes": [{"kind": "arrow", "cell": 1, "to": 2}] * 100_000}, CELLS)
    assert note is not None and len(note.shapes) == MAX_SHAPES
    assert "Of 100000 shapes the first 200 were kept" in problems(note)
    note = clean_note({"shapes": [{"kind": "star"}] * 100_000}, CELLS)
    assert note is not None and note.shapes == [] and len(note.problems) == 8


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (5, "not int"),
        ([1], "not list"),
        ({"text": 5}, "`text` must be a text, not 5"),
        ({"score": "high"}, "`score` must be a number from 0 to 1, not str"),
        ({"score": 1.5}, "not 1.5"),
        ({"score": float("nan")}, "not nan"),
        ({"score": True}, "not bool"),
        ({"depth": -1}, "`depth` must be a whole number from 0, not -1"),
        ({"nodes": 10**400}, "`nodes` must be a whole number from 0"),
        ({"line": 7}, "`line` must be a list of moves"),
        ({"line": [7]}, "`line` must be a list of moves"),
        ({"line": ["d3"] * 99}, "first 40 moves"),
        ({"shapes": "ring"}, "`shapes` must be a list of shapes"),
        ({"shapes": [{**RING, "cell": 64}]}, "cell is 64, not a cell from 0 to 63"),
        ({"txt": "typo"}, "no field txt"),
        ({"text": "a", 5: 6}, "no field int"),
    ],
)
def test_what_is_wrong_is_left_out_and_said(said: Any, problem: str) -> None:
    assert problem in problems(clean_note(said, CELLS))


def test_numbers_of_numpy_are_numbers() -> None:
    shape = {"kind": "ring", "cell": numpy.int64(20)}
    said = {"score": numpy.float32(0.5), "nodes": numpy.int64(7), "shapes": [shape]}
    assert clean_note(said, CELLS) == MoveNote(score=0.5, nodes=7, shapes=[RING])  # type: ignore[list-item]


def test_an_object_that_fails_is_reported() -> None:
    class Odd(dict[str, Any]):
        def get(self, *_: Any) -> Any:
            raise ValueError("no")

    assert "could not be read" in problems(clean_note(Odd(a=1), CELLS))


@pytest.mark.parametrize(
    "data", [b'{"text":"\xff\xfe"}', b'"\xff"', b'{"text":"\\ud800"}', b"[" * 5000 + b"]" * 5000]
)
def test_bytes_that_are_not_text_do_no_harm(data: bytes) -> None:
    assert clean_note(decode_note(data), CELLS) is not None


def test_all_notes_of_a_bout_are_bounded() -> None:
    book = NoteBook()
    for _ in range(1000):
        book.add("x" * 1024)
        book.follow(1)
    packed = book.pack()
    assert len(packed) < MAX_BOUT_NOTES_BYTES + 100
    found = unpack_notes(packed)
    assert len(found.notes) + found.left_out == 1000 and found.left_out > 0
    assert [each.step for each in found.notes] == list(range(len(found.notes)))
    assert unpack_notes("damaged") == SeatNotes()


# Ways to say it

NATIVE = """
class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        {0}
"""
SMALL = {"reversi": {"size": 4}, "duel2048": {"rounds": 3}, "eraser": {"turns": 6}}
SMALL["paperio"] = {"turns": 6}


def play_bot(path: Path, game: str) -> SeriesBout:
    """A bout of the bot on the first seat, in its own process, against a house bot."""
    rules = get(game)
    players = [create_player(resolve_bot(bot, rules), rules) for bot in (str(path), "random")]
    (played,) = series(rules, rules.Options.parse(SMALL[game]), players, 1, 1)
    assert played.record.verdict == "rules", played.record.faults
    return played


def notes_of(played: SeriesBout) -> SeatNotes:
    """The notes of the first seat, which only its owner reads."""
    assert not played.seat_notes(1)
    return read_as_owner(played)


def write(folder: Path, text: str, name: str = "bot.py") -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "said",
    [
        'self.note("SAID"); return position.legal(self.seat)[0]',
        'return position.legal(self.seat)[0], "SAID"',
        'return position.legal(self.seat)[0], {"text": "SAID"}',
        'self.note({"text": "SAID"}, score=1); return position.legal(self.seat)[0]',
    ],
)
def test_a_bot_in_python_says_something(said: str, tmp_path: Path) -> None:
    played = play_bot(write(tmp_path, NATIVE.format(said)), "reversi")
    found = notes_of(played)
    assert {each.note.text for each in found.notes} == {"SAID"}
    assert "SAID" not in str(played.record)
    own = [step for step in range(len(played.record.moves)) if step % 2 == 0]
    assert [each.step for each in found.notes][:2] == own[:2]


def test_several_notes_about_a_move_become_one(tmp_path: Path) -> None:
    said = 'self.note("one", depth=1); self.note("two", depth=2)'
    code = NATIVE.format(f"{said}; return position.legal(self.seat)[0]")
    found = notes_of(play_bot(write(tmp_path, code), "reversi"))
    assert found.notes[0].note == MoveNote(text="one\ntwo", depth=2)


@pytest.mark.parametrize(
    "said",
    [
        '"x" * 2**20',
        "{'shapes': [{'kind': 'ring', 'cell': 1}] * 10**5}",
        "5",
        '"\\ud800\\x00"',
        "{'text': b'bytes'}",
        "{'score': object()}",
        "[[]] * 10**5",
    ],
)
def test_a_hostile_note_costs_no_move(said: str, tmp_path: Path) -> None:
    code = NATIVE.format(f"return position.legal(self.seat)[0], {said}")
    found = notes_of(play_bot(write(tmp_path, code), "reversi"))
    assert all(each.note.problems or each.note.text for each in found.notes)


def test_a_bot_that_has_a_note_of_its_own_keeps_it(tmp_path: Path) -> None:
    code = NATIVE.format("return position.legal(self.seat)[self.note]") + "    note = 0\n"
    assert not play_bot(write(tmp_path, code), "reversi").seat_notes(0)


DIALECTS = {
    "duel2048": """
class Player:
    def __init__(self, first, array):
        self.first = first
    def output(self, turn, board, mode):
        print("SAID", turn, end="")
        if mode == "position":
            return board.getNext(self.first, turn) or board.getNone(not self.first)[0]
        return next(d for d in range(4) if board.copy().move(self.first, d))
""",
    "eraser": """
class Plaser:
    def __init__(self, first):
        pass
    def move(self, board, operations, scores, turn):
        print("SAID", turn)
        return operations[0]
""",
    "paperio": """
import sys
def play(stat, storage):
    print("SAID", file=sys.stderr)
    return "L" if len(stat["log"]) % 3 == 0 else "N"
""",
}


@pytest.mark.parametrize("game", DIALECTS)
def test_what_a_bot_of_an_original_prints_during_a_move_is_its_note(
    game: str, tmp_path: Path
) -> None:
    found = notes_of(play_bot(write(tmp_path, DIALECTS[game]), game))
    assert all(each.note.text.startswith("SAID") for each in found.notes)
    assert len(found.notes) > 2


PROGRAM = f"""#!{sys.executable}
import json, sys
def say(frame):
    body = frame if isinstance(frame, bytes) else json.dumps(frame).encode()
    sys.stdout.buffer.write(len(body).to_bytes(4, "big") + body)
    sys.stdout.buffer.flush()
while head := sys.stdin.buffer.read(4):
    asked = json.loads(sys.stdin.buffer.read(int.from_bytes(head, "big")))
    if asked["type"] == "hello":
        say({{"type": "hello", "protocol": "ludus/1", "want": ["legal"]}})
    elif asked["type"] == "turn":
        move = {{"type": "move", "n": asked["n"], "move": asked["legal"][0]}}
        say(NOTED)
    else:
        say({{"type": "ready"}})
"""


@pytest.mark.parametrize(
    ("noted", "kept"),
    [
        ('{**move, "note": "SAID"}', "SAID"),
        ('{**move, "note": {"text": "SAID", "score": 0.5}}', "SAID"),
        ('{**move, "note": "SAID" * 2**18}', "SAID" * 256),
        ('json.dumps(move).encode()[:-1] + b\', "note": "\\xff"}\'', "\ufffd"),
        ('{**move, "note": 5}', ""),
        ('{**move, "note": {"shapes": [0] * 10**5}}', ""),
    ],
)
def test_a_program_adds_a_note_to_its_move(noted: str, kept: str, tmp_path: Path) -> None:
    path = write(tmp_path, PROGRAM.replace("NOTED", noted), "program")
    path.chmod(0o755)
    rules = get("reversi")
    source = resolve_bot(f"cmd:python3 {path}", rules)
    players = [create_player(source, rules), create_player(resolve_bot("random", rules), rules)]
    (played,) = series(rules, rules.Options(size=4), players, 1, 1)
    assert played.record.verdict == "rules", played.record.faults
    first = notes_of(played).notes[0].note
    assert first.text == kept
    assert bool(first.problems) == (kept == "" or len(kept) > 1000)


# In Python, and in files


class Talker:
    def move(self, position: Any, clock: Any) -> Any:
        self.note("from an object")  # type: ignore[attr-defined]
        return position.legal(position.to_move[0])[0]


def test_python_code_reads_the_notes_of_its_bots(tmp_path: Path) -> None:
    bot = Talker()
    result = ludus.play("reversi", bot, lambda p: (p.legal(1)[0], "from a function"), seed=1)
    texts = [{each.note.text for each in seat.notes} for seat in result.notes]
    assert texts == [{"from an object"}, {"from a function"}]
    assert not hasattr(bot, "note"), "it is as it was"
    path = result.save(tmp_path / "a.ludus")
    assert ludus.load(path).notes == result.notes
    assert b"from an object" not in path.read_bytes()
    other = ludus.play("reversi", "random", "random", seed=2)
    other.save(path)
    assert ludus.load(path).notes == (), "notes of another record are not read"


def test_one_object_on_both_seats_notes_for_each() -> None:
    bot = Talker()
    result = ludus.play("reversi", bot, bot, seed=1)
    assert all(seat.notes for seat in result.notes)
    steps = [{each.step for each in seat.notes} for seat in result.notes]
    assert not steps[0] & steps[1]


def test_a_file_with_notes_that_is_damaged_is_no_file(tmp_path: Path) -> None:
    path = ludus.play("reversi", Talker(), "random", seed=1).save(tmp_path / "a.ludus")
    notes = path.with_suffix(".notes")
    content = json.loads(notes.read_bytes())
    for damaged in (b"", b"{", json.dumps({**content, "format": "x"}).encode(), b"\xff"):
        notes.write_bytes(damaged)
        assert ludus.load(path).notes == ()
    notes.unlink()
    notes.symlink_to(tmp_path / "a.ludus")
    assert ludus.load(path).notes == ()


def test_nothing_of_a_note_reaches_the_process_of_the_rival(tmp_path: Path) -> None:
    """The rival writes down every byte that it is sent, what it finds in its folders, and its
    environment."""
    code = NATIVE.format('return position.legal(self.seat)[0], "SAID" * 9')
    spy = PROGRAM.replace("NOTED", "move").replace(
        'asked = json.loads(sys.stdin.buffer.read(int.from_bytes(head, "big")))',
        'text = sys.stdin.buffer.read(int.from_bytes(head, "big")); print(text, dict(os.environ),'
        " [os.listdir(each) for each in ('.', '/tmp')], file=sys.stderr); asked = json.loads(text)",
    )
    spy = spy.replace("import json, sys", "import json, os, sys")
    rules = get("reversi")
    bots = [str(write(tmp_path, code)), f"cmd:python3 {write(tmp_path, spy, 'spy.py')}"]
    players = [create_player(resolve_bot(bot, rules), rules) for bot in bots]
    (played,) = series(rules, rules.Options(size=4), players, 1, 1)
    assert played.record.verdict == "rules", played.record.faults
    found = notes_of(played)
    assert found.notes[0].note.text.startswith("SAID")
    heard = played.outputs[1]["stderr"]
    assert '"type":"end"' in heard and "SAID" not in heard
    assert "SAID" not in played.outputs[0]["stdout"] + played.outputs[0]["stderr"]
