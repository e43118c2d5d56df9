"""Every house bot of every game plays by the rules, on every seat, and says what it is."""

import ast
import re
from pathlib import Path

import pytest

from ludus.bots.load import load_bot
from ludus.bots.players.local import LocalPlayer
from ludus.bots.resolve import resolve_bot
from ludus.games import Clock, Game, get, names
from ludus.match import replay
from ludus.match.record import Record
from ludus.match.referee import play

SHORT = Clock(budget=2.0)
WEAK = "random"
HOUSE = [(name, bot) for name in names() for bot in get(name).bots()]


def bout(game: Game, bot: str, seat: int, seed: int) -> Record:
    """A short bout of a house bot on a seat against random ones."""
    options = game.Options.parse(game.odd[0])
    seated = [bot if number == seat else WEAK for number in range(len(game.seats))]
    return play(game, options, seed, [player(game, each) for each in seated], SHORT)


def player(game: Game, bot: str) -> LocalPlayer:
    source = resolve_bot(bot, game)
    assert source.path is not None
    return LocalPlayer(bot, lambda: load_bot(source.path, game), source.digest)


def reads_a_clock(path: Path) -> bool:
    """Whether what a bot answers may depend on time."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        match node:
            case ast.Name(id="clock") | ast.Attribute(attr="getTime"):
                return True
            case ast.Import(names=found) if any(alias.name == "time" for alias in found):
                return True
            case ast.ImportFrom(module="time"):
                return True
    return False


@pytest.mark.parametrize("name", names())
def test_every_game_has_a_weak_house_bot_to_try_others_against(name: str) -> None:
    assert WEAK in get(name).bots()


@pytest.mark.parametrize(("name", "bot"), HOUSE)
def test_a_house_bot_plays_by_the_rules_on_every_seat(name: str, bot: str) -> None:
    game = get(name)
    for seat in range(len(game.seats)):
        for seed in (1, 2):
            record = bout(game, bot, seat, seed)
            assert record.faults == [], f"seat {seat}, seed {seed}"
            replay.verify(record)


TIMELESS = [(name, bot) for name, bot in HOUSE if not reads_a_clock(get(name).bots()[bot])]


@pytest.mark.parametrize(("name", "bot"), TIMELESS)
def test_a_house_bot_that_reads_no_clock_repeats_itself(name: str, bot: str) -> None:
    game = get(name)
    for seat in range(len(game.seats)):
        assert bout(game, bot, seat, 3).moves == bout(game, bot, seat, 3).moves


@pytest.mark.parametrize(("name", "bot"), HOUSE)
def test_a_house_bot_says_what_it_does_in_both_languages(name: str, bot: str) -> None:
    path = get(name).bots()[bot]
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    first = said.split("\n")[0]
    both = re.fullmatch(r"[A-Z][ -~]*\. .*[\u4e00-\u9fff].*。", first)
    assert both, f"{path} should begin like 'Any legal move. 随机走子。', not {first!r}"
