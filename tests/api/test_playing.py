"""``ludus.play``, ``ludus.match`` and ``ludus.load``."""

import pickle
import random
from pathlib import Path
from typing import Any

import pytest

import ludus
from ludus.games.base import ClockView

SMALL = {"size": 4}


def first_move(position: Any) -> str:
    return position.legal(position.to_move[0])[0]


def last_move(position: Any, clock: ClockView) -> str:
    return position.legal(clock.seat)[-1]


def draw_move(position: Any) -> str:
    return random.choice(position.legal(position.to_move[0]))


class Counting:
    """Counts its bouts."""

    def __init__(self) -> None:
        self.bouts = 0

    def start(self, seat: int, position: Any) -> None:
        self.bouts += 1

    def move(self, position: Any, clock: ClockView) -> str:
        return first_move(position)


def test_a_bout_between_house_bots_has_everything() -> None:
    bout = ludus.play("reversi", "greedy", "random", options=SMALL, seed=7)
    assert bout.bots == ("greedy", "random")
    assert bout.seed == bout.record.seed == 7
    assert bout.moves == bout.record.moves
    assert bout.faults == []
    assert bout.outcome.scores == bout.scores
    assert bout.winner == bout.outcome.winner
    assert bout.game.options.size == 4
    assert bout.reason in repr(bout)


def test_a_bout_is_the_same_as_that_of_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from ludus.cli.main import run

    words = ["play", "reversi", "greedy", "random", "-o", "size=4", "--bout-seed", "7"]
    assert run([*words, "--save", str(tmp_path)]) == 0
    (file,) = tmp_path.glob("*.ludus")
    typed = ludus.load(file)
    bout = ludus.play("reversi", "greedy", "random", options=SMALL, seed=7)
    assert bout.record.without_times() == typed.record.without_times()


@pytest.mark.parametrize("bot", [first_move, last_move, Counting, Counting()])
def test_python_code_plays_in_this_process(bot: Any) -> None:
    bout = ludus.play("reversi", bot, "random", options=SMALL, seed=1)
    assert bout.faults == []
    assert bout.record.bots[0].isolation == "in-process"
    assert bout.record.bots[0].digest


def test_an_object_plays_every_bout_and_a_class_makes_a_new_one() -> None:
    bot = Counting()
    ludus.match("reversi", bot, "random", bouts=4, options=SMALL, seed=1)
    assert bot.bouts == 4


def test_a_class_of_a_games_own_dialect_plays() -> None:
    class Player:
        def __init__(self, is_first: bool, array: list[int]) -> None:
            self.is_first = is_first

        def output(self, current_round: int, board: Any, mode: str) -> Any:
            if mode == "position":
                own = board.getNext(self.is_first, current_round)
                return own or random.choice(board.getNone(not self.is_first))
            return next(d for d in range(4) if board.copy().move(self.is_first, d))

    bout = ludus.play("duel2048", Player, "random", options={"rounds": 4}, seed=2)
    assert bout.faults == []


