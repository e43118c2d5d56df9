"""The rules of Tablut one by one (R1-R9), and every question they leave open (A1-A15)."""

import pytest

from ludus.errors import LudusError
from ludus.games import IllegalMove, get
from ludus.games.tablut.rules import set_up, start
from ludus.games.tablut.variants import TablutOptions, start_cells
from tests.support.tablut_diagram import after, ending, on, sparse, targets

GAME = get("tablut")

# The rules of the document.


def test_the_start_has_sixteen_attackers_eight_defenders_and_the_king_in_the_middle() -> None:
    assert str(start(TablutOptions(), 0)) == (
        " 9 . . . a a a . . .\n"
        " 8 . . . . a . . . .\n"
        " 7 . . . . d . . . .\n"
        " 6 a . . . d . . . a\n"
        " 5 a a d d K d d a a\n"
        " 4 a . . . d . . . a\n"
        " 3 . . . . d . . . .\n"
        " 2 . . . . a . . . .\n"
        " 1 . . . a a a . . .\n"
        "   a b c d e f g h i"
    )


def test_white_has_56_moves_at_the_start_and_black_80() -> None:
    assert len(start(TablutOptions(), 0).legal(0)) == 56
    assert len(start(TablutOptions(first="attackers"), 0).legal(1)) == 80


def test_r1_pieces_slide_any_distance_in_a_line_and_never_over_a_piece() -> None:
    board = sparse("Kb2 df6 af8 ac6", "w")
    assert targets(board, "f6") == {"f7", "f1", "f2", "f3", "f4", "f5"} | {
        f"{column}6" for column in "deghi"
    }


def test_r2_nobody_stops_on_or_passes_over_the_throne() -> None:
    board = sparse("Kb2 de7 dc5 ai9", "w")
    assert targets(board, "e7") & {"e5", "e4", "e3", "e2", "e1"} == set()
    assert targets(board, "e7") >= {"e6", "e8", "e9"}
    assert targets(board, "c5") & {"e5", "f5", "g5"} == set()
    assert targets(sparse("Kb2 dh8 ae7", "b"), "e7") >= {"e6"}
    assert "e5" not in targets(sparse("Kb2 dh8 ae7", "b"), "e7")


def test_r2_the_king_leaves_the_throne_and_may_neither_return_nor_cross() -> None:
    board = sparse("Ke5 ab2", "w")
    assert targets(board, "e5") == {f"e{row}" for row in (1, 2, 3, 4, 6, 7, 8, 9)} | {
        f"{column}5" for column in "abcdfghi"
    }
    gone = after(board, "e5e3", "b2b3")
    assert targets(gone, "e3") & {"e5", "e6", "e7", "e8", "e9"} == set()


@pytest.mark.parametrize("side", ["w", "b"])
def test_r3_an_enemy_between_two_of_yours_is_removed(side: str) -> None:
    own, foe = ("d", "a") if side == "w" else ("a", "d")
    alone = after(sparse(f"Kh8 {foe}d6 {own}f6 ai1", side), "f6e6")
    assert on(alone, "d6") == foe
    row = after(sparse(f"Kh8 {own}c6 {foe}d6 {own}f6 ai1", side), "f6e6")
    assert on(row, "d6") == "."
    column = after(sparse(f"Kh8 {own}c6 {foe}c7 {own}a8 ai1", side), "a8c8")
    assert on(column, "c7") == "."


def test_r4_the_empty_throne_is_hostile_to_both_sides() -> None:
    black = after(sparse("Kh8 dd5 ac9", "b"), "c9c5")
    assert on(black, "d5") == "."
    white = after(sparse("Kh8 ad5 dc9 ai1", "w"), "c9c5")
    assert on(white, "d5") == "."


def test_r5_the_throne_is_no_wall_while_the_king_stands_on_it() -> None:
    assert on(after(sparse("Ke5 dd5 ac9", "b"), "c9c5"), "d5") == "d"


def test_r6_the_king_is_captured_by_two_like_any_pawn() -> None:
    field = after(sparse("Kg7 af7 ah3", "b"), "h3h7")
    assert ending(field) == ("king_captured", "black")
    throne = after(sparse("Ke5 ad5 af9", "b"), "f9f5")
    assert ending(throne) == ("king_captured", "black")
    beside = after(sparse("Kd5 dh1 ad6 aa4", "b"), "a4d4")
    assert ending(beside) == ("king_captured", "black")


