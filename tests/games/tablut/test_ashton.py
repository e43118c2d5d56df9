"""The rules of the Tablut challenge: hand-made positions, and the rules' second writing.

Every hand-made position is played by both writings. Rows count from the bottom, as everywhere in
Ludus; the camps, the throne and all rules are the same seen from the top.
"""

import random

import pytest

from ludus.errors import LudusError
from ludus.games import get
from ludus.games.base import IllegalMove
from ludus.games.tablut.notation import cell_names
from ludus.games.tablut.rules import TablutPosition, perft, start
from ludus.games.tablut.variants import TablutOptions, resolve_settings
from tests.support import ashton_by_the_book as book
from tests.support.compiled import COMPILED
from tests.support.tablut_diagram import sparse

NAMES = cell_names(9)
OPTIONS = TablutOptions(variant="ashton")
LETTERS = {"B": "a", "W": "d", "K": "K"}
RESULTS = {0: "WHITEWIN", 1: "BLACKWIN", None: "DRAW"}

REACH = {
    # pieces, side, the piece that is asked → where it may go
    "a pawn in its camp may cross the camp and leave it": (
        ("Kg3 aa4", "b", "a4"),
        "a5 a6 a7 a8 a9 a3 a2 a1 b4 c4 d4 e4 f4 g4 h4",
    ),
    "a pawn moves inside its camp from the tip": (
        ("Kg3 ab5", "b", "b5"),
        "a5 c5 d5 b6 b7 b8 b9 b4 b3 b2 b1",
    ),
    "a pawn that left its camp never returns": (
        ("Kg3 ac5", "b", "c5"),
        "d5 c1 c2 c3 c4 c6 c7 c8 c9",
    ),
    "a pawn outside stops before a camp on every side": (
        ("Kg2 ac4", "b", "c4"),
        "b4 d4 e4 f4 g4 h4 c1 c2 c3 c5 c6 c7 c8 c9",
    ),
    "the border is cut by a camp": (("Kg2 aa1", "b", "a1"), "a2 a3 b1 c1"),
    "a white pawn does not enter a camp": (("Kg2 db4", "w", "b4"), "b1 b2 b3 c4 d4 e4 f4 g4 h4"),
    "a white pawn does not cross a camp": (
        ("Kg2 dd2", "w", "d2"),
        "a2 b2 c2 d3 d4 d5 d6 d7 d8",
    ),
    "the king does not enter or cross a camp": (
        ("Kh4 ab1", "w", "h4"),
        "b4 c4 d4 e4 f4 g4 h1 h2 h3",
    ),
    "the far camp across the board is closed": (
        ("Kg3 ad9", "b", "d9"),
        "a9 b9 c9 e9 f9 g9 h9 i9 d8 d7 d6 d5 d4 d3 d2",
    ),
    "a pawn of a camp does not pass the throne": (
        ("Kg3 ah5", "b", "h5"),
        "i5 g5 f5 h1 h2 h3 h4 h6 h7 h8 h9",
    ),
    "a piece in the camp is in the way": (
        ("Kg3 aa4 aa6", "b", "a4"),
        "a5 a3 a2 a1 b4 c4 d4 e4 f4 g4 h4",
    ),
    "nobody passes the empty throne": (("Kg2 dc5", "w", "c5"), "d5 c1 c2 c3 c4 c6 c7 c8 c9"),
    "the king does not return to his throne": (("Ke4 ab1", "w", "e4"), "e3 b4 c4 d4 f4 g4 h4"),
    "the king leaves his throne": (
        ("Ke5 ab1", "w", "e5"),
        "d5 c5 f5 g5 e3 e4 e6 e7",
    ),
    "the middle of a camp opens three ways": (
        ("Kg3 ae1", "b", "e1"),
        "d1 c1 b1 a1 f1 g1 h1 i1 e2 e3 e4",
    ),
}

