"""Arrows, rings and marks of the board language."""

from typing import Any

import pytest

from ludus.games.board_language import check_shapes
from ludus.games.board_shapes import MAX_SHAPES, BoardShape, find_shape_problem
from ludus.games.registry import get

CELLS = 64


@pytest.mark.parametrize(
    "shape",
    [
        {"kind": "arrow", "cell": 0, "to": 63, "tone": "good"},
        {"kind": "ring", "cell": 63},
        {"kind": "mark", "cell": 5, "tone": "bad", "text": "−12"},
    ],
)
def test_a_shape_of_the_board_language_has_no_problem(shape: BoardShape) -> None:
    assert not find_shape_problem(shape, CELLS)


@pytest.mark.parametrize(
    ("shape", "problem"),
    [
        ("arrow", "'arrow' is not an object"),
        ({"kind": "star", "cell": 1}, "kind is 'star', not one of arrow, ring, mark"),
        ({"kind": "ring", "cell": 64}, "cell is 64, not a cell from 0 to 63"),
        ({"kind": "ring", "cell": -1}, "cell is -1, not a cell from 0 to 63"),
        ({"kind": "ring", "cell": True}, "cell is True, not a cell from 0 to 63"),
        ({"kind": "ring", "cell": 10**400}, "cell is a int, not a cell from 0 to 63"),
        ({"kind": "arrow", "cell": 1}, "to is None, not a cell from 0 to 63"),
        ({"kind": "ring", "cell": 1, "tone": []}, "tone is a list, not one of"),
        ({"kind": "mark", "cell": 1, "text": "x" * 9}, "not at most 8 characters"),
        ({"kind": {}, "cell": 1}, "kind is a dict"),
    ],
)
def test_a_wrong_shape_is_explained(shape: Any, problem: str) -> None:
    said = find_shape_problem(shape, CELLS)
    assert problem in said["en"]
    assert said["zh"] != said["en"]


def test_shapes_over_a_board_are_checked_and_bounded() -> None:
    game = get("reversi")
    scene = game.scene(game.Options())
    check_shapes([{"kind": "ring", "cell": 20}] * MAX_SHAPES, scene, "an analysis")
    with pytest.raises(AssertionError, match="more than 200 shapes"):
        check_shapes([{"kind": "ring", "cell": 20}] * (MAX_SHAPES + 1), scene, "an analysis")
    with pytest.raises(AssertionError, match="cell is 99"):
        check_shapes([{"kind": "ring", "cell": 99}], scene, "an analysis")
