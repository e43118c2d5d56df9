"""What a bot says about its moves: text, expected score, depth, nodes, line and shapes.

A note comes from the bot's own code, in any form and of any size. ``clean_note`` makes of it a
``MoveNote`` that can be kept and shown: what is too long is cut, what is wrong is left out, and a
sentence for the bot's owner says so. It never fails, and a bad note never costs a move.

Only the owner of the bot may read notes. Records, events and films do not contain them, because
opponents see those: a player keeps notes in its ``NoteBook`` and returns them with its output.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ludus.bots.players.base import Player, SeatBout
from ludus.escape import escape_to_one_line, escape_unsafe
from ludus.games.base import Game
from ludus.games.board_shapes import MAX_SHAPES, BoardShape, find_shape_problem
from ludus.lang import Text

MAX_NOTE_TEXT_BYTES = 1024
MAX_LINE_MOVES = 40
MAX_LINE_MOVE_CHARS = 40
MAX_COUNT = 10**15
"""The largest depth or number of nodes."""
MAX_BOUT_NOTES_BYTES = 256 << 10
"""The size of all notes of a bot in a bout, as JSON; later ones are left out."""
MAX_REPORTED_PROBLEMS = 8
MAX_PROBLEM_CHARS = 300
FIELDS = ("text", "score", "depth", "nodes", "line", "shapes")


class MoveNote(msgspec.Struct, omit_defaults=True):
    """What a bot said about one move."""

    text: str = ""
    score: float | None = None
    """The score it expects for itself: 1 a win, 0.5 a draw, 0 a loss."""
    depth: int | None = None
    nodes: int | None = None
    line: list[str] = []
    """The moves it expects, its own first."""
    shapes: list[BoardShape] = []
    """Arrows, rings and marks over the position, in the board language."""
    problems: list[Text] = []
    """What was cut or left out, and why."""


class StepNote(msgspec.Struct, omit_defaults=True):
    """A note with its place in a bout."""

    step: int
    """How many steps had been played when the bot was asked: one less than the number of the step
    that it decided, by which ``ludus replay show --step`` shows the note."""
    note: MoveNote


class SeatNotes(msgspec.Struct, omit_defaults=True):
    """The notes of one seat in one bout."""

    notes: list[StepNote] = []
    left_out: int = 0
    """How many notes were not kept because the bout's notes were full."""


class NoteBook:
    """Keeps the notes of a player in one bout, up to ``MAX_BOUT_NOTES_BYTES``."""

    def __init__(self) -> None:
        self._bout: SeatBout | None = None
        self._cells = 0
        self._step = 0
        self._packed: list[bytes] = []
        self._size = 0
        self._left_out = 0

    def begin_bout(self, bout: SeatBout) -> None:
        """Forget everything; the next note belongs to the first step of this bout."""
        self._bout, self._cells, self._step = bout, 0, 0
        self._packed, self._size, self._left_out = [], 0, 0

    def follow(self, steps: int) -> None:
        """So many steps have been played since the last call."""
        self._step += steps

    def add(self, said: Any, step: int | None = None) -> None:
        """Keep what the bot said about the move that it makes now, or in that step of the bout;
        nothing if it said nothing."""
        if not self._cells and self._bout is not None:
            self._cells = count_cells(self._bout.game, self._bout.options)
        note = clean_note(said, self._cells)
        if note is None:
            return
        packed = msgspec.json.encode(StepNote(self._step if step is None else step, note))
        if self._left_out or self._size + len(packed) > MAX_BOUT_NOTES_BYTES:
            self._left_out += 1
            return
        self._packed.append(packed)
        self._size += len(packed) + 1

    def pack(self) -> str:
        """The notes as JSON, of a ``SeatNotes``; empty if there are none."""
        if not self._packed and not self._left_out:
            return ""
        notes = b",".join(self._packed).decode()
        return f'{{"notes":[{notes}],"left_out":{self._left_out}}}'


def count_cells(game: Game, options: Any) -> int:
    """The number of cells of a game's board."""
    scene = game.scene(options)
    return int(scene["rows"]) * int(scene["columns"])


def find_notes(player: Player) -> NoteBook | None:
    """The notes of a player, if it keeps some."""
    return getattr(player, "notes", None)


def pack_player_notes(player: Player) -> str:
    """The notes of a player's bot in its last bout, as ``NoteBook.pack`` gives them."""
    notes = find_notes(player)
    return "" if notes is None else notes.pack()


