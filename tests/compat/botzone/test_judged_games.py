"""Judges of Botzone as Ludus games: bouts, records that are judged again, people, views."""

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from ludus.bots.players.human import BoutAborted, HumanPlayer, MoveQuestion
from ludus.cli.main import run
from ludus.compat.botzone.judge_rerun import rerun_record
from ludus.errors import LudusError
from ludus.games.base import IllegalMove
from ludus.games.board_language import check_scene, check_view
from ludus.games.registry import get, names, open_game
from ludus.match import replay
from ludus.match.record import Record, pack, save, unpack
from ludus.match.referee import BoutEvent, MovesPlayed, play
from ludus.sandbox.bot_fault import BotFault, FaultKind
from ludus.server.live.film import make_film
from tests.support.judged_games import EXAMPLES, Responder, open_judged, write_game
from tests.support.scripted_player import Scripted

BOTH_AT_ONCE = """
log = json.loads(input())["log"]
if len(log) < 4:
    ask(display={"round": len(log) // 2}, _0="go", _1="go")
else:
    first, second = log[-1]["0"]["response"], log[-1]["1"]["response"]
    finish(2 * (first > second), 2 * (second > first), display="done")
"""
"""Two rounds in which both answer a number; the higher one of the last round wins."""
TELLS_VERDICTS = """
log = json.loads(input())["log"]
if not log:
    ask(_0=1, _1=1)
else:
    finish(0, 2, display={seat: answer["verdict"] for seat, answer in log[-1].items()})
"""


def take_largest(request: Any) -> Any:
    piles = request["piles"]
    pile = piles.index(max(piles))
    return {"pile": pile, "take": piles[pile]}


def responders(respond: Any, count: int = 2) -> list[Responder]:
    return [Responder(respond) for _ in range(count)]


def play_nim(**options: Any) -> Record:
    game = open_judged(EXAMPLES / "nim")
    players = [Responder(take_largest, "ann"), Responder(take_largest, "bob")]
    return play(game, game.Options.parse(options), 7, players)


def test_a_folder_with_a_manifest_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_GAMES", str(EXAMPLES))
    assert {"nim", "tictactoe"} <= set(names())
    game = get("nim")
    assert game.title == {"en": "Nim", "zh": "尼姆取石子"}
    assert list(game.bots()) == ["careful", "greedy"]
    assert get("tictactoe").seat_keys == ["cross", "nought"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("colour = 3", "colour"),
        ("time = 0.0", "time"),
        ("turns = 0", "turns"),
        ("initdata = 2026-01-01", "initdata"),
        ("initdata = inf", "initdata"),
        ('judge = "../judge.py"', "judge"),
        ("title = { en = 'two\\nlines' }", "line"),
        ('bots = "/etc"', "bots"),
    ],
)
def test_a_manifest_with_a_mistake_says_which(line: str, problem: str, tmp_path: Path) -> None:
    judge = "" if line.startswith("judge") else 'judge = "judge.py"\n'
    line = line.replace("'two\\nlines'", '"two\\nlines"')
    (tmp_path / "botzone.toml").write_text(f'name = "x"\n{judge}{line}\n')
    with pytest.raises(LudusError, match=problem):
        open_judged(tmp_path)


def test_a_bout_is_a_record_with_everything_that_was_said() -> None:
    record = play_nim(initdata='{"piles": [1, 2]}')
    assert record.scores == [0.0, 1.0]
    assert record.reason == "finished"
    assert record.detail == {"points": "0 : 2"}
    replay.verify(unpack(pack(record), "again"))
    first = json.loads(record.moves[0].partition("\n")[2])
    assert first["content"] == {"0": {"piles": [1, 2]}}
    assert [move.partition("\n")[0] for move in record.moves] == [
        "–",
        '{"pile":1,"take":2}',
        '{"pile":0,"take":1}',
    ]


