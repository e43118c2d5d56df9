"""Answers of seats that the logic is not listening to yet.

An AI may send an answer before it is asked: because it thinks ahead, or because it is a round late.
The protocol does not say what a judger has to do with it, and the versions of the original differ,
so there are three policies (``EarlyAnswerPolicy``):

- ``hold``: it is kept, and passed on in the order of arrival when the logic listens to the seat.
  Nothing is lost, and an AI cannot be punished for being fast.
- ``drop``: it is thrown away. The report counts these, because to the AI's author it looks as if
  the judger had swallowed an answer.
- ``forward``: it is passed on at once, as if the seat were listened to; it never comes here.
"""

from __future__ import annotations

from collections.abc import Container

from ludus.compat.saiblo.versions import EarlyAnswerPolicy
from ludus.lang import Text

MAX_HELD_ANSWER_BYTES = 1 << 20
"""Bytes of early answers after which the judger stops reading from a seat until it is asked."""
ANSWER_OVERHEAD_BYTES = 64
"""Counted for each answer besides its text, so that empty answers are limited too."""


class EarlyAnswers:
    """The early answers of all seats of one match."""

    def __init__(self, policy: EarlyAnswerPolicy, seats: int) -> None:
        self.policy = policy
        self.held: list[tuple[int, str]] = []
        """Seat and text, in the order of arrival."""
        self._held_bytes = [0] * seats
        self._dropped = [0] * seats

    def hold(self, seat: int, text: str) -> None:
        self.held.append((seat, text))
        self._held_bytes[seat] += len(text) + ANSWER_OVERHEAD_BYTES

    def count_dropped(self, seat: int) -> None:
        self._dropped[seat] += 1

    def is_full(self, seat: int) -> bool:
        """Whether so much of the seat is held that nothing more should be read from it."""
        return self._held_bytes[seat] > MAX_HELD_ANSWER_BYTES

    def take(self, listened: Container[int]) -> list[tuple[int, str]]:
        """Remove and return the answers of seats that are listened to."""
        taken = [answer for answer in self.held if answer[0] in listened]
        self.held = [answer for answer in self.held if answer[0] not in listened]
        for seat, _ in taken:
            self._held_bytes[seat] = 0
        return taken

    def describe_dropped(self) -> list[Text]:
        """A note for the report about each seat whose answers were dropped."""
        return [_dropped_note(seat, count) for seat, count in enumerate(self._dropped) if count]


def _dropped_note(seat: int, count: int) -> Text:
    return Text(
        f"answers of seat {seat} dropped because the logic was not listening to it: {count};"
        " --early hold would keep them",
        f"座位 {seat} 在未被监听时的回答已丢弃：{count} 条；--early hold 会保留它们",
    )