CAPTURES = {
    # pieces, side, move → captured cells
    "white takes between two pawns": ("Kh2 dc4 de3 ad4 aa1", "w", "e3e4", "d4"),
    "white takes between a pawn and the king": ("Kc4 de3 ad4 aa1", "w", "e3e4", "d4"),
    "the king takes": ("Ke3 dc4 ad4 aa1", "w", "e3e4", "d4"),
    "white takes against the empty throne": ("Kh2 dc1 ad5 aa1", "w", "c1c5", "d5"),
    "white takes against the king on his throne": ("Ke5 dc1 ad5 aa1", "w", "c1c5", "d5"),
    "white takes against the camp cell a4": ("Kh2 dc3 ab4 ai1", "w", "c3c4", "b4"),
    "white takes against the camp cell b5": ("Kh2 dd2 ac5 ai1", "w", "d2d5", "c5"),
    "white takes against the camp cell d1": ("Kh3 dc3 ad2 ai2", "w", "c3d3", "d2"),
    "white takes against the camp cell e2": ("Kh3 dc4 ae3 ai2", "w", "c4e4", "e3"),
    "white takes against the camp cell i6": ("Kh2 dg2 ah6 ai1", "w", "g2g6", "h6"),
    "white takes against the camp cell f9": ("Kh2 dg7 af8 ai1", "w", "g7f7", "f8"),
    "a pawn on b5 is safe against a5": ("Kh2 dc2 ab5 ai1", "w", "c2c5", ""),
    "a pawn on e2 is safe against e1": ("Kh2 dc3 ae2 ai1", "w", "c3e3", ""),
    "a pawn on h5 is safe against i5": ("Kh2 dg2 ah5 ab1", "w", "g2g5", ""),
    "a pawn on e8 is safe against e9": ("Kh2 dc7 ae8 ai1", "w", "c7e7", ""),
    "a pawn on a4 is safe against a5": ("Kh2 db3 aa4 ai1", "w", "b3a3", ""),
    "a pawn on f1 is safe against e1": ("Kh3 dg2 af1 ai2", "w", "g2g1", ""),
    "a camp cell helps with a black pawn on it": ("Kh2 dc3 ab4 aa4 ai1", "w", "c3c4", "b4"),
    "black takes between two pawns": ("Kh2 ac4 ae3 dd4", "b", "e3e4", "d4"),
    "black takes against the camp cell a4": ("Kh2 ac2 db4", "b", "c2c4", "b4"),
    "black takes against an empty tip of a camp": ("Kh2 ad2 dc5", "b", "d2d5", "c5"),
    "black takes against the camp cell e2": ("Kh2 ac4 de3", "b", "c4e4", "e3"),
    "black takes against the empty throne": ("Kh2 ac1 dd5", "b", "c1c5", "d5"),
    "black takes against the throne with the king on it": ("Ke5 ac1 dd5", "b", "c1c5", "d5"),
    "black takes against e5 from above": ("Ke5 aa7 de6", "b", "a7e7", "e6"),
    "a king beside a pawn is no help to black": ("Kd4 ab1 dc4", "b", "b1b4", ""),
    "white moves safely between two": ("Kh2 ac4 ae4 dd2", "w", "d2d4", ""),
    "black moves safely between two": ("Kh2 dc4 de4 ad7", "b", "d7d4", ""),
    "one move takes three": ("Kh2 dd6 db4 df4 ad5 ac4 ae4 ab1 dd2", "w", "d2d4", "d5 c4 e4"),
    "white takes two at once": ("Kh2 dd2 dd6 df4 ad5 ae4 ab1 dd3", "w", "d3d4", "d5 e4"),
    "the edge does not help": ("Kh2 db3 aa2 ai1", "w", "b3b2", ""),
    "black leaves its camp and takes": ("Kh2 ab3 ad1 dc3", "b", "d1d3", "c3"),
    "black takes from the tip of its camp": ("Kh3 aa5 ab3 db4", "b", "a5b5", "b4"),
}