def test_a_judge_is_asked_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDUS_GAMES", str(EXAMPLES))
    monkeypatch.setenv("LUDUS_LANG", "en")
    record = play_nim()
    save(record, tmp_path / "true.ludus")
    assert run(["replay", "verify", str(tmp_path / "true.ludus")]) == 0
    record.moves[1] = record.moves[1].replace('"moved"', '"stolen"')
    invented = tmp_path / "invented.ludus"
    save(with_own_digest(record), invented)
    assert run(["replay", "verify", str(invented)]) == 2
    assert 'in step 2 the judge printed {"command":"request"' in capsys.readouterr().out


def with_own_digest(record: Record) -> Record:
    record.digest = replay.last_position(record).digest()
    return record.with_checksum()


def test_the_seed_reaches_a_judge_that_draws_lots() -> None:
    game = open_judged(EXAMPLES / "nim")
    players = [Responder(take_largest), Responder(take_largest)]
    firsts = [play(game, game.Options(), seed, players).moves[0] for seed in (1, 2, 1)]
    assert firsts[0] == firsts[2] != firsts[1]


def test_a_judge_without_a_seed_is_given_what_it_drew(tmp_path: Path) -> None:
    judge = """
        import random
        said = json.loads(input())
        drawn = said["initdata"] or {"luck": random.random()}
        if said["log"]:
            finish(1, 1, display=drawn)
        else:
            print(json.dumps({"command": "request", "content": {"0": drawn}, "initdata": drawn}))
    """
    game = open_judged(write_game(tmp_path, judge))
    record = play(game, game.Options(), 1, [Responder(str), Responder(str)])
    rerun_record(record)
    assert record.moves[0] != play(game, game.Options(), 1, responders(str, 2)).moves[0]


def test_a_judge_that_draws_from_the_seed_alone_is_started_as_it_was(tmp_path: Path) -> None:
    judge = """
        said = json.loads(input())
        drawn = {"luck": said["initdata"].get("seed", 0) % 1000 + said["initdata"].get("luck", 0)}
        if said["log"]:
            finish(1, 1, display=said["initdata"])
        else:
            print(json.dumps({"command": "request", "content": {"0": drawn}, "initdata": drawn}))
    """
    game = open_judged(write_game(tmp_path, judge, 'seed = "seed"'))
    record = play(game, game.Options(), 123, responders(str))
    assert '"display":{"luck":123}' in record.moves[-1]
    rerun_record(record)


def test_only_those_named_are_asked_and_those_together_at_once(tmp_path: Path) -> None:
    meeting = threading.Barrier(2, timeout=30)

    def meet(value: int) -> Any:
        return lambda request: meeting.wait() * 0 + value

    game = open_judged(write_game(tmp_path, BOTH_AT_ONCE))
    record = play(game, game.Options(), 1, [Responder(meet(3)), Responder(meet(5))])
    assert record.scores == [0.0, 1.0]
    assert [move.partition("\n")[0] for move in record.moves[1:]] == ["3", "5"] * 2
    rerun_record(record)
    nim = [Responder(take_largest), Responder(take_largest)]
    game = open_judged(EXAMPLES / "nim")
    play(game, game.Options.parse({"initdata": '{"piles": [1, 1, 1]}'}), 1, nim)
    assert [len(player.requests) for player in nim] == [2, 1]


@pytest.mark.parametrize(
    ("kind", "verdict"),
    [
        (FaultKind.TIMEOUT, "TLE"),
        (FaultKind.MEMORY, "MLE"),
        (FaultKind.OUTPUT, "OLE"),
        (FaultKind.CRASH, "RE"),
        (FaultKind.RESIGN, "RE"),
        (FaultKind.LOAD, "RE"),
    ],
)
def test_a_bots_failure_is_a_verdict_for_the_judge(
    kind: FaultKind, verdict: str, tmp_path: Path
) -> None:
    class Failing(Scripted):
        def turn(self, *given: Any) -> Any:
            raise BotFault(kind, "no", "否", cpu=0.25)

    game = open_judged(write_game(tmp_path, TELLS_VERDICTS))
    fault = BotFault(kind, "no", "否")
    players = [Failing("failing", fault=fault), Responder(lambda request: "fine")]
    record = play(game, game.Options(), 1, players)
    assert record.scores == [0.0, 1.0]
    assert record.faults == []
    last = json.loads(record.moves[1].partition("\n")[2])
    assert last["display"] == {"0": verdict, "1": "OK"}
    assert record.moves[1].startswith(f"{verdict}\n")
    rerun_record(record)


