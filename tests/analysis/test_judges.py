"""Every game has a judge, which knows a good move from a bad one."""

from collections.abc import Mapping
from typing import Any

import pytest

from ludus.analysis.evaluate import analyse_fully
from ludus.analysis.judges.base import CpuBudget, OutOfBudget
from ludus.analysis.judges.choice import NotJudgeable, choose_judge
from ludus.analysis.judges.paperio import create_paperio_judge
from ludus.analysis.judges.rollouts import create_random_play_judge
from ludus.analysis.judges.tree import create_random_bout_judge
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games.base import Game, IllegalMove, Outcome
from ludus.games.registry import get, names
from ludus.match import play
from ludus.match.record import Record

SHORT: dict[str, dict[str, Any]] = {
    "duel2048": {"rounds": 6},
    "paperio": {"k": 8, "h": 12, "turns": 30},
}
JUDGES = {
    "ataxx": {"search", "network"},
    "duel2048": {"search", "network"},
    "eraser": {"search", "network"},
    "paperio": {"rollouts", "network"},
    "reversi": {"search", "network"},
    "tablut": {"network"},
}


def short_bout(name: str) -> Record:
    game = get(name)
    options = game.Options.parse(SHORT.get(name, {}))
    players = [create_player(resolve_bot("random", game), game) for _ in game.seats]
    return play(game, options, 11, players, random_seeds=["01" * 16, "02" * 16])


@pytest.mark.parametrize("name", sorted(JUDGES))
def test_a_bout_of_every_game_is_judged(name: str) -> None:
    record = short_bout(name)
    found = analyse_fully(record, seconds=1.0, level=0)
    assert found.judge.name in JUDGES[name]
    assert found.judge.title["en"] and found.judge.title["zh"]
    assert found.moves and found.curve[-1].expected == record.scores
    assert all(0 <= move.after <= move.before <= 1 for move in found.moves)


def test_no_game_is_left_out() -> None:
    assert set(JUDGES) <= set(names())
    assert {name for name in names() if not get(name).turn_source} <= set(JUDGES)


def test_a_judgement_is_the_same_every_time() -> None:
    for name in ("ataxx", "tablut", "eraser"):
        position: Any = get(name).start(get(name).Options(), 3)
        judge = choose_judge(get(name), position)
        move = position.legal(position.to_move[0])[-1]
        seat = position.to_move[0]
        one, other = (judge.judge(position, {seat: move}, seat, 0, CpuBudget()) for _ in range(2))
        assert one == other


def test_a_judgement_that_runs_out_of_time_is_not_used() -> None:
    for name in JUDGES:
        position: Any = get(name).start(get(name).Options(), 3)
        judge = choose_judge(get(name), position)
        seat = position.to_move[0]
        with pytest.raises(OutOfBudget):
            judge.judge(position, {seat: position.legal(seat)[0]}, seat, 0, CpuBudget(0.0))


def test_a_board_without_a_network_is_searched() -> None:
    game = get("tablut")
    position = game.start(game.Options.parse({"variant": "ashton"}), 1)
    assert choose_judge(game, position).facts.name in {"search", "network"}
    brandubh = game.start(game.Options.parse({"variant": "brandubh"}), 1)
    assert choose_judge(game, brandubh).facts.name == "search"


def test_random_bouts_judge_a_game_without_a_search() -> None:
    game = get("reversi")
    position: Any = game.start(game.Options.parse({"size": 4}), 1)
    judge = create_random_bout_judge(game, position)
    seat = position.to_move[0]
    found = judge.judge(position, {seat: position.legal(seat)[0]}, seat, 0, CpuBudget())
    assert 0 <= found.after <= found.before <= 1
    first, second = judge.evaluate(position, 0, CpuBudget())
    assert first + second == pytest.approx(1)


BEATS = {"rock": "scissors", "paper": "rock", "scissors": "paper"}


class OneThrow:
    """Two seats throw at the same time, once."""

    def __init__(self) -> None:
        self.outcome: Outcome | None = None

    @property
    def to_move(self) -> tuple[int, ...]:
        return () if self.outcome else (0, 1)

    def legal(self, seat: int) -> list[str]:
        return list(BEATS) if self.outcome is None else []

    def play(self, moves: Mapping[int, str]) -> None:
        first, second = moves[0], moves[1]
        if first not in BEATS or second not in BEATS:
            raise IllegalMove(0, first, "no", "否")
        if first == second:
            self.outcome = Outcome((0.5, 0.5), "tied")
        else:
            won = BEATS[first] == second
            self.outcome = Outcome((float(won), float(not won)), "won")

    def copy(self) -> "OneThrow":
        twin = OneThrow()
        twin.outcome = self.outcome
        return twin


class Throwing(Game):
    name = "throwing"
    version = 1
    seats = ("left", "right")  # type: ignore[assignment]

    def start(self, options: Any, seed: int) -> Any:
        return OneThrow()


def test_moves_at_the_same_time_are_judged_against_what_the_rival_played() -> None:
    judge = choose_judge(Throwing(), OneThrow())
    assert judge.facts.reply == "actual"
    ply = {0: "rock", 1: "paper"}
    lost = judge.judge(OneThrow(), ply, 0, 0, CpuBudget())
    won = judge.judge(OneThrow(), ply, 1, 0, CpuBudget())
    assert (lost.best, lost.before, lost.after, lost.certain) == ("scissors", 1.0, 0.0, True)
    assert (won.best, won.before, won.after) == ("paper", 1.0, 1.0)
    assert create_random_play_judge(Throwing()).evaluate(OneThrow(), 2, CpuBudget())[
        0
    ] == pytest.approx(0.5, abs=0.3)


def test_what_cannot_be_judged_is_refused_with_the_reason() -> None:
    class Hidden(Throwing):
        hidden = True

    class Program(Throwing):
        turn_source = "some:program"

    with pytest.raises(NotJudgeable, match="do not see the whole position"):
        choose_judge(Hidden(), OneThrow())
    with pytest.raises(NotJudgeable, match="cannot be restored") as refused:
        choose_judge(Program(), OneThrow())
    assert "恢复" in refused.value.text["zh"]


def test_continuations_of_paperio_vary_only_at_home() -> None:
    """A random move in the open would lose races that are won."""
    game = get("paperio")
    position: Any = game.start(game.Options.parse({"k": 9, "h": 17, "turns": 40}), 1)
    judge = create_paperio_judge(game)
    at_home = {judge.create_policy(number).choose(position, 0) for number in range(8)}
    assert len(at_home) > 1
    while not position.field.trails[0] or position.to_move[0] != 0:
        position.play({position.to_move[0]: "S"})
    outside = {judge.create_policy(number).choose(position, 0) for number in range(8)}
    assert len(outside) == 1
