"""Saiblo games as Ludus games, and Ludus games as Saiblo logics."""

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ludus.bots.players.base import MoveAnswer, SeatBout, TimeLimit, TimeSpent
from ludus.bots.players.create import create_player
from ludus.bots.players.human import HumanPlayer, MoveQuestion
from ludus.bots.resolve import resolve_bot
from ludus.compat.saiblo.game import SaibloGame
from ludus.compat.saiblo.programs import make_ai_program, make_logic_program
from ludus.compat.saiblo.run import judge_match
from ludus.compat.saiblo.settings import JudgerSettings
from ludus.compat.saiblo.verify import rerun
from ludus.compat.saiblo.versions import V1
from ludus.errors import LudusError, PlatformFault
from ludus.games.base import ClockView, IllegalMove, Outcome
from ludus.games.board_language import check_scene, check_view
from ludus.games.host import Ply
from ludus.games.registry import get, names, open_game
from ludus.match import referee, replay
from ludus.match.record import Record, pack, read, unpack
from ludus.match.referee import BoutEnded, BoutEvent, BoutStarted, MovesPlayed, play
from ludus.match.series import series
from ludus.server.live.film import make_film
from tests.support.talking import HAND, PROTOCOL, ROCK_PAPER_SCISSORS, script


def laid_out(folder: Path) -> Path:
    (folder / "ais").mkdir(parents=True)
    (folder / "saiblo.toml").write_text(
        'name = "rps"\nlogic = "logic.py"\nbots = "ais"\ntime = 20.0\nsilence = 20.0\n'
        'title = {en = "Rock paper scissors", zh = "石头剪刀布"}\n'
    )
    (folder / "logic.py").write_text(PROTOCOL + ROCK_PAPER_SCISSORS)
    for hand in ("rock", "paper"):
        (folder / "ais" / f"{hand}.py").write_text(PROTOCOL + HAND.format(hand=hand))
    return folder


@pytest.fixture
def rps(tmp_path: Path) -> Path:
    """The folder of a Saiblo game with two AIs."""
    return laid_out(tmp_path / "rps")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """The folder of such a game, and a packed bout."""
    folder = laid_out(tmp_path_factory.mktemp("shared") / "rps")
    return folder, pack(bout(folder, "rock", "paper"))


@pytest.fixture
def record(finished: tuple[Path, bytes]) -> Record:
    """A bout of rock against paper, for this test alone."""
    folder, packed = finished
    open_game(str(folder))
    return unpack(packed, "finished")


def bout(folder: Path, *bots: str, watch: Any = None, **options: Any) -> Record:
    game = open_game(str(folder))
    players = [create_player(resolve_bot(bot, game), game) for bot in bots]
    settings = game.Options.parse(options)
    return play(game, settings, 7, players, watch=watch)