def test_a_bot_that_answers_too_late_is_told_to_the_judge(tmp_path: Path) -> None:
    class Slow(Responder):
        def turn(self, *given: Any) -> Any:
            answer = super().turn(*given)
            answer.cpu = 1.5
            return answer

    game = open_judged(write_game(tmp_path, TELLS_VERDICTS))
    record = play(game, game.Options(), 1, [Slow(str), Responder(str)])
    assert record.moves[1].startswith("TLE\n")
    assert record.times.used[0][0] == 1.5


KEPT = """
log = json.loads(input())["log"]
me = os.urandom(4).hex()
for turn in range(len(log) // 2, 4):
    ask(display=me, _0=turn)
    keep()
    answers = json.loads(input())
    assert answers["0"] == {"verdict": "OK", "response": turn, "time": 0, "memory": 0}, answers
    if QUITS and turn == 1:
        sys.exit(0)
finish(2, 0)
keep()
"""


@pytest.mark.parametrize(
    ("quits", "manifest", "starts"),
    [
        (False, "keep_running = true", 1),
        (True, "keep_running = true", 2),
        (False, "", 2),
        (False, "keep_running = false", 4),
    ],
)
def test_a_judge_is_kept_running_by_the_marker(
    quits: bool, manifest: str, starts: int, tmp_path: Path
) -> None:
    game = open_judged(write_game(tmp_path, f"QUITS = {quits}\n{KEPT}", manifest))
    record = play(game, game.Options(), 1, responders(lambda turn: turn, 2))
    assert record.scores == [1.0, 0.0]
    outputs = [json.loads(move.partition("\n")[2]) for move in record.moves]
    assert [next(iter(out["content"].values())) for out in outputs] == [0, 1, 2, 3, 2]
    processes = [out["display"] for out in outputs[:4]]
    assert len(set(processes)) == starts


def test_a_judge_that_reads_to_the_end_of_its_input(tmp_path: Path) -> None:
    judge = 'log = json.loads(sys.stdin.read())["log"]\nfinish(1, 1) if log else ask(_0=None)'
    game = open_judged(write_game(tmp_path, judge))
    assert play(game, game.Options(), 1, responders(str, 2)).scores == [0.5, 0.5]


def test_a_person_types_json_or_plain_text(tmp_path: Path) -> None:
    judge = """
        log = json.loads(input())["log"]
        if len(log) < 4:
            ask(_0={"what": "next"})
        else:
            finish(0, 0, display=[answers["0"]["response"] for answers in log[1::2]])
    """
    game = open_judged(write_game(tmp_path, judge))
    typed = iter(['{"x": 1}', "3 4"])
    seen: list[str] = []

    def ask(question: MoveQuestion) -> None:
        seen.append(question.position.view(question.seat)["phase"]["en"])
        threading.Thread(target=person.answer, args=[next(typed)]).start()

    person = HumanPlayer("Ann", ask, lambda question, move, why: None)
    record = play(game, game.Options(), 1, [person, Responder(str)])
    last = json.loads(record.moves[-1].partition("\n")[2])
    assert last["display"] == [{"x": 1}, "3 4"]
    assert seen == ['the judge asks: {"what":"next"}'] * 2
    rerun_record(record)


def test_a_person_who_leaves_ends_the_bout_for_all(tmp_path: Path) -> None:
    game = open_judged(write_game(tmp_path, BOTH_AT_ONCE))
    asked = threading.Semaphore(0)
    people = [HumanPlayer(name, lambda _: asked.release(), lambda *_: None) for name in "ab"]

    def leave() -> None:
        for _ in people:
            asked.acquire(timeout=60)
        people[0].leave()

    threading.Thread(target=leave).start()
    began = threading.active_count()
    with pytest.raises(BoutAborted):
        play(game, game.Options(), 1, people)
    until = time.monotonic() + 30
    while threading.active_count() > began and time.monotonic() < until:
        time.sleep(0.01)
    assert threading.active_count() <= began


