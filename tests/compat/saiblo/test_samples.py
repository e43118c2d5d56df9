"""The sample games: their rules, their AIs in two languages, and that hidden cards stay hidden."""

import importlib.util
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.players.human import explain_illegal_move
from ludus.bots.resolve import resolve_bot
from ludus.compat.saiblo.command import find_typed_program
from ludus.compat.saiblo.frames import TO_JUDGER
from ludus.compat.saiblo.position import event_body, parse_step
from ludus.compat.saiblo.programs import make_ai_program, make_logic_program
from ludus.compat.saiblo.run import judge_match
from ludus.compat.saiblo.samples import FOLDER
from ludus.compat.saiblo.settings import JudgerSettings
from ludus.compat.saiblo.verify import rerun
from ludus.compat.saiblo.versions import VERSIONS
from ludus.games.base import Game
from ludus.games.board_language import check_scene, check_view
from ludus.games.registry import get, names, sample_names
from ludus.lang import Text
from ludus.match import replay
from ludus.match.bot_check.findings import make_findings
from ludus.match.bot_check.trials import BotCheck
from ludus.match.record import Record, read
from ludus.match.referee import play
from tests.support.languages import need

COLOURS = "rygb"


@pytest.fixture(autouse=True, scope="module")
def home(
    tmp_path_factory: pytest.TempPathFactory, shared_builds: None, hasty_compilers: None
) -> Any:
    need("cpp")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LUDUS_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="module")
