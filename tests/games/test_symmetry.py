"""Positions that are equal under the symmetries of a board."""

import random

import pytest

from ludus.games import get
from ludus.games.base import Game
from ludus.games.openings import resolve_openings
from ludus.games.reversi.rules import ReversiPosition
from ludus.games.symmetry import (
    ALL_OF_A_SQUARE,
    FLIP_COLUMNS,
    FLIP_ROWS,
    TRANSPOSE,
    list_cell_images,
    make_position_key,
)
from ludus.games.tablut.actions import cell_symmetries
from ludus.games.tablut.rules import set_up

REVERSI, TABLUT = get("reversi"), get("tablut")


def key_after(game: Game, moves: str) -> object:
    options = game.Options()
    position = game.start(options, 0)
    for move in moves.split():
        position.play({position.to_move[0]: move})
    return make_position_key(game, options, position)


def test_reflections_make_all_symmetries_of_a_board() -> None:
    square = {tuple(map(int, image)) for image in cell_symmetries(9)}
    assert set(list_cell_images(9, 9, ALL_OF_A_SQUARE)) == square
    assert len(list_cell_images(6, 7, (FLIP_COLUMNS,))) == 2
    assert len(list_cell_images(6, 7, (FLIP_COLUMNS, FLIP_ROWS))) == 4
    assert list_cell_images(2, 2, (TRANSPOSE,)) == ((0, 1, 2, 3), (0, 2, 1, 3))
    with pytest.raises(ValueError, match="square"):
        list_cell_images(6, 7, (TRANSPOSE,))


def test_the_first_two_moves_of_reversi_lead_to_three_positions() -> None:
    firsts = REVERSI.start(REVERSI.Options(), 0).legal(0)
    assert len({key_after(REVERSI, move) for move in firsts}) == 1
    seconds = set()
    for first in firsts:
        position = REVERSI.start(REVERSI.Options(), 0)
        position.play({0: first})
        seconds |= {key_after(REVERSI, f"{first} {second}") for second in position.legal(1)}
    assert len(seconds) == 3


@pytest.mark.parametrize("game", [REVERSI, TABLUT], ids=lambda game: game.name)
def test_a_reflected_position_has_the_same_key_and_as_many_moves(game: Game) -> None:
    options = game.Options()
    scene = game.scene(options)
    images = list_cell_images(scene["rows"], scene["columns"], tuple(game.symmetries))
    keys = set()
    for seed in range(5):
        position = game.start(options, 0)
        for move in resolve_openings("random:9", game, options).draw(seed):
            position.play({position.to_move[0]: move})
        image = random.Random(seed).choice(images[1:])
        twin = reflect(position, image)
        key = make_position_key(game, options, position)
        assert make_position_key(game, options, twin) == key
        seat = position.to_move[0]
        assert len(twin.legal(seat)) == len(position.legal(seat))
        keys.add(key)
    assert len(keys) == 5


def reflect(position, image):
    if isinstance(position, ReversiPosition):
        signs = str(position).split("\n")[: position.size]
        cells = "".join(signs).replace(" ", "")
        turned = "".join(cells[cell] for cell in image)
        rows = [turned[begin : begin + 8] for begin in range(0, 64, 8)]
        return ReversiPosition("\n".join(rows), position.seat)
    cells = "".join(position.cells[cell] for cell in image)
    return set_up(TABLUT.Options(), cells, position.board.side, position.ply)


def test_without_symmetries_only_equal_positions_have_equal_keys() -> None:
    duel = get("duel2048")
    options = duel.Options()
    first, other = duel.start(options, 1), duel.start(options, 2)
    assert make_position_key(duel, options, first) == make_position_key(duel, options, first.copy())
    assert make_position_key(duel, options, first) != make_position_key(duel, options, other)