def test_watchers_see_each_step_with_what_the_judge_displays() -> None:
    game = open_judged(EXAMPLES / "nim")
    seen: list[Any] = []

    def watch(event: BoutEvent, position: Any) -> None:
        if isinstance(event, MovesPlayed):
            seen.append(position.view()["display"]["piles"])

    options = game.Options.parse({"initdata": '{"piles": [1, 2]}'})
    play(game, options, 7, responders(take_largest, 2), watch=watch)
    assert seen == [[1, 2], [1, 0], [0, 0]]


def test_views_follow_the_board_language_and_films_carry_the_display() -> None:
    record = play_nim()
    game = get("nim")
    scene = game.scene(game.Options())
    check_scene(scene, game)
    for _, position in replay.replay_steps(record):
        for seat in (None, 0, 1):
            check_view(position.view(seat), scene, position, seat, game, "the view")
    film = json.loads(make_film(record, "x").encode())
    assert film["steps"][0]["display"]["moved"] is None
    assert film["steps"][1]["display"]["moved"]["take"] > 0
    assert film["steps"][-1]["display"]["why"] == "took the last stone"


def test_a_seat_of_a_hidden_game_sees_only_its_own_messages(tmp_path: Path) -> None:
    judge = """
        log = json.loads(input())["log"]
        if len(log) < 2:
            ask(display={"cards": "all"}, _0="your ace", _1="your king")
        else:
            finish(2, 0, display={"cards": "all"})
    """
    game = open_judged(write_game(tmp_path, judge, "hidden = true"))
    record = play(game, game.Options(), 1, [Responder(str), Responder(str)])
    views = [
        {seat: json.dumps(position.view(seat)) for seat in (None, 0, 1)}
        for _, position in replay.replay_steps(record)
    ]
    assert "ace" in views[1][0] and "king" not in views[1][0] and "cards" not in views[1][0]
    assert "king" in views[1][1] and "ace" not in views[1][1]
    assert "cards" in views[1][None] and "ace" not in views[1][None]
    assert "cards" in views[2][0] and "king" in views[2][0]


def test_a_game_for_several_numbers_of_players(tmp_path: Path) -> None:
    judge = """
        log = json.loads(input())["log"]
        ask(_0=1, _1=1, _2=1) if not log else finish(5, -3.5, 12)
    """
    folder = write_game(tmp_path, judge, 'players = [2, 3]\nseats = ["north"]')
    game = open_judged(folder, 3)
    assert game.name == "judged:3"
    assert game.seat_keys == ["north", "player 2", "player 3"]
    record = play(game, game.Options(), 1, responders(str, 3))
    assert record.scores == [5.0, -3.5, 12.0]
    assert record.detail == {"points": "5 : -3.5 : 12"}


def test_positions_refuse_what_their_judge_did_not_say() -> None:
    record = play_nim()
    game = get("nim")
    position = game.start(game.Options(), 1)
    before = position.digest()
    asks = '{"command":"request","content":{"0":1}}'
    for moves, why in (
        ({0: "5"}, "only the game's judge"),
        ({1: "5"}, "expected moves"),
        ({0: "–\n[]"}, "not a step"),
        ({0: f"5\n{asks}"}, "an answer for each seat"),
    ):
        with pytest.raises(IllegalMove, match=why):
            position.play(moves)
    assert position.digest() == before
    position.play({0: f"–\n{asks}"})
    copied = position.copy()
    position.play({0: f"TLE\n{asks}"})
    assert position.digest() != copied.digest() != before
    assert replay.last_position(record).digest() == record.digest


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("name", "answer"), [("nim", '`{"pile": 1, "take": 2}`'), ("tictactoe", "`4`")]
)
def test_the_examples_tell_readers_what_an_answer_looks_like(
    name: str, answer: str, language: str
) -> None:
    game = open_game(str(EXAMPLES / name))
    assert answer in game.rules_text(game.Options(), language)
