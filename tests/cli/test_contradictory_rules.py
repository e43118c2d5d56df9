"""Rules that contradict themselves in the middle of a bout: all that plays by them says so."""

import itertools
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludus.analysis.judges.rollouts import RandomPolicy
from ludus.bots.bot_like import create_players, resolve_bot_like
from ludus.bots.players.human import HumanPlayer, MoveQuestion
from ludus.cli.scaffold import write_game
from ludus.games import Game, contract, get, random_bout
from ludus.games.openings import RandomOpenings
from ludus.games.rules_failure import RulesFailure
from ludus.learn.search import SearchParameters, TreeSearcher
from ludus.match import referee
from ludus.match.record import Record
from ludus.match.referee import play
from tests.support.cli import Ludus
from tests.support.entry_points import forget_entry_points, install_entry_points

Change = tuple[str, str]

ENDLESS: Change = ("if self.has_line():", "if False:")
STUCK: Change = ("elif all(self.cells):", "elif False:")
SHARED: Change = ("        twin.cells = self.cells[:]\n", "")
BREAKING: Change = (
    "        self.seat = 1 - self.seat",
    "        self.seat = 1 - self.seat\n        {}['x' * 9] if self.cells.count('x') > 4 else 0",
)
UNREADABLE: Change = ("hexdigest()[:32]", "hexdigest()[:32] if self.last is None else None")
CROWDED: Change = (
    "return [str(column + 1)",
    "return ['9'] * (3000 if any(self.cells) else 1) + [str(column + 1)",
)
NO_MOVE = r"rules of stones: seat \d is to move but has no legal move, and the bout has no outcome"


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    yield
    forget_entry_points()
    sys.modules.pop("visiting_package", None)


def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *changes: Change) -> Game:
    """A new game, installed with mistakes in its rules."""
    write_game("stones", tmp_path)
    source = (tmp_path / "stones/src/stones/__init__.py").read_text("utf-8")
    shutil.copytree(tmp_path / "stones/src/stones/bots", tmp_path / "bots")
    for right, wrong in changes:
        assert right in source
        source = source.replace(right, wrong)
    install_entry_points(tmp_path, monkeypatch, source, games={"stones": "GAME"})
    return get("stones")


def bout(game: Game, *bots: object) -> Record:
    options = game.Options.parse({"columns": 3})
    found = [resolve_bot_like(bot, game, options) for bot in bots]
    return play(game, options, 1, create_players(found, game, False, None))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ((ENDLESS, STUCK), NO_MOVE),
        ((ENDLESS, BREAKING), "the rules of stones failed at .*, in play: KeyError: 'xxxxxxxxx'"),
        ((UNREADABLE,), "NoneType"),
        ((CROWDED,), r"seat 1 has 300\d legal moves; a tree search takes at most 2048"),
    ],
    ids=["stuck", "breaking", "unreadable", "crowded"],
)
def test_a_tree_search_raises_what_the_rules_did_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: tuple[Change, ...], says: str
) -> None:
    game = install(tmp_path, monkeypatch, *changes)
    style = SearchParameters(simulations=400)
    with pytest.raises(Exception, match=says):
        TreeSearcher(game, style).search(game.start(game.Options(), 0))


@pytest.mark.parametrize("method", ["copy", "legal", "digest"])
def test_an_interrupt_inside_the_rules_ends_a_tree_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    game = install(tmp_path, monkeypatch)
    style = SearchParameters(simulations=100)
    start = game.start(game.Options(), 0)
    works = getattr(type(start), method)
    left = itertools.count()

    def interrupted(*arguments: object) -> object:
        if next(left) == 0:
            raise KeyboardInterrupt
        return works(*arguments)

    for before in range(40):
        left = itertools.count(-before)
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(type(start), method, interrupted)
            TreeSearcher(game, style).search(start)


def test_a_seat_without_a_move_is_a_mistake_of_the_rules_in_a_bout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Ludus
) -> None:
    game = install(tmp_path, monkeypatch, ENDLESS, STUCK)
    for bots in ("random random", "search:30 random"):
        done = cli("play", "stones", *bots.split(), "-o", "columns=3", "--openings", "none")
        assert done.code == 2 and "has no legal move" in done.err
    assert "(step 12)" in cli("play", "stones", "random", "random", "-o", "columns=3").err
    assert "(step 12)" in cli("playthrough", "stones", "-o", "columns=3").err
    first = lambda position: position.legal(position.to_move[0])[0]  # noqa: E731
    anything = lambda position: "1"  # noqa: E731
    for bot in (first, anything):
        with pytest.raises(RulesFailure, match=NO_MOVE):
            bout(game, bot if bot is first else "random", first)


def test_a_person_is_not_asked_for_a_move_that_does_not_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = install(tmp_path, monkeypatch, ENDLESS, STUCK)

    def ask(question: MoveQuestion) -> None:
        people[question.seat].answer(question.position.legal(question.seat)[0])

    people = [HumanPlayer(name, ask, lambda *_: None) for name in ("Ann", "Bo")]
    with pytest.raises(RulesFailure, match=NO_MOVE):
        play(game, game.Options.parse({"columns": 3}), 1, people)


