"""Judges: programs that evaluate openings and play them out."""

import pytest

from ludus.errors import LudusError
from ludus.games import get
from ludus.games.base import Game
from ludus.games.tablut.rules import set_up
from ludus.learn.openings.judges import find_judge, finish_bout
from ludus.learn.openings.tasks import play_opening

REVERSI, TABLUT = get("reversi"), get("tablut")


@pytest.mark.parametrize(
    ("game", "spec"),
    [
        (REVERSI, "depth:2"),
        (REVERSI, "search:8"),
        (REVERSI, "greedy:1"),
        (REVERSI, "strong:0.02"),
        (TABLUT, "depth:1"),
        (TABLUT, "learned:1"),
        (TABLUT, "alphabeta:0.02"),
    ],
)
def test_every_judge_plays_a_bout_to_its_end(game: Game, spec: str) -> None:
    options = game.Options()
    judge = find_judge(spec, game, options)
    position = game.start(options, 0)
    assert finish_bout(judge, position, 1) in (0.0, 0.5, 1.0)
    assert position.to_move, "the position given must not be changed"


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("spec", ["depth:3", "learned:0", "learned:8", "search:50"])
def test_a_king_with_several_ways_out_is_good_for_seat_0_whoever_moves(
    spec: str, side: int
) -> None:
    options = TABLUT.Options()
    position = set_up(options, "a" + "." * 37 + "d.K" + "." * 39 + "a", side)
    judge = find_judge(spec, TABLUT, options)
    assert judge.evaluate(position) > 0.3


def test_alpha_beta_evaluates_by_the_mean_of_two_depths() -> None:
    from ludus.games.reversi.search import search

    options = REVERSI.Options()
    position = play_opening(REVERSI, options, ("d3", "c3", "b3"))
    scores = [search(position, depth).score for depth in (2, 3)]
    assert position.to_move == (1,)
    assert find_judge("depth:3", REVERSI, options).evaluate(position) == -sum(scores) / 2


def test_a_house_bot_does_not_evaluate() -> None:
    judge = find_judge("strong:1", REVERSI, REVERSI.Options())
    with pytest.raises(LudusError, match="does not evaluate"):
        judge.evaluate(REVERSI.start(REVERSI.Options(), 0))


@pytest.mark.parametrize(
    ("game", "spec", "says"),
    [
        ("reversi", "strong", "is not a judge"),
        ("reversi", "strong:-1", "is not a judge"),
        ("reversi", "depth:0", "is not a judge"),
        ("reversi", "depth:two", "is not a judge"),
        ("reversi", "learned:8:nowhere.onnx", "no network"),
        ("paperio", "depth:3", "no search to a fixed depth"),
    ],
)
def test_what_is_wrong_with_a_judge_is_said(game: str, spec: str, says: str) -> None:
    with pytest.raises(LudusError, match=says):
        find_judge(spec, get(game), get(game).Options())


def test_a_network_of_another_board_is_refused() -> None:
    with pytest.raises(LudusError, match="ships no network for this board"):
        find_judge("learned:8", TABLUT, TABLUT.Options(variant="brandubh"))
