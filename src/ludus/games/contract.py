"""The contract that every game keeps, as checks that any test suite can run.

The tests of a game begin with three lines::

    from ludus.games.contract import GameContract

    class TestMyGame(GameContract):
        game = GAME

A check that fails raises ``AssertionError`` with a sentence that names the game and what it did.
Positions are met in random bouts under each option set of ``Game.odd``.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import math
import random
import re
import string
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from ludus.games.base import Clock, Game, IllegalMove, Outcome, Position
from ludus.games.board_language import (
    LANGUAGES,
    check_roles,
    check_scene,
    check_view,
    require,
    require_both_languages,
    require_json,
)
from ludus.games.guide_contract import check_guide
from ludus.games.host import Host, Ply
from ludus.games.playthrough import playthrough, random_ply
from ludus.games.random_bout import (
    MAX_RANDOM_STEPS,
    SAMPLED_POSITIONS,
    RandomBout,
    differences,
    observe,
    option_sets,
    random_bouts,
    replay,
    sample_positions,
)
from ludus.games.registry import find_entry_points

__all__ = ["GameContract", "check_game", "playthrough"]

NONSENSE = ("", "?None", "no such move", "\n", "９")
"""Texts that are moves in no game."""


# What a game says about itself.


def check_metadata(game: Game) -> None:
    """Name, version, title, seats, reasons, clock, house bots and dialects are all there."""
    name = game.name
    require(name.isidentifier() and name.islower(), f"a name like 'four', not {name!r}")
    require(type(game.version) is int and game.version >= 1, f"version {game.version!r} of {name}")
    require_both_languages(game.title, f"the title of {name}")
    require(isinstance(game.seats, tuple) and len(game.seats) > 0, f"{name} has no seats")
    for number, seat in enumerate(game.seats):
        require_both_languages(seat, f"seat {number} of {name}")
    for lang in LANGUAGES:
        told = [seat[lang] for seat in game.seats]
        require(len(set(told)) == len(told), f"two seats of {name} have the same name: {told}")
    require(isinstance(game.clock, Clock), f"the clock of {name} is not a Clock")
    for reason, text in game.reasons.items():
        require_both_languages(text, f"reason {reason!r} of {name}")
        fields = {lang: fields_in(words) for lang, words in text.items()}
        same = len(set(map(frozenset, fields.values()))) == 1
        require(same, f"reason {reason!r} of {name} names other facts in each language: {fields}")
    check_bots(game)


def fields_in(sentence: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(sentence) if field is not None}


def check_bots(game: Game) -> None:
    """The house and the dialects of a game exist."""
    if game.house is not None:
        require(game.house.is_dir(), f"{game.name} has its house in {game.house}: no such folder")
        require(len(game.bots()) > 0, f"the house of {game.name} is empty: {game.house}")
    for mark, target in game.dialects.items():
        module, _, kind = target.partition(":")
        host = getattr(importlib.import_module(module), kind)
        require(issubclass(host, Host), f"{target} of {game.name} is not a Host")
        require(host.mark == mark, f"{target} runs {host.mark!r}, {game.name} says {mark!r}")


def check_entry_point(game: Game) -> None:
    """An installed game has the name of its entry point: commands know it by that, records by its
    own."""
    for name in find_entry_points(game):
        require(
            name == game.name,
            f"{game.name} is installed by an entry point called {name!r}: make both the same",
        )


def check_options(game: Game) -> None:
    """Every option has help in both languages; what is written as JSON is read back the same."""
    for field in dataclasses.fields(game.Options):
        require_both_languages(field.metadata.get("help"), f"the help of option {field.name}")
        if (title := field.metadata.get("title")) is not None:
            require_both_languages(title, f"the title of option {field.name}")
        for value, name in field.metadata.get("value_names", {}).items():
            require_both_languages(name, f"the name of {value!r} of option {field.name}")
    for options in option_sets(game):
        written = options.as_json()
        require_json(written, f"options {options} of {game.name}")
        read = game.Options.parse(json.loads(json.dumps(written)))
        require(read == options, f"{game.name} wrote {options} and read {read}")


def check_game_scene(game: Game) -> None:
    """The scene is JSON in the board language, with roles that have a colour."""
    for options in option_sets(game):
        scene = game.scene(options)
        check_scene(scene, game)
        check_roles(scene, game)


# What a bout does.


def check_end(bout: RandomBout) -> None:
    """``to_move`` is empty exactly when there is an outcome, which is complete and in words."""
    for step, position in replay(bout):
        over = not position.to_move
        require(over == (step == len(bout.plies)), f"{bout}: over at step {step} of another play")
        require(over == (position.outcome is not None), f"{bout}: step {step}: outcome and to_move")
    assert position.outcome is not None
    check_outcome(bout.game, position.outcome)
    for seat in range(len(bout.game.seats)):
        require(position.legal(seat) == [], f"{bout}: seat {seat} has legal moves after the end")
        for move in bout.moves[:1]:
            require_refusal(position, {seat: move}, f"{bout}: a move after the end")


def check_outcome(game: Game, outcome: Outcome) -> None:
    """One finite score per seat, a known reason, and a sentence with nothing left out."""
    scores = outcome.scores
    require(isinstance(scores, tuple) and len(scores) == len(game.seats), f"scores {scores}")
    require(all(math.isfinite(score) for score in scores), f"scores {scores} of {game.name}")
    if len(scores) == 2:
        fair = sorted(scores) in ([0, 1], [0.5, 0.5])
        require(fair, f"two seats score 1 and 0 or ½ and ½, not {scores}")
    require(outcome.reason in game.reasons, f"{game.name} has no reason {outcome.reason!r}")
    require_json(dict(outcome.detail), f"the detail of {outcome}")
    check_facts(game, outcome)
    text = game.explain(outcome)
    require_both_languages(text, f"the explanation of {outcome}")
    for sentence in text.values():
        require("{" not in sentence and "}" not in sentence, f"braces are left in {sentence!r}")


def check_facts(game: Game, outcome: Outcome) -> None:
    """The detail has every field that the sentence of its reason names."""
    fields = fields_in(game.reasons[outcome.reason]["en"])
    named = {re.split(r"[.\[]", field)[0] for field in fields}
    known = set(outcome.detail) | ({"winner"} if outcome.winner is not None else set())
    missing = sorted(named - known)
    require(
        not missing,
        f"the sentence of reason {outcome.reason!r} of {game.name} names {', '.join(missing)}:"
        f" not in the detail {dict(outcome.detail)}",
    )


def check_legal(bout: RandomBout, samples: int = SAMPLED_POSITIONS) -> None:
    """``legal`` is the same each time, without duplicates, and empty for seats not to move."""
    seats = range(len(bout.game.seats))
    for step, position in sample_positions(bout, samples):
        where = f"{bout}: step {step}"
        to_move = position.to_move
        require(isinstance(to_move, tuple), f"{where}: to_move is {to_move!r}, not a tuple")
        require(sorted(set(to_move)) == sorted(to_move), f"{where}: to_move is {to_move}")
        require(all(seat in seats for seat in to_move), f"{where}: to_move is {to_move}")
        first = first_moves(position)
        for seat in seats:
            moves = position.legal(seat)
            require(moves == position.legal(seat), f"{where}: legal({seat}) changes when repeated")
            require(len(moves) == len(set(moves)), f"{where}: legal({seat}) repeats a move")
            require(bool(moves) == (seat in to_move), f"{where}: legal({seat}) is {moves}")
            require(all(type(move) is str for move in moves), f"{where}: {moves} are not all texts")
            for move in moves:
                other = position.copy()
                other.play(first | {seat: move})
                changed = other.digest() != position.digest()
                require(changed, f"{where}: {move!r} leaves the digest as it was")


def first_moves(position: Position) -> dict[int, str]:
    """The first legal move of each seat to move; nothing for a seat that wrongly has none."""
    return {seat: moves[0] for seat in position.to_move if (moves := position.legal(seat))}


def check_refusals(bout: RandomBout, samples: int = SAMPLED_POSITIONS) -> None:
    """What is not legal is refused with a reason, and nothing changes."""
    seats = len(bout.game.seats)
    for step, position in sample_positions(bout, samples):
        before, first = observe(position, seats), first_moves(position)
        for seat in position.to_move:
            legal = position.legal(seat)
            elsewhere = [move for move in bout.moves if move not in legal][:6]
            for move in (*NONSENSE, legal[0] + "?", *elsewhere):
                where = f"{bout}: step {step}: {move!r} of seat {seat}"
                error = require_refusal(position, first | {seat: move}, where)
                require(error.seat == seat, f"{where} is blamed on seat {error.seat}")
                require(error.move == move, f"{where} is refused as {error.move!r}")
        if position.to_move:
            check_seats(bout, step, position)
        after = observe(position, seats)
        changed = f"{bout}: step {step}: what was refused changed {differences(before, after)}"
        require(before == after, changed)


def check_seats(bout: RandomBout, step: int, position: Position) -> None:
    """Exactly the seats to move may move."""
    ply = first_moves(position)
    where = f"{bout}: step {step}"
    for seat in range(len(bout.game.seats) + 1):
        if seat in ply:
            rest = {s: move for s, move in ply.items() if s != seat}
            require_refusal(position, rest, f"{where}: moves without seat {seat}")
        else:
            more = {**ply, seat: next(iter(ply.values()))}
            require_refusal(
                position, more, f"{where}: moves with seat {seat}, which is not to move"
            )


def require_refusal(position: Position, ply: Ply, what: str) -> IllegalMove:
    """Play what must be refused; returns the error."""
    before = position.digest()
    try:
        position.play(ply)
    except IllegalMove as error:
        require(position.digest() == before, f"{what} was refused but changed the position")
        require_both_languages(error.why, f"the reason why {what} was refused")
        return error
    except Exception as error:
        raise AssertionError(
            f"{what}: play() raised {type(error).__name__}: {error}, and not IllegalMove"
        ) from error
    raise AssertionError(f"{what} was played: {ply}")


def check_copies(bout: RandomBout, samples: int = SAMPLED_POSITIONS) -> None:
    """A copy is the same position, and neither changes with the other."""
    seats = len(bout.game.seats)
    generator = random.Random(str(bout))
    for step, position in sample_positions(bout, samples):
        where = f"{bout}: step {step}"
        start = observe(position, seats)
        original, copy = position.copy(), position.copy()
        require(copy is not position, f"{where}: copy() returns the position itself")
        require(observe(copy, seats) == start, f"{where}: a copy differs")
        if step < len(bout.plies):
            copy.play(bout.plies[step])
            same = copy.digest() == bout.digests[step + 1]
            require(same, f"{where}: a copy plays {bout.plies[step]} otherwise")
        play_random_steps(copy, generator, where)
        after = observe(original, seats)
        require(after == start, f"{where}: playing a copy changed {differences(start, after)}")
        copied = observe(copy, seats)
        play_random_steps(original, generator, where)
        require(observe(copy, seats) == copied, f"{where}: playing the original changed its copy")
        require(observe(position, seats) == start, f"{where}: playing copies changed the position")


def play_random_steps(
    position: Position, generator: random.Random, where: str, steps: int = 5
) -> None:
    for _ in range(steps):
        for seat in position.to_move:
            legal = position.legal(seat)
            require(
                len(legal) > 0,
                f"{where}: after more random moves seat {seat} is to move and has no legal move,"
                " and there is no outcome",
            )
        if position.to_move:
            position.play(random_ply(position, generator))


def check_seeds(bout: RandomBout) -> None:
    """``is_seeded`` is true: it decides whether bouts need openings to differ."""
    game, options = bout.game, bout.options
    ignored = all(_has_same_positions(bout, bout.seed + more) for more in (1, 2, 3))
    if not game.is_seeded(options):
        require(ignored, f"{bout}: is_seeded() is False, but another seed gives other positions")
    elif options == game.Options():
        require(
            not ignored,
            f"{bout}: other seeds give the same positions; let is_seeded() return False, so that"
            " bouts begin with openings",
        )


def _has_same_positions(bout: RandomBout, seed: int) -> bool:
    """Whether the same moves with another seed give the same positions."""
    position = bout.game.start(bout.options, seed)
    digests = [position.digest()]
    try:
        for ply in bout.plies:
            position.play(ply)
            digests.append(position.digest())
    except IllegalMove:
        return False
    return digests == bout.digests


def check_determinism(bout: RandomBout) -> None:
    """Options, seed and moves fix every position, whatever the global generator does."""
    state = random.getstate()
    try:
        random.seed(len(bout.plies))
        drawn = random.getstate()
        for step, position in replay(bout):
            same = position.digest() == bout.digests[step]
            require(same, f"{bout}: step {step} has another digest when played again")
        require(random.getstate() == drawn, f"{bout} draws from the global random generator")
    finally:
        random.setstate(state)
    for step, (before, after) in enumerate(zip(bout.digests, bout.digests[1:], strict=False)):
        require(before != after, f"{bout}: step {step} leaves the digest as it was")
    require(all(isinstance(d, str) and d for d in bout.digests), f"{bout}: a digest is not text")


def check_actions(bout: RandomBout) -> None:
    """``list_actions``, where there is one, has every move that was legal, and each once."""
    actions = bout.game.list_actions(bout.options)
    if actions is None:
        return
    listed = [action for action in actions if action]
    twice = [action for action, count in Counter(listed).items() if count > 1][:5]
    require(not twice, f"{bout}: list_actions() has a move more than once: {twice}")
    known = set(listed)
    missing = [move for move in bout.moves if move not in known][:5]
    require(not missing, f"{bout}: list_actions() lacks moves that were legal: {missing}")


def check_views(bout: RandomBout, samples: int = SAMPLED_POSITIONS) -> None:
    """Views are JSON in the board language, for spectators and for every seat."""
    scene = bout.game.scene(bout.options)
    for step, position in sample_positions(bout, samples):
        for seat in (None, *range(len(bout.game.seats))):
            where = f"{bout}: step {step}: view({seat})"
            check_view(position.view(seat), scene, position, seat, bout.game, where)


def check_changes(bout: RandomBout) -> None:
    """What ``changes`` reports is what two views differ in."""
    seats = (None, *range(len(bout.game.seats)))
    before = bout.game.start(bout.options, bout.seed)
    if not hasattr(before, "changes"):
        return
    shown = {seat: before.view(seat)["layers"] for seat in seats}
    for step, position in replay(bout):
        for seat in seats:
            where = f"{bout}: step {step}: changes(…, {seat})"
            changes, view = position.changes(before, seat), position.view(seat)  # type: ignore[attr-defined]
            layers = {
                name: apply_changes(shown[seat][name], c) for name, c in changes["cells"].items()
            }
            require({**shown[seat], **layers} == view["layers"], f"{where}: other cells changed")
            rest = {key: value for key, value in view.items() if key not in ("layers", "gestures")}
            require({**changes, **rest} == changes, f"{where} differs from the view")
            shown[seat] = view["layers"]
        before = position.copy()


def apply_changes(layer: Sequence[str], cells: Iterable[Sequence[Any]]) -> list[str]:
    changed = list(layer)
    for cell, token in cells:
        changed[cell] = token
    return changed


GAME_CHECKS = (check_metadata, check_entry_point, check_options, check_game_scene, check_guide)
BOUT_CHECKS = (
    check_end,
    check_determinism,
    check_seeds,
    check_copies,
    check_legal,
    check_actions,
    check_refusals,
    check_views,
    check_changes,
)


def check_game(game: Game, seeds: Iterable[int] = (1, 2), longest: int = MAX_RANDOM_STEPS) -> None:
    """Every check of the contract; raises AssertionError at the first that fails."""
    for check in GAME_CHECKS:
        check(game)
    for bout in random_bouts(game, tuple(seeds), longest):
        for check_bout in BOUT_CHECKS:
            check_bout(bout)


class GameContract:
    """The contract as tests: subclass it as ``TestSomething`` and name the game."""

    game: ClassVar[Game]
    """The game that is tested."""
    seeds: ClassVar[Sequence[int]] = (1, 2)
    """A random bout is played with each of these seeds, under each set of options of ``odd``."""
    longest: ClassVar[int] = MAX_RANDOM_STEPS
    """A random bout that has not ended after so many steps fails."""
    samples: ClassVar[int] = SAMPLED_POSITIONS
    """How many positions of a bout the slower tests look at."""

    def bouts(self) -> tuple[RandomBout, ...]:
        """The random bouts of the tests."""
        return random_bouts(self.game, tuple(self.seeds), self.longest)

    def test_it_says_what_it_is_in_both_languages(self) -> None:
        check_metadata(self.game)

    def test_it_is_installed_under_its_own_name(self) -> None:
        check_entry_point(self.game)

    def test_options_are_explained_and_survive_json(self) -> None:
        check_options(self.game)

    def test_the_scene_speaks_the_board_language(self) -> None:
        check_game_scene(self.game)

    def test_the_guide_is_in_both_languages_and_its_pictures_are_legal(self) -> None:
        check_guide(self.game)

    def test_random_bouts_end_with_an_outcome_in_words(self) -> None:
        for bout in self.bouts():
            check_end(bout)

    def test_the_same_moves_give_the_same_positions(self) -> None:
        for bout in self.bouts():
            check_determinism(bout)

    def test_it_says_whether_seeds_matter(self) -> None:
        for bout in self.bouts():
            check_seeds(bout)

    def test_copies_are_independent(self) -> None:
        for bout in self.bouts():
            check_copies(bout, self.samples)

    def test_legal_moves_can_be_played(self) -> None:
        for bout in self.bouts():
            check_legal(bout, self.samples)

    def test_the_list_of_actions_has_every_legal_move(self) -> None:
        for bout in self.bouts():
            check_actions(bout)

    def test_illegal_moves_are_refused_with_a_reason(self) -> None:
        for bout in self.bouts():
            check_refusals(bout, self.samples)

    def test_views_speak_the_board_language(self) -> None:
        for bout in self.bouts():
            check_views(bout, self.samples)

    def test_changes_are_the_differences_of_views(self) -> None:
        for bout in self.bouts():
            check_changes(bout)
