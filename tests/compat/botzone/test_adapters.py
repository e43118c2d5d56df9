"""Bouts of Ludus as Botzone tells them, passes included."""

import random
from typing import Any

import pytest

from ludus.bots.players.base import SeatBout
from ludus.compat.botzone.adapters.adapter import BotTurn
from ludus.compat.botzone.adapters.board_cells import CellBout
from ludus.compat.botzone.adapters.table import ADAPTERS, find_adapter
from ludus.errors import LudusError
from ludus.games import get
from ludus.games.host import Ply
from ludus.games.reversi.rules import ReversiPosition
from ludus.sandbox.bot_fault import BotFault, FaultKind

GAME = get("reversi")
PASS = {"x": -1, "y": -1}


def open_bout(seat: int, **options: int) -> CellBout:
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
            turns[-1].response = bout._adapter.read_text(
                f"{'abcdefgh'.index(ply[seat][0])} {int(ply[seat][1:]) - 1}"
            )
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


@pytest.mark.parametrize("text", ["", "3", "3 4 5", "a b", "3.0 4", "3,4", "9" * 30 + " 1"])
def test_simple_interaction_wants_two_integers(text: str) -> None:
    with pytest.raises(BotFault, match="two integers"):
        find_adapter(GAME).read_text(text)


def test_another_size_of_the_board_is_refused() -> None:
    with pytest.raises(LudusError, match="Botzone's Reversi has 8 rows, this bout has 6"):
        open_bout(0, size=6)


def test_every_adapter_belongs_to_a_game_of_ludus() -> None:
    assert all(get(name).name == name for name in ADAPTERS)