def test_r7_white_wins_when_the_king_stands_on_any_border_cell() -> None:
    for move in ("c4c9", "c4c1", "c4a4", "c4i4"):
        won = after(sparse("Kc4 ah8", "w"), move)
        assert ending(won) == ("king_border", "white")
        assert won.outcome.detail == {"cell": move[2:]}
    assert ending(after(sparse("Ka4 ah8", "w", goal="corners"), "a4a9")) == ("king_corner", "white")


def test_r8_black_wins_when_no_white_piece_can_move() -> None:
    shut_in = sparse("da9 aa8 ab7 dh1 ai1 ag1 ah2 Kd4 ad5 ac4 ae4 ad2", "b", king_capture="four")
    assert ending(after(shut_in, "b7b9")) is None
    stuck = sparse("da9 aa8 ab7 Kd4 ad5 ac4 ae4 dd3 ad2 ac3 ae3", "b", king_capture="four")
    assert ending(after(stuck, "b7b9")) == ("no_moves_defenders", "black")


def test_r9_the_bout_is_drawn_at_a_hundred_plies() -> None:
    last = sparse("Kc4 ah8", "b", ply=99)
    assert last.outcome is None
    assert ending(after(last, "h8h7")) == ("limit", "nobody")


# The questions.


def test_a1_white_opens_unless_the_attackers_are_asked_to() -> None:
    assert start(TablutOptions(), 0).to_move == (0,)
    assert start(TablutOptions(first="attackers"), 0).to_move == (1,)
    assert GAME.seat_keys == ["defenders", "attackers"]


def test_a2_the_king_helps_to_capture_moving_and_standing() -> None:
    hammer = sparse("Kf8 ad6 dc6 ai1", "w")
    assert on(after(hammer, "f8f6", "i1i2", "f6e6"), "d6") == "."
    anvil = sparse("Kc6 ad6 de9 ai1", "w")
    assert on(after(anvil, "e9e6"), "d6") == "."
    throne = sparse("Ke5 af5 dg9 ai1", "w")
    assert on(after(throne, "g9g5"), "f5") == "."


@pytest.mark.parametrize(
    ("armed", "moving", "standing"),
    [
        ("both", True, True),
        ("hammer", True, False),
        ("anvil", False, True),
        ("no", False, False),
    ],
)
def test_a2_the_kings_arms_are_an_option(armed: str, moving: bool, standing: bool) -> None:
    hammer = after(sparse("Ke7 ad6 dc6 ai1", "w", king_armed=armed), "e7e6")
    assert (on(hammer, "d6") == ".") == moving
    anvil = after(sparse("Kc6 ad6 de9 ai1", "w", king_armed=armed), "e9e6")
    assert (on(anvil, "d6") == ".") == standing


def test_a3_one_attacker_captures_the_king_against_the_empty_throne() -> None:
    board = sparse("Kd5 ac9", "b")
    assert ending(after(board, "c9c5")) == ("king_captured", "black")
    spared = sparse("Kd5 ac9", "b", king_against_throne="no")
    assert after(spared, "c9c5").outcome is None


def test_a4_moving_between_two_enemies_is_safe_unless_it_is_not() -> None:
    pieces = "Kh2 dd9 ac6 ae6"
    assert on(after(sparse(pieces, "w"), "d9d6"), "d6") == "d"
    lost = after(sparse(pieces, "w", between="captured"), "d9d6")
    assert on(lost, "d6") == "."
    assert lost.captured == (lost.last[1],)
    king = sparse("Kd8 ac6 ae6", "w")
    assert after(king, "d8d6").outcome is None
    brave = after(sparse("Kd8 ac6 ae6", "w", between="captured"), "d8d6")
    assert ending(brave) == ("king_captured", "black")


def test_a5_neither_border_nor_corner_is_a_wall_unless_asked() -> None:
    assert on(after(sparse("Kg3 da6 ab9", "b"), "b9b6"), "a6") == "d"
    assert on(after(sparse("Kg3 da6 ab9", "b", border_hostile="yes"), "b9b6"), "a6") == "."
    assert on(after(sparse("Kg3 da8 ab7", "b"), "b7a7"), "a8") == "d"
    assert on(after(sparse("Kg3 da8 ab7", "b", corners_hostile="yes"), "b7a7"), "a8") == "."


