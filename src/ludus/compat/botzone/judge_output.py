"""What a judge prints in a turn: whom it asks what, or how the bout ended.

    {"command": "request", "content": {"0": …}, "display": …, "initdata": …}
    {"command": "finish", "content": {"0": 2, "1": 0}, "display": …}

Only the seats that are named in ``content`` are asked. ``initdata`` of the first output replaces
what the judge was given, and is ignored in later ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ludus.compat.botzone.messages import NotJson, read_value
from ludus.errors import LudusError
from ludus.escape import truncate

SHOWN_OUTPUT_CHARACTERS = 200
"""How many characters of a faulty output are shown."""
MAX_SCORE = 1e9


class InvalidJudgeOutput(LudusError):
    """A judge printed something that is not an output of a judge."""

    code = "invalid_judge_output"


@dataclass(frozen=True, slots=True)
class JudgeOutput:
    """One output of a judge."""

    value: dict[str, Any]
    """The whole of it, as the judge finds it in its log later."""
    requests: dict[int, Any]
    """What each seat is asked; empty if the bout is over."""
    scores: tuple[float, ...] | None
    """One per seat if the bout is over, as the judge wrote them."""

    @property
    def display(self) -> Any:
        """What the judge shows to spectators; None if nothing."""
        return self.value.get("display")


def read_judge_output(printed: bytes, seats: int) -> JudgeOutput:
    """Read what a judge printed in a turn. Raises InvalidJudgeOutput."""
    if not printed.strip():
        raise InvalidJudgeOutput("it printed nothing", "它没有输出")
    try:
        value = read_value(printed)
    except NotJson as error:
        shown = truncate(printed.decode(errors="replace").strip(), SHOWN_OUTPUT_CHARACTERS)
        raise InvalidJudgeOutput(
            f"it printed what is not one JSON value ({error}): {shown}",
            f"它的输出不是一个 JSON 值（{error}）：{shown}",
        ) from None
    return parse_judge_output(value, seats)


def parse_judge_output(value: Any, seats: int) -> JudgeOutput:
    """An output from its JSON. Raises InvalidJudgeOutput."""
    command = value.get("command") if isinstance(value, dict) else None
    content = value.get("content") if isinstance(value, dict) else None
    if command not in ("request", "finish"):
        raise _invalid(
            'it must print an object with "command": "request" or "finish"',
            '它应输出一个对象，其中 "command" 为 "request" 或 "finish"',
            value,
        )
    if not isinstance(content, dict) or not content:
        raise _invalid(
            '"content" must be an object with an entry for at least one seat',
            '"content" 应是至少含有一个座位的对象',
            value,
        )
    by_seat = {_parse_seat(key, seats, value): entry for key, entry in content.items()}
    if command == "request":
        return JudgeOutput(value, dict(sorted(by_seat.items())), None)
    scores = tuple(_parse_score(by_seat.get(seat), seat, value) for seat in range(seats))
    return JudgeOutput(value, {}, scores)


def _parse_seat(key: str, seats: int, value: Any) -> int:
    if key.isascii() and key.isdecimal() and len(key) <= 3 and int(key) < seats:
        return int(key)
    raise _invalid(
        f'"content" names {truncate(key, 40)!r}; the seats are 0 to {seats - 1}',
        f'"content" 中有 {truncate(key, 40)!r}；座位为 0 到 {seats - 1}',
        value,
    )


def _parse_score(score: Any, seat: int, value: Any) -> float:
    if isinstance(score, int | float) and not isinstance(score, bool) and abs(score) <= MAX_SCORE:
        return float(score) if math.isfinite(score) else 0.0
    raise _invalid(
        f"the score of seat {seat} must be a number",
        f"座位 {seat} 的得分应是数字",
        value,
    )


def _invalid(en: str, zh: str, value: Any) -> InvalidJudgeOutput:
    shown = truncate(repr(value), SHOWN_OUTPUT_CHARACTERS)
    return InvalidJudgeOutput(f"{en}, got {shown}", f"{zh}，得到 {shown}")
