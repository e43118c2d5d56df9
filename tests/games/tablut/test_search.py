"""The search sees what a plain minimax sees, for both sides; the house bots' order of strength."""

import random
import time
from pathlib import Path
from typing import Any

import pytest

from ludus.bots.load import load_bot
from ludus.bots.players.local import LocalPlayer
from ludus.bots.resolve import resolve_bot
from ludus.errors import LudusError
from ludus.games import get
from ludus.games.base import Clock
from ludus.games.tablut.board import TablutBoard
from ludus.games.tablut.evaluate import rate_moves, worth
from ludus.games.tablut.rules import TablutPosition, start
from ludus.games.tablut.search import Searcher, search
from ludus.games.tablut.variants import LAYOUTS, TablutOptions
from ludus.match import replay
from ludus.match.series import series
from tests.support.compiled import COMPILED
from tests.support.tablut_diagram import after, ending, sparse

GAME = get("tablut")
WIN = 1_000_000
needs_speed = pytest.mark.skipif(not COMPILED, reason="searches too slowly without a C compiler")


def minimax(board: TablutBoard, depth: int, height: int = 0) -> int:
    """The definition, written down again: no window, no table, no order."""
    over, winner = board.status()
    if over:
        return 0 if winner < 0 else WIN - height if winner == board.side else height - WIN
    if depth == 0:
        return worth(board) if board.side == 0 else -worth(board)
    scores = []
    for source, target in board.moves():
        taken = board.play(source, target)
        scores.append(-minimax(board, depth - 1, height + 1))
        board.undo(source, target, taken)
    return max(scores)


def random_positions(count: int, options: TablutOptions) -> list[TablutPosition]:
    generator = random.Random(4)
    found: list[TablutPosition] = []
    while len(found) < count:
        position = start(options, 0)
        for _ in range(generator.randrange(position.settings.limit)):
            if position.to_move:
                position.move(*generator.choice(position.board.moves()))
        if position.to_move:
            found.append(position)
    return found


@pytest.mark.parametrize(
    "options",
    [
        TablutOptions(),
        TablutOptions(limit_result="attackers"),
        TablutOptions(variant="brandubh", king_capture="throne", last_ply="stuck", limit=20),
        TablutOptions(variant="ardri", between="captured", limit=30),
    ],
    ids=lambda options: options.variant,
)
def test_a_search_scores_like_a_plain_minimax(options: TablutOptions) -> None:
    for number, position in enumerate(random_positions(10 if COMPILED else 6, options)):
        depth = 3 if COMPILED and number == 1 else 2
        assert search(position, depth, seed=number).score == minimax(position.board, depth)


def test_a_warm_table_does_not_change_the_score() -> None:
    searcher = Searcher(10)
    for options in (TablutOptions(), TablutOptions(king_capture="four")):
        for position in random_positions(6, options):
            assert searcher.search(position, 2).score == minimax(position.board, 2)


def test_the_best_move_reaches_the_score() -> None:
    for position in random_positions(10, TablutOptions()):
        found = search(position, 2)
        board = after(position, found.move)
        assert -minimax(board.board, 1, 1) == found.score


def test_equal_moves_are_chosen_between_by_the_seed() -> None:
    position = start(TablutOptions(), 0)
    moves = [search(position, 1, seed=seed).move for seed in range(30)]
    assert moves == [search(position, 1, seed=seed).move for seed in range(30)]
    assert len(set(moves)) >= 6


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_both_sides_take_a_win_at_once(depth: int) -> None:
    white = search(sparse("Kc4 ah8 ag8", "w"), depth)
    assert (ending(after(sparse("Kc4 ah8 ag8", "w"), white.move)) or ("",))[0] == "king_border"
    assert white.score == WIN - 1
    board = sparse("Kg7 af7 ah3 dc3", "b")
    black = search(board, depth)
    assert ending(after(board, black.move)) == ("king_captured", "black")
    assert black.score == WIN - 1


def test_a_lost_side_holds_out_as_long_as_it_can() -> None:
    board = sparse("Kc4 ai8 ai9", "b")
    found = search(board, 4)
    assert found.score == 2 - WIN