def luck(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The sample ``dice`` with dice that fall alike in every run."""
    path = tmp_path_factory.mktemp("luck") / "luck.py"
    text = (FOLDER / "uno" / "ais" / "dice.py").read_text(encoding="utf-8")
    path.write_text(text.replace("import random\n", "import random\n\nrandom.seed(1)\n"))
    return str(path)


def bout(game: str | Game, *bots: str, seed: int = 1) -> Record:
    rules = get(game) if isinstance(game, str) else game
    players = [create_player(resolve_bot(bot, rules), rules) for bot in bots]
    return play(rules, rules.Options(), seed, players)


def answers(record: Record) -> list[str]:
    """What was played, without the logic's own steps."""
    steps = [ply for ply, _ in replay.replay_steps(record) if ply]
    return [next(iter(ply.values())).partition("\n")[0] for ply in steps][1:]


def test_samples_are_found_by_their_names_without_crowding_the_list() -> None:
    assert sample_names() == ["saiblo_reversi", "uno"]
    assert not set(sample_names()) & set(names())
    assert get("uno:5").seat_keys == ["first", "second", "third", "fourth", "fifth"]


@pytest.mark.parametrize("version", VERSIONS)
def test_reversi_is_judged_in_every_version(version: str, tmp_path: Path) -> None:
    folder = FOLDER / "saiblo_reversi"
    logic = find_typed_program("logic.py", folder)
    ais = [find_typed_program(f"ais/{name}", folder) for name in ("corners.py", "narrow.cpp")]
    path = tmp_path / "replay.json"
    report = judge_match(logic, ais, str(path), JudgerSettings(version=VERSIONS[version]))
    assert report.ended, report
    assert [seat.verdict for seat in report.seats] == ["OK", "OK"]
    kept = json.loads(path.read_text())
    assert kept["scores"] == report.scores
    assert len(kept["moves"]) <= 60


def sample_rules() -> Any:
    """The rules of the sample, which is no package."""
    path = FOLDER / "saiblo_reversi" / "rules.py"
    spec = importlib.util.spec_from_file_location("sample_rules", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", range(8))
def test_the_samples_reversi_is_reversi(seed: int) -> None:
    """Every position of a random bout looks the same as in the built-in game."""
    dice = random.Random(seed)
    board = sample_rules().Board()
    position: Any = get("reversi").start(get("reversi").Options(), 0)
    while position.to_move:
        assert board.legal() == position.legal(position.seat)
        assert board.view() == position.view()
        move = dice.choice(board.legal())
        board.put(move)
        position.play({position.seat: move})
    assert board.mover is None
    assert board.view() == position.view()


@pytest.mark.parametrize("seats", [("greedy", "corners"), ("corners", "greedy")])
def test_a_bout_is_the_same_at_a_served_game_and_at_the_samples_logic(
    seats: tuple[str, str], tmp_path: Path
) -> None:
    """A Ludus bot and a Saiblo AI: once at our Reversi, once at Saiblo's."""
    ai = find_typed_program("ais/corners.py", FOLDER / "saiblo_reversi")
    ours = {"greedy": make_ai_program("reversi/greedy"), "corners": ai}
    path = tmp_path / "bout.ludus"
    terms = JudgerSettings(config={"seed": 5})
    report = judge_match(
        make_logic_program(get("reversi")), [ours[bot] for bot in seats], str(path), terms
    )
    assert report.ended, report
    record = read(path)
    replay.verify(record)
    theirs = {"greedy": "bot:reversi/greedy", "corners": "corners"}
    bridged = bout("saiblo_reversi", *(theirs[bot] for bot in seats), seed=5)
    replay.verify(bridged)
    assert record.verdict == bridged.verdict == "rules"
    assert answers(bridged) == record.moves
    assert bridged.scores == record.scores
    *_, (_, last) = replay.replay_steps(record)
    *_, (_, bridged_last) = replay.replay_steps(bridged)
    assert bridged_last.view()["layers"] == last.view()["layers"]


def test_reversi_has_the_board_of_the_built_in_game() -> None:
    game = get("saiblo_reversi")
    scene = game.scene(game.Options())
    assert scene == get("reversi").scene(get("reversi").Options())
    record = bout(game, "dice", "narrow")
    for _, position in replay.replay_steps(record):
        for seat in (None, 0, 1):
            check_view(position.view(seat), scene, position, seat, game, "the view")


# Uno


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_uno_is_played_to_the_end(players: int, luck: str) -> None:
    game = get(f"uno:{players}")
    bots = ["saver", "hunter", luck, "saver", "hunter"][:players]
    record = bout(game, *bots, seed=players)
    assert record.verdict == "rules", record.faults
    assert max(record.scores) == 1
    assert sum(record.scores) == pytest.approx(players / 2)
    assert rerun(record).same


def test_uno_speaks_the_board_language() -> None:
    game = get("uno:3")
    scene = game.scene(game.Options())
    check_scene(scene, game)
    record = bout(game, "saver", "hunter", "dice")
    for _, position in replay.replay_steps(record):
        for seat in (None, 0, 1, 2):
            check_view(position.view(seat), scene, position, seat, game, "the view")


def test_every_card_of_uno_that_may_be_played_can_be_clicked() -> None:
    """Also the second of two alike, and a wild card, whose colour a button decides."""
    record = bout("uno:3", "saver", "hunter", "saver")
    twins = wilds = 0
    for _, position in replay.replay_steps(record):
        for seat in position.to_move:
            view = position.view(seat)
            offered = view["gestures"].get(str(seat), [])
            clicks = [
                (8 * one["row"] + one["column"], one["move"]) for one in offered if "row" in one
            ]
            moves = set(position.legal(seat)) - {"draw", "pass"}
            cards = {move: move[:-1] if move.startswith("w") else move for move in moves}
            hand = view["layers"]["cards"]
            expected = [
                (cell, move)
                for move, card in cards.items()
                for cell in range(8, 32)
                if hand[cell] == card
            ]
            assert sorted(click for click in clicks if click[1] != "draw") == sorted(expected)
            twins += len({cell for cell, _ in expected}) > len(set(cards.values()))
            wilds += any(move.startswith("w") for move in moves)
    assert twins and wilds


def test_a_seat_sees_its_own_cards_only(luck: str) -> None:
    """Of everything that is ever said to a seat or to spectators, nothing names others' cards."""
    record = bout("uno:3", "saver", "hunter", luck, seed=4)
    dealt: dict[int, list[str]] = {}
    for target, said in told(record):
        assert "seed" not in said and "moves" not in said
        if "view" not in said:
            continue
        view = said["view"]
        piles, hand = view["layers"]["cards"][:8], view["layers"]["cards"][8:]
        assert [card[: len(view["top"])] for card in piles if card] in (
            [view["top"], "back"[: len(view["top"])]],
            [view["top"]],
        )
        assert [card for card in hand if card] == view["hand"][:24]
        if target == TO_JUDGER:
            assert view["hand"] == []
        else:
            assert len(view["hand"]) == view["counters"]["cards"][target]
            dealt.setdefault(target, view["hand"])
    assert [len(dealt[seat]) for seat in range(3)] == [7, 7, 7]


def test_the_legal_moves_of_uno_are_those_of_the_rules(luck: str) -> None:
    """Worked out again from what the seat sees."""
    turns = 0
    for seed in range(3):
        record = bout("uno:4", luck, "hunter", luck, "saver", seed=seed)
        for _, said in told(record):
            if said["type"] == "turn":
                assert sorted(said["legal"]) == sorted(legal(said["view"]))
                turns += 1
    assert turns > 100


def legal(view: dict[str, Any]) -> list[str]:
    drawn, top, colour = view["drawn"], view["top"], view["colour"]
    found = []
    for card in {drawn} if drawn else set(view["hand"]):
        if card == "w4" and any(other[0] == colour for other in view["hand"]):
            continue
        if card[0] == "w":
            found += [card + wanted for wanted in COLOURS]
        elif card[0] == colour or card[1] == top[1:2]:
            found.append(card)
    return [*found, "pass" if drawn else "draw"]


def told(record: Record) -> Iterator[tuple[int, dict[str, Any]]]:
    """Everything that the logic said to seats and spectators, in order."""
    for ply, _ in replay.replay_steps(record):
        for event in parse_step(next(iter(ply.values()))) if ply else ():
            if event[0] == "J":
                continue
            body = json.loads(event_body(event))
            if event[1] != TO_JUDGER:
                yield event[1], body
            elif "watch" in body:
                yield TO_JUDGER, json.loads(body["watch"])
            elif body["state"] > 0:
                for seat, content in zip(body["player"], body["content"], strict=True):
                    yield seat, json.loads(content)


def test_no_card_of_uno_is_lost_or_made(luck: str) -> None:
    """Hands, pile and discards are 108 cards at every moment, and no card is there too often."""
    record = bout("uno:3", "saver", "hunter", luck, seed=9)
    played_cards, hands = 1, dict[int, list[str]]()
    piles = [view["counters"]["pile"] for view in watched(record)]
    assert piles == sorted(piles, reverse=True), "choose a seed without a reshuffle"
    for view, move in zip(watched(record), ["", *answers(record)], strict=True):
        played_cards += move not in ("", "draw", "pass")
        assert sum(view["counters"]["cards"]) + view["counters"]["pile"] + played_cards == 108
    for target, said in told(record):
        if "view" in said and target != TO_JUDGER:
            hands[target] = said["view"]["hand"]
            cards = [card for hand in hands.values() for card in hand]
            assert all(cards.count(card) <= copies(card) for card in cards)


def watched(record: Record) -> list[dict[str, Any]]:
    """What spectators saw, once after the deal and once after every move."""
    return [said["view"] for target, said in told(record) if target == TO_JUDGER]


def copies(card: str) -> int:
    if card[0] == "w":
        return 4
    return 1 if card[1] == "0" else 2


BAD = {
    "illegal": "judger.answer('r77')",
    "crash": "raise SystemExit('oh no')",
    "silence": "import time; time.sleep(60)",
}


@pytest.mark.parametrize("deed", BAD)
def test_a_player_who_misbehaves_at_uno_is_out_and_the_others_go_on(
    deed: str, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(
        "from ludus.compat.saiblo.sdk.ai import Judger\njudger = Judger()\n"
        f"while line := judger.line():\n    if '\"turn\"' in line:\n        {BAD[deed]}\n"
    )
    record = bout("uno:3", "saver", str(bad), "hunter", seed=2)
    assert record.scores[1] == 0
    assert sorted(record.scores) == [0, 0.5, 1]
    assert len(record.moves) > 10


def test_who_ran_out_of_time_is_named_where_that_ended_the_bout(tmp_path: Path) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text("import time; time.sleep(60)\n")
    record = bout("uno", "saver", str(slow), seed=2)
    named = [Text(name, name) for name in ("saver", "slow")]
    why = get("uno").explain_bout(record.outcome, record.moves, named)
    assert why == {"en": "slow ran out of time", "zh": "slow 超时"}
    replay.verify(record)


def test_a_card_that_cannot_be_played_is_refused_with_one_that_can(luck: str) -> None:
    record = bout("uno", luck, luck)
    position, seat = next(
        (after, seat)
        for _, after in replay.replay_steps(record)
        for seat in after.to_move
        if after.legal(seat)
    )
    why = explain_illegal_move(position, seat, "摸牌")
    assert why is not None
    for lang in ("en", "zh"):
        assert "Saiblo" not in why[lang] and position.legal(seat)[0] in why[lang]


def test_a_check_plays_every_seat_and_leaves_faults_to_the_game_s_own_referee() -> None:
    game = get("uno:3")
    report = BotCheck(resolve_bot("saver", game), game).run()
    assert [bout.seats for bout in report.bouts] == [(0,), (1,), (2,)]
    seats, *_ = make_findings(game, report)
    assert (seats.code, seats.severity) == ("seats", "note")
    assert "the game's own referee decides" in seats.text["en"]
    assert seats.evidence.bouts == (0, 1, 2)
