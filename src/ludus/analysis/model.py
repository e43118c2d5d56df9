"""The data of an analysis, as programs read it (``ludus analyse --json``, the page, the cache).

Every expected score lies between 0 (a certain loss) and 1 (a certain win); ½ is an even position.
With more than two seats it is the expected share of rivals that the seat leaves behind.

Steps are numbered as in ``ludus replay show --step``: the position after step 0 is the start of the
bout, and step ``n`` leads from the position after step ``n - 1`` to the one after step ``n``.
"""

from __future__ import annotations

import enum
from typing import Any

import msgspec

from ludus.errors import LudusError
from ludus.lang import Text

FORMAT = "ludus/analysis/1"
DEFAULT_SECONDS = 8.0
"""CPU seconds of an analysis if nothing else is said."""
JOB_EXTRA_CPU_S = 30
"""CPU seconds that ``ludus.analysis.job`` may take besides: for starting, and to simulate."""


class Grade(enum.StrEnum):
    """How good a move was, by the expected score that it gave away."""

    FINE = "fine"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"
    MISSED_WIN = "missed win"
    """A certain or almost certain win was given away, but the bout was not lost by it."""


class MoveAnalysis(msgspec.Struct, frozen=True, kw_only=True):
    """One move of a seat, as the judge sees it."""

    step: int
    """The step that the move belongs to, from 1."""
    seat: int
    move: str
    before: float
    """The seat's expected score before the move, if it plays the best move."""
    after: float
    """The seat's expected score after the move that it played."""
    loss: float
    """``before - after``, never below 0; 0 for a move that is not graded."""
    grade: Grade
    best: str
    """The best move that the judge knows; the played one if that is as good."""
    line: list[str]
    """The best move and what the judge expects after it."""
    certain: bool
    """Whether both expected scores are proved, not estimated."""
    level: int
    """How thoroughly the move was judged: 0 is the quick pass."""
    graded: bool = True
    """False where the next position is proved to be worth something else than the estimates of this
    move said: ``after`` is then proved, ``before`` is not, and what was lost is not known."""


class CurvePoint(msgspec.Struct, frozen=True):
    """What a position of the bout is worth to each seat."""

    step: int
    """The position after this step."""
    expected: list[float]
    """One expected score per seat."""


class SeatAnalysis(msgspec.Struct, frozen=True, kw_only=True):
    """How well a seat played, over all its judged moves."""

    seat: int
    bot: str
    moves: int
    """How many of its moves have a grade."""
    accuracy: float | None
    """Between 0 and 1; 1 if no judged move gave anything away; None without judged moves."""
    mean_loss: float
    grades: dict[str, int]
    """The number of moves of each grade."""


class TurningPoint(msgspec.Struct, frozen=True, kw_only=True):
    """The move after which the bout went the way it ended."""

    step: int
    seat: int
    move: str
    before: float
    after: float
    best: str
    sentence: dict[str, str]
    """What happened, in English (``en``) and Chinese (``zh``)."""


class JudgeFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Who judged the moves, and how."""

    name: str
    """Its key, like ``search`` or ``network``."""
    title: dict[str, str]
    """What it is, in English (``en``) and Chinese (``zh``)."""
    parameters: dict[str, Any]
    """Its parameters, level by level where they differ; JSON."""
    reply: str = "best"
    """What a move's loss is measured against: the rivals' ``best`` replies, or, where several seats
    move at once, the moves that they ``actual``ly made in that step."""


class BudgetUse(msgspec.Struct, frozen=True, kw_only=True):
    """What an analysis cost."""

    seconds: float
    """CPU seconds."""
    limit: float | None
    """CPU seconds that were allowed; None without a limit."""
    judgements: int
    """How often a move or a position was judged."""


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge found in the record of one bout."""

    format: str = FORMAT
    game: str
    record: str
    """The record's checksum, computed anew: what a record says about itself may be false."""
    judge: JudgeFacts
    steps: int
    """How many steps the bout has."""
    sampled: bool
    """Whether the bout was too long to judge every move, so that only some steps were chosen."""
    judged_steps: list[int]
    """The steps whose moves were judged, in order."""
    complete: bool
    """Whether this is the final result; else judging still goes on."""
    moves: list[MoveAnalysis]
    """The judged moves, by step and seat."""
    curve: list[CurvePoint]
    """Expected scores along the bout, in order; the last point is its result."""
    seats: list[SeatAnalysis]
    turning_point: TurningPoint | None
    budget: BudgetUse


class JobRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of the input of ``ludus.analysis.job``, before a packed record."""

    size: int
    """Bytes of the packed record that follows."""
    seconds: float
    """CPU seconds for it."""
    folder: str = ""
    """The folder in which final results are kept and found again; empty: none."""
    background: bool = False
    """Whether no reader waits for it: a low priority from the start, and only the final result."""


class JobLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the output of ``ludus.analysis.job``."""

    analysis: Analysis | None = None
    error: dict[str, str] | None = None
    """``code``, ``en`` and ``zh``: why the record cannot be analysed."""
    paused: bool = False
    """Whether the program waits for a line of input before it goes on."""

    @property
    def is_last(self) -> bool:
        """Whether nothing follows about the same record."""
        return self.analysis is None or self.analysis.complete


def encode_analysis(analysis: Analysis) -> bytes:
    """The analysis as JSON."""
    return msgspec.json.encode(analysis)


def decode_analysis(data: bytes, name: str) -> Analysis:
    """The analysis in JSON; LudusError if it is none. ``name`` is used in the message."""
    try:
        analysis = msgspec.json.decode(data, type=Analysis)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise LudusError(
            f"{name} is not an analysis: {error}", f"{name} 不是分析结果：{error}"
        ) from None
    if analysis.format != FORMAT:
        raise LudusError(
            f"{name} has the format {analysis.format!r}, expected {FORMAT}",
            f"{name} 的格式是 {analysis.format!r}，应为 {FORMAT}",
        )
    return analysis


GRADE_TEXTS = {
    Grade.FINE: Text("fine", "正常"),
    Grade.INACCURACY: Text("inaccuracy", "欠佳"),
    Grade.MISTAKE: Text("mistake", "失误"),
    Grade.BLUNDER: Text("blunder", "大失误"),
    Grade.MISSED_WIN: Text("missed win", "错失胜机"),
}
GRADE_MARKS = {
    Grade.FINE: "",
    Grade.INACCURACY: "?!",
    Grade.MISTAKE: "?",
    Grade.BLUNDER: "??",
}
"""The sign that people write behind a move of each grade; a missed win has that of its loss
(``grade_loss``)."""