KING = {
    # pieces, side, move → captured (BLACKWIN) or home (WHITEWIN) or None
    "four capture the king on the throne": ("Ke5 ad5 ae6 af5 ae2", "b", "e2e4", "BLACKWIN"),
    "three do not, on the throne": ("Ke5 ad5 ae6 ae2 ab1", "b", "e2e4", None),
    "three and a white pawn do not": ("Ke5 ad5 ae6 df5 ae2", "b", "e2e4", None),
    "three capture the king beside the throne on d5": ("Kd5 ac5 ad6 ad2", "b", "d2d4", "BLACKWIN"),
    "three capture the king on e4": ("Ke4 ad4 af4 ae2", "b", "e2e3", "BLACKWIN"),
    "three capture the king on f5": ("Kf5 af6 af4 ag2", "b", "g2g5", "BLACKWIN"),
    "three capture the king on e6": ("Ke6 ae7 ad6 af2", "b", "f2f6", "BLACKWIN"),
    "two opposite do not, beside the throne": ("Ke4 ad4 af2", "b", "f2f4", None),
    "two do not against the throne": ("Ke4 ae2 ad7", "b", "e2e3", None),
    "two capture the king elsewhere": ("Kc3 ab3 ad1", "b", "d1d3", "BLACKWIN"),
    "two capture him in a column": ("Kg3 ag2 af4", "b", "f4g4", "BLACKWIN"),
    "two that are not opposite do not": ("Kc3 ab3 ac1", "b", "c1c2", None),
    "one captures the king against the camp cell a4": ("Kb4 ac2", "b", "c2c4", "BLACKWIN"),
    "one captures the king against the tip b5": ("Kc5 ad2", "b", "d2d5", "BLACKWIN"),
    "one captures the king against the camp cell e8": ("Ke7 ac6", "b", "c6e6", "BLACKWIN"),
    "one captures the king against d1": ("Kd2 aa3", "b", "a3d3", "BLACKWIN"),
    "a camp helps beside a white pawn too": ("Kb6 dc5 ac8", "b", "c8c6", "BLACKWIN"),
    "the king may step between two": ("Kc4 ab3 ad3", "w", "c4c3", None),
    "the king wins on the border": ("Kc3 ab7", "w", "c3c1", "WHITEWIN"),
    "a white pawn wins nothing on the border": ("Ke5 dc3 ab7", "w", "c3c1", None),
    "who is left without a move loses": ("Kh2 db9 dc8 aa9", "w", "c8a8", "WHITEWIN"),
    "the last black pawn is captured": ("Kh2 dc4 de3 ad4", "w", "e3e4", "WHITEWIN"),
}


def as_book(position: TablutPosition) -> book.AshtonGame:
    pieces = {"a": "B", "d": "W", "K": "K"}
    cells = zip(NAMES, position.cells, strict=True)
    board = {name: pieces[piece] for name, piece in cells if piece != "."}
    return book.AshtonGame(board, ("WHITE", "BLACK")[position.board.side])


def assert_same_moves(position: TablutPosition, game: book.AshtonGame) -> None:
    moves = position.legal(position.to_move[0])
    assert {(move[:2], move[2:]) for move in moves} == book.legal_moves(game.board, game.turn)


def play_both(position: TablutPosition, game: book.AshtonGame, move: str) -> None:
    """Make a move in both writings, and compare boards, captures and results."""
    assert_same_moves(position, game)
    position.play({position.to_move[0]: move})
    captured = game.play(move[:2], move[2:])
    assert sorted(captured) == sorted(NAMES[cell] for cell in position.captured)
    assert position.cells == "".join(
        LETTERS[game.board[n]] if n in game.board else "." for n in NAMES
    )
    if position.outcome is None:
        assert game.turn == ("WHITE", "BLACK")[position.to_move[0]]
    else:
        assert game.turn == RESULTS[position.outcome.winner]


@pytest.mark.parametrize("what", REACH)
def test_where_a_piece_may_go(what: str) -> None:
    (pieces, side, cell), wanted = REACH[what]
    position = sparse(pieces, side, variant="ashton")
    assert_same_moves(position, as_book(position))
    moves = position.legal(position.to_move[0])
    assert {move[2:] for move in moves if move.startswith(cell)} == set(wanted.split())


@pytest.mark.parametrize("what", CAPTURES)
def test_what_a_move_captures(what: str) -> None:
    pieces, side, move, wanted = CAPTURES[what]
    position = sparse(pieces, side, variant="ashton")
    play_both(position, as_book(position), move)
    assert {NAMES[cell] for cell in position.captured} == set(wanted.split())


@pytest.mark.parametrize("what", KING)
def test_how_a_bout_ends(what: str) -> None:
    pieces, side, move, wanted = KING[what]
    position = sparse(pieces, side, variant="ashton")
    play_both(position, as_book(position), move)
    assert (position.outcome and RESULTS[position.outcome.winner]) == wanted


def play_all(position: TablutPosition, moves: str) -> book.AshtonGame:
    game = as_book(position)
    for move in moves.split():
        play_both(position, game, move)
    return game


def test_a_position_that_comes_again_is_a_draw() -> None:
    position = start(OPTIONS, 0)
    play_all(position, "e4f4 d9c9 f4g4 c9c8 g4f4 c8c9")
    assert position.outcome is not None and position.outcome.reason == "repetition"
    assert (position.outcome.winner, position.outcome.detail) == (None, {"times": 2})


def test_the_first_position_of_a_bout_counts() -> None:
    position = sparse("Ke5 dc3 ag7", "w", variant="ashton")
    play_all(position, "c3c4 g7g8 c4c3 g8g7")
    assert position.outcome is not None and position.outcome.reason == "repetition"


