"""Bots written for the original Eraser: they see what it showed and may answer as they might."""

import hashlib
from typing import Any

import numpy
import pytest

from ludus.bots.players.local import LocalPlayer
from ludus.games import ClockView
from ludus.games.eraser import GAME, EraserOptions
from ludus.games.eraser.dialect import PlaserHost, swap_text
from ludus.games.eraser.search import best, values
from ludus.match import referee, replay
from ludus.sandbox.bot_fault import FaultKind
from tests.support.eraser_data import lines


class Seen:
    """A Plaser that follows a script and notes what it is shown."""

    def __init__(self, log: list[dict[str, Any]], moves: list[str]) -> None:
        self.log, self.moves = log, iter(moves)

    def make(self) -> type:
        log, moves = self.log, self.moves

        class Plaser:
            def __init__(self, is_First: bool) -> None:
                self.who = int(is_First)
                facts = {"is_First": is_First, "type": type(is_First).__name__}
                facts["has_history"] = hasattr(self, "move_history")
                facts["has_used_time"] = hasattr(self, "used_time")
                log.append({"call": "init", "who": self.who, **facts})

            def move(self, board: Any, operations: Any, scores: Any, turn_number: Any) -> Any:
                log.append(seen(self, board, operations, scores, turn_number))
                board[:], scores[:] = "nan", [0, 0]
                operations.clear()
                x1, y1, x2, y2 = map(int, next(moves))
                return ((x1, y1), (x2, y2))

        return Plaser


def seen(player: Any, board: Any, operations: Any, scores: Any, turn_number: Any) -> dict[str, Any]:
    columns = ["".join("." if c == "nan" else c for c in column) for column in board.tolist()]
    first = operations[0]
    told = [board, board.dtype, list(board.shape), operations, first, first[0], first[0][0]]
    told += [scores, turn_number, player.move_history, player.used_time]
    return {
        "call": "move",
        "who": player.who,
        "n": turn_number,
        "scores": list(scores),
        "ops": " ".join(text(operation) for operation in operations),
        "board": hashlib.sha1("\n".join(columns).encode()).hexdigest(),
        "nan": [column.count(".") for column in columns],
        "hist_len": len(player.move_history),
        "hist_tail": [text(move) for move in player.move_history[-2:]],
        "used": [time > 0 for time in player.used_time],
        "types": [kind(value) for value in told],
    }


def text(swap: Any) -> str:
    return "".join(str(number) for cell in swap for number in cell)


def kind(value: Any) -> Any:
    if isinstance(value, numpy.dtype):
        return value.str
    return value if isinstance(value, list) and value == [6, 1200] else type(value).__name__


@pytest.mark.parametrize("view", lines("views"), ids=lambda view: view["id"])
def test_a_bot_sees_what_the_original_showed(view: dict[str, Any]) -> None:
    log: list[dict[str, Any]] = []
    make = Seen(log, view["moves"]).make()
    players = [LocalPlayer(name, lambda: PlaserHost(GAME, make)) for name in "ab"]

    record = referee.play(GAME, EraserOptions(), view["seed"], players)

    assert record.faults == []
    assert record.moves == view["moves"]
    types = {tuple(map(str, call.pop("types"))) for call in log if call["call"] == "move"}
    assert types == {tuple(map(str, view["types"]))}
    ours = [call for call in log if call["call"] == "move"]
    theirs = [call for call in view["calls"] if call["call"] == "move"]
    assert ours == theirs
    made = [call for call in log if call["call"] == "init"]
    assert sorted(made, key=lambda call: call["who"]) == view["calls"][:2]


def test_the_board_is_an_array_of_its_own_with_numpy_texts() -> None:
    boards = []

    class Plaser:
        def __init__(self, is_First: bool) -> None: ...

        def move(self, board: Any, operations: Any, scores: Any, turn_number: Any) -> Any:
            boards.append(board)
            return operations[0]

    host = PlaserHost(GAME, Plaser)
    host.start(0, EraserOptions(), 1, 60.0)
    clock = ClockView((60.0, 0.0), 0, 60.0)
    first = host.turn([], clock)
    host.turn([{0: first}, {1: "0010"}], clock)
    assert boards[0] is not boards[1]
    assert boards[0].flags.owndata and boards[0].flags.writeable and boards[0].flags.c_contiguous
    assert type(boards[0][0, 0]) is numpy.str_
    assert boards[0][0][0] == "B"


class Talks:
    """A Plaser that answers with given things; the rest is left to the first operation."""

    answers: list[Any]
    made: list["Talks"]

    def __init__(self, is_First: bool) -> None:
        self.made.append(self)

    def move(self, board: Any, operations: Any, scores: Any, turn_number: Any) -> Any:
        answer = self.answers[turn_number - 1] if turn_number <= len(self.answers) else None
        self.seen = list(self.move_history), list(self.used_time)
        return operations[0] if answer is None else answer


def host_of(*answers: Any, seat: int = 0) -> tuple[PlaserHost, Any]:
    make: Any = type("Plaser", (Talks,), {"answers": list(answers), "made": []})
    host = PlaserHost(GAME, make)
    host.start(seat, EraserOptions(), 1, 60.0)
    return host, make.made[0]