def test_a5_corners_can_be_closed_to_pawns() -> None:
    assert "a9" in targets(sparse("Kg3 da6 ab2", "w"), "a6")
    closed = sparse("Kg3 da6 ab2", "w", corners_closed="yes")
    assert targets(closed, "a6") >= {"a8"}
    assert "a9" not in targets(closed, "a6")


@pytest.mark.parametrize(
    ("result", "winner"), [("draw", "nobody"), ("attackers", "black"), ("defenders", "white")]
)
def test_a6_limit_and_its_result_are_options(result: str, winner: str) -> None:
    board = sparse("Kc4 ah8", "b", ply=49, limit=50, limit_result=result)
    assert ending(after(board, "h8h7")) == ("limit", winner)


def test_a7_a_win_on_the_last_ply_counts() -> None:
    edge = sparse("Kc4 ah8", "w", ply=99)
    assert ending(after(edge, "c4c9")) == ("king_border", "white")
    capture = sparse("Kg7 af7 ah3", "b", ply=99)
    assert ending(after(capture, "h3h7")) == ("king_captured", "black")
    for rule in ("stuck", "nothing"):
        late = sparse("Kc4 ah8", "w", ply=99, last_ply=rule)
        assert ending(after(late, "c4c9")) == ("limit", "nobody")


def test_a8_attackers_who_cannot_move_lose_too() -> None:
    for rule, expected in (("loses", "white"), ("draws", "nobody"), ("defenders", "nobody")):
        board = sparse("Kc4 aa9 db9 dd8", "w", stuck=rule)
        blocked = after(board, "d8a8")
        assert ending(blocked) == ("no_moves_attackers", expected)


def test_a8_attackers_without_pieces_cannot_move() -> None:
    board = sparse("Kc4 ad6 dc6 de9", "w")
    assert ending(after(board, "e9e6")) == ("no_moves_attackers", "white")


def test_a9_having_no_move_at_the_limit_loses() -> None:
    for rule, reason in (
        ("all", "no_moves_attackers"),
        ("stuck", "no_moves_attackers"),
        ("nothing", "limit"),
    ):
        board = sparse("Kc4 aa9 db9 dd8", "w", ply=99, last_ply=rule)
        assert after(board, "d8a8").outcome.reason == reason


def test_a10_a_captured_king_is_asked_before_everything_else() -> None:
    board = sparse("Kg7 af7 ah3", "b", ply=99)  # white has no piece left either
    assert ending(after(board, "h3h7")) == ("king_captured", "black")


def test_a11_the_king_leaving_the_throne_exposes_nobody() -> None:
    board = sparse("Ke5 dd5 ac5 ah1", "w")
    gone = after(board, "e5e7")
    assert on(gone, "d5") == "d"
    assert on(after(gone, "h1h2"), "d5") == "d"


def test_a12_repetition_is_no_ending_unless_asked() -> None:
    dance = ("c4c5", "h8h7", "c5c4", "h7h8") * 2
    assert after(sparse("Kc4 ah8", "w"), *dance).outcome is None
    for rule, winner in (
        ("draw", "nobody"),
        ("attackers", "white"),
        ("defenders", "black"),
        ("mover", "white"),
    ):
        ended = after(sparse("Kc4 ah8", "w", repetition=rule), *dance)
        assert ending(ended) == ("repetition", winner)
        before = after(sparse("Kc4 ah8", "w", repetition=rule), *dance[:-1])
        assert before.outcome is None


def test_a13_one_move_captures_up_to_three() -> None:
    board = sparse("Kh8 dd7 df7 de8 ac7 ag7 ae9 ae6 ai1", "b")
    taken = after(board, "e6e7")
    assert [on(taken, cell) for cell in ("d7", "f7", "e8")] == [".", ".", "."]
    assert len(taken.captured) == 3


def test_a14_the_throne_counts_as_empty_as_soon_as_the_king_has_left() -> None:
    board = sparse("Ke5 dd5 ac9 ah1", "w")
    assert on(after(board, "e5e7", "c9c5"), "d5") == "."


def test_a15_pawns_on_the_border_win_nothing() -> None:
    assert after(sparse("Kc4 dg3 ah8", "w"), "g3g1").outcome is None


# Settings of other rule books.


def test_the_king_can_need_four_attackers() -> None:
    pieces = "Kg7 af7 ag8 ag6 ah3"
    assert ending(after(sparse(pieces, "b", king_capture="four"), "h3h7")) == (
        "king_captured",
        "black",
    )
    assert after(sparse("Kg7 af7 ah3", "b", king_capture="four"), "h3h7").outcome is None


