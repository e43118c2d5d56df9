"""Reversi on words: the rules of rules.py, and ends of bouts solved exactly."""

import itertools
import random

import pytest

from ludus.games.reversi import GAME, ReversiOptions
from ludus.games.reversi.bitboard import (
    cells_of,
    list_legal,
    put_disc,
    random_bouts,
    read_position,
)
from ludus.games.reversi.endgame import EndgameSolver, TimeIsUp
from ludus.games.reversi.rules import ReversiPosition


def walk(size: int, seed: int) -> list[ReversiPosition]:
    """The positions of a random bout, the last one over."""
    generator = random.Random(seed)
    position = GAME.start(ReversiOptions(size=size), 0)
    met = [position.copy()]
    while position.to_move:
        position.play({position.seat: generator.choice(position.legal(position.seat))})
        met.append(position.copy())
    return met


def name_of(cell: int) -> str:
    return f"{'abcdefgh'[cell % 8]}{cell // 8 + 1}"


def lead_by_trying(position: ReversiPosition) -> int:
    """The lead of the seat to move after perfect play, by trying everything."""
    if not position.to_move:
        return len(position.discs(position.seat)) - len(position.discs(1 - position.seat))
    leads = []
    for move in position.legal(position.seat):
        after = position.copy()
        after.play({position.seat: move})
        lead = lead_by_trying(after)
        leads.append(lead if after.seat == position.seat else -lead)
    return max(leads)


@pytest.mark.parametrize("size", [4, 6, 8])
def test_words_agree_with_the_rules(size: int) -> None:
    cells = cells_of(size)
    positions = list(itertools.chain.from_iterable(walk(size, seed) for seed in range(12)))
    skipped = 0
    for position in positions:
        own, rival = read_position(position)
        legal = list_legal(own, rival, cells)
        assert [name_of(cell) for cell in legal] == position.legal(position.seat)
        for cell in legal:
            after = position.copy()
            after.play({position.seat: name_of(cell)})
            mine, other = put_disc(own, rival, cell)
            found = (mine, other) if after.seat == position.seat else (other, mine)
            assert found == read_position(after)
            skipped += after.seat == position.seat and bool(after.to_move)
    assert skipped  # seats that cannot move were among them


@pytest.mark.parametrize("size", [4, 6, 8])
def test_the_position_for_searches_agrees_with_the_rules(size: int) -> None:
    for seed in range(8):
        position = GAME.start(ReversiOptions(size=size), 0)
        searched = GAME.search_position(position)
        seen = {}
        for after in walk(size, seed)[1:]:
            texts = {searched.text(move): move for move in searched.moves()}
            assert list(texts) == position.legal(position.seat)
            played = searched.copy()
            played.play(texts[after.last])
            assert seen.setdefault(played.hash, str(after) + str(after.seat)) is not None
            assert searched.seat == position.seat and not searched.over
            searched, position = played, after
            own, rival = read_position(position)
            if position.to_move:
                assert searched.seat == position.seat
                planes = searched.looks().reshape(3, size, size)
                assert planes.sum(axis=(1, 2)).tolist() == [
                    own.bit_count(),
                    rival.bit_count(),
                    len(position.legal(position.seat)),
                ]
        assert searched.over and not searched.moves()
        assert position.outcome is not None
        assert searched.score == position.outcome.scores[0] - position.outcome.scores[1]
        assert len(seen) == len(set(seen.values()))


def test_random_bouts_are_bouts() -> None:
    found = random_bouts(8, 3000, seed=7)
    assert found == random_bouts(8, 3000, seed=7) != random_bouts(8, 3000, seed=8)
    assert found["plies"] >= 3000 and found["black"] + found["white"] <= found["bouts"]
    assert 55 <= found["plies"] / found["bouts"] <= 60.5


@pytest.mark.parametrize(("size", "empty"), [(4, 8), (6, 6), (8, 6)])
def test_the_end_of_a_bout_is_solved(size: int, empty: int) -> None:
    solver = EndgameSolver(size)
    for seed in range(10):
        met = [each for each in walk(size, seed) if str(each).count(".") <= empty]
        for position in met[:2]:
            assert solver.lead(position) == lead_by_trying(position)


@pytest.mark.parametrize("seed", range(3))
def test_remembered_positions_do_not_change_what_is_found(seed: int) -> None:
    """A solver that knows much, asked again within narrow windows, says the same or a bound."""
    (position,) = [each for each in walk(8, seed) if str(each).count(".") == 9]
    old, cells = EndgameSolver(8), position.choices
    leads = {cell: EndgameSolver(8).lead_after(position, cell) for cell in cells}
    assert EndgameSolver(8).lead(position) == max(leads.values())
    for alpha in range(-20, 20, 3):
        for cell, lead in leads.items():
            found = old.lead_after(position, cell, alpha, alpha + 3)
            assert found == lead or (found >= alpha + 3 <= lead) or (found <= alpha >= lead)


