"""Grades of moves, accuracy of seats and the turning point of a bout; pure functions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import msgspec

from ludus.analysis.model import Grade, MoveAnalysis, SeatAnalysis, TurningPoint
from ludus.games.base import Game
from ludus.lang import Text

INACCURACY_LOSS, MISTAKE_LOSS, BLUNDER_LOSS = 0.05, 0.10, 0.20
"""The least losses of expected score that get a grade below fine."""
WINNING, NOT_LOST = 0.85, 0.40
"""A win is missed if a seat that stood at least so well stands at least so well afterwards, but
gave away as much as a mistake does."""
ACCURACY_DECAY = 5.0
"""A move that gives away a fifth of the score has 1/e of a perfect move's accuracy."""
SERIOUS = frozenset({Grade.MISTAKE, Grade.BLUNDER, Grade.MISSED_WIN})
"""Grades of a mistake or worse."""


def grade_move(before: float, after: float) -> Grade:
    """The grade of a move that took a seat from one expected score to another."""
    loss = before - after
    if loss >= MISTAKE_LOSS and before >= WINNING and after >= NOT_LOST:
        return Grade.MISSED_WIN
    return grade_loss(loss)


def grade_loss(loss: float) -> Grade:
    """The grade of a move by what it gave away alone."""
    if loss >= BLUNDER_LOSS:
        return Grade.BLUNDER
    if loss >= MISTAKE_LOSS:
        return Grade.MISTAKE
    return Grade.INACCURACY if loss >= INACCURACY_LOSS else Grade.FINE


def withhold_grade(move: MoveAnalysis, proved: float) -> MoveAnalysis:
    """The move without a grade, if estimates gave it another one than they and what its position is
    proved to be worth would: an estimate and a certain result cannot be compared."""
    agrees = grade_move(move.before, proved) == move.grade
    if move.certain or agrees or abs(proved - move.after) < INACCURACY_LOSS:
        return move
    return msgspec.structs.replace(
        move, after=round(proved, 4), loss=0.0, grade=Grade.FINE, graded=False
    )


def rank_share(scores: Sequence[float], seat: int) -> float:
    """The share of rivals that a seat leaves behind; ties count half."""
    rivals = [score for other, score in enumerate(scores) if other != seat]
    if not rivals:
        return min(1.0, max(0.0, scores[seat]))
    own = scores[seat]
    return sum((own > score) + (own == score) / 2 for score in rivals) / len(rivals)


def summarise_seat(seat: int, bot: str, moves: Sequence[MoveAnalysis]) -> SeatAnalysis:
    """How well a seat played, by its moves among those that have a grade."""
    own = [move for move in moves if move.seat == seat and move.graded]
    counted = Counter(move.grade.value for move in own)
    count = len(own)
    accuracy = sum(math.exp(-ACCURACY_DECAY * move.loss) for move in own) / count if count else None
    return SeatAnalysis(
        seat=seat,
        bot=bot,
        moves=count,
        accuracy=accuracy,
        mean_loss=sum(move.loss for move in own) / count if count else 0.0,
        grades={grade.value: counted[grade.value] for grade in Grade},
    )


def find_turning_point(
    game: Game, moves: Sequence[MoveAnalysis], result: Sequence[float]
) -> TurningPoint | None:
    """The serious mistake that decided the bout, if there was one.

    ``result`` has the share of rivals that each seat left behind. A seat that ended worse than it
    once stood made the mistake; of several the one after which it never stood so well again, and of
    those the largest.
    """
    serious = [move for move in moves if move.grade in SERIOUS and result[move.seat] < move.before]
    if not serious:
        return None
    best_later: dict[int, float] = {}
    lasting = []
    for move in sorted(moves, key=lambda each: each.step, reverse=True):
        middle = (move.before + move.after) / 2
        if move in serious and best_later.get(move.seat, 0.0) < middle:
            lasting.append(move)
        best_later[move.seat] = max(best_later.get(move.seat, 0.0), move.after)
    decisive = max(lasting or serious, key=lambda move: (move.loss, move.step))
    return TurningPoint(
        step=decisive.step,
        seat=decisive.seat,
        move=decisive.move,
        before=decisive.before,
        after=decisive.after,
        best=decisive.best,
        sentence=dict(describe_turn(game, decisive)),
    )


def describe_turn(game: Game, move: MoveAnalysis) -> Text:
    """What a serious mistake did, in a sentence."""
    seat = game.seats[move.seat]
    played, best = game.spoken(move.move), game.spoken(move.best)
    before, after, gone = percent(move.before), percent(move.after), _name_lost_result(move)
    return Text(
        f"After step {move.step} ({seat['en']} {played}) {gone['en']}: {before.en} → {after.en};"
        f" better: {best}.",
        f"第 {move.step} 步（{seat['zh']} {played}）之后，{gone['zh']}：{before.zh} → {after.zh}；"
        f"更好的是 {best}。",
    )


def _name_lost_result(move: MoveAnalysis) -> Text:
    if move.before >= 0.6:
        return Text("the win was gone", "胜势已失") if move.after < 0.6 else LESS
    if move.before >= 0.4:
        return Text("the balance was lost", "均势被打破") if move.after < 0.4 else LESS
    return Text("the last chances were gone", "最后的机会已失")


LESS = Text("the position was much worse", "局面明显变差")


def percent(share: float) -> Text:
    """``74 %``, in Chinese ``74%``."""
    whole = round(100 * share)
    return Text(f"{whole} %", f"{whole}%")
