"""Every game of Ludus in one JSON request, for bots in Botzone's manner."""

from typing import Any

import msgspec
import pytest

from ludus.bots.players.base import SeatBout
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.compat.botzone.adapters.table import GENERIC_ADAPTER, find_adapter
from ludus.games.random_bout import random_bout
from ludus.games.registry import get, names
from ludus.match import replay
from ludus.match.referee import play
from ludus.sandbox.bot_fault import BotFault, FaultKind
from tests.support.judged_games import EXAMPLES

SHORT: dict[str, dict[str, Any]] = {
    "duel2048": {"rounds": 20},
    "eraser": {"turns": 30},
    "paperio": {"turns": 60},
}
"""Options with which a bout is soon over."""


@pytest.mark.parametrize("name", names())
def test_the_example_plays_every_game_on_every_seat(name: str) -> None:
    game = get(name)
    options = game.Options.parse(SHORT.get(name, {}))
    for seat in range(len(game.seats)):
        players = [
            create_player(
                resolve_bot(str(EXAMPLES / "any_game") if s == seat else "random", game), game
            )
            for s in range(len(game.seats))
        ]
        try:
            record = play(game, options, 5, players)
        finally:
            for player in players:
                player.close()
        assert record.faults == []
        replay.verify(record)
        assert f"{name}, seat {seat}, step" in players[seat].output()["stdout"]


def make_seat_bout(name: str, seat: int, **options: Any) -> SeatBout:
    game = get(name)
    return SeatBout(game, game.Options.parse(options), 3, seat, game.clock, 10.0)


def test_a_request_says_all_that_a_bot_needs() -> None:
    translator = GENERIC_ADAPTER.open_bout(make_seat_bout("tablut", 1))
    plies = random_bout(get("tablut"), get("tablut").Options(), 3, longest=400).plies
    (turn,) = translator.advance(plies[:1])
    request = turn.request
    position = get("tablut").start(get("tablut").Options(), 3)
    position.play(plies[0])
    assert request["game"] == "tablut"
    assert request["seat"] == 1
    assert request["seats"] == ["defenders", "attackers"]
    assert request["options"]["variant"] == "tablut"
    assert request["clock"]["budget"] == 10.0
    assert (request["rows"], request["columns"]) == (9, 9)
    assert request["step"] == 1
    assert request["moves"] == [{"0": plies[0][0]}]
    assert request["legal"] == position.legal(1)
    assert request["view"]["layers"] == position.view(1)["layers"]
    assert msgspec.json.decode(msgspec.json.encode(request)) == request


def test_the_history_holds_every_move_once_and_no_boards() -> None:
    translator = GENERIC_ADAPTER.open_bout(make_seat_bout("tablut", 1))
    plies = random_bout(get("tablut"), get("tablut").Options(), 3, longest=400).plies[:9]
    history = [translator.advance(plies[:1])[-1].request]
    for start in range(1, 8, 2):
        answered, turn = translator.advance(plies[start : start + 2])
        assert answered.response == plies[start][1]
        history.append(turn.request)
    assert [sorted(request) for request in history[:-1]] == [["moves", "step"]] * 4
    assert [request["step"] for request in history] == [1, 3, 5, 7, 9]
    told = [move for request in history for move in request["moves"]]
    assert told == [{str(seat): move for seat, move in ply.items()} for ply in plies]


def test_a_seat_that_joins_late_gets_its_turns_as_history() -> None:
    translator = GENERIC_ADAPTER.open_bout(make_seat_bout("tablut", 1))
    plies = random_bout(get("tablut"), get("tablut").Options(), 3, longest=400).plies[:5]
    *known, turn = translator.advance(plies)
    assert [each.response for each in known] == [plies[1][1], plies[3][1]]
    assert [sorted(each.request) for each in known] == [["moves", "step"]] * 2
    assert turn.request["moves"] == [{"1": plies[3][1]}, {"0": plies[4][0]}]


@pytest.mark.parametrize("response", [None, 3, ["e4e3"], {"move": "e4e3"}])
def test_a_response_that_is_no_text_is_an_illegal_move(response: Any) -> None:
    translator = GENERIC_ADAPTER.open_bout(make_seat_bout("tablut", 0))
    assert translator.read_move("e4e3") == "e4e3"
    with pytest.raises(BotFault, match="expected a move as a JSON string") as caught:
        translator.read_move(response)
    assert caught.value.kind is FaultKind.ILLEGAL


def test_games_with_a_format_of_botzones_keep_it() -> None:
    assert find_adapter(get("reversi")) is not GENERIC_ADAPTER
    assert find_adapter(get("tablut")) is GENERIC_ADAPTER