@pytest.mark.parametrize("seed", range(4))
def test_the_hook_of_the_game_finds_a_move_with_the_best_result(seed: int) -> None:
    game = GAME
    (position,) = [each for each in walk(8, seed) if str(each).count(".") == 10]
    solver = game.exact_solver(position)
    assert solver is not None
    solved = solver.solve(position, 1_000_000)
    assert solved is not None
    lead = EndgameSolver(8).lead(position)
    assert solved.score == (1.0 if lead > 0 else 0.5 if lead == 0 else 0.0)
    cell = position.choices[position.legal(position.seat).index(solved.move)]
    kept = EndgameSolver(8).lead_after(position, cell)
    assert (kept > 0, kept < 0) == (lead > 0, lead < 0)
    assert lead >= 0 or kept == lead  # a lost bout is lost by as little as possible


@pytest.mark.parametrize("size", [6, 8])
def test_who_wins_is_proven_for_both_seats(size: int) -> None:
    solver = GAME.exact_solver(walk(size, 0)[0])
    assert solver is not None
    seen = set()
    for position in [each for seed in range(12) for each in walk(size, seed)]:
        if not 0 < str(position).count(".") <= 9 or not position.to_move:
            continue
        lead = EndgameSolver(size).lead(position) * (-1 if position.seat else 1)
        proven = solver.prove(GAME.search_position(position), 1_000_000)
        assert proven == (lead > 0) - (lead < 0)
        seen.add((position.seat, proven))
    assert {(seat, score) for seat in (0, 1) for score in (-1, 1)} <= seen


def test_a_proof_gives_up_early_and_where_the_end_is_far() -> None:
    (far,) = [each for each in walk(8, 2) if str(each).count(".") == 24]
    (middle,) = [each for each in walk(8, 5) if str(each).count(".") == 16]
    solver = GAME.exact_solver(middle)
    assert solver is not None
    assert solver.prove(GAME.search_position(far), 1 << 40) is None
    assert solver.nodes == 0
    assert solver.prove(GAME.search_position(middle), 50) is None
    assert solver.nodes < 50 + 1000  # the last few empty cells are not counted one by one
    assert solver.prove(GAME.search_position(middle), 1 << 40, lambda: True) is None
    assert solver.prove(GAME.search_position(middle), 1 << 40) in (-1, 0, 1)

    def stop() -> bool:
        raise KeyboardInterrupt

    fresh = EndgameSolver(8)
    with pytest.raises(KeyboardInterrupt):
        fresh.prove(GAME.search_position(middle), 1 << 40, stop)


def test_the_hook_of_the_game_gives_up_early_and_where_the_end_is_far() -> None:
    game = GAME
    solver = game.exact_solver(walk(8, 1)[0])
    assert solver is not None
    assert solver.solve(walk(8, 1)[0], 1 << 40) is None
    (middle,) = [each for each in walk(8, 2) if str(each).count(".") == 16]
    assert solver.solve(middle, 500) is None
    assert solver.solve(middle, 1 << 40, lambda: True) is None
    (late,) = [each for each in walk(8, 2) if str(each).count(".") == 8]
    assert solver.solve(late, 1_000_000) is not None  # and can be used again
    assert game.exact_solver(game.start(game.Options(size=10), 0)) is None


def test_a_solver_stops_when_it_is_told() -> None:
    position = walk(8, 1)[10]
    asked = []
    solver = EndgameSolver(8)
    with pytest.raises(TimeIsUp):
        solver.lead(position, enough=lambda: asked.append(1) or len(asked) == 2)
    assert len(asked) == 2
    late = walk(8, 1)[-6]
    assert solver.lead(late) == lead_by_trying(late)  # and can be used again


def test_an_interrupted_solver_ends_at_once_with_the_interrupt() -> None:
    asked: list[int] = []

    def interrupt() -> bool:
        asked.append(1)
        raise KeyboardInterrupt

    solver = EndgameSolver(8)
    with pytest.raises(KeyboardInterrupt):
        solver.lead(walk(8, 1)[10], enough=interrupt)
    assert len(asked) == 1
    late = walk(8, 1)[-6]
    assert solver.lead(late) == lead_by_trying(late)  # and can be used again


def test_keys_tell_positions_apart() -> None:
    """Also those that differ only by discs on h8 and g8, whose bits are the highest."""
    keys: dict[int, tuple[bytes, int]] = {}
    for seed in range(60):
        for position in walk(8, seed)[:-1]:
            found = GAME.search_position(position)
            for move in found.moves():
                after = found.copy()
                after.play(move)
                facts = after.codes(), after.seat
                assert keys.setdefault(after.hash, facts) == facts
    assert len(keys) > 20_000


def test_a_second_move_in_a_row_has_another_key() -> None:
    """White plays h8 and is on move again, with the same discs but for h8 and g8."""
    moves = "f5 f4 c3 f6 g5 c6 e3 h5 h6 h7 e6 d6 d7 c5 e7 g6 c7 h4 f7 g4 b5 f8 h3 h2 g7 e8 g8"
    position = GAME.start(ReversiOptions(), 0)
    for move in moves.split():
        position.play({position.seat: move})
    before = GAME.search_position(position).hash
    assert position.seat == 1
    position.play({1: "h8"})
    assert position.seat == 1
    assert GAME.search_position(position).hash != before
