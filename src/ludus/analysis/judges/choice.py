"""Chooses the strongest judge for the bouts of a game."""

from __future__ import annotations

from typing import Any

from ludus.analysis.judges.alpha_beta import create_alpha_beta_judge
from ludus.analysis.judges.base import MoveJudge
from ludus.analysis.judges.paperio import PAPERIO, create_paperio_judge
from ludus.analysis.judges.rollouts import create_random_play_judge
from ludus.analysis.judges.tree import create_network_judge, create_random_bout_judge
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.match.record import Record, load_game

NETWORK_JUDGED = ("tablut",)
"""Games whose shipped network judges better than the game's own search, by ``bench.analysis``."""


class NotJudgeable(LudusError):
    """The moves of a game cannot be judged."""

    code = "not_judgeable"


def choose_judge_for_record(record: Record) -> MoveJudge:
    """The strongest judge for a recorded bout. Raises NotJudgeable, or LudusError for rules of
    another version."""
    game, options = load_game(record)
    refuse_unjudgeable(game)
    return choose_judge(game, game.start(options, record.seed))


def choose_judge(game: Game, position: Any) -> MoveJudge:
    """The strongest judge for a bout that begins with a position. Raises NotJudgeable."""
    refuse_unjudgeable(game)
    if game.name == PAPERIO:
        return create_paperio_judge(game)
    if len(game.seats) != 2 or len(position.to_move) > 1:
        return create_random_play_judge(game)
    network = create_network_judge(game, position) if game.name in NETWORK_JUDGED else None
    return (
        network
        or create_alpha_beta_judge(game, position)
        or create_network_judge(game, position)
        or create_random_bout_judge(game, position)
    )


def refuse_unjudgeable(game: Game) -> None:
    """Raise NotJudgeable for a game whose positions cannot be judged."""
    if game.turn_source:
        raise NotJudgeable(
            f"the moves of {game.name} cannot be judged: its rules are a program of their own, and"
            " a position of a record cannot be restored in it to try other moves there",
            f"无法评判 {game.name} 的着法：它的规则是一个独立程序，"
            "不能恢复到录像中的某个局面去尝试其他着法",
        )
    if game.hidden:
        raise NotJudgeable(
            f"the moves of {game.name} cannot be judged: its seats do not see the whole position,"
            " and a judge that sees everything would blame them for what they could not know",
            f"无法评判 {game.name} 的着法：各座位看不到完整局面，"
            "而看得到一切的裁判会把它们无从知道的事算作失误",
        )
