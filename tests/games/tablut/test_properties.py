"""What holds in every bout of every variant, whatever the moves."""

import copy
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.games.tablut.actions import get_actions
from ludus.games.tablut.random_bouts import random_bouts
from ludus.games.tablut.rules import TablutPosition, perft, set_up, start
from ludus.games.tablut.search import search
from ludus.games.tablut.variants import LAYOUTS, TablutOptions

ROOT = Path(__file__).resolve().parents[3]

variants = st.sampled_from([name for name in LAYOUTS if name != "alea"])
yes_no = st.sampled_from(["yes", "no"])
options = st.one_of(
    st.just(TablutOptions()),
    st.builds(
        TablutOptions,
        variant=variants,
        goal=st.sampled_from(["border", "corners"]),
        corners_closed=yes_no,
        corners_hostile=yes_no,
        border_hostile=yes_no,
        throne_pass=st.just("all"),
        throne_stop=st.sampled_from(["nobody", "king", "all"]),
        throne_hostile=st.sampled_from(["nobody", "attackers", "defenders", "all"]),
        throne_wall=st.sampled_from(["empty", "always"]),
        king_capture=st.sampled_from(["two", "four", "throne"]),
        king_armed=st.sampled_from(["both", "hammer", "anvil", "no"]),
        between=st.sampled_from(["safe", "captured"]),
        first=st.sampled_from(["defenders", "attackers"]),
        limit=st.just(40),
    ),
)
choices = st.lists(st.integers(0, 10_000), min_size=1, max_size=30)
"""Which of the legal moves is played, modulo their number."""


def walk(position: TablutPosition, picks: list[int]) -> list[tuple[int, int]]:
    """Play moves on a position and tell them."""
    played = []
    for pick in picks:
        moves = position.board.moves()
        if not position.to_move:
            break
        played.append(moves[pick % len(moves)])
        position.move(*played[-1])
    return played


@settings(max_examples=60, deadline=None)
@given(options, choices)
def test_captured_pieces_never_return_and_there_is_one_king_until_he_is_captured(
    rules: TablutOptions, picks: list[int]
) -> None:
    position = start(rules, 0)
    for pick in picks:
        before = position.cells
        walk(position, [pick])
        after = position.cells
        for piece in "adK":
            assert after.count(piece) <= before.count(piece)
        assert before == after or after.count(".") - before.count(".") == len(position.captured)
        ended = position.outcome is not None and position.outcome.reason == "king_captured"
        assert after.count("K") == (0 if ended else 1)


@settings(max_examples=60, deadline=None)
@given(options, choices)
def test_a_legal_move_never_passes_a_piece_nor_a_throne_that_is_closed(
    rules: TablutOptions, picks: list[int]
) -> None:
    position = start(rules, 0)
    walk(position, picks)
    size, cells = position.size, position.cells
    throne = size * size // 2
    for source, target in position.board.moves() if position.to_move else ():
        step = (1 if source // size == target // size else size) * (1 if target > source else -1)
        way = range(source + step, target + step, step)
        assert target in way
        assert all(cells[cell] == "." for cell in way)
        king = cells[source] == "K"
        if position.settings.throne_pass == "nobody":
            assert throne not in way
        if target == throne:
            assert position.settings.throne_stop == "all" or (
                king and position.settings.throne_stop == "king"
            )


@settings(max_examples=60, deadline=None)
@given(options, choices)
def test_taking_moves_back_restores_every_position(rules: TablutOptions, picks: list[int]) -> None:
    position = start(rules, 0)
    board = position.board
    seen = []
    for source, target in walk(position.copy(), picks):
        seen.append((source, target, board.cells(), board.hash, board.king, board.status()))
        seen[-1] += (board.play(source, target),)
    for source, target, *facts, taken in reversed(seen):
        board.undo(source, target, taken)
        assert [board.cells(), board.hash, board.king, board.status()] == facts


@settings(max_examples=60, deadline=None)
@given(options, choices, choices)
def test_a_copy_knows_nothing_of_its_original(
    rules: TablutOptions, picks: list[int], more: list[int]
) -> None:
    position = start(rules, 0)
    walk(position, picks)
    digest = position.digest()
    twins = [position.copy(), copy.deepcopy(position), pickle.loads(pickle.dumps(position))]
    for twin in twins:
        assert (twin.digest(), twin.outcome) == (digest, position.outcome)
        walk(twin, more)
        assert position.digest() == digest


@settings(max_examples=40, deadline=None)
@given(options, choices, st.integers(0, 7))
def test_playing_and_turning_the_board_commute(
    rules: TablutOptions, picks: list[int], symmetry: int
) -> None:
    position = start(rules, 0)
    table = get_actions(position.settings)
    perm = table.cells[symmetry].tolist()
    place = [perm.index(cell) for cell in range(len(perm))]
    image = start(rules, 0)
    for source, target in walk(position.copy(), picks):
        position.move(source, target)
        image.move(place[source], place[target])
        assert image.cells == "".join(position.cells[cell] for cell in perm)
        assert (image.outcome is None) == (position.outcome is None)
        if position.to_move:
            legal = np.zeros(table.count, bool)
            legal[table.legal(position)] = True
            turned = np.zeros(table.count, bool)
            turned[table.legal(image)] = True
            assert (turned == legal[table.moves[symmetry]]).all()


@settings(max_examples=60, deadline=None)
@given(options, choices)
def test_the_same_pieces_and_side_have_the_same_hash_however_they_came(
    rules: TablutOptions, picks: list[int]
) -> None:
    position = start(rules, 0)
    walk(position, picks)
    again = set_up(rules, position.cells, position.board.side, position.ply)
    assert again.board.hash == position.board.hash
    assert again.board.moves() == position.board.moves()
    assert position.array().tolist() == [
        [".adK".index(piece) for piece in position.cells[row : row + position.size]]
        for row in range(0, position.size**2, position.size)
    ]


@settings(max_examples=60, deadline=None)
@given(options, choices)
def test_exactly_the_listed_moves_are_accepted(rules: TablutOptions, picks: list[int]) -> None:
    position = start(rules, 0)
    walk(position, picks)
    board = position.board
    own = [cell for cell in range(position.size**2) if board.owner(cell) == board.side]
    accepted = [
        (source, target)
        for source in own
        for target in range(position.size**2)
        if board.allows(source, target)
    ]
    assert accepted == board.moves()
    assert perft(position, 1) in (0, len(accepted))


def facts() -> dict[str, object]:
    """What both the compiled modules and their sources must agree on."""
    found: dict[str, object] = {}
    for name in LAYOUTS:
        rules = TablutOptions(variant=name, limit=30, king_capture="throne")
        position = start(rules, 0)
        found[name] = [
            random_bouts(position.board, 30, 7),
            perft(position, 2 if name != "alea" else 1),
            list(search(position, depth=1 if name == "alea" else 2, seed=3)),
        ]
    return found


PLAIN = """
import json, sys
from tests.games.tablut.test_properties import facts
from ludus.games.tablut import board, evaluate, ordering, perft_count, pieces, random_bouts
from ludus.games.tablut import rules, search, terrain
modules = (board, evaluate, perft_count, pieces, random_bouts, rules, search, terrain, ordering)
assert all(module.__file__.endswith(".py") for module in modules)
json.dump(facts(), sys.stdout)
"""


def test_compiled_modules_play_count_and_search_exactly_like_their_sources() -> None:
    environment = {**os.environ, "LUDUS_UNCOMPILED": "1"}
    command = [sys.executable, "-c", PLAIN]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(json.dumps(facts()))
