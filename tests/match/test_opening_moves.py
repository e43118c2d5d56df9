"""Openings in a bout: given moves, which no seat chose."""

from pathlib import Path

import msgspec
import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.errors import LudusError
from ludus.games import get
from ludus.games.openings import resolve_openings
from ludus.match import record as records
from ludus.match import replay
from ludus.match.referee import BoutEvent, BoutStarted, MovesPlayed, play
from ludus.match.series import PlannedBout
from ludus.match.spec import MatchSpec, play_match
from tests.support.openings import play_from_opening
from tests.support.scripted_player import Scripted

REVERSI = get("reversi")
OPENING = ("d3", "c3", "c4")
BOT = """
class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        return position.legal(self.seat)[0]
"""


def test_an_opening_is_played_before_anybody_is_asked_and_charged_to_nobody() -> None:
    a, b = Scripted("a", cpu=0.1), Scripted("b", cpu=0.1)
    events: list[BoutEvent] = []
    record = play(
        REVERSI, REVERSI.Options(), 1, [a, b], opening=OPENING, watch=lambda e, _: events.append(e)
    )
    assert tuple(record.moves[:3]) == OPENING and record.opening == record.opening_moves == 3
    assert record.times.cpu[:5] == [0, 0, 0, 100, 100]
    assert isinstance(events[0], BoutStarted) and events[0].opening == 3
    assert [e.moves for e in events[1:4] if isinstance(e, MovesPlayed)] == [
        {0: "d3"},
        {1: "c3"},
        {0: "c4"},
    ]
    replay.verify(record)
    assert records.unpack(records.pack(record), "it").opening_moves == 3


def test_the_second_seat_may_have_the_first_word_after_an_opening() -> None:
    a, b = Scripted("a"), Scripted("b")
    record = play(REVERSI, REVERSI.Options(), 1, [a, b], opening=OPENING[:1])
    seats = [seat for ply, _ in replay.replay_steps(record) for seat in ply]
    assert seats[:2] == [0, 1]
    assert len(a.clocks) + len(b.clocks) == len(record.moves) - 1


@pytest.mark.parametrize("isolate", [False, True])
def test_a_bot_sees_the_opening_as_moves_that_were_played(tmp_path: Path, isolate: bool) -> None:
    path = tmp_path / "bot.py"
    path.write_text(BOT)
    spec = MatchSpec.for_game(
        REVERSI,
        {},
        [resolve_bot(str(path), REVERSI)] * 2,
        [PlannedBout(0, 5, (0, 1), OPENING), PlannedBout(1, 5, (1, 0), OPENING)],
        isolate=isolate,
    )
    there, back = play_match(spec)
    assert there.record.moves == back.record.moves
    assert there.record.opening == 3
    assert not there.record.faults
    replay.verify(there.record)


def test_a_bout_without_an_opening_is_recorded_as_ever() -> None:
    record = play(REVERSI, REVERSI.Options(), 1, [Scripted("a"), Scripted("b")])
    assert record.opening_moves == 0
    assert "opening" not in msgspec.to_builtins(record)


@pytest.mark.parametrize("opening", [-1, 1000])
def test_a_false_length_is_found(opening: int) -> None:
    record = play(REVERSI, REVERSI.Options(), 1, [Scripted("a"), Scripted("b")], opening=OPENING)
    false = msgspec.structs.replace(record, opening=opening).with_checksum()
    with pytest.raises(LudusError, match="opening"):
        replay.verify(false)


def test_an_opening_that_was_charged_is_found() -> None:
    record = play(REVERSI, REVERSI.Options(), 1, [Scripted("a"), Scripted("b")], opening=OPENING)
    record.times.cpu[2] = 7
    with pytest.raises(LudusError, match="charged"):
        replay.verify(record.with_checksum())


def test_a_bot_that_fails_to_start_has_lost_after_the_opening(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text(
        "class Bot:\n    def __init__(self): raise OSError\n    def move(self, p, c): 0\n"
    )
    sources = [resolve_bot(str(path), REVERSI), resolve_bot("random", REVERSI)]
    spec = MatchSpec.for_game(REVERSI, {}, sources, [PlannedBout(0, 5, (1, 0), OPENING[:2])])
    [played] = play_match(spec)
    assert played.record.verdict == "crash"
    assert played.record.scores == [1.0, 0.0]
    replay.verify(played.record)


@pytest.mark.parametrize("name", ["duel2048", "eraser", "paperio", "reversi", "tablut"])
def test_bots_of_every_kind_go_on_from_an_opening(name: str) -> None:
    short = {"duel2048": {"rounds": 12}, "eraser": {"turns": 20}, "paperio": {"turns": 40}}
    for seed in (0, 1):
        record = play_from_opening(name, short.get(name, {}), seed)
        assert record.faults == []
        assert len(record.moves) > record.opening_moves >= 5
        replay.verify(record)


PLASER = """
class Plaser:
    def __init__(self, is_First):
        pass

    def move(self, board, operations, scores, turn_number):
        assert all(isinstance(entry, tuple) for entry in self.move_history), self.move_history
        assert min(self.used_time) >= 0 and max(self.used_time) < 1, self.used_time
        return operations[0]
"""


def test_a_bot_of_the_original_finds_the_opening_in_its_history(tmp_path: Path) -> None:
    game = get("eraser")
    options = game.Options.parse({"turns": 20})
    (tmp_path / "mine.py").write_text(PLASER)
    players = [create_player(resolve_bot(str(tmp_path / "mine.py"), game), game) for _ in (0, 1)]
    opening = resolve_openings("random:5", game, options).draw(3)
    try:
        record = play(game, options, 3, players, opening=opening)
    finally:
        for player in players:
            player.close()
    assert record.faults == []