def pack_notes(notes: SeatNotes) -> str:
    """The notes of a seat as JSON; empty if there are none."""
    return msgspec.json.encode(notes).decode() if notes != SeatNotes() else ""


def unpack_notes(packed: str) -> SeatNotes:
    """The notes that ``NoteBook.pack`` gave; none if the text is damaged."""
    try:
        return msgspec.json.decode(packed, type=SeatNotes) if packed else SeatNotes()
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return SeatNotes()


def decode_note(data: bytes | memoryview) -> Any:
    """A note as a bot wrote it in JSON; bytes that are not UTF-8 are replaced."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    try:
        return msgspec.json.decode(bytes(data).decode(errors="replace"))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return _Unreadable()


class _Unreadable:
    """Stands for a note that is not JSON, or too deeply nested."""


def clean_note(said: Any, cells: int) -> MoveNote | None:
    """What a bot said as a note over a board of so many cells; None if it said nothing.

    ``said`` is a text, or a mapping with the fields of ``MoveNote``, or a ``MoveNote``. Anything
    else becomes a note that says what was wrong.
    """
    if said is None or (isinstance(said, str | Mapping) and not said):
        return None
    if isinstance(said, MoveNote):
        said = msgspec.to_builtins(said)
    if isinstance(said, str):
        said = {"text": said}
    if not isinstance(said, Mapping):
        return MoveNote(problems=[_describe_wrong_note(said)])
    try:
        return _NoteCleaner(cells).clean(said)
    except Exception:  # an odd object's own methods failed: the note came from the bot's code
        return MoveNote(problems=[Text("The note could not be read.", "注记无法读取。")])


def _describe_wrong_note(said: Any) -> Text:
    if isinstance(said, _Unreadable):
        return Text("The note could not be read as JSON.", "注记不是可读的 JSON。")
    kind = _name_type(said)
    return Text(
        f"A note is a text or an object, not {kind}; it was left out.",
        f"注记应为文本或对象，而不是 {kind}；已略去。",
    )


def _name_type(value: Any) -> str:
    return escape_to_one_line(type(value).__name__)[:40]


class _NoteCleaner:
    """Cleans one note and collects what was wrong with it."""

    def __init__(self, cells: int) -> None:
        self.cells = cells
        self.problems: list[Text] = []

    def clean(self, said: Mapping[Any, Any]) -> MoveNote | None:
        note = MoveNote(
            text=self._clean_text(said.get("text")),
            score=self._clean_score(said.get("score")),
            depth=self._clean_count(said.get("depth"), "depth"),
            nodes=self._clean_count(said.get("nodes"), "nodes"),
            line=self._clean_line(said.get("line")),
            shapes=self._clean_shapes(said.get("shapes")),
        )
        self._name_unknown_fields(said)
        self.problems += _read_reported_problems(said.get("problems"))
        note.problems = self.problems[:MAX_REPORTED_PROBLEMS]
        return note if note != MoveNote() else None

    def _clean_text(self, text: Any) -> str:
        if text is None:
            return ""
        if not isinstance(text, str):
            self._refuse("text", "a text", "文本", text)
            return ""
        begun = text[:MAX_NOTE_TEXT_BYTES]
        shown = escape_unsafe(begun.replace("\r\n", "\n"))
        kept = cut_to_bytes(shown, MAX_NOTE_TEXT_BYTES)
        if len(begun) < len(text) or len(kept) < len(shown):
            self._report(
                f"The text is longer than {MAX_NOTE_TEXT_BYTES} bytes; its end was cut off.",
                f"文本超过 {MAX_NOTE_TEXT_BYTES} 字节，末尾已截去。",
            )
        return kept

    def _clean_score(self, score: Any) -> float | None:
        if score is None:
            return None
        score = _to_plain_number(score)
        if isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1:
            return round(float(score), 4)
        self._refuse("score", "a number from 0 to 1", "0 到 1 的数", score)
        return None

    def _clean_count(self, count: Any, name: str) -> int | None:
        if count is None:
            return None
        count = _to_plain_number(count)
        if isinstance(count, float) and math.isfinite(count) and count == int(count):
            count = int(count)
        if type(count) is int and 0 <= count <= MAX_COUNT:
            return count
        self._refuse(name, "a whole number from 0", "非负整数", count)
        return None

    def _clean_line(self, line: Any) -> list[str]:
        if line is None:
            return []
        if isinstance(line, str):
            line = line[: 4 * MAX_LINE_MOVES * MAX_LINE_MOVE_CHARS].split()
        if not isinstance(line, Sequence) or not all(isinstance(m, str) for m in line[:1000]):
            self._refuse("line", "a list of moves", "着法的列表", line)
            return []
        if len(line) > MAX_LINE_MOVES:
            self._report(
                f"The line was cut to its first {MAX_LINE_MOVES} moves.",
                f"主变只保留了前 {MAX_LINE_MOVES} 步。",
            )
        return [escape_to_one_line(m[:MAX_LINE_MOVE_CHARS]) for m in line[:MAX_LINE_MOVES]]

    def _clean_shapes(self, shapes: Any) -> list[BoardShape]:
        if shapes is None:
            return []
        if not isinstance(shapes, Sequence) or isinstance(shapes, str | bytes):
            self._refuse("shapes", "a list of shapes", "图形的列表", shapes)
            return []
        if len(shapes) > MAX_SHAPES:
            self._report(
                f"Of {len(shapes)} shapes the first {MAX_SHAPES} were kept.",
                f"图形共 {len(shapes)} 个，只保留了前 {MAX_SHAPES} 个。",
            )
        kept: list[BoardShape] = []
        for shape in shapes[:MAX_SHAPES]:
            if isinstance(shape, Mapping):
                shape = {key: _to_plain_number(value) for key, value in shape.items()}
            if problem := find_shape_problem(shape, self.cells):
                self._report(
                    f"A shape was left out: {problem['en']}.", f"略去一个图形：{problem['zh']}。"
                )
            else:
                kept.append(_copy_shape(shape))
        return kept

    def _name_unknown_fields(self, said: Mapping[Any, Any]) -> None:
        unknown = [key for key in list(said)[:40] if key not in FIELDS and key != "problems"]
        if unknown:
            names = ", ".join(_shorten(key) for key in unknown[:5])
            self._report(
                f"A note has no field {names}; its fields are {', '.join(FIELDS)}.",
                f"注记没有字段 {names}；可用字段为 {', '.join(FIELDS)}。",
            )

    def _refuse(self, name: str, en: str, zh: str, value: Any) -> None:
        came = _describe_value(value)
        self._report(
            f"`{name}` must be {en}, not {came}; it was left out.",
            f"`{name}` 应为{zh}，而不是 {came}；已略去。",
        )

    def _report(self, en: str, zh: str) -> None:
        if len(self.problems) < MAX_REPORTED_PROBLEMS:
            self.problems.append(Text(en, zh))


def _to_plain_number(value: Any) -> Any:
    """A number of numpy as one of Python; everything else as it is."""
    plain = type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0
    return value.item() if plain else value


def _describe_value(value: Any) -> str:
    if isinstance(value, float) or (type(value) is int and abs(value) < 10**18):
        return str(value)
    return _name_type(value)


def _shorten(key: Any) -> str:
    return escape_to_one_line(key[:20]) if isinstance(key, str) else _name_type(key)


def _copy_shape(shape: Mapping[str, Any]) -> BoardShape:
    """A shape with its known fields only, and with a safe text."""
    kept: dict[str, Any] = {"kind": shape["kind"], "cell": shape["cell"]}
    if shape["kind"] == "arrow":
        kept["to"] = shape["to"]
    if shape.get("tone", "plain") != "plain":
        kept["tone"] = shape["tone"]
    if shape.get("text"):
        kept["text"] = escape_to_one_line(shape["text"])
    return msgspec.convert(kept, BoardShape)


def _read_reported_problems(reported: Any) -> list[Text]:
    """The sentences of a note that was cleaned before it was sent, in the bot's own process."""
    if not isinstance(reported, list):
        return []
    found = []
    for each in reported[:MAX_REPORTED_PROBLEMS]:
        words = [each.get(lang) if isinstance(each, Mapping) else None for lang in ("en", "zh")]
        if all(isinstance(text, str) for text in words):
            en, zh = (escape_to_one_line(str(text)[:MAX_PROBLEM_CHARS]) for text in words)
            found.append(Text(en, zh))
    return found


def cut_to_bytes(text: str, most: int) -> str:
    """The beginning of a text that takes at most so many bytes in UTF-8."""
    data = text[: most + 1].encode(errors="surrogatepass")
    return text if len(data) <= most else data[:most].decode(errors="ignore")
