"""What both players of Paper.io have once they have gone home."""

from ludus.games.paperio.field import RUNNING, Field
from ludus.games.paperio.homeward import settle_areas

STRAIGHT, RIGHT, LEFT = 0, 1, 3
EAST, WEST = 0, 2


def start(turns: int = 60, rival_x: int = 30) -> Field:
    """Seat 0 in the west, looking east; seat 1 far in the east, unless said otherwise."""
    return Field(40, 20, turns, ((5, 10, EAST, 1), (rival_x, 10, WEST, 1)))


def walk(field: Field, turns: list[int]) -> None:
    """Seat 0 walks; seat 1 goes round at home."""
    for turn in turns:
        field.step(turn)
        field.step(LEFT)


OUT = [STRAIGHT] * 6 + [RIGHT] + [STRAIGHT] * 3 + [RIGHT]
"""Six cells to the east, four to the south, and one back."""


def test_a_band_counts_as_the_land_that_it_will_enclose() -> None:
    field = start()
    walk(field, OUT)
    assert field.areas == (9, 9)
    first, second, cut = settle_areas(field)
    assert (second, cut) == (9, -1)
    walk(field, [STRAIGHT] * 5 + [RIGHT, STRAIGHT, STRAIGHT])
    assert not field.trails[0], "it is home"
    walked_around = field.areas[0]
    assert 9 + len(OUT) < first <= walked_around


def test_nothing_changes_for_seats_at_home_and_the_field_stays_as_it_is() -> None:
    field = start()
    assert settle_areas(field) == (9, 9, -1)
    walk(field, OUT)
    before = bytes(field.land), bytes(field.bands), field.heads, field.areas
    settle_areas(field)
    assert (bytes(field.land), bytes(field.bands), field.heads, field.areas) == before


def test_a_band_that_cannot_be_closed_in_time_is_worth_nothing() -> None:
    field = start(turns=len(OUT) + 3)
    walk(field, OUT)
    assert settle_areas(field) == (9, 9, -1)


def test_a_seat_whose_band_is_reached_first_is_cut_off() -> None:
    field = start(rival_x=14)
    walk(field, OUT)
    assert settle_areas(field)[2] == 0
    for turn in [STRAIGHT] * 5 + [RIGHT, STRAIGHT]:
        if settle_areas(field)[2] < 0:
            break
        walk(field, [turn])
    else:
        raise AssertionError("it never got away")
    assert field.trails[0], "it got away before it was home"


def test_a_seat_that_is_shut_in_by_its_own_band_is_lost() -> None:
    field = start()
    south, west = [RIGHT, STRAIGHT, STRAIGHT], [RIGHT, STRAIGHT, STRAIGHT]
    walk(field, [STRAIGHT] * 8 + south + west + [RIGHT, STRAIGHT, RIGHT])
    assert field.end == RUNNING
    assert settle_areas(field) == (9, 9, 0)
