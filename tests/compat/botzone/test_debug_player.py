"""A Python bot of Botzone in this process is told what its processes were told in the bout."""

import io
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ludus.analysis.bot_replay import BotReplay, open_recorded_seat
from ludus.analysis.debug_player import open_debugged_bot
from ludus.analysis.turn_debugger import NoDebugger, PdbDebugger
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.compat.botzone import debug_player
from ludus.games.registry import get
from ludus.match.record import SUFFIX, save
from ludus.match.series import SeriesBout, plan_bouts, play_bouts
from tests.support.watchful_bots import BOTZONE_BOTS

GAME = get("eraser")
STARTED, KEPT = BOTZONE_BOTS


@dataclass(frozen=True)
class PlayedMatch:
    """Two bouts of a bot, on both seats, with the folder of their records."""

    source: str
    folder: Path
    first: SeriesBout
    second: SeriesBout


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> dict[str, PlayedMatch]:
    """A match of each kind of bot."""
    return {
        kind: play_match(source, tmp_path_factory.mktemp("match"))
        for kind, source in BOTZONE_BOTS.items()
    }


def play_match(source: str, folder: Path) -> PlayedMatch:
    names = (write(folder, source), "random")
    players = [create_player(resolve_bot(name, GAME), GAME) for name in names]
    played = list(play_bouts(GAME, GAME.Options(turns=12), players, plan_bouts(2, 2, seed=5)))
    for bout in played:
        assert bout.record.faults == [], bout.record.faults
        save(bout.record, folder / f"{bout.planned.number}{SUFFIX}")
    return PlayedMatch(source, folder, *played)


def write(folder: Path, source: str) -> str:
    (folder / "bot.py").write_text(source)
    return str(folder / "bot.py")


@pytest.mark.parametrize("kind", BOTZONE_BOTS)
def test_it_is_told_and_draws_and_saves_what_it_did_then(
    kind: str, tmp_path: Path, matches: dict[str, PlayedMatch]
) -> None:
    match, second = matches[kind], matches[kind].second
    recorded = open_recorded_seat(second.record, 1, [match.folder])
    assert len(recorded.earlier) == 1
    bot = open_debugged_bot(write(tmp_path, BOTZONE_BOTS[kind]), GAME)
    player = bot.create_player(GAME, NoDebugger())
    replay = BotReplay(player, recorded)
    assert replay.start() is None
    assert all(answer.is_same for answer in replay.answers())
    then = second.outputs[0]["stdout"].splitlines()
    assert len(then) > 5
    assert player.output()["stdout"].splitlines() == then
    player.close()


@pytest.mark.parametrize("kind", BOTZONE_BOTS)
def test_its_history_has_the_moves_of_the_record(
    kind: str, tmp_path: Path, matches: dict[str, PlayedMatch]
) -> None:
    """Whatever it answers now."""
    first = matches[kind].first
    other = BOTZONE_BOTS[kind].replace('random.choice(request["legal"])', 'request["legal"][0]')
    other = other.replace("memory.append((told, random.random()))", "memory.append(told)")
    player = open_debugged_bot(write(tmp_path, other), GAME).create_player(GAME, NoDebugger())
    replay = BotReplay(player, open_recorded_seat(first.record, 0))
    assert replay.start() is None
    answers = list(replay.answers())
    assert not all(answer.is_same for answer in answers)
    assert not any(answer.fault for answer in answers)
    if kind == STARTED:
        session = player._session  # type: ignore[attr-defined]
        played = [answer.turn.played for answer in answers]
        assert session._responses[:-1] == played[:-1]
    player.close()


@pytest.mark.parametrize("kind", BOTZONE_BOTS)
def test_the_debugger_stops_in_its_own_code(
    kind: str,
    tmp_path: Path,
    matches: dict[str, PlayedMatch],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    recorded = open_recorded_seat(matches[kind].first.record, 0)
    monkeypatch.setattr("sys.stdin", io.StringIO("n\nn\np ('requested', 'told' in dir())\nc\n"))
    debugger = PdbDebugger(tmp_path)
    bot = open_debugged_bot(write(tmp_path, BOTZONE_BOTS[kind]), GAME)
    player = bot.create_player(GAME, debugger)
    replay = BotReplay(player, recorded)
    assert replay.start() is None
    turns = recorded.turns.turns
    assert all(answer.is_same for answer in replay.answers(turns[:3]))
    debugger.stop_at_next_call()
    answer = replay.ask(turns[3])
    debugger.release()
    assert answer.is_same, answer.fault
    player.close()
    shown = capsys.readouterr().out
    assert shown.count("bot.py(") >= 3
    assert "('requested', " in shown


def test_an_answer_that_is_printed_at_once_is_not_lost(
    tmp_path: Path, matches: dict[str, PlayedMatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot that was kept goes on as soon as it has its request."""
    add = debug_player._BotInput.add

    def add_and_let_the_bot_run(self: Any, data: bytes, *, is_last: bool) -> None:
        add(self, data, is_last=is_last)
        time.sleep(0.05)

    monkeypatch.setattr(debug_player._BotInput, "add", add_and_let_the_bot_run)
    recorded = open_recorded_seat(matches[KEPT].first.record, 0)
    bot = open_debugged_bot(write(tmp_path, BOTZONE_BOTS[KEPT]), GAME)
    replay = BotReplay(bot.create_player(GAME, NoDebugger()), recorded)
    assert replay.start() is None
    answers: list[Any] = []
    asking = threading.Thread(target=lambda: answers.extend(replay.answers()), daemon=True)
    asking.start()
    asking.join(60)
    assert not asking.is_alive(), "it waits for an answer that went elsewhere"
    assert answers and all(answer.is_same for answer in answers)
    replay.player.close()


def test_an_exception_reaches_the_debugger(tmp_path: Path, matches: dict[str, PlayedMatch]) -> None:
    first = matches[STARTED].first
    failing = BOTZONE_BOTS[STARTED].replace("told = input()", "told = input(); 1 / 0")
    player = open_debugged_bot(write(tmp_path, failing), GAME).create_player(GAME, NoDebugger())
    replay = BotReplay(player, open_recorded_seat(first.record, 0))
    assert replay.start() is None
    (answer,) = replay.answers()
    assert isinstance(answer.error, ZeroDivisionError)
    assert answer.fault is not None and answer.fault.why["en"].startswith("RE: ")
    assert "1 / 0" in answer.fault.trace
    player.close()
