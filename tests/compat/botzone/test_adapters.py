"""Bouts of Ludus as Botzone tells them, passes included."""

import random
from typing import Any

import pytest

from ludus.bots.players.base import SeatBout
from ludus.compat.botzone.adapters.adapter import BotTurn, BoutTranslator
from ludus.compat.botzone.adapters.reversi import ReversiBout
from ludus.compat.botzone.adapters.table import ADAPTERS, find_adapter
from ludus.errors import LudusError
from ludus.games import get
from ludus.games.host import Ply
from ludus.games.reversi.rules import ReversiPosition
from ludus.sandbox.bot_fault import BotFault, FaultKind

GAME = get("reversi")
PASS = {"x": -1, "y": -1}


def open_bout(seat: int, **options: int) -> ReversiBout:
    bout = SeatBout(GAME, GAME.Options(**options), 1, seat, GAME.clock, 30.0)
    return find_adapter(GAME).open_bout(bout)


def play_botzone(seed: int) -> tuple[list[Ply], list[list[tuple[Any, Any]]]]:
    """A random bout by Botzone's rule: the seats are asked in turn until neither can move. The
    moves that Ludus would record, and each seat's requests and responses."""
    rng, position = random.Random(seed), GAME.start(GAME.Options(), 1)
    plies: list[Ply] = []
    told: list[list[tuple[Any, Any]]] = [[], []]
    heard, seat = PASS, 0
    while any(cells_of(position, each) for each in (0, 1)):
        cells = cells_of(position, seat)
        done = PASS
        if cells:
            move = rng.choice(cells)
            done = {"x": "abcdefgh".index(move[0]), "y": "12345678".index(move[1])}
            position.play({seat: move})
            plies.append({seat: move})
        told[seat].append((heard, done))
        heard, seat = done, 1 - seat
    return plies, told


def cells_of(position: ReversiPosition, seat: int) -> list[str]:
    return ReversiPosition(str(position), seat).legal(seat)


def translate(plies: list[Ply], seat: int) -> list[tuple[Any, Any]]:
    """The seat's requests and responses if Ludus asks it turn by turn."""
    bout, turns, begun = open_bout(seat), [], 0
    for number, ply in enumerate(plies):
        if seat in ply:
            *known, asked = bout.advance(plies[begun:number])
            turns += known[1:] if turns else known
            turns.append(BotTurn(asked.request, PASS))
            column, row = ply[seat]
            turns[-1].response = {"x": "abcdefgh".index(column), "y": "12345678".index(row)}
            begun = number
    return [(turn.request, turn.response) for turn in turns]


def test_bouts_with_passes_are_told_as_botzone_tells_them() -> None:
    passes = 0
    for seed in range(80):
        plies, told = play_botzone(seed)
        for seat in (0, 1):
            turns = translate(plies, seat)
            passes += sum(response == PASS for _, response in turns)
            assert turns == told[seat][: len(turns)]
            rest = told[seat][len(turns) :]  # passes at the very end, which Ludus need not ask for
            assert all(response == PASS for _, response in rest)
    assert passes > 8


def test_the_first_request_tells_the_color() -> None:
    assert open_bout(0).advance([]) == [BotTurn(PASS)]
    assert open_bout(1).advance([{0: "d3"}]) == [BotTurn({"x": 3, "y": 2})]


def test_moves_of_an_opening_are_answers_that_nobody_asked_for() -> None:
    turns = open_bout(0).advance([{0: "d3"}, {1: "c5"}])
    assert turns == [BotTurn(PASS, {"x": 3, "y": 2}), BotTurn({"x": 2, "y": 4})]


def test_a_turn_without_a_move_must_be_passed() -> None:
    *_, forced, _asked = open_bout(0).advance([{0: "d3"}, {1: "c5"}, {1: "a1"}])
    assert (forced.forced, forced.response) == (True, PASS)
    open_bout(0).check_forced({"x": -1, "y": -1}, forced)
    with pytest.raises(BotFault, match="it cannot move") as caught:
        open_bout(0).check_forced({"x": 3, "y": 3}, forced)
    assert caught.value.kind is FaultKind.ILLEGAL


