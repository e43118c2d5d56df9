"""The example bots of the kits play whole matches against Python bots, and play well."""

from pathlib import Path

import pytest

import ludus
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games import get, names
from ludus.match import replay
from ludus.match.series import series
from tests.support.languages import need

SDK = Path(ludus.__file__).parent / "sdk"
SUFFIXES = {"cpp": ".cpp", "javascript": ".mjs"}
SHORTER = {"paperio": {"turns": 60}, "duel2048": {"rounds": 100}, "eraser": {"turns": 100}}
"""Long enough to tell who plays better."""
GAMES = ("ataxx", "duel2048", "eraser", "paperio", "tablut", "reversi")
PYTHON = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True, scope="module")
def home(
    tmp_path_factory: pytest.TempPathFactory, shared_builds: None, hasty_compilers: None
) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LUDUS_HOME", str(tmp_path_factory.mktemp("home")))
        yield


def example(language: str, game: str) -> str:
    need(language)
    return str(SDK / language / "examples" / f"{game}{SUFFIXES[language]}")


def test_there_is_an_example_for_every_game_of_ours() -> None:
    assert set(GAMES) <= set(names())
    for language, suffix in SUFFIXES.items():
        found = {path.stem for path in (SDK / language / "examples").glob(f"*{suffix}")}
        assert found == set(GAMES)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", SUFFIXES)
def test_an_example_plays_better_than_random(language: str, game: str) -> None:
    rules = get(game)
    specs = [example(language, game), "random"]
    players = [create_player(resolve_bot(spec, rules), rules) for spec in specs]
    options = rules.Options.parse(SHORTER.get(game, {}))
    for played in series(rules, options, players, 2, 3):
        assert played.record.verdict == "rules", played.record.faults
        replay.verify(played.record)
        assert played.score(0) == 1.0


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", SUFFIXES)
def test_an_example_plays_a_whole_bout_against_a_python_bot(language: str, game: str) -> None:
    rules = get(game)
    specs = [example(language, game), str(PYTHON / f"{game}_bot.py")]
    players = [create_player(resolve_bot(spec, rules), rules) for spec in specs]
    options = rules.Options.parse(SHORTER.get(game, {}))
    (played,) = series(rules, options, players, 1, 1)
    assert played.record.verdict == "rules", played.record.faults
    replay.verify(played.record)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", SUFFIXES)
def test_an_example_survives_odd_options(language: str, game: str) -> None:
    rules = get(game)
    odd = [options for options in rules.odd if options]  # the usual ones are played above
    for number, options in enumerate(odd):
        specs = [example(language, game), "random"]
        players = [create_player(resolve_bot(spec, rules), rules) for spec in specs]
        if number % 2:
            players.reverse()
        (played,) = series(rules, rules.Options.parse(options), players, 1, 5)
        assert played.record.verdict == "rules", (options, played.record.faults)


@pytest.mark.parametrize("language", SUFFIXES)
def test_the_same_bout_is_played_again(language: str) -> None:
    rules = get("tablut")
    moves = []
    for _ in range(2):
        specs = [example(language, "tablut"), "random"]
        players = [create_player(resolve_bot(spec, rules), rules, isolate=True) for spec in specs]
        (played,) = series(rules, rules.Options(), players, 1, 9)
        moves.append(played.record.moves)
    assert moves[0] == moves[1]