def test_the_king_can_be_strong_on_and_beside_the_throne_only() -> None:
    strong = {"king_capture": "throne"}
    assert after(sparse("Ke5 ad5 af9", "b", **strong), "f9f5").outcome is None
    four = sparse("Ke5 ad5 ae6 ae4 af9", "b", **strong)
    assert ending(after(four, "f9f5")) == ("king_captured", "black")
    assert after(sparse("Kd5 ac9", "b", **strong), "c9c5").outcome is None
    three = sparse("Kd5 ad6 ad4 ac9", "b", **strong)
    assert ending(after(three, "c9c5")) == ("king_captured", "black")
    assert ending(after(sparse("Kg7 af7 ah3", "b", **strong), "h3h7"))[0] == "king_captured"


def test_the_throne_can_be_open_to_the_king_or_to_all() -> None:
    king = sparse("Ke3 dc5 ab2", "w", throne_pass="king", throne_stop="king")
    assert targets(king, "e3") >= {"e4", "e5", "e6", "e9"}
    assert "d5" in targets(king, "c5") and "e5" not in targets(king, "c5")
    passing = sparse("Ke3 dc5 ab2", "w", throne_pass="all", throne_stop="king")
    assert targets(passing, "c5") >= {"d5", "f5", "g5", "h5", "i5"}
    assert "e5" not in targets(passing, "c5")
    resting = sparse("Kf3 dc5 ab2", "w", throne_pass="all", throne_stop="all")
    assert "e5" in targets(resting, "c5")
    over = sparse("Ke3 dc5 ab2", "w", throne_pass="king")
    assert "e5" not in targets(over, "e3") and "e6" in targets(over, "e3")


def test_the_throne_can_be_hostile_to_one_side_only_or_even_with_the_king_on_it() -> None:
    for hostile, white_falls, black_falls in (
        ("nobody", False, False),
        ("attackers", False, True),
        ("defenders", True, False),
        ("all", True, True),
    ):
        white = after(sparse("Kh8 dd5 ac9", "b", throne_hostile=hostile), "c9c5")
        black = after(sparse("Kh8 ad5 dc9 ai1", "w", throne_hostile=hostile), "c9c5")
        assert (on(white, "d5") == ".", on(black, "d5") == ".") == (white_falls, black_falls)
    wall = after(sparse("Ke5 dd5 ac9", "b", throne_wall="always"), "c9c5")
    assert on(wall, "d5") == "."


def test_who_may_stop_on_the_throne_must_be_able_to_pass_it() -> None:
    with pytest.raises(LudusError, match="may also pass"):
        TablutOptions(throne_stop="king")


# Refusals and set-ups.


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ("e5", "two cells"),
        ("e5j5", "two cells"),
        ("E5E6", "two cells"),
        ("e4e10", "two cells"),
        ("e4 e5", "two cells"),
        ("e8f8", "no piece of yours"),
        ("a1a2", "no piece of yours"),
        ("e4d3", "along a row"),
        ("e4e4", "along a row"),
        ("e4e5", "in the way"),
        ("c5c9x", "two cells"),
        ("c5d5", "in the way"),
    ],
)
def test_an_illegal_move_is_refused_with_what_is_wrong(move: str, why: str) -> None:
    board = start(TablutOptions(), 0)
    with pytest.raises(IllegalMove) as refusal:
        board.play({0: move})
    assert why in refusal.value.why["en"]
    assert board.cells == start_cells("tablut")


def test_a_position_that_is_none_is_refused() -> None:
    for cells in ("", "." * 80, "K" * 81, "x" * 81):
        with pytest.raises(LudusError, match="81 characters"):
            set_up(TablutOptions(), cells, 0)


def test_random_openings_differ_by_seed_and_never_end_the_bout() -> None:
    options = TablutOptions(opening=6)
    started = [start(options, seed) for seed in range(10)]
    assert len({position.cells for position in started}) == 10
    assert start(options, 3).cells == started[3].cells
    assert all(position.ply == 6 and position.outcome is None for position in started)


def test_outcomes_are_told_in_both_languages() -> None:
    won = after(sparse("Kc4 ah8", "w"), "c4c9")
    assert GAME.explain(won.outcome) == {
        "en": "the king reached the border at c9",
        "zh": "王到达边线 c9",
    }
