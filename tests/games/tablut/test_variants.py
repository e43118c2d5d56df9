"""The boards of the family, their default rules, action numbers and views."""

import numpy as np
import pytest

from ludus.errors import LudusError
from ludus.games import get
from ludus.games.tablut.actions import get_actions, original_cells, original_number
from ludus.games.tablut.notation import cell_names, parse_move
from ludus.games.tablut.rules import set_up, start
from ludus.games.tablut.variants import LAYOUTS, TablutOptions, resolve_settings, start_cells
from tests.support.tablut_diagram import after, ending, sparse, targets

GAME = get("tablut")
PIECES = {
    "brandubh": (7, 8, 4),
    "ardri": (7, 16, 8),
    "tablut": (9, 16, 8),
    "ashton": (9, 16, 8),
    "tawlbwrdd": (11, 24, 12),
    "hnefatafl": (11, 24, 12),
    "alea": (19, 48, 24),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_variant_starts_with_its_pieces_in_full_symmetry(name: str) -> None:
    size, attackers, defenders = PIECES[name]
    cells = start_cells(name)
    assert len(cells) == size**2
    assert [cells.count(piece) for piece in "adK"] == [attackers, defenders, 1]
    assert cells[size**2 // 2] == "K"
    table = get_actions(resolve_settings(TablutOptions(variant=name)))
    for perm in table.cells:
        assert "".join(cells[cell] for cell in perm) == cells


def test_the_start_of_hnefatafl_is_drawn() -> None:
    assert str(start(TablutOptions(variant="hnefatafl"), 0)).splitlines()[:6] == [
        "11 . . . a a a a a . . .",
        "10 . . . . . a . . . . .",
        " 9 . . . . . . . . . . .",
        " 8 a . . . . d . . . . a",
        " 7 a . . . d d d . . . a",
        " 6 a a . d d K d d . a a",
    ]


@pytest.mark.parametrize("name", [name for name in LAYOUTS if name not in ("tablut", "ashton")])
def test_other_variants_keep_corners_and_throne_for_the_king(name: str) -> None:
    rules = resolve_settings(TablutOptions(variant=name))
    assert (rules.goal, rules.corners_closed, rules.throne_pass) == ("corners", "yes", "all")
    assert (rules.throne_stop, rules.throne_hostile) == ("king", "nobody")
    assert (rules.first, rules.king_capture, rules.limit_result) == ("defenders", "two", "draw")


def test_in_brandubh_the_king_wins_in_a_corner_and_pawns_pass_the_throne() -> None:
    board = sparse("Ka4 dd7 ag1", "w", variant="brandubh")
    assert targets(board, "d7") == {f"d{row}" for row in (1, 2, 3, 5, 6)} | set(
        ("b7", "c7", "e7", "f7")
    )
    assert after(board, "a4a6").outcome is None
    assert ending(after(board, "a4a7")) == ("king_corner", "white")
    assert "d4" in targets(sparse("Kd2 ag1", "w", variant="brandubh"), "d2")


def test_any_rule_of_a_variant_can_be_overridden() -> None:
    rules = resolve_settings(TablutOptions(variant="brandubh", goal="border", limit=30))
    assert (rules.goal, rules.limit) == ("border", 30)
    assert rules.corners_closed == "yes"


def test_options_come_from_texts() -> None:
    parsed = TablutOptions.parse({"variant": "alea", "limit": "30", "throne_stop": "all"})
    assert parsed.limit == 30
    with pytest.raises(LudusError, match="must be one of"):
        TablutOptions.parse({"variant": "chess"})


# Notation.


def test_columns_are_letters_and_rows_count_from_the_bottom() -> None:
    assert cell_names(9)[0] == "a9" and cell_names(9)[40] == "e5" and cell_names(9)[80] == "i1"
    assert cell_names(19)[18] == "s19"
    assert parse_move("a9i9", 9) == (0, 8)
    assert parse_move("k10k19", 19) == (19 * 9 + 10, 10)
    assert parse_move("a01a9", 9) is None


# Action numbers.


def test_only_moves_that_can_ever_be_legal_have_a_number() -> None:
    assert get_actions(resolve_settings(TablutOptions())).count == 1216
    closed = {"goal": "border", "corners_closed": "no", "throne_pass": "nobody"}
    for name, count in (("brandubh", 540), ("hnefatafl", 2300), ("alea", 12636)):
        options = TablutOptions(variant=name, throne_stop="nobody", **closed)
        assert get_actions(resolve_settings(options)).count == count


@pytest.mark.parametrize("name", LAYOUTS)
def test_numbers_and_cells_go_both_ways(name: str) -> None:
    table = get_actions(resolve_settings(TablutOptions(variant=name)))
    pairs = list(zip(table.sources.tolist(), table.targets.tolist(), strict=True))
    assert [table.number(*pair) for pair in pairs] == list(range(table.count))
    assert pairs == sorted(set(pairs))
    assert table.number(0, 0) == -1 and table.number(0, table.size + 1) == -1
    for perm in table.moves:
        assert sorted(perm.tolist()) == list(range(table.count))


def test_tables_cannot_be_changed_by_accident() -> None:
    table = get_actions(resolve_settings(TablutOptions()))
    for array in (table.sources, table.targets, table.table, table.cells, table.moves):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_number_reads_as_a_move() -> None:
    table = get_actions(resolve_settings(TablutOptions()))
    position = start(TablutOptions(), 0)
    texts = [table.text(number) for number in table.legal(position)]
    assert texts == position.legal(0)
    won = after(sparse("Kc4 ah8", "w"), "c4c9")
    assert table.legal(won).tolist() == []


def test_the_originals_numbers_are_read_and_written() -> None:
    assert original_number(40, 76, 9) == 40 + 81 * 76
    assert original_cells(40 + 81 * 76, 9) == (40, 76)
    assert original_cells(0, 9) == (0, 0)
    for number in (-1, 6561):
        with pytest.raises(LudusError, match="from 0 to 6560"):
            original_cells(number, 9)


def test_a_policy_turns_with_its_board() -> None:
    table = get_actions(resolve_settings(TablutOptions()))
    policy = np.arange(table.count)
    for symmetry in range(8):
        turned = policy[table.moves[symmetry]]
        perm = table.cells[symmetry]
        for number in range(0, table.count, 97):
            source, target = perm[table.sources[number]], perm[table.targets[number]]
            assert turned[number] == policy[table.number(int(source), int(target))]


# Views.


def test_a_scene_names_throne_and_goal() -> None:
    tablut = GAME.scene(TablutOptions())
    assert [zone["name"]["en"] for zone in tablut["zones"]] == [
        "throne",
        "border: the king wins here",
    ]
    assert len(tablut["zones"][1]["cells"]) == 32
    alea = GAME.scene(TablutOptions(variant="alea"))
    assert (alea["rows"], alea["zones"][0]["cells"]) == (19, [180])
    assert alea["zones"][1]["cells"] == [0, 18, 342, 360]
    hostile = GAME.scene(TablutOptions(corners_hostile="yes"))
    assert len(hostile["zones"]) == 3


def test_a_view_shows_slide_and_captures() -> None:
    board = sparse("Kh8 dd7 df7 de8 ac7 ag7 ae9 ae6 ai1", "b")
    view = after(board, "e6e7").view()
    assert view["events"][0] == {"kind": "slide", "from": 31, "to": 22}
    assert [event["to"] for event in view["events"][1:]] == [13, 21, 23]
    assert view["marks"] == {"last": [31, 22], "captured": [13, 21, 23]}
    assert view["counters"]["pieces"] == [1, 5]
    first = view["gestures"]["0"][0]
    assert first["kind"] == "drag" and first["move"] == "h8h9"


def test_every_variant_can_be_set_up_from_its_own_text() -> None:
    for name in LAYOUTS:
        options = TablutOptions(variant=name)
        first = start(options, 0)
        assert set_up(options, first.cells, 0).digest() == first.digest()