def test_a_folder_with_a_manifest_is_a_game(rps: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_GAMES", str(rps.parent))
    assert "rps" in names()
    game = get("rps")
    assert game.name == "rps"
    assert game.title["zh"] == "石头剪刀布"
    assert list(game.bots()) == ["paper", "rock"]
    with pytest.raises(LudusError, match="for 2 players, not for 3"):
        get("rps:3")


def test_a_manifest_with_a_mistake_says_which(rps: Path) -> None:
    (rps / "saiblo.toml").write_text('name = "rps"\nlogic = "x"\ncolour = "red"\n')
    with pytest.raises(LudusError, match="colour"):
        open_game(str(rps))


def test_a_bout_of_a_saiblo_game_is_a_ludus_record(record: Record) -> None:
    assert record.scores == [0.0, 1.0]
    assert record.reason == "ended"
    assert json.loads(record.detail["end_info"]) == {"0": 0, "1": 3}
    assert [bot.name for bot in record.bots] == ["rock", "paper"]
    again = unpack(pack(record), "again")
    replay.verify(again)
    seen = [
        {s: m.partition("\n")[0] for s, m in ply.items()} for ply, _ in replay.replay_steps(again)
    ]
    assert seen == [{}, {0: "–"}, *[{0: "rock", 1: "paper"}] * 3]


def test_a_record_that_was_changed_is_not_true(record: Record) -> None:
    other = unpack(pack(record), "other")
    other.moves[1] = other.moves[1].replace("rock", "lizard")
    with pytest.raises(LudusError, match="verification failed"):
        replay.verify(other.with_checksum())
    record.scores = [1.0, 0.0]
    with pytest.raises(LudusError, match="verification failed"):
        replay.verify(record.with_checksum())


def test_the_logic_can_be_asked_again(record: Record) -> None:
    assert rerun(record).same
    invented = unpack(pack(record), "copy")
    invented.moves[0] = invented.moves[0].replace("luck 0.", "luck 9.")
    again = rerun(invented.with_checksum())
    assert not again.same
    assert again.step == 1
    assert "luck 9." in again.why["en"]


def test_options_reach_the_logic_as_its_config(rps: Path) -> None:
    record = bout(rps, "rock", "paper", config='{"rounds": 5}')
    assert json.loads(record.detail["end_info"]) == {"0": 0, "1": 5}
    with pytest.raises(LudusError, match="must be a JSON object"):
        bout(rps, "rock", "paper", config="5")


def test_a_crashed_ai_is_the_logics_business(rps: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("import sys\nsys.stdin.readline()\nsys.exit('oh no')\n")
    game = open_game(str(rps))
    players = [
        create_player(resolve_bot(str(bad), game), game),
        create_player(resolve_bot("paper", game), game),
    ]
    once = game.Options.parse({"config": '{"rounds": 1}'})
    record = play(game, once, 1, players)
    assert record.scores == [0.0, 1.0]
    assert record.moves[1].startswith("(run error)\n")
    assert "oh no" in players[0].output()["stderr"]
    replay.verify(record)


def test_a_logic_that_fails_voids_the_bout(rps: Path) -> None:
    (rps / "logic.py").write_text("raise RuntimeError('no rules today')")
    with pytest.raises(PlatformFault, match="no rules today"):
        bout(rps, "rock", "paper")


LARGE = "1" + "0" * 400
IMPOSSIBLE = {
    json.dumps({"state": -1, "end_info": f'{{"0": {LARGE}, "1": 0}}'}): "is not a number",
    json.dumps({"state": -1, "end_info": '{"0": NaN, "1": 1e400}'}): "is not a number",
    json.dumps({"state": -1, "end_info": '{"0": 1}'}): "a score for each of 2 seats",
    f'{{"state": 0, "time": {LARGE}}}': "'time' is at most",
    '{"state": 0, "time": 1e400}': "out of range",
    '{"state": 0, "length": 1e400}': "out of range",
}
"""What a logic says, and what is wrong with it."""


@pytest.mark.parametrize(
    ("version", "says"),
    [
        *(("v1", says) for says in IMPOSSIBLE),
        # The numbers are read in the same way, but version 2 forgives what is no end.
        *(("v2", says) for says in (min(IMPOSSIBLE, key=len), max(IMPOSSIBLE, key=len))),
    ],
)
def test_numbers_that_no_game_has_void_the_bout(rps: Path, version: str, says: str) -> None:
    with (rps / "saiblo.toml").open("a") as file:
        file.write(f'protocol = "{version}"\n')
    (rps / "logic.py").write_text(f"{PROTOCOL}\nreceive()\ntell({says.encode()!r})\nsys.exit(3)")
    forgiven = version == "v2" and '"state": 0' in says
    why = "exited with code 3" if forgiven else IMPOSSIBLE[says]
    with pytest.raises(PlatformFault, match=f"the logic of rps failed: .*{why}"):
        bout(rps, "rock", "paper")


def test_watchers_see_a_step_as_soon_as_the_logic_asks_again(rps: Path) -> None:
    events: list[tuple[BoutEvent, tuple[int, ...]]] = []
    bout(rps, "rock", "paper", watch=lambda event, pos: events.append((event, pos.to_move)))
    assert [type(event) for event, _ in events] == [BoutStarted, *[MovesPlayed] * 4, BoutEnded]
    assert [to_move for _, to_move in events] == [(0,), (0, 1), (0, 1), (0, 1), (), ()]


def test_views_follow_the_board_language(record: Record) -> None:
    game = get("rps")
    scene = game.scene(game.Options())
    check_scene(scene, game)
    for _, position in replay.replay_steps(record):
        for seat in (None, 0, 1):
            check_view(position.view(seat), scene, position, seat, game, "the view")
    assert [0, False, "rock"] in position.view()["log"]


def test_positions_are_copied_and_refuse_what_their_logic_did_not_say(record: Record) -> None:
    game = get("rps")
    position = game.start(game.Options(), 1)
    before = position.digest()
    with pytest.raises(IllegalMove, match="only the game's logic"):
        position.play({0: "rock"})
    with pytest.raises(IllegalMove, match="expected moves"):
        position.play({1: "rock"})
    with pytest.raises(IllegalMove, match="no step"):
        position.play({0: '–\n[["L", -1, "{}"]]'})
    assert position.digest() == before
    *_, (_, last) = replay.replay_steps(record)
    copied = last.copy()
    assert copied.digest() == last.digest() == record.digest != before


def test_a_series_swaps_seats(rps: Path) -> None:
    game = open_game(str(rps))
    players = [create_player(resolve_bot(bot, game), game) for bot in ("rock", "paper")]
    played = list(series(game, game.Options(), players, 2, 5))
    assert [each.score(1) for each in played] == [1.0, 1.0]


class Reader:
    """A player in this process that answers what it thinks of."""

    digest = ""
    isolation = "in-process"

    def __init__(self, answer: str) -> None:
        self.name = self._answer = answer
        self.plies: list[Ply] = []
        self.outcome: Outcome | None = None
        self.ended = threading.Event()

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        return TimeSpent(0.0, 0.0)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        self.plies += plies
        return MoveAnswer(0.0, 0.0, self._answer)

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        self.outcome = outcome
        self.ended.set()
        return TimeSpent(0.0, 0.0)

    def output(self) -> dict[str, str]:
        return {"stdout": "", "stderr": ""}

    def close(self) -> None:
        pass


def test_any_kind_of_player_can_play_a_saiblo_game(rps: Path) -> None:
    game = open_game(str(rps))
    reader = Reader("scissors")
    players = [reader, create_player(resolve_bot("paper", game), game)]
    record = play(game, game.Options(), 1, players)
    assert record.scores == [1.0, 0.0]
    assert len(reader.plies) == 3
    assert reader.ended.wait(10)
    assert reader.outcome is not None and reader.outcome.scores == (1.0, 0.0)


def test_a_person_plays_a_saiblo_game(rps: Path) -> None:
    """As on the page: asked in one thread, answering from another."""
    game = open_game(str(rps))
    asked: list[dict[str, Any]] = []

    def ask(question: MoveQuestion) -> None:
        asked.append(question.position.view(question.seat))
        threading.Timer(0.01, person.answer, ["scissors"]).start()

    person = HumanPlayer("Ann", ask, lambda question, move, why: None)
    record = play(
        game, game.Options(), 1, [person, create_player(resolve_bot("paper", game), game)]
    )
    assert record.scores == [1.0, 0.0]
    assert [view["phase"]["en"] for view in asked] == ["go"] * 3
    assert record.bots[0].isolation == "human"
    replay.verify(record)
    assert rerun(record).same


def test_a_game_for_several_numbers_of_players(rps: Path) -> None:
    text = (rps / "saiblo.toml").read_text()
    (rps / "saiblo.toml").write_text(text + 'players = [2, 4]\nseats = ["north"]\n')
    game = open_game(f"{rps}:4")
    assert isinstance(game, SaibloGame)
    assert game.name == "rps:4"
    assert game.seat_keys == ["north", "player 2", "player 3", "player 4"]


# Ludus games as logics


@pytest.mark.parametrize(
    ("name", "bots", "settings"),
    [
        ("tablut", ("greedy", "random"), {}),
        ("reversi", ("greedy", "random"), {}),
        ("duel2048", ("random", "random"), {"rounds": 20}),
        ("eraser", ("greedy", "random"), {"turns": 30}),
        ("paperio", ("random", "random"), {"turns": 100}),
    ],
)
def test_a_served_game_plays_the_same_moves_as_the_referee(
    name: str, bots: tuple[str, str], settings: dict[str, Any], tmp_path: Path
) -> None:
    """Saiblo AIs, a Saiblo judger and a Saiblo logic: the same moves on the same seed."""
    game = get(name)
    config: dict[str, Any] = {"seed": 11, **({"options": settings} if settings else {})}
    players = [make_ai_program(f"{name}/{bot}") for bot in bots]
    path = tmp_path / "bout.ludus"
    report = judge_match(
        make_logic_program(game), players, str(path), JudgerSettings(config=config)
    )
    assert report.ended, report
    record = read(path)
    replay.verify(record)
    options = game.Options.parse(settings)
    usual = [create_player(resolve_bot(bot, game), game, isolate=True) for bot in bots]
    expected = referee.play(game, options, 11, usual)
    for player in usual:
        player.close()
    assert record.moves == expected.moves
    assert record.scores == expected.scores == report.scores
    assert record.digest == expected.digest


SERVED_AI = """
import json
while True:
    line = b""
    while not line.endswith(b"\\n"):
        line += read(1)
    said = json.loads(line)
    if said["type"] == "turn":
        {answer}
"""


def served_bout(folder: Path, answer: str, **terms: Any) -> Record:
    strange = script(folder, "strange", SERVED_AI.format(answer=answer))
    path = folder / "bout.ludus"
    config: Any = {"seed": 3, "clock": {"per_move": 2}}
    if terms.get("version") is V1:
        config = json.dumps(config)
    players = [strange, make_ai_program("reversi/random")]
    report = judge_match(
        make_logic_program(get("reversi")),
        players,
        str(path),
        JudgerSettings(config=config, **terms),
    )
    assert report.ended, report
    return read(path)


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("answer(said['legal'][0])", "rules"),
        ("answer('z9')", "illegal"),
        ("sys.exit(1)", "crash"),
        ("time.sleep(60)", "timeout"),
        ("answer('x' * 100000)", "output"),
    ],
)
def test_faults_of_saiblo_ais_become_verdicts(answer: str, verdict: str, tmp_path: Path) -> None:
    record = served_bout(tmp_path, answer)
    assert record.verdict == verdict
    replay.verify(record)


