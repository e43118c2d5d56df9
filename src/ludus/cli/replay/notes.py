"""What bots said about their moves, as lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ludus.cli.output import escape_unsafe
from ludus.lang import tr, translate

if TYPE_CHECKING:
    from ludus.bots.notes import MoveNote, SeatNotes

SEAT_NOTES = Mapping[int, "MoveNote"]
"""The notes of one step, by seat."""


def index_notes(seats: Sequence[SeatNotes]) -> dict[int, dict[int, MoveNote]]:
    """The notes of all seats: by the number of the step that the move made, then by seat."""
    found: dict[int, dict[int, MoveNote]] = {}
    for seat, notes in enumerate(seats):
        for each in notes.notes:
            found.setdefault(each.step + 1, {})[seat] = each.note
    return found


def format_notes(notes: SEAT_NOTES, names: Sequence[str]) -> str:
    """The notes of a step, each with the name of its bot; empty if there are none."""
    blocks = []
    for seat, note in sorted(notes.items()):
        lines = list(_note_lines(note))
        head, rest = (lines[0], lines[1:]) if lines else ("", [])
        title = tr(f"note of {names[seat]}: ", f"{names[seat]} 的注记：")
        blocks.append("\n".join([f"{title}{head}", *rest]))
    return escape_unsafe("\n".join(blocks))


def _note_lines(note: MoveNote) -> Iterator[str]:
    facts = []
    if note.score is not None:
        facts.append(tr(f"expects {note.score:.0%}", f"期望得分 {note.score:.0%}"))
    if note.depth is not None:
        facts.append(tr(f"depth {note.depth}", f"深度 {note.depth}"))
    if note.nodes is not None:
        facts.append(tr(f"{note.nodes:,} nodes", f"{note.nodes:,} 个节点"))
    if note.line:
        facts.append(tr("line ", "主变 ") + " ".join(note.line))
    if note.shapes:
        count = len(note.shapes)
        facts.append(tr(f"{count} shapes on the page", f"网页上有 {count} 个图形"))
    if facts:
        yield " · ".join(facts)
    yield from note.text.splitlines()
    for problem in note.problems:
        yield f"({translate(problem)})"
