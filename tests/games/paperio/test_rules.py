"""The rules of Paper.io in words, and what holds in every bout."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.errors import LudusError
from ludus.games import IllegalMove, Outcome
from ludus.games.paperio import GAME, PaperOptions
from ludus.games.paperio.paths import FAR, distances, nearest
from ludus.lang import Text

ROOT = Path(__file__).resolve().parents[3]
EAST, SOUTH, WEST, NORTH = range(4)


def begin(first: Any = (5, 7, EAST), second: Any = (15, 7, WEST), **more: Any) -> Any:
    options = {"k": 10, "h": 15, "turns": 50, "first": first, "second": second} | more
    return GAME.start(GAME.Options.parse(options), 0)


def play(position: Any, moves: str) -> Any:
    for move in moves:
        position.play({position.to_move[0]: move})
    return position


def together(first: str, second: str) -> str:
    """The moves of both, one after the other."""
    return "".join(a + b for a, b in zip(first, second, strict=True))


# Starts.


def test_a_start_is_a_square_of_land_around_the_head() -> None:
    field = begin().field
    assert field.areas == (9, 9)
    assert field.heads == ((5, 7, EAST), (15, 7, WEST))
    assert field.trails == (b"", b"")
    owned = [divmod(cell, 15) for cell, owner in enumerate(field.land) if owner == 1]
    assert owned == [(x, y) for x in (4, 5, 6) for y in (6, 7, 8)]


def test_the_second_players_square_overwrites_the_first_ones() -> None:
    field = begin((5, 7, EAST), (6, 7, EAST)).field
    assert field.areas == (3, 9)


def test_a_square_is_clipped_at_the_edge() -> None:
    assert begin((0, 0, EAST), (15, 7, WEST, 2)).field.areas == (4, 25)


def test_a_head_may_start_off_the_field_and_come_in() -> None:
    position = play(begin((-1, 7, EAST)), "S")
    assert position.outcome is None
    assert position.field.heads[0] == (0, 7, EAST)


@pytest.mark.parametrize("seed", range(20))
def test_drawn_starts_lie_within_three_cells_of_the_middle_of_each_half(seed: int) -> None:
    (x1, y1, _), (x2, y2, _) = GAME.start(PaperOptions(), seed).field.heads
    assert x1 in range(22, 29) and x2 in range(73, 80)
    assert y1 in range(47, 54) and y2 in range(47, 54)


def test_options_that_make_no_field_are_refused() -> None:
    for given_start in ((1,), (1, 2, 4), (1, 2, 3, -1), (1, 2, 3, 4, 5), (10**6, 1, 1)):
        with pytest.raises(LudusError, match="option first"):
            PaperOptions(first=given_start)
    with pytest.raises(LudusError, match="option draw"):
        PaperOptions(draw="2019")
    with pytest.raises(LudusError, match="between"):
        PaperOptions(k=0)


# Moves.


def test_left_and_right_are_seen_from_the_head() -> None:
    for heading in range(4):
        field = play(begin((5, 7, heading)), "L").field
        assert field.heads[0][2] == (heading + 3) % 4
        field = play(begin((5, 7, heading)), "R").field
        assert field.heads[0][2] == (heading + 1) % 4


@pytest.mark.parametrize("move", ["l", "left", "", "LL", "B", "?None"])
def test_only_l_s_and_r_are_moves(move: str) -> None:
    with pytest.raises(IllegalMove, match="expected L"):
        begin().play({0: move})


def test_a_band_begins_where_the_own_land_ends() -> None:
    field = play(begin(), together("SS", "LL")).field
    assert [divmod(c, 15) for c, owner in enumerate(field.bands) if owner] == [(7, 7)]
    assert field.trails[0] == bytes([EAST])


def test_a_loop_turns_its_band_and_what_it_encloses_into_land() -> None:
    position = play(begin(), together("SSSLSSLSSLS", "LLLLLLLLLLL")[:-1])
    field = position.field
    assert field.trails[0] == b""
    assert 1 not in field.bands
    assert field.areas == (9 + 9 + 3, 9), "nine cells of band and three enclosed"
    assert field.before is not None


# Ends.


def end(position: Any) -> tuple[Any, ...]:
    outcome = position.outcome
    return outcome.reason, outcome.winner, dict(outcome.detail)


def test_who_leaves_the_field_loses() -> None:
    position = play(begin((1, 7, WEST)), together("SS", "LL")[:3])
    assert end(position) == ("wall", 1, {"first": 9, "second": 9, "mover": 0})
    assert position.to_move == ()


def test_who_runs_over_its_own_band_loses() -> None:
    position = play(begin(), together("SSSSLLL", "LLLLLLL")[:13])
    assert end(position) == ("band", 1, {"first": 9, "second": 9, "mover": 0, "owner": 0})


def test_whose_band_is_run_over_loses() -> None:
    position = play(begin((5, 7, EAST), (8, 3, SOUTH)), together("SSSS", "SSSS"))
    assert end(position) == ("band", 1, {"first": 9, "second": 9, "mover": 1, "owner": 0})


def test_hitting_the_other_head_from_the_side_wins() -> None:
    position = play(begin((4, 7, EAST), (10, 2, SOUTH)), together("SSSSSS", "SSSSSS")[:11])
    assert end(position)[:2] == ("side", 0)


def test_meeting_head_on_is_decided_by_land() -> None:
    position = play(begin((4, 7, EAST), (14, 7, WEST)), together("SSSSS", "SSSSS"))
    assert end(position) == ("face", None, {"first": 9, "second": 9, "mover": 1})
    assert position.outcome.scores == (0.5, 0.5)


def test_meeting_on_land_is_won_by_its_owner() -> None:
    position = play(begin((6, 7, EAST), (11, 7, EAST)), together("SSSS", "RRRR")[:7])
    assert end(position) == ("land", 1, {"first": 9, "second": 9, "mover": 0, "owner": 1})


def test_after_the_last_turn_land_decides() -> None:
    position = play(begin(turns=4), together("LLLL", "LLLL"))
    assert end(position) == ("area", None, {"first": 9, "second": 9})
    assert begin(turns=0).outcome.reason == "area"


def test_every_end_is_told_in_both_languages() -> None:
    for reason, text in GAME.reasons.items():
        detail = {"first": 1, "second": 2, "mover": 0, "owner": 1}
        for sentence in text.values():
            assert "{" not in sentence.format(**detail), reason


def test_running_over_ones_own_band_is_told_as_that() -> None:
    facts = {"first": 1, "second": 2, "mover": 0}
    own = GAME.explain(Outcome((0.0, 1.0), "band", {**facts, "owner": 0}))
    assert own == Text(
        "first ran over its own band (land 1 to 2)", "先手碰到自己的纸带（领地 1 比 2）"
    )
    other = GAME.explain(Outcome((1.0, 0.0), "band", {**facts, "owner": 1}))
    assert other.zh == "先手碰到后手的纸带（领地 1 比 2）"


# What holds in every bout.

STARTS = st.tuples(
    st.integers(-2, 19), st.integers(-2, 13), st.integers(0, 3), st.sampled_from([0, 1, 1, 1, 2, 4])
)
TURNS = st.randoms(use_true_random=False).map(lambda generator: generator.choices("SSLR", k=300))


def steps(first: Any, second: Any, moves: list[str]) -> Iterator[tuple[Any, Any]]:
    """Each step's field before and after it; moves that end the bout are put off."""
    position = begin(first, second, k=9, h=12, turns=200)
    for move in moves:
        if not position.to_move:
            return
        before = position.field.copy()
        position = longest_lived(position, move)
        yield before, position.field


