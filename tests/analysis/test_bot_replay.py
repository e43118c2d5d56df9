"""A bot that is asked a record's questions again goes through the states of the original bout."""

import contextlib
import io
from pathlib import Path

import msgspec
import pytest
from msgspec import UNSET

from ludus.analysis.bot_replay import BotReplay, RandomNumbers, RecordedSeat, open_recorded_seat
from ludus.bots.load import load_bot
from ludus.bots.players.create import create_player
from ludus.bots.players.local import LocalPlayer
from ludus.bots.resolve import resolve_bot
from ludus.games.registry import get
from ludus.match import play
from ludus.match.record import SUFFIX, read, save
from ludus.match.series import SeriesBout, plan_bouts, play_bouts
from tests.support.watchful_bots import BY_DIALECT


def play_match(dialect: str, folder: Path) -> list[SeriesBout]:
    """Two bouts of a jailed watchful bot, on both seats; the records are saved in the folder."""
    game_name, options, source = BY_DIALECT[dialect]
    game = get(game_name)
    (folder / "watchful.py").write_text(source)
    players = [
        create_player(resolve_bot(str(folder / "watchful.py"), game), game),
        create_player(resolve_bot("random", game), game),
    ]
    played = list(play_bouts(game, game.Options.parse(options), players, plan_bouts(2, 2, seed=5)))
    for bout in played:
        assert bout.record.faults == [], bout.record.faults
        save(bout.record, folder / f"{bout.planned.number}{SUFFIX}")
    return played


def replay(recorded: RecordedSeat, bot: Path) -> tuple[list[str], list[bool]]:
    """What the bot prints when it is asked again in this process, and which answers agree."""
    game = get(recorded.record.game)
    player = LocalPlayer("watchful", lambda: load_bot(bot, game))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        run = BotReplay(player, recorded)
        assert run.start() is None
        same = [answer.is_same for answer in run.answers()]
        run.end()
    return printed.getvalue().splitlines(), same


@pytest.mark.parametrize("dialect", BY_DIALECT)
def test_a_bot_is_told_and_remembers_what_it_was_told_and_remembered_then(
    dialect: str, tmp_path: Path
) -> None:
    first, second = play_match(dialect, tmp_path)
    assert second.planned.order == (1, 0)
    then = [line for bout in (first, second) for line in bout.outputs[0]["stdout"].splitlines()]
    recorded = open_recorded_seat(read(tmp_path / f"1{SUFFIX}"), 1, [tmp_path])
    assert recorded.random_numbers is RandomNumbers.SAME
    assert recorded.is_history_complete and len(recorded.earlier) == 1
    assert recorded.turns.is_clock_exact
    now, same = replay(recorded, tmp_path / "watchful.py")
    assert len(then) > 15
    assert now == then
    assert all(same) and len(same) == len(recorded.turns.turns)


PROGRAM = """
import hashlib, json, random, sys

told = hashlib.sha256()  # of all frames: positions, clocks, seeds and the moves of the rival


def say(frame):
    body = json.dumps(frame).encode()
    sys.stdout.buffer.write(len(body).to_bytes(4, "big") + body)
    sys.stdout.buffer.flush()


while head := sys.stdin.buffer.read(4):
    body = sys.stdin.buffer.read(int.from_bytes(head, "big"))
    asked = json.loads(body)
    told.update(body)
    print(asked["type"], told.hexdigest(), file=sys.stderr, flush=True)
    if asked["type"] == "hello":
        say({"type": "hello", "protocol": "ludus/1", "want": ["legal"]})
    elif asked["type"] == "turn":
        sum(range(20_000 * (1 + asked["n"] % 3)))
        move = random.Random(told.hexdigest()).choice(asked["legal"])
        say({"type": "move", "n": asked["n"], "move": move})
    else:
        say({"type": "ready"})
"""


def test_a_program_is_told_what_it_was_told_then(tmp_path: Path) -> None:
    """``ludus debug --diff`` asks programs of ludus/1 in any language."""
    (tmp_path / "program.py").write_text(PROGRAM)
    game = get("reversi")
    source = resolve_bot(f"cmd:python3 {tmp_path / 'program.py'}", game)
    player, rival = (create_player(each, game) for each in (source, resolve_bot("random", game)))
    plan = plan_bouts(2, 1, seed=5)
    (played,) = play_bouts(game, game.Options.parse({"size": 6}), [player, rival], plan)
    assert played.record.faults == [], played.record.faults
    recorded = open_recorded_seat(played.record, 0)
    assert recorded.turns.is_clock_exact
    again = create_player(source, game)
    with contextlib.closing(again):
        run = BotReplay(again, recorded)
        assert run.start() is None
        assert all(answer.is_same for answer in run.answers())
        run.end()
        now = again.output()["stderr"].splitlines()
    then = played.outputs[0]["stderr"].splitlines()
    assert len(then) > 10 and now[: len(then)] == then


@pytest.mark.parametrize("dialect", BY_DIALECT)
def test_a_bot_that_answers_otherwise_is_told_the_moves_of_the_record(
    dialect: str, tmp_path: Path
) -> None:
    """What it is told stays the same, its own moves too, whatever it answers."""
    first, _ = play_match(dialect, tmp_path)
    then = [without_memory(line) for line in first.outputs[0]["stdout"].splitlines()]
    bot = tmp_path / "watchful.py"
    other = bot.read_text().replace("random.random()", "random.random() + random.random()")
    bot.write_text(other)
    now, same = replay(open_recorded_seat(first.record, 0), bot)
    assert not all(same)
    assert [without_memory(line) for line in now] == then


def without_memory(line: str) -> str:
    """A printed line without its last word, in which the random numbers have a part."""
    return line.rpartition(" ")[0]


def test_a_missing_earlier_bout_and_another_key_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, second = play_match("native", tmp_path)
    (tmp_path / f"0{SUFFIX}").unlink()
    assert not open_recorded_seat(second.record, 1, [tmp_path]).is_history_complete
    monkeypatch.setenv("LUDUS_RANDOM_KEY", "another")
    recorded = open_recorded_seat(second.record, 1, [tmp_path])
    assert recorded.random_numbers is RandomNumbers.OTHER_KEY


def test_the_clocks_of_an_older_record_are_estimated(tmp_path: Path) -> None:
    first, _ = play_match("native", tmp_path)
    exact = open_recorded_seat(first.record, 0).turns
    times = msgspec.structs.replace(first.record.times, start=UNSET, origin=UNSET)
    older = open_recorded_seat(msgspec.structs.replace(first.record, times=times), 0)
    assert older.random_numbers is RandomNumbers.UNKNOWN
    assert not older.turns.is_clock_exact
    for turn, before in zip(older.turns.turns, exact.turns, strict=True):
        assert turn.clock.left[0] <= before.clock.left[0]
        assert turn.plies == before.plies


def test_the_moves_of_an_opening_are_told_and_not_asked() -> None:
    game = get("reversi")
    players = [create_player(resolve_bot("greedy", game), game) for _ in range(2)]
    record = play(game, game.Options(), 1, players, opening=["d3", "c3", "c4"])
    second, first = (open_recorded_seat(record, seat).turns for seat in (1, 0))
    assert first.turns[0].step == 5
    assert [list(ply.values()) for ply in second.turns[0].plies] == [["d3"], ["c3"], ["c4"]]
    assert second.turns[0].clock.left[0] == 0.0  # nobody was asked before
