"""Every registered game keeps the contract; test_plain.py runs this as plain Python too."""

import os
import re
from pathlib import Path

import pytest

from ludus.bots.load import load_bot
from ludus.bots.players.local import LocalPlayer
from ludus.compat.notebook.colours import ROLE_COLOURS, to_hex
from ludus.games import Game, IllegalMove, Outcome, contract, get, names, random_bout
from ludus.games.board_language import ROLES
from ludus.games.contract import GameContract, check_game_scene, check_seeds, playthrough
from ludus.lang import Text
from ludus.match import replay
from ludus.match.referee import play
from tools.docs_site.sources import DOCS

ROOT = Path(__file__).resolve().parents[2]
PLAIN = bool(os.environ.get("LUDUS_UNCOMPILED"))
for _name in names():
    # Fewer bouts, and fewer positions of each, where the rules are plain, slow Python.
    _size = {"seeds": (1,), "samples": 2} if PLAIN else {"seeds": (1, 2), "samples": 6}
    _test = type(f"Test_{_name}", (GameContract,), {"game": get(_name), **_size})
    globals()[_test.__name__] = _test


@pytest.mark.parametrize("name", names())
def test_records_of_house_bots_replay(name: str) -> None:
    game = get(name)
    options = game.Options.parse(game.odd[0])
    for path in game.bots().values():
        players = [LocalPlayer(path.stem, lambda p=path: load_bot(p, game)) for _ in game.seats]
        record = play(game, options, 5, players)
        assert record.faults == []
        replay.verify(record)


# A game of another kind than ours: everybody moves at once, by buttons, and sees little.

SIGNS = ("rock", "paper", "scissors")


class HandsPosition:
    """Two hands at once, twice; the seats see only how many rounds were played."""

    def __init__(self, wins: tuple[int, int] = (0, 0), rounds: int = 0) -> None:
        self.wins, self.rounds = list(wins), rounds

    @property
    def to_move(self):
        return (0, 1) if self.rounds < 2 else ()

    @property
    def outcome(self):
        if self.to_move:
            return None
        lead = self.wins[0] - self.wins[1]
        scores = (0.5, 0.5) if lead == 0 else (1.0, 0.0) if lead > 0 else (0.0, 1.0)
        return Outcome(scores, "hands")

    def legal(self, seat):
        return list(SIGNS) if seat in self.to_move else []

    def play(self, moves):
        wrong = next((seat for seat in self.to_move if moves.get(seat) not in SIGNS), None)
        if wrong is not None or set(moves) != set(self.to_move):
            raise IllegalMove(wrong or 0, moves.get(wrong, ""), "show a sign", "请出手")
        lead = (SIGNS.index(moves[0]) - SIGNS.index(moves[1])) % 3
        self.wins[0] += lead == 1
        self.wins[1] += lead == 2
        self.rounds += 1

    def view(self, seat=None):
        buttons = [{"kind": "button", "label": {"en": s, "zh": s}, "move": s} for s in SIGNS]
        movers = [s for s in self.to_move if seat in (None, s)]
        return {
            "layers": {"hands": [""]},
            "phase": {"en": "show", "zh": "出手"},
            "to_move": list(self.to_move),
            "counters": {"round": self.rounds},
            "gestures": {str(mover): buttons for mover in movers},
        }

    def copy(self):
        return HandsPosition(tuple(self.wins), self.rounds)

    def digest(self):
        return f"{self.wins} {self.rounds}"


class Hands(Game):
    name = "hands"
    version = 1
    title = {"en": "Hands", "zh": "猜拳"}
    seats = ("left", "right")
    reasons = {"hands": {"en": "more rounds won", "zh": "胜的轮数更多"}}
    hidden = True

    def start(self, options, seed):
        return HandsPosition()

    def is_seeded(self, options):
        return False

    def scene(self, options):
        counters = [{"key": "round", "name": {"en": "round", "zh": "轮"}}]
        size = {"rows": 1, "columns": 1}
        return {**size, "layers": ["hands"], "tokens": {"hands": {}}, "counters": counters}


class TestAGameWhereAllSeatsMoveAtOnce(GameContract):
    game = Hands()


def test_a_plain_word_names_a_seat_too() -> None:
    assert Hands.seats == ({"en": "left", "zh": "left"}, {"en": "right", "zh": "right"})
    assert Hands().seat_keys == ["left", "right"]


def test_a_playthrough_shows_every_seats_moves_and_the_layers_of_what_prints_nothing() -> None:
    text = playthrough(Hands(), Hands.Options(), 1)
    assert "hands: .\nto move: 0 1\nlegal 0: rock paper scissors\nlegal 1: rock" in text
    assert text.count("play: 0:") == 2
    assert "zh: 胜的轮数更多" in text


