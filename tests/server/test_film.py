"""A film shows exactly what the positions of its bout show."""

import gzip
import json
from typing import Any

import msgspec
import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games.base import Clock
from ludus.games.registry import get, names
from ludus.match import play
from ludus.match.record import Record
from ludus.match.replay import replay_steps
from ludus.server.live.film import FRAME_PARTS, Film, FilmEncoder, make_film, make_frame
from ludus.server.live.film_schemas import SeatFaultInfo
from tests.support.scripted_player import Scripted

SMALL: dict[str, dict[str, Any]] = {"duel2048": {"rounds": 30}, "paperio": {"turns": 150}}


def bout(name: str, **options: Any) -> Record:
    game = get(name)
    house = sorted(game.bots(), key=lambda bot: (bot not in ("greedy", "hunter", "random"), bot))
    players = [create_player(resolve_bot(bot, game), game) for bot in house[: len(game.seats)]]
    return play(game, game.Options.parse(options), 5, players)


def frames(film: dict[str, Any]) -> Any:
    """Every frame of a film, as a page makes them."""
    frame = film["key"]
    yield frame
    for step in film["steps"]:
        layers = {name: list(cells) for name, cells in frame["layers"].items()}
        for name, cells in step["cells"].items():
            for cell, token in cells:
                assert layers[name][cell] != token, "a change that changes nothing"
                layers[name][cell] = token
        frame = {**frame, **step["set"], "layers": layers, "events": step["events"]}
        yield frame


@pytest.mark.parametrize("name", names())
def test_every_frame_is_the_view_of_its_position(name: str) -> None:
    record = bout(name, **SMALL.get(name, {}))
    film = json.loads(make_film(record, "x").encode())
    shown = frames(film)
    for _, position in replay_steps(record):
        assert next(shown) == make_frame(position.view())
    assert next(shown, None) is None
    assert film["steps"][0].keys() == {
        *("moves", "cpu", "wall", "left", "cells", "set", "events"),
    }


@pytest.mark.parametrize("name", names())
def test_a_film_knows_its_last_frame(name: str) -> None:
    record = bout(name, **SMALL.get(name, {}))
    film = make_film(record, "x")
    *_, last = frames(json.loads(film.encode()))
    assert film.last_frame == last
    assert set(film.last_frame) == {"layers", "events", *FRAME_PARTS}


def test_the_clocks_of_a_film_count_down_what_the_moves_took() -> None:
    record = bout("reversi")
    film = json.loads(make_film(record, "x").encode())
    for seat in (0, 1):
        spent = sum(step["cpu"].get(str(seat), 0) for step in film["steps"])
        assert film["steps"][-1]["left"][seat] == pytest.approx(record.clock.budget - spent)


def test_the_film_of_a_long_bout_is_small() -> None:
    record = bout("paperio")
    packed = gzip.compress(make_film(record, "x").encode())
    assert len(packed) < 125 * len(record.moves)  # 500 kB for 4000 steps


def test_a_film_tells_who_was_at_fault() -> None:
    from ludus.match.verdict import SeatFault
    from ludus.sandbox.bot_fault import FaultKind

    record = bout("reversi")
    why = {"en": "it raised", "zh": "抛出异常"}
    broken = msgspec.structs.replace(
        record, faults=[SeatFault(1, FaultKind.CRASH, why)], reason="crash", scores=[1.0, 0.0]
    )
    end = make_film(broken, "x").end
    assert end is not None
    told = {"en": "crash", "zh": "崩溃"}
    assert end.faults == [SeatFaultInfo(1, FaultKind.CRASH, told)], "anybody may see a film"
    assert end.why == {"en": "crash", "zh": "崩溃"}
    assert end.winner == 0


def test_a_secret_film_shows_no_seed_and_no_move_of_others() -> None:
    record = bout("reversi")
    game = get("reversi")
    from ludus.bots.players.base import TimeSpent
    from ludus.server.live.film import make_started_event

    played = replay_steps(record)
    _, position = next(played)
    started = make_started_event(record)
    encoder = FilmEncoder("x", "live", game, started, position, seat=1, secret=True)
    film = Film(encoder.beginning)
    for ply, position in list(played)[:1]:
        film.append(encoder.encode_step(ply, {seat: TimeSpent(0, 0) for seat in ply}, position))
    assert json.loads(film.encode())["seed"] is None
    assert json.loads(film.encode())["steps"][0]["moves"] == {}


def test_a_film_marks_the_moves_of_an_opening_and_gives_nobody_time_for_them() -> None:
    game = get("reversi")
    record = play(
        game,
        game.Options(),
        1,
        [Scripted("a", cpu=0.1), Scripted("b", cpu=0.1)],
        Clock(budget=10.0, increment=1.0),
        opening=("d3", "c3", "c4"),
    )
    film = json.loads(make_film(record, "x").encode())
    assert [step.get("opening", False) for step in film["steps"][:5]] == [True] * 3 + [False] * 2
    assert film["steps"][2]["left"] == [10.0, 10.0]
