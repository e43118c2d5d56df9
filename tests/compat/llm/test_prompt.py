"""What models are told of each game, and how moves are found in their answers."""

import pytest

from ludus.compat.llm.prompt import describe_game, describe_turn, find_move
from ludus.games import get
from ludus.games.registry import names

LEGAL = ["d3", "c4", "f5", "e6"]


@pytest.mark.parametrize(
    ("answer", "move"),
    [
        ("d3", "d3"),
        ("  D3.\n", "d3"),
        ("MOVE: c4", "c4"),
        ("I like d3, but c4 is better.\n**MOVE: `c4`**", "c4"),
        ("move: d3\nOn second thought:\nMove: f5", "f5"),
        ("<think>MOVE: d3? No, it loses.</think>\nMOVE: e6", "e6"),
        ("The best square here is e6, near the centre.", "e6"),
        ("Both d3 and c4 are fine.\nf5", "f5"),
        ("Both d3 and c4 are fine.", None),
        ("MOVE: a1", None),
        ("MOVE: a1 (d3 would lose)", None),
        ("xd3y", None),
        ("", None),
        ("I resign.", None),
    ],
)
def test_a_move_is_found_in_what_a_model_says(answer: str, move: str | None) -> None:
    assert find_move(answer, LEGAL) == move


def test_moves_with_commas_and_letters_are_told_apart() -> None:
    assert find_move("MOVE: 0,3", ["0,3", "0,30", "up"]) == "0,3"
    assert find_move("I put it on 10,3.", ["0,3", "10,3"]) == "10,3"
    assert find_move("MOVE: e7a7", ["e7a7", "e7a8"]) == "e7a7"


@pytest.mark.parametrize("name", names())
def test_every_house_game_explains_itself(name: str) -> None:
    game = get(name)
    options = game.Options()
    rules = game.rules_text(options)
    assert len(rules) > 300 and rules.isascii()
    told = describe_game(game, options)
    assert rules.strip() in told and "MOVE: <move>" in told
    position = game.start(options, 1)
    seat = position.to_move[0]
    turn = describe_turn(game, position, seat, [])
    assert f"You are {game.seats[seat]['en']}." in turn
    assert all(move in turn for move in position.legal(seat))
    assert "gestures" not in turn


@pytest.mark.parametrize("variant", ["ashton", "brandubh"])
def test_a_variant_says_what_differs_from_the_usual_rules(variant: str) -> None:
    game = get("tablut")
    usual = game.rules_text(game.Options())
    told = game.rules_text(game.Options(variant=variant, first="attackers"))
    assert told.startswith(usual) and "different" not in usual
    assert "- who moves first: attackers" in told
    assert ("by four on the throne" in told) == ("Camps are" in told) == (variant == "ashton")
    assert ("- where the king wins: the corners" in told) == (variant == "brandubh")


def test_the_options_of_a_bout_and_its_moves_are_told() -> None:
    game = get("reversi")
    options = game.Options(size=6)
    assert "- size = 6: rows and columns of the board" in describe_game(game, options)
    position = game.start(options, 0)
    first = position.legal(0)[0]
    position.play({0: first})
    assert f"Moves so far: black {first}" in describe_turn(game, position, 1, [{0: first}])