def test_random_continuations_say_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = install(tmp_path, monkeypatch, ENDLESS, STUCK)
    position = game.start(game.Options.parse({"columns": 3}), 0)
    for move in "111122223333":
        position.play({position.to_move[0]: move})
    with pytest.raises(RulesFailure, match=NO_MOVE):
        RandomPolicy(1, "stones").choose(position, 0)


def test_the_contract_says_that_a_seat_has_no_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = install(tmp_path, monkeypatch, ENDLESS, STUCK)
    options = game.Options.parse({"columns": 3})
    moves = [{ply % 2: move} for ply, move in enumerate("11112222333")]
    position, digests = game.start(options, 1), [game.start(options, 1).digest()]
    for ply in moves:
        position.play(ply)
        digests.append(position.digest())
    played = random_bout.RandomBout(game, options, 1, moves, digests, ["1"])
    with pytest.raises(AssertionError, match=r"stones with .* seat 0 is to move and has no legal"):
        contract.check_copies(played)


def test_a_copy_that_is_not_independent_is_a_mistake_of_the_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Ludus
) -> None:
    game = install(tmp_path, monkeypatch, SHARED)
    done = cli("play", "stones", "search:30", "random", "--openings", "none")
    assert done.code == 2 and "the rules of stones" in done.err and "copy()" in done.err
    with pytest.raises(RulesFailure, match=r"Run the tests of the game \(is copy\(\) indep"):
        for seed in range(20):
            RandomOpenings("random:9", game=game, options=game.Options(), plies=9).draw(seed)

    def crash(position: object) -> str:
        raise ValueError

    with pytest.raises(RulesFailure, match=r"let copy\(\) return an independent one"):
        bout(game, crash, "random")


def test_an_offered_move_that_is_refused_is_a_mistake_of_the_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing = (
        "if move not in self.legal(self.seat)",
        "if move == '3' or move not in self.legal(self.seat)",
    )
    game = install(tmp_path, monkeypatch, refusing)
    with pytest.raises(RulesFailure, match="refused a move that they had offered as legal: seat 0"):
        bout(game, lambda position: "3", "random")


def test_rules_that_fail_under_a_bot_void_the_bout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although the bot was the first that met the mistake."""
    game = install(tmp_path, monkeypatch, ENDLESS, BREAKING)

    def look_ahead(position):  # type: ignore[no-untyped-def]
        seat = position.to_move[0]
        position.copy().play({seat: position.legal(seat)[0]})
        return position.legal(seat)[-1]

    with pytest.raises(RulesFailure, match="in play: KeyError"):
        bout(game, look_ahead, look_ahead)


@pytest.mark.parametrize("scores", ["(0.5,)", "(0.5, 0.5, 0.5)", "(0.5, None)", "0.5"])
def test_an_outcome_without_a_score_for_each_seat_is_a_mistake_of_the_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Ludus, scores: str
) -> None:
    game = install(tmp_path, monkeypatch, ENDLESS, ('(0.5, 0.5), "full"', f'{scores}, "full"'))
    with pytest.raises(RulesFailure, match=r"not a tuple of 2 numbers, one for .* \(step 12\)"):
        bout(game, "random", "random")
    done = cli("play", "stones", "random", "random", "-o", "columns=3", "--openings", "none")
    assert (
        done.code == 2 and f"the rules of stones: the outcome has the scores {scores}" in done.err
    )


def test_a_reason_without_a_sentence_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = install(tmp_path, monkeypatch, ENDLESS, ('(0.5, 0.5), "full"', '(0.5, 0.5), "filled"'))
    warnings: list[str] = []
    monkeypatch.setattr(referee.log, "warning", lambda text, *parts: warnings.append(text % parts))
    bout(game, "random", "random")
    assert len(warnings) == 1 and "stones" in warnings[0] and "'filled'" in warnings[0]


def test_the_contract_names_a_move_on_which_play_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    careless = (
        "if move not in self.legal(self.seat)",
        "if str(int(move)) not in self.legal(self.seat)",
    )
    game = install(tmp_path, monkeypatch, careless)
    says = r"stones with .*: step 0: '' of seat 0: play\(\) raised ValueError: .* IllegalMove"
    with pytest.raises(AssertionError, match=says):
        contract.check_refusals(random_bout.random_bout(game, game.Options(), 1))


def test_the_contract_compares_the_name_with_that_of_the_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = install(tmp_path, monkeypatch)
    contract.check_entry_point(game)
    monkeypatch.setattr(type(game), "name", "pebbles")
    with pytest.raises(AssertionError, match="pebbles is installed by an entry point called 'ston"):
        contract.check_entry_point(game)


def test_a_bot_that_calls_the_rules_wrongly_is_told_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = install(tmp_path, monkeypatch)
    record = bout(game, lambda position: position.play(None), "random")
    assert record.reason == "crash" and record.scores == [0.0, 1.0]
    why = record.faults[0].why
    assert "AttributeError" in why["en"] and ", in the rules of stones (" in why["en"]
    assert "visiting_package.py:" in why["en"] and "stones 的规则中" in why["zh"]
