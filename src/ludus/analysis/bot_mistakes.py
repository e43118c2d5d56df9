"""Where a bot loses most, over many analysed bouts; pure functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from ludus.analysis.grading import SERIOUS
from ludus.analysis.model import Analysis, MoveAnalysis
from ludus.analysis.test_positions import BotTestPosition, make_test_position
from ludus.games.base import Game
from ludus.lang import Text
from ludus.match.record import Record
from ludus.match.replay import replay_steps

MAX_MOVE_KINDS = 8
"""Moves are grouped by their text in games with at most so many different ones, like L, S, R."""
PHASES = (
    Text("first third", "前三分之一"),
    Text("middle third", "中间三分之一"),
    Text("last third", "后三分之一"),
)
STANDINGS = (
    Text("when losing (below 40 %)", "处于劣势时（低于 40%）"),
    Text("when even", "均势时"),
    Text("when winning (60 % and more)", "占优时（60% 以上）"),
)


class AnalysedRecord(msgspec.Struct, frozen=True):
    """A record, its analysis, and the name of its file."""

    name: str
    record: Record
    analysis: Analysis
    seats: list[int] | None = None
    """The seats of the bot whose mistakes are wanted; None: it is known by its name."""

    def seats_of(self, bot: str) -> list[int]:
        """The seats on which the bot sat."""
        return seats_of(self.record, bot) if self.seats is None else self.seats


class BotMistake(msgspec.Struct, frozen=True, kw_only=True):
    """A serious mistake of the bot in one bout."""

    record: str
    """The name of the record's file."""
    rivals: list[str]
    found: MoveAnalysis


class MistakeGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The bot's moves of one kind, and how good they were."""

    by: str
    """What moves are grouped by: ``phase``, ``standing``, ``rival``, ``seat`` or ``move``."""
    name: dict[str, str]
    """The name of the group, in English (``en``) and Chinese (``zh``)."""
    moves: int
    mistakes: int
    """How many of the moves are mistakes or worse."""
    mean_loss: float


class BotMistakes(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot does wrong, over many bouts."""

    bot: str
    bouts: int
    moves: int
    """How many of its moves were judged."""
    accuracy: float | None
    mistakes: list[BotMistake]
    """Its serious mistakes, the largest loss first."""
    groups: list[MistakeGroup]
    """All its judged moves in groups, by each criterion: phases and standings in their order, of
    the others the largest mean loss first."""


def find_bot_mistakes(bot: str, bouts: Sequence[AnalysedRecord], game: Game) -> BotMistakes:
    """The mistakes of a bot, over bouts of one game in which it played."""
    played = [(bout, seat) for bout in bouts for seat in bout.seats_of(bot)]
    judged = [
        (bout, move)
        for bout, seat in played
        for move in bout.analysis.moves
        if move.seat == seat and move.graded
    ]
    mistakes = [
        BotMistake(record=bout.name, rivals=_rivals(bout.record, move.seat), found=move)
        for bout, move in judged
        if move.grade in SERIOUS
    ]
    accuracies = [
        (found.accuracy, found.moves)
        for bout, seat in played
        if (found := bout.analysis.seats[seat]).accuracy is not None
    ]
    moves = sum(count for _, count in accuracies)
    return BotMistakes(
        bot=bot,
        bouts=len({bout.name for bout, _ in played}),
        moves=len(judged),
        accuracy=sum((share or 0.0) * n for share, n in accuracies) / moves if moves else None,
        mistakes=sorted(mistakes, key=lambda each: (-each.found.loss, each.record)),
        groups=_group_moves(judged, game),
    )


def seats_of(record: Record, bot: str) -> list[int]:
    """The seats on which a bot of this name sat."""
    return [seat for seat, each in enumerate(record.bots) if each.name == bot]


def _rivals(record: Record, seat: int) -> list[str]:
    return [each.name for other, each in enumerate(record.bots) if other != seat]


def _group_moves(
    judged: Sequence[tuple[AnalysedRecord, MoveAnalysis]], game: Game
) -> list[MistakeGroup]:
    groups: dict[tuple[str, Text], list[MoveAnalysis]] = defaultdict(list)
    few = len({move.move for _, move in judged}) <= MAX_MOVE_KINDS
    for bout, move in judged:
        third = min(2, 3 * (move.step - 1) // max(1, bout.analysis.steps))
        groups["phase", PHASES[third]].append(move)
        standing = (move.before >= 0.4) + (move.before >= 0.6)
        groups["standing", STANDINGS[standing]].append(move)
        rivals = ", ".join(_rivals(bout.record, move.seat))
        groups["rival", Text(f"against {rivals}", f"对手 {rivals}")].append(move)
        seat = game.seats[move.seat]
        groups["seat", Text(f"as {seat['en']}", f"执{seat['zh']}")].append(move)
        if few:
            groups["move", Text(f"move {move.move}", f"着法 {move.move}")].append(move)
    made = [_summarise_group(by, name, moves) for (by, name), moves in groups.items()]
    order = ("phase", "standing", "rival", "seat", "move")
    in_order = [dict(text) for text in (*PHASES, *STANDINGS)]

    def place(group: MistakeGroup) -> tuple[int, float]:
        known = group.name in in_order
        return order.index(group.by), in_order.index(group.name) if known else -group.mean_loss

    return sorted(made, key=place)


def _summarise_group(by: str, name: Text, moves: Sequence[MoveAnalysis]) -> MistakeGroup:
    return MistakeGroup(
        by=by,
        name=dict(name),
        moves=len(moves),
        mistakes=sum(move.grade in SERIOUS for move in moves),
        mean_loss=round(sum(move.loss for move in moves) / len(moves), 4),
    )


def list_test_positions(
    bouts: Iterable[AnalysedRecord], bot: str | None = None, most: int | None = None
) -> list[BotTestPosition]:
    """The positions of serious mistakes, of one bot or of all, the largest loss first; at most
    ``most`` of them."""
    mistakes = [
        (bout, move)
        for bout in bouts
        for move in bout.analysis.moves
        if move.grade in SERIOUS and (bot is None or move.seat in bout.seats_of(bot))
    ]
    mistakes.sort(key=lambda each: (-each[1].loss, each[0].name, each[1].step, each[1].seat))
    offsets: dict[int, list[int]] = {}
    tests = []
    for bout, move in mistakes[:most]:
        known = offsets.get(id(bout)) or _move_offsets(bout.record)
        offsets[id(bout)] = known
        tests.append(
            make_test_position(
                bout.record,
                known[move.step],
                move.seat,
                better=[move.best],
                loss=move.loss,
                name=bout.name,
            )
        )
    return tests


def _move_offsets(record: Record) -> list[int]:
    """For each step how many moves of the record were made before it."""
    offsets, made = [], 0
    for ply, _ in replay_steps(record):
        offsets.append(made)
        made += len(ply)
    return offsets