@pytest.mark.parametrize(
    "response",
    [
        *(None, 3, "c4", [2, 3], {}, {"x": 1}, {"x": 1.5, "y": 2}, {"x": True, "y": 1}),
        *({"x": "1", "y": 1}, {"x": 8, "y": 0}, {"x": -1, "y": 0}, {"x": 10**30, "y": 0}),
    ],
)
def test_a_response_that_is_no_cell_is_an_illegal_move(response: object) -> None:
    with pytest.raises(BotFault) as caught:
        open_bout(0).read_move(response)
    assert caught.value.kind is FaultKind.ILLEGAL


def test_whole_reals_and_further_members_are_accepted() -> None:
    assert open_bout(0).read_move({"x": 3.0, "y": 2, "z": "?"}) == "d3"


@pytest.mark.parametrize("text", ["", "3", "3 4 5", "a b", "3.0 4", "3,4", "9" * 5000 + " 1"])
def test_simple_interaction_wants_the_integers_of_a_move(text: str) -> None:
    with pytest.raises(BotFault, match="expected the integers x y"):
        find_adapter(GAME).read_text(text)


def test_another_size_of_the_board_is_refused() -> None:
    with pytest.raises(LudusError, match="Botzone's Reversi has 8 rows, this bout has 6"):
        open_bout(0, size=6)


def test_every_adapter_belongs_to_a_game_of_ludus() -> None:
    assert all(get(name).name == name for name in ADAPTERS)


# Ataxx

ATAXX = get("ataxx")
NAMES = ("x0", "y0", "x1", "y1")


def open_ataxx(seat: int) -> BoutTranslator:
    bout = SeatBout(ATAXX, ATAXX.Options(), 1, seat, ATAXX.clock, 30.0)
    return find_adapter(ATAXX).open_bout(bout)


def message(*numbers: int) -> dict[str, int]:
    return dict(zip(NAMES, numbers, strict=True))


def test_moves_of_ataxx_have_a_source_and_a_target() -> None:
    assert open_ataxx(0).advance([]) == [BotTurn(message(-1, -1, -1, -1))]
    turns = open_ataxx(1).advance([{0: "b2"}])
    assert turns == [BotTurn(message(0, 0, 1, 1))]
    turns = open_ataxx(0).advance([{0: "a1c2"}, {1: "f2"}])
    assert turns == [
        BotTurn(message(-1, -1, -1, -1), message(0, 0, 2, 1)),
        BotTurn(message(6, 0, 5, 1)),
    ]


def test_every_legal_move_of_a_random_bout_is_read_as_it_was_written() -> None:
    rng, position = random.Random(5), ATAXX.start(ATAXX.Options(), 1)
    readers, seen = [open_ataxx(0), open_ataxx(1)], [0, 0]
    plies: list[Ply] = []
    while position.outcome is None and len(plies) < 60:
        seat, adapter = position.to_move[0], find_adapter(ATAXX)
        readers[seat].advance(plies[seen[seat] :])
        seen[seat] = len(plies)
        for move in position.legal(seat):
            told = readers[seat]._write_move(seat, move)
            assert readers[seat].read_move(adapter.read_text(adapter.write_text(told))) == move
        plies.append({seat: rng.choice(position.legal(seat))})
        position.play(plies[-1])


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((-1, -1, -1, -1), "its source is not one"),
        ((3, 3, 3, 4), "its source is not one"),
        ((6, 0, 5, 0), "its source is not one"),
        ((0, 0, 0, 0), "one or two steps"),
        ((0, 0, 3, 0), "one or two steps"),
        ((0, 0, 7, 0), "from 0 to 6"),
    ],
)
def test_impossible_moves_of_ataxx_are_illegal(numbers: tuple[int, ...], words: str) -> None:
    reader = open_ataxx(0)
    reader.advance([])
    with pytest.raises(BotFault, match=words):
        reader.read_move(message(*numbers))