def test_the_same_board_with_the_other_side_to_move_is_another_position() -> None:
    position = sparse("Kc3 ag8", "w", variant="ashton")
    play_all(position, "c3c4 g8g7 c4c6 g7g8 c6c3")
    assert position.outcome is None and position.to_move == (1,)


def test_only_positions_since_the_last_capture_count() -> None:
    position = sparse("Kh2 dc4 de3 ad4 ag8", "w", variant="ashton")
    play_all(position, "h2h3 g8g7 e3e4")
    assert len(position.captured) == 1
    assert position.seen is not None and len(position.seen) == 1
    play_all(position, "g7g8 h3h2 g8g7")
    assert position.outcome is None
    position.play({0: "h2h3"})
    assert position.outcome is not None and position.outcome.reason == "repetition"


def test_both_writings_agree_on_thousands_of_positions_of_random_games() -> None:
    compared, captures = 0, 0
    for number in range(32):
        generator = random.Random(f"ashton {number}")
        position, game = start(OPTIONS, 0), book.AshtonGame()
        while position.to_move:
            moves = position.legal(position.to_move[0])
            if number % 2 and generator.random() < 0.5:
                moves = capturing_moves(position, moves) or moves
            play_both(position, game, generator.choice(moves))
            compared += 1
            captures += len(position.captured)
    assert compared >= 2000 and captures >= 100


def capturing_moves(position: TablutPosition, moves: list[str]) -> list[str]:
    found = []
    for move in moves:
        after = position.copy()
        after.play({position.to_move[0]: move})
        if after.captured and after.outcome is None:
            found.append(move)
    return found


def test_both_writings_agree_on_random_crowds_of_pieces() -> None:
    """Positions that no game reaches: every piece anywhere it may stand, every move tried."""
    generator = random.Random("crowds")
    outside = [name for name in NAMES if name not in book.CAMP_CELLS]
    inside = [name for name in outside if name[0] not in "ai" and name[1] not in "19"]
    for _ in range(60):
        king = generator.choice(inside)
        free = [name for name in outside if name not in (king, "e5")]
        white = generator.sample(free, generator.randint(0, 8))
        black = generator.sample(
            [n for n in NAMES if n not in (king, "e5", *white)], generator.randint(2, 16)
        )
        pieces = " ".join([f"K{king}", *(f"d{n}" for n in white), *(f"a{n}" for n in black)])
        position = sparse(pieces, generator.choice("wb"), variant="ashton")
        if position.outcome is not None:
            continue
        for move in generator.sample(
            moves := position.legal(position.board.side), min(9, len(moves))
        ):
            play_both(position.copy(), as_book(position), move)


def test_both_writings_count_the_same_sequences() -> None:
    known = [56, 4_408, 248_456, 19_159_224]  # by the book, depth 4 too
    depths = range(1, 5 if COMPILED else 3)
    assert [perft(start(OPTIONS, 0), depth) for depth in depths] == known[: len(depths)]
    assert [book.count_sequences(book.AshtonGame(), depth) for depth in (1, 2)] == known[:2]


def test_the_rules_of_the_variant_are_filled_in() -> None:
    rules = resolve_settings(OPTIONS)
    assert (rules.limit, rules.repetition, rules.king_capture) == (1000, "again", "throne")
    assert (rules.throne_pass, rules.throne_wall, rules.goal) == ("nobody", "always", "border")


def test_an_illegal_move_says_that_a_camp_may_be_in_the_way() -> None:
    position = sparse("Kg2 dc5 aa4", "w", variant="ashton")
    with pytest.raises(IllegalMove, match="a camp is in the way"):
        position.play({0: "c5b5"})


def test_no_defender_can_be_set_up_in_a_camp() -> None:
    with pytest.raises(LudusError, match="camp"):
        sparse("Kg2 da5", "w", variant="ashton")


def test_the_view_shows_the_camps_as_a_zone_and_the_border_around_them() -> None:
    zones = {zone["name"]["en"]: zone["cells"] for zone in get("tablut").scene(OPTIONS)["zones"]}
    assert {NAMES[cell] for cell in zones["camps"]} == book.CAMP_CELLS
    assert not set(zones["camps"]) & set(zones["border: the king wins here"])
    assert str(sparse("Kg2 aa4", "w", variant="ashton")).splitlines()[4] == " 5 : : . . + . . : :"


def test_gestures_are_the_legal_moves() -> None:
    position = start(OPTIONS, 0)
    moves = [gesture["move"] for gesture in position.view()["gestures"]["0"]]
    assert moves == position.legal(0) and len(moves) == 56