class UndeclaredHands(Hands):
    """Ignores its seed, and does not say so."""

    def is_seeded(self, options):
        return True


class FixedDuel(type(get("duel2048"))):
    """Claims that its seed does not matter."""

    def is_seeded(self, options):
        return False


@pytest.mark.parametrize(
    ("game", "says"),
    [(UndeclaredHands(), "begin with openings"), (FixedDuel(), "another seed gives other")],
)
def test_a_wrong_word_about_seeds_is_found(game: Game, says: str) -> None:
    with pytest.raises(AssertionError, match=says):
        check_seeds(random_bout.random_bout(game, game.Options(), 1))


# The checks themselves: games that break the contract are found out.


class Broken:
    """A position of Duel 2048 with one promise broken."""

    def __init__(self, inner: object) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    def copy(self) -> "Broken":
        return type(self)(self.inner.copy())


class CopiesAreShared(Broken):
    def copy(self) -> "Broken":
        return type(self)(self.inner)


class AnythingGoes(Broken):
    def play(self, moves):
        seat = self.to_move[0] if self.to_move else 0
        if self.to_move and set(moves) == {seat} and moves[seat] not in self.legal(seat):
            moves = {seat: self.legal(seat)[0]}
        self.inner.play(moves)


class RefusesWithoutChinese(Broken):
    def play(self, moves):
        try:
            self.inner.play(moves)
        except IllegalMove as error:
            raise IllegalMove(error.seat, error.move, error.why["en"], "") from None


class ChangesWhenItRefuses(Broken):
    def play(self, moves):
        try:
            self.inner.play(moves)
        except IllegalMove:
            if self.to_move:
                seat = self.to_move[0]
                self.inner.play({seat: self.legal(seat)[0]})
            raise


class DrawsFromTheGlobalGenerator(Broken):
    def play(self, moves):
        import random

        random.random()
        self.inner.play(moves)


class OffersForbiddenMoves(Broken):
    def legal(self, seat):
        moves = self.inner.legal(seat)
        return [*moves, "9,9"] if moves else moves


class RepeatsMoves(Broken):
    def legal(self, seat):
        return self.inner.legal(seat) * 2


class ShowsTuples(Broken):
    def view(self, seat=None):
        return {**self.inner.view(seat), "to_move": self.to_move}


class ShowsUnknownTokens(Broken):
    def view(self, seat=None):
        return {**self.inner.view(seat), "layers": {"tiles": ["?"] * 32}}


class ShowsHalfABoard(Broken):
    def view(self, seat=None):
        return {**self.inner.view(seat), "layers": {"tiles": [""] * 16}}


class OffersGesturesForNothing(Broken):
    def view(self, seat=None):
        gesture = {"kind": "key", "key": "x", "move": "nowhere"}
        return {**self.inner.view(seat), "gestures": {"0": [gesture]}}


class GivesNoReason(Broken):
    @property
    def outcome(self):
        inner = self.inner.outcome
        return inner and Outcome(inner.scores, "whim", inner.detail)


class ForgetsFacts(Broken):
    @property
    def outcome(self):
        inner = self.inner.outcome
        return inner and Outcome(inner.scores, "level", {"level": "{", "first": 1, "second": 2})


class LacksFacts(Broken):
    @property
    def outcome(self):
        inner = self.inner.outcome
        return inner and Outcome(inner.scores, "level", {"level": 3})


class HasOneDigest(Broken):
    def digest(self):
        return "same"


def breaking(kind: type[Broken]) -> object:
    """Duel 2048 with broken positions."""
    plain = get("duel2048")
    start = lambda self, options, seed: kind(plain.start(options, seed))  # noqa: E731
    return type("BrokenGame", (type(plain),), {"start": start, "odd": ({"rounds": 3},)})()


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (CopiesAreShared, "cop"),
        (AnythingGoes, "was played"),
        (RefusesWithoutChinese, "lacks 'zh'"),
        (ChangesWhenItRefuses, "but changed"),
        (DrawsFromTheGlobalGenerator, "global random generator"),
        (OffersForbiddenMoves, "9,9"),
        (RepeatsMoves, "repeats a move"),
        (ShowsTuples, "is not JSON"),
        (ShowsUnknownTokens, "tokens that the scene does not know"),
        (ShowsHalfABoard, "has 16 cells"),
        (OffersGesturesForNothing, "is not legal"),
        (GivesNoReason, "no reason 'whim'"),
        (ForgetsFacts, "braces are left"),
        (LacksFacts, "names first, second: not in the detail"),
        (HasOneDigest, "leaves the digest"),
    ],
)
def test_a_game_that_breaks_the_contract_is_found_out(kind: type[Broken], sentence: str) -> None:
    game = breaking(kind)
    with pytest.raises((AssertionError, IllegalMove)) as found:
        options = game.Options(rounds=3)
        bout = random_bout.random_bout(game, options, 1)
        for check in contract.BOUT_CHECKS:
            check(bout)
    assert sentence in str(found.value)


