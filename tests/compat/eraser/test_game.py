"""The original's Game_play, against games recorded with the original."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from ludus.compat.eraser import layout, records
from ludus.compat.eraser.errors import last_line
from ludus.compat.eraser.game import Game_play
from ludus.errors import LudusError
from ludus.games.eraser import EraserOptions
from ludus.games.eraser.initial_board import Twister, draw_from
from ludus.match import replay
from ludus.sandbox.bot_fault import FaultKind
from tests.support.eraser_scripts import (
    GAMES,
    REPLAYS,
    played,
    player,
    without_times,
    without_trace,
)


@pytest.mark.parametrize("name", GAMES)
def test_a_golden_game_ends_as_in_the_original(name: str) -> None:
    wanted = GAMES[name]
    game = played(name)

    facts = layout.collect_facts(game.replay_data)
    frames = list(layout.iter_frames(game.replay_data))

    for key in ("reason", "errorStatus", "length", "extra"):
        assert facts[key] == wanted[key], key
    if wanted.get("nd") is None or name.startswith("tie_slow"):
        assert facts["winner"] == wanted["winner"]
    assert facts.get("tag") == wanted["tag"]
    assert last_line(facts["errorMessage"]) == wanted["errorLine"]
    assert facts["scores"]["left"] == wanted["left"]
    assert facts["scores"]["right"] == wanted["right"]
    assert len(frames) == wanted["totalFrames"]
    assert frames[-1]["remainedBarStatus"] == wanted["remained"]
    panels = frames[-1]["sideBarStatus"]
    assert [panels[side]["highestCombo"] for side in ("left", "right")] == wanted["highCombo"]
    assert [panels[side]["totalScores"] for side in ("left", "right")] == wanted["score"]
    replay.verify(game.record)


@pytest.mark.parametrize("name", [name for name in GAMES if len(GAMES[name]["turns"]) < 100])
def test_the_replay_of_a_golden_game_is_read_and_written_again(name: str) -> None:
    game = played(name, order=1)
    data = layout.format_document(game.replay_data).encode()

    record = records.parse(data)

    replay.verify(record)
    assert record.moves == game.record.moves
    assert record.scores == (game.record.scores if name != "init_both" else [0.0, 1.0])
    assert without_times(records.write(record)) == without_times(data)


@pytest.mark.parametrize(
    ("file", "name", "order"),
    [
        ("ko_killer_vs_rand", "killer_rand", 0),
        ("error_bad_three", "bad_three", 1),
        ("holes", "hole3", 0),
    ],
)
def test_a_saved_replay_comes_out_byte_for_byte_but_for_the_times(
    file: str, name: str, order: int, tmp_path: Any
) -> None:
    game = played(name, order)
    game.save(tmp_path / "replay.json")
    found = (tmp_path / "replay.json").read_bytes()
    assert without_trace(found) == without_trace(REPLAYS[file])
    if file == "error_bad_three":
        assert last_line(json.loads(found)["errorMessage"]) == (
            "exception_manager.InvalidMove: Not a proper input."
        )


@pytest.mark.parametrize(
    ("file", "name"),
    [("ko_killer_vs_rand", "killer_rand"), ("holes", "hole3"), ("error_bad_three", "bad_three")],
)
def test_with_the_original_s_times_a_replay_is_the_original_s_to_the_last_byte(
    file: str, name: str
) -> None:
    saved = json.loads(REPLAYS[file])
    totals = {}
    for frame in saved["frames"]:
        side = ("left", "right")[frame["turnNumber"] & 1]
        totals[frame["turnNumber"]] = frame["sideBarStatus"][side]["totalTime"]
    game = played(name)
    moves = game.record.moves
    failure = None
    if saved["errorStatus"] != -1:
        side = saved["errorStatus"]
        failure = layout.Failure(side, saved["errorMessage"], True, saved["time"][side])
    told = layout.ReplayData(
        game.start,
        moves,
        [totals[turn] for turn in range(1, len(moves) + 1)],
        game.names,
        saved["order"],
        failure,
    )
    assert layout.format_document(told).encode() == REPLAYS[file]


def test_an_extra_turn_that_is_also_the_last_ends_by_the_number_of_turns(tmp_path: Path) -> None:
    hole = GAMES["hole3"]
    turns = hole["length"]
    game = Game_play(player(hole, 0), player(hole, 1))
    game.play(hole["seed"], options=EraserOptions(rows=hole["rows"], turns=turns))
    game.save(tmp_path / "replay.json")
    saved = json.loads((tmp_path / "replay.json").read_bytes())
    assert saved["reason"] == "Reach the maximum turn number"
    assert saved["scores"]["left"] == hole["left"]  # and the original looks no more after it
    assert ["血战到底", "orange"] in saved["tag"]
    record = records.read(tmp_path / "replay.json")
    assert len(record.moves) == turns
    replay.verify(record)


def test_the_time_of_a_side_that_has_not_moved_is_a_float_beside_another() -> None:
    game = played("bad_none")  # the first mover fails in its first turn
    document = layout.format_document(game.replay_data)
    assert '"time": [0.0, ' in document
    assert game.log_data()["time"][0] == 0
    assert '"time": [0, 0]' in layout.format_document(played("init_second").replay_data)


def test_the_report_for_a_server_is_short() -> None:
    log = played("bad_three").log_data()
    assert list(log) == [
        "winner", "errorMessage", "errorStatus", "length", "score", "reason", "time", "tag",
    ]  # fmt: skip
    assert log["score"] == 500
    assert log["errorMessage"] == "exception_manager.InvalidMove: Not a proper input."
    assert log["reason"] == log["errorMessage"]  # without the words before it in a replay
    log = played("killer_rand").log_data()
    assert (log["score"], log["errorMessage"], log["winner"]) == (207, "", 0)
    assert "tag" not in played("bad_none").log_data()


# How players are made and called.


def module(name: str, make: type) -> Any:
    return SimpleNamespace(__name__=name, Plaser=make)


class First:
    """Always the first operation."""

    def __init__(self, is_First: bool) -> None:
        self.is_First = is_First

    def move(self, board: Any, operations: Any, scores: Any, turn_number: int) -> Any:
        return operations[0]


def bout(make: type, other: type = First, **more: Any) -> Game_play:
    """``make`` moves first."""
    game = Game_play(module("other", other), module("made", make))
    game.play(5, **more)
    return game


def test_player_1_is_made_before_player_2_and_both_before_the_board() -> None:
    made = []

    class Made(First):
        def __init__(self, is_First: bool) -> None:
            super().__init__(is_First)
            made.append((is_First, hasattr(self, "move_history"), numpy.random.random()))

    numpy.random.seed(3)
    bout(Made, Made)
    draws = numpy.random.RandomState(3)
    assert made == [(False, False, draws.random()), (True, False, draws.random())]


def test_a_bot_that_draws_from_numpy_goes_on_where_the_board_stopped() -> None:
    drawn = []

    class Draws(First):
        def move(self, *args: Any) -> Any:
            drawn.append(numpy.random.randint(1000))
            return super().move(*args)

    bout(Draws)
    source = Twister(5)
    draw_from(source)
    words, place = source.state()
    theirs = numpy.random.RandomState()
    theirs.set_state(("MT19937", numpy.array(words, dtype=numpy.uint32), place))
    assert drawn[:5] == [theirs.randint(1000) for _ in range(5)]


def test_both_players_share_the_very_objects_of_a_move_and_see_each_other_s_time() -> None:
    players: list[Any] = []

    class Lists(First):
        def __init__(self, is_First: bool) -> None:
            super().__init__(is_First)
            players.append(self)

        def move(self, board: Any, operations: Any, scores: Any, turn_number: int) -> Any:
            time.sleep(0.002 if turn_number == 1 and self.is_First else 0)
            if turn_number == 1 and not self.is_First:
                self.at_first = list(self.used_time)
            return [list(cell) for cell in operations[0]]

    game = bout(Lists, Lists)
    second, first = players
    assert len(first.move_history) == len(game.record.moves)
    assert all(a is b for a, b in zip(first.move_history, second.move_history, strict=True))
    assert type(first.move_history[0]) is list
    assert second.at_first[0] == 0 and type(second.at_first[0]) is int
    assert second.at_first[1] >= 0.002
    assert (
        first.used_time
        == list(reversed(second.used_time))
        == [game.sides[1].used, game.sides[0].used]
    )


def test_a_bot_that_breaks_its_own_lists_hurts_only_itself() -> None:
    class Breaks(First):
        def move(self, *args: Any) -> Any:
            self.move_history = None
            return super().move(*args)

    assert bout(Breaks).failure is None


def test_numpy_answers_are_swaps_and_floats_are_none() -> None:
    class Array(First):
        def move(self, board: Any, operations: Any, scores: Any, turn_number: int) -> Any:
            return numpy.array(operations[0])

    class Float(First):
        def move(self, board: Any, operations: Any, scores: Any, turn_number: int) -> Any:
            return numpy.array(operations[0], dtype=float)

    assert bout(Array).failure is None
    failure = bout(Float).failure
    assert failure is not None
    assert last_line(failure.message) == "exception_manager.InvalidMove: Not a proper input."


def test_a_call_that_takes_too_long_is_cut_off() -> None:
    class Sleeps(First):
        def move(self, *args: Any) -> Any:
            time.sleep(10)

    began = time.perf_counter()
    game = bout(Sleeps, max_time=0.1)
    assert time.perf_counter() - began < 5
    assert game.record.faults[0].kind is FaultKind.TIMEOUT
    assert layout.collect_facts(game.replay_data)["reason"] == (
        "An error occurred: exception_manager.Timeout: Time limit exceeded."
    )


def test_many_short_calls_add_up_to_a_timeout() -> None:
    class Naps(First):
        def move(self, *args: Any) -> Any:
            time.sleep(0.02)
            return super().move(*args)

    game = bout(Naps, max_time=0.1)
    assert game.record.faults[0].kind is FaultKind.TIMEOUT
    assert 2 <= len(game.record.moves) <= 10


def test_a_constructor_may_take_its_time() -> None:
    class Slow(First):
        def __init__(self, is_First: bool) -> None:
            super().__init__(is_First)
            time.sleep(0.3)

    assert bout(Slow, max_time=0.25).failure is None


def test_without_a_move_method_the_first_turn_fails() -> None:
    class Mute:
        def __init__(self, is_First: bool) -> None: ...

    game = bout(Mute)
    assert layout.collect_facts(game.replay_data)["length"] == 1
    assert "AttributeError" in layout.collect_facts(game.replay_data)["reason"]


def test_a_module_without_a_plaser_is_told() -> None:
    with pytest.raises(LudusError, match="nobody has no class Plaser"):
        Game_play(SimpleNamespace(__name__="nobody"), module("first", First))


def test_without_a_seed_boards_differ() -> None:
    numpy.random.seed(random.randrange(2**32))
    games = [Game_play(module("a", First), module("b", First)) for _ in range(2)]
    for game in games:
        game.play()
    assert games[0].start.digest() != games[1].start.digest()


def test_equal_points_go_to_the_faster_side_and_equal_times_to_the_first_mover() -> None:
    assert layout.find_winner((5, 5), (1.0, 2.0), None) == 0
    assert layout.find_winner((5, 5), (2.0, 1.0), None) == 1
    assert layout.find_winner((5, 5), (1.0, 1.0), None) == 1
    assert layout.find_winner((6, 5), (9.0, 1.0), None) == 0
    assert layout.find_winner((6, 5), (0, 0), layout.Failure(0, "", True)) == 1