def test_the_evaluation_is_the_same_for_both_sides_with_the_sign_turned() -> None:
    for position in random_positions(10, TablutOptions()):
        for move, score in rate_moves(position):
            behind = after(position, move)
            if behind.outcome is not None:
                winner = behind.outcome.winner
                mine = winner == position.board.side
                assert score == (0 if winner is None else WIN if mine else -WIN)
            else:
                own = 1 if position.board.side == 0 else -1
                assert score == own * worth(behind.board)


def test_the_evaluation_counts_steps_cells_and_pieces() -> None:
    board = sparse("Kc4 dg7 ah8 ai1", "w")
    steps, cells, pieces = 2, 16, 2 - 2
    assert worth(board.board) == -30 * steps + 4 * cells + pieces


def test_a_search_sees_the_limit_of_plies() -> None:
    shut_in = "Ke5 de4 de6 dd5 df5 ah8"
    assert search(sparse(shut_in, "w", ply=98), 6).depth == 2
    assert search(sparse(shut_in, "w", ply=99), 1).score == 0
    assert search(sparse(shut_in, "w", ply=99, limit_result="attackers"), 1).score == 1 - WIN


def test_a_search_sees_a_repetition() -> None:
    board = sparse("Ke6 ae9 ac9 dg2", "b", repetition="attackers", limit=60)
    late = after(board, *("c9b9", "g2g3", "b9c9", "g3g2") * 2)
    assert ending(late) == ("repetition", "white")
    before = after(board, "c9b9", "g2g3", "b9c9", "g3g2", "c9b9", "g2g3")
    back = after(before, "b9c9")
    assert back.outcome is None
    assert search(back, 1).score == WIN - 1


@needs_speed
def test_a_search_ends_in_time() -> None:
    for seconds in (0.01, 0.1):
        began = time.thread_time()
        found = search(start(TablutOptions(), 0), seconds=seconds)
        assert time.thread_time() - began < seconds + 0.05
        assert found.depth >= 2


def test_a_search_without_bounds_or_after_the_end_is_refused() -> None:
    with pytest.raises(LudusError, match="a depth or a time"):
        search(start(TablutOptions(), 0))
    won = after(sparse("Kc4 ah8", "w"), "c4c9")
    with pytest.raises(LudusError, match="over"):
        search(won, 1)
    with pytest.raises(LudusError, match="table"):
        Searcher(40)


# House bots.


def player(spec: str | Path) -> LocalPlayer:
    source = resolve_bot(str(spec), GAME)
    assert source.path is not None
    return LocalPlayer(source.name, lambda: load_bot(source.path, GAME))


def score(first: str | Path, second: str | Path, bouts: int, **more: Any) -> float:
    total = 0.0
    players = [player(first), player(second)]
    options = more.pop("options", GAME.Options())
    for played in series(GAME, options, players, bouts, 5, **more):
        assert played.record.faults == []
        replay.verify(played.record)
        total += played.score(0)
    return total


def test_greedy_beats_random_on_both_seats() -> None:
    assert score("greedy", "random", 20) >= 18


@needs_speed
def test_alphabeta_beats_random_and_greedy_on_both_seats() -> None:
    assert score("alphabeta", "random", 4, clock=Clock(budget=0.5)) == 4
    assert score("alphabeta", "greedy", 10, clock=Clock(budget=0.5)) >= 9


@needs_speed
@pytest.mark.parametrize("variant", LAYOUTS)
def test_house_bots_play_every_variant_without_fault(variant: str) -> None:
    options = TablutOptions(variant=variant, opening=4, limit=30)
    clock = Clock(budget=0.3)
    assert score("alphabeta", "greedy", 2, options=options, clock=clock) >= 0
    assert score("greedy", "random", 2, options=options, clock=clock) >= 0


@needs_speed
def test_alphabeta_keeps_to_a_hurried_clock() -> None:
    score("alphabeta", "alphabeta", 2, clock=Clock(budget=0.2, measure="cpu"))
    score("alphabeta", "alphabeta", 2, clock=Clock(budget=1.0, per_move=0.02))


def test_the_example_bot_written_from_the_docs_beats_random() -> None:
    example = Path(__file__).resolve().parents[3] / "examples" / "tablut_bot.py"
    assert score(example, "random", 4) >= 3