@pytest.mark.parametrize(
    ("sentence", "detail", "shown"),
    [
        ("four in a row: {line}", {}, "four in a row: …"),
        ("{hero}: {line[0]} of {line.length:d}, {steps:+d}", {"steps": 2}, "…: … of …, +2"),
        ("after {steps:d} moves", {"steps": "many"}, "after … moves"),
    ],
)
def test_an_old_record_is_explained_without_the_facts_that_it_lacks(
    sentence: str, detail: dict[str, object], shown: str
) -> None:
    game = type("Renewed", (Hands,), {"reasons": {"line": {"en": sentence, "zh": sentence}}})()
    assert game.explain(Outcome((1, 0), "line", detail)) == {"en": shown, "zh": shown}
    assert game.explain(Outcome((1, 0), "{gone}", detail))["en"] == "{gone}"


@pytest.mark.parametrize(
    ("name", "told"),
    [("A", "A 的"), ("角落 #1", "角落 #1 的"), ("小明", "小明的")],
)
def test_a_name_in_latin_letters_stands_apart_from_chinese_words(name: str, told: str) -> None:
    outcome = Outcome((1, 0), "discs", {"black": 40, "white": 24})
    called = [Text(name, name), Text("B", "B")]
    assert get("reversi").explain(outcome, called)["zh"].startswith(told)


def test_a_sentence_may_name_who_won_without_a_fact_in_the_detail() -> None:
    sentence = {"en": "more for {winner}", "zh": "{winner}更多"}
    game = type("Told", (Hands,), {"reasons": {"more": sentence}})()
    won = Outcome((0, 1), "more")
    assert game.explain(won)["en"] == f"more for {game.seats[1]['en']}"
    names = (Text("Ann", "安"), Text("Bo", "博"))
    assert game.explain(won, names) == {"en": "more for Bo", "zh": "博更多"}
    contract.check_outcome(game, won)


def test_a_role_without_a_colour_is_refused_with_those_that_have_one() -> None:
    class Painted(Hands):
        role = "crimson"

        def scene(self, options):
            label = {"en": "rock", "zh": "石头"}
            tokens = {"r": {"owner": 0, "glyph": "r", "label": label, "role": self.role}}
            return {**super().scene(options), "tokens": {"hands": tokens}}

    with pytest.raises(AssertionError, match=r"role 'crimson'; roles are: black, .*king, level1"):
        check_game_scene(Painted())
    for Painted.role in (*ROLES, "level12"):
        check_game_scene(Painted())
    assert set(ROLES) == set(ROLE_COLOURS)
    skin = (ROOT / "web/src/skins/generic.ts").read_text("utf-8")
    on_the_page = dict(re.findall(r"^  (\w+): \"(#[0-9a-f]{6})\",$", skin, re.MULTILINE))
    assert on_the_page == {role: to_hex(colour) for role, colour in ROLE_COLOURS.items()}
    for language in ("en", "zh"):
        page = (DOCS / language / "games.md").read_text(encoding="utf-8")
        assert [role for role in ROLES if f"`{role}`" not in page] == []


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        (("rock", "", ""), r"lacks moves that were legal: \['paper', 'scissors'\]"),
        ((*SIGNS, "rock"), r"has a move more than once: \['rock'\]"),
    ],
)
def test_a_list_of_actions_that_is_not_right_is_found_out(
    actions: tuple[str, ...], sentence: str
) -> None:
    counted = type("Counted", (Hands,), {"list_actions": lambda self, options: actions})()
    with pytest.raises(AssertionError, match=sentence):
        contract.check_actions(random_bout.random_bout(counted, Hands.Options(), 1))


def test_a_bout_without_end_is_found_out() -> None:
    with pytest.raises(AssertionError, match="no end after 10 random steps"):
        random_bout.random_bout(get("duel2048"), get("duel2048").Options(), 1, longest=10)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"version": 0}, "version 0"),
        ({"title": {"en": "Duel"}}, "lacks 'zh'"),
        ({"seats": ("me", "me")}, "same name"),
        ({"name": "Two Words"}, "a name like"),
        ({"reasons": {"level": {"en": "{level}", "zh": "{等级}"}}}, "names other facts"),
        ({"house": Path("nowhere")}, "no such folder"),
        ({"dialects": {"Bot": "ludus.games.duel2048.dialect:PlayerHost"}}, "runs 'Player'"),
    ],
)
def test_a_game_that_says_too_little_about_itself_is_found_out(
    change: dict[str, object], sentence: str
) -> None:
    game = type("Odd", (type(get("duel2048")),), change)()
    with pytest.raises(AssertionError, match=sentence):
        contract.check_metadata(game)