def test_a_game_is_served_in_version_1_too(tmp_path: Path) -> None:
    record = served_bout(tmp_path, "answer(said['legal'][0])", version=V1)
    assert record.verdict == "rules"
    assert record.seed == 3
    replay.verify(record)


def test_a_served_game_refuses_a_wrong_number_of_players(tmp_path: Path) -> None:
    players = [make_ai_program("reversi/random")] * 3
    report = judge_match(
        make_logic_program(get("reversi")), players, str(tmp_path / "x"), JudgerSettings()
    )
    assert report.scores == [0.0, 0.0, 0.0]
    assert "has 2 seats" in report.logic_stderr


def test_a_film_of_a_saiblo_game_shows_what_was_said_and_no_more(record: Record) -> None:
    """The events of a step, which may hold another seat's secrets, never reach a page."""
    film = make_film(record, "id").encode().decode()
    assert "rock" in film
    assert "listen" not in film


def test_players_only_see_their_own_messages_in_hidden_games(rps: Path) -> None:
    (rps / "saiblo.toml").write_text((rps / "saiblo.toml").read_text() + "hidden = true\n")
    record = bout(rps, "rock", "paper")
    told = [position.copy() for _, position in replay.replay_steps(record)]
    during, after = told[2], told[-1]
    assert during.view(0)["log"] == [[0, False, "rock"], [0, True, "go\n"]]
    assert during.view(1)["log"] == [[1, False, "paper"], [1, True, "go\n"]]
    assert during.view(None)["log"] == []
    assert {"rock", "paper"} <= {text for _, _, text in after.view(None)["log"]}