def longest_lived(position: Any, move: str) -> Any:
    """The position after the move, or after another one if that goes on longer."""
    for tried in (move, "S", "L", "R"):
        after = position.copy()
        after.play({position.to_move[0]: tried})
        if after.outcome is None:
            return after
    return after


def outside(land: bytes, owner: int, width: int, height: int) -> set[int]:
    """The cells that are reached from beyond the edge without crossing the owner's land."""
    reached: set[tuple[int, int]] = set()
    todo = [(-1, -1)]
    while todo:
        x, y = todo.pop()
        if not (-1 <= x <= width and -1 <= y <= height) or (x, y) in reached:
            continue
        if 0 <= x < width and 0 <= y < height and land[x * height + y] == owner:
            continue
        reached.add((x, y))
        todo += [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
    return {x * height + y for x, y in reached if 0 <= x < width and 0 <= y < height}


@settings(max_examples=25, deadline=None)
@given(STARTS, STARTS, TURNS)
def test_a_close_takes_exactly_what_the_outside_cannot_reach(
    first: Any, second: Any, moves: list[str]
) -> None:
    for before, after in steps(first, second, moves):
        if after.before is None:
            continue
        owner = after.mover + 1
        land = bytearray(before.land)
        for cell, band in enumerate(before.bands):
            if band == owner:
                land[cell] = owner
        open_cells = outside(land, owner, after.width, after.height)
        for cell in range(len(land)):
            if cell not in open_cells:
                land[cell] = owner
        assert land == after.land


@settings(max_examples=20, deadline=None)
@given(STARTS, STARTS, TURNS)
def test_areas_are_the_land_and_never_exceed_the_field(
    first: Any, second: Any, moves: list[str]
) -> None:
    for _, after in steps(first, second, moves):
        assert after.areas == (after.land.count(1), after.land.count(2))
        assert sum(after.areas) <= after.width * after.height


@settings(max_examples=20, deadline=None)
@given(STARTS, STARTS, TURNS)
def test_nobody_loses_land_by_an_own_step(first: Any, second: Any, moves: list[str]) -> None:
    for before, after in steps(first, second, moves):
        owner = after.mover + 1
        pairs = zip(before.land, after.land, strict=True)
        assert all(new == owner for old, new in pairs if old == owner)
        assert after.areas[after.mover] >= before.areas[after.mover]


@settings(max_examples=20, deadline=None)
@given(STARTS, STARTS, TURNS)
def test_a_closed_band_is_gone_and_an_open_one_is_its_trail(
    first: Any, second: Any, moves: list[str]
) -> None:
    for _, after in steps(first, second, moves):
        if after.end != 9:
            continue
        for seat in range(2):
            assert after.bands.count(seat + 1) == len(after.trails[seat])
        if after.before is not None:
            assert after.trails[after.mover] == b""


@settings(max_examples=25, deadline=None)
@given(STARTS, STARTS, TURNS)
def test_distances_are_the_steps_a_player_needs(first: Any, second: Any, moves: list[str]) -> None:
    for _, after in list(steps(first, second, moves))[-1:]:
        seat = after.steps & 1
        found = distances(after, seat)
        x, y, heading = after.heads[seat]
        wanted = {}
        edge = [(x, y)]
        for count in range(1, FAR):
            ways = [(heading + turn) % 4 for turn in (0, 1, 3)] if count == 1 else range(4)
            near = {(cx + [1, 0, -1, 0][w], cy + [0, 1, 0, -1][w]) for cx, cy in edge for w in ways}
            edge = [
                (cx, cy)
                for cx, cy in near
                if 0 <= cx < after.width and 0 <= cy < after.height
                if cx * after.height + cy not in wanted
                if after.bands[cx * after.height + cy] != seat + 1
            ]
            wanted |= {cx * after.height + cy: count for cx, cy in edge}
        assert list(found) == [wanted.get(cell, FAR) for cell in range(len(found))]
        owned = [found[c] for c, owner in enumerate(after.land) if owner == 1]
        assert nearest(found, after.land, 1) == min(owned, default=FAR)