def test_a_file_plays_in_a_jail(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("class Bot:\n    def move(self, p, c):\n        return p.legal(c.seat)[0]\n")
    bout = ludus.play("reversi", file, first_move, options=SMALL, seed=3, openings="none")
    assert bout.faults == []
    assert bout.bots[0] == "mine"
    assert bout.record.bots[0].isolation != "in-process"


def test_a_bot_that_fails_loses_and_the_result_says_why() -> None:
    def fail(position: Any) -> str:
        raise RuntimeError("no idea")

    bout = ludus.play("reversi", fail, first_move, options=SMALL, seed=3)
    assert bout.scores == (0.0, 1.0)
    assert [fault.kind.value for fault in bout.faults] == ["crash"]
    assert "no idea" in bout.reason


def test_the_callers_random_numbers_are_not_disturbed() -> None:
    random.seed(5)
    expected = random.random()
    random.seed(5)
    ludus.play("reversi", draw_move, "random", options=SMALL, seed=3)
    assert random.random() == expected


def test_an_opening_is_played_first() -> None:
    bout = ludus.play("reversi", "random", "random", openings=["d3 c3"], seed=1)
    assert bout.moves[:2] == ["d3", "c3"]
    assert bout.record.opening_moves == 2


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ludus.play("chess960", "a", "b"), "no game 'chess960'"),
        (lambda: ludus.play("reversi", "random"), "has 2 seats, so name 2 bots"),
        (lambda: ludus.play("reversi", "random", "radnom"), "did you mean 'random'"),
        (lambda: ludus.play("reversi", 3, "random"), "3 is not a bot"),  # type: ignore[arg-type]
        (lambda: ludus.play("reversi", object(), "random"), "is not a bot"),  # type: ignore[arg-type]
        (lambda: ludus.game("reversi", sice=4), "no option 'sice'"),
        (
            lambda: ludus.play("reversi", "random", "random", options=ludus.game("tablut").options),
            "of class TablutOptions",
        ),
        (lambda: ludus.match("reversi", "random", "greedy", bouts=0), "at least 1"),
        (lambda: ludus.match("reversi", first_move, "greedy", jobs=2), "leave out jobs"),
        (lambda: ludus.play("uno:2", first_move, "dice"), "programs of their own"),
        (lambda: ludus.match("uno:3", "dice", "dice"), "has 3 seats"),
        (lambda: ludus.load("/nowhere/x.ludus"), "/nowhere/x.ludus"),
        (lambda: ludus.play("reversi", "random", "random", jail="plan"), "jail is one of .*'plan'"),
        (lambda: ludus.match("reversi", "random", "random", jail=3), "jail is one of .* not 3"),  # type: ignore[arg-type]
        (lambda: ludus.play("reversi", "random", "random", options="size=6"), "write options="),  # type: ignore[arg-type]
        (lambda: ludus.match("reversi", "random", "random", options=6), "write options="),  # type: ignore[arg-type]
        (lambda: ludus.game("reversi").start().play(3), "a move is a text, .* not 3"),  # type: ignore[arg-type]
        (lambda: ludus.game("reversi").start().play("a9"), "seat 0 answered 'a9'"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(
    call: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDUS_LANG", "en")
    with pytest.raises(ludus.LudusError, match=words) as caught:
        call()
    assert any("一" <= letter <= "鿿" for letter in caught.value.text["zh"])


def test_a_match_rates_two_bots() -> None:
    match = ludus.match("reversi", "greedy", "random", bouts=8, options=SMALL, seed=4)
    assert match.bots == ("greedy", "random")
    assert len(match.records) == len(match.bouts) == 8
    assert match.orders[:2] == [(0, 1), (1, 0)]
    assert sum(match.results) == 8
    assert match.elo.low <= match.elo.elo <= match.elo.high
    assert match.score.bouts + match.copies == 8
    assert 0 <= match.better <= 1


def test_a_match_agrees_with_that_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    import json

    from ludus.cli.main import run

    words = ["match", "reversi", "greedy", "random", "--bouts", "6", "--seed", "9", "-o", "size=4"]
    assert run([*words, "--no-save", "--json"]) == 0
    typed = json.loads(capsys.readouterr().out)["summary"]
    match = ludus.match("reversi", "greedy", "random", bouts=6, seed=9, options=SMALL)
    assert match.elo._asdict() == typed["elo"]
    assert match.copies == typed["copies"]


def test_copies_of_deterministic_functions_do_not_count() -> None:
    match = ludus.match(
        "reversi", first_move, last_move, bouts=6, options=SMALL, seed=4, openings="none"
    )
    assert match.copies == 4
    assert match.score.bouts == 2
    assert "4" in str(match).splitlines()[1]


def test_a_match_on_two_cores_is_the_same() -> None:
    one, two = (
        ludus.match("reversi", "greedy", "random", bouts=4, options=SMALL, seed=2, jobs=jobs)
        for jobs in (1, 2)
    )
    facts = [[record.without_times() for record in match.records] for match in (one, two)]
    assert facts[0] == facts[1]


def test_a_record_is_saved_loaded_and_verified(tmp_path: Path) -> None:
    bout = ludus.play("tablut", "random", "random", options={"limit": 12}, seed=1)
    again = ludus.load(bout.save(tmp_path / "bout.ludus"))
    again.verify()
    assert again.record == bout.record


def test_positions_of_a_bout_are_independent() -> None:
    bout = ludus.play("reversi", "random", "random", options=SMALL, seed=3)
    positions = list(bout.positions())
    assert len(positions) == len(bout.moves) + 1
    digests = [position.digest() for position in positions]
    assert len(set(digests)) == len(digests)
    assert digests[-1] == bout.position().digest() == bout.record.digest
    assert digests[3] == bout.position(3).digest()
    assert digests[-2] == bout.position(-2).digest()
    with pytest.raises(ludus.LudusError):
        bout.position(len(digests))


def test_a_position_is_played_by_hand() -> None:
    position = ludus.game("reversi", size=4).start()
    before = position.copy()
    move = position.legal()[0]
    assert position.seat == 0
    assert position.play(move) is position
    assert position.digest() != before.digest()
    assert before.legal() == ludus.game("reversi", size=4).start().legal()
    with pytest.raises(ludus.IllegalMove) as caught:
        position.play("a9")
    assert isinstance(caught.value, ludus.LudusError) and caught.value.code == "illegal_move"
    assert pickle.loads(pickle.dumps(caught.value)).move == "a9"
    while position.to_move:
        position.play(position.legal()[0])
    assert position.outcome is not None
    assert position.legal() == []
    with pytest.raises(ludus.LudusError, match=r"over|结束"):
        position.play("a1")