def test_the_history_holds_the_very_objects_one_answered() -> None:
    mine = numpy.array([[3, 3], [3, 2]])
    host, player = host_of(mine)
    move = host.turn([], ClockView((60.0, 0.0), 0, 60.0))
    assert move == "3332"
    host.turn([{0: move}, {1: "2212"}], ClockView((59.0, 58.0), 0, 59.0))
    history, used = player.seen
    assert history[0] is mine
    assert history[1] == ((2, 2), (1, 2))
    assert used == [1.0, 2.0]


def test_before_its_first_move_a_side_has_used_the_integer_0() -> None:
    host, player = host_of()
    host.turn([], ClockView((59.5, 0.0), 0, 59.5))
    assert player.seen == ([], [0, 0])
    assert [type(time) for time in player.seen[1]] == [int, int]
    host, player = host_of(seat=1)
    host.turn([{0: "0010"}], ClockView((59.5, 59.75), 1, 59.75))
    assert player.seen == ([((0, 0), (1, 0))], [0, 0.5])


def test_a_list_that_the_bot_put_in_place_of_the_history_is_filled() -> None:
    host, player = host_of()
    own: list[Any] = ["mine"]
    player.move_history = own
    host.turn([{0: "0010"}, {1: "0001"}], ClockView((60.0, 60.0), 0, 60.0))
    assert own == ["mine", ((0, 0), (1, 0)), ((0, 0), (0, 1))]


@pytest.mark.parametrize(
    "answer",
    [
        ((1, 2), (2, 2)),
        [[1, 2], [2, 2]],
        ([1, 2], (2, 2)),
        numpy.array([[1, 2], [2, 2]]),
        numpy.array([[1, 2], [2, 2]], dtype=numpy.uint8),
        ((numpy.int64(1), numpy.int64(2)), (numpy.int32(2), 2)),
        ((True, 2), (2, 2)),
    ],
)
def test_any_two_pairs_of_integers_are_a_swap(answer: Any) -> None:
    assert swap_text(answer) == "1222"


class Odd:
    def __len__(self) -> int:
        raise RuntimeError("no length")

    def __repr__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    "answer",
    [
        None,
        5,
        "1222",
        "12",
        ["12", "22"],
        (),
        ((1, 2),),
        ((1, 2), (2, 2), (3, 2)),
        ((1, 2, 3), (2, 2)),
        ((1,), (2,)),
        ((1.0, 2.0), (2.0, 2.0)),
        ((1, -2), (2, -2)),
        ((1, 10), (2, 10)),
        ((1, 10**30), (2, 10**30)),
        {(1, 2): 0},
        Odd(),
        (Odd(), Odd()),
    ],
)
def test_anything_else_is_an_illegal_move_and_shows_itself(answer: Any) -> None:
    move = swap_text(answer)
    assert move.startswith("?")
    assert len(move) <= 201 + len("Plaser:")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (((0, 0), (1, 1)), "not neighbours"),
        (((0, 0), (0, 0)), "not neighbours"),
        (((0, 0), (9, 9)), "not neighbours"),
        (((0, 5), (0, 6)), "on the main board"),
        (None, "the answer is a tuple of two cells, such as (("),
    ],
)
def test_an_illegal_answer_loses_with_the_reason(answer: Any, why: str) -> None:
    make = type("Plaser", (Talks,), {"answers": [answer if answer else "?"], "made": []})
    players = [LocalPlayer(name, lambda: PlaserHost(GAME, make)) for name in "ab"]
    record = referee.play(GAME, EraserOptions(), 1, players)
    assert record.winner == 1
    assert record.faults[0].kind is FaultKind.ILLEGAL
    assert why in record.faults[0].why["en"]
    replay.verify(record)


# The search that house bots use.


def test_a_search_of_one_turn_is_greedy() -> None:
    position = GAME.start(EraserOptions(), 4)
    gains = {}
    for move in position.legal(0):
        after = position.copy()
        after.play({0: move})
        gains[move] = after.points[0]
    assert values(position, 1) == gains
    assert best(position, 1) == max(gains, key=gains.__getitem__)


def test_a_search_of_two_turns_counts_the_best_answer() -> None:
    position = GAME.start(EraserOptions(), 4)
    found = values(position, 2)
    for move in position.legal(0)[::7]:
        after = position.copy()
        after.play({0: move})
        answers = []
        for answer in after.operations():
            then = after.copy()
            then.play({1: answer})
            answers.append(then.points[0] - then.points[1])
        assert found[move] == min(answers)


def test_a_search_prefers_an_end_with_a_lead() -> None:
    position = GAME.start(EraserOptions(turns=1), 4)
    found = values(position, 2)
    assert max(found.values()) > 1_000_000
    assert min(found.values()) == 0


@pytest.mark.parametrize("depth", [0, 21])
def test_a_search_looks_between_one_and_twenty_turns_ahead(depth: int) -> None:
    with pytest.raises(ValueError, match="between 1 and 20"):
        values(GAME.start(EraserOptions(), 1), depth)
