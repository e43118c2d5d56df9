"""Boards drawn from scene and view, for any game."""

from typing import Any

import pytest
from rich.console import Console

from ludus.cli.board import SeatCaption, TerminalBoard, draw_frame, make_cells
from ludus.games.registry import get, names

TINY: dict[str, Any] = {
    "rows": 2,
    "columns": 3,
    "layers": ["land", "heads"],
    "tokens": {
        "land": {"a": {"owner": 0, "glyph": "░"}, "b": {"owner": 1, "glyph": "▒"}},
        "heads": {"A": {"owner": 0, "glyph": "♙"}, "x": {"glyph": "#"}},
    },
    "zones": [{"name": {"en": "left"}, "owner": 0, "cells": [0, 3]}],
    "counters": [],
}
VIEW: dict[str, Any] = {
    "layers": {"land": ["a", "b", "", "", "", ""], "heads": ["", "A", "x", "", "", "?"]},
    "marks": {"last": [1]},
    "to_move": [0],
}


def plain(board: TerminalBoard, view: dict[str, Any]) -> list[str]:
    return board.draw(view).plain.splitlines()


def test_a_piece_stands_on_what_lower_layers_hold() -> None:
    cells = make_cells(TINY, VIEW)
    head = cells[1]
    assert (head.glyph, head.owner, head.ground, head.marked) == ("♙", 0, 1, True)
    assert cells[3].empty
    assert cells[3].ground == 0
    assert cells[5].glyph == "?"


def test_without_colour_brackets_tell_the_owners_apart() -> None:
    board = TerminalBoard(TINY, colour=False, width=76, height=20)
    assert plain(board, VIEW) == ["[░]  │ [♙]*  #", " .   │  .    ?"]


def test_without_colour_small_cells_tell_the_owners_apart() -> None:
    game = get("paperio")
    options = game.Options.parse({"k": 20, "h": 20})
    scene, position = game.scene(options), game.start(options, 1)
    for _ in range(8):
        position.play({seat: "S" for seat in position.to_move})
    board = TerminalBoard(scene, colour=False, width=76, height=60)
    drawn = "".join(plain(board, position.view()))
    signs = [board.sign(seat) for seat in (0, 1)]
    assert not set(signs[0]) & set(signs[1])
    for sign in signs:
        assert set(sign) & set(drawn) >= set(sign[:2]), "land and band of each, as in the legend"
    assert set(drawn) <= {*signs[0], *signs[1], ".", " "}


def test_with_colour_owners_have_hues_and_levels_have_brightness() -> None:
    game = get("duel2048")
    scene = game.scene(game.Options())
    view = game.start(game.Options(), 1).view()
    view["layers"]["tiles"][0] = "+1"
    view["layers"]["tiles"][1] = "+10"
    view["layers"]["tiles"][4] = "-1"
    console = Console(color_system="truecolor", force_terminal=True, width=80, height=24)
    low, high, other = (make_cells(scene, view)[index] for index in (0, 1, 4))
    from ludus.cli.board import piece_colour

    assert sum(piece_colour(high)) > sum(piece_colour(low))
    assert piece_colour(low)[2] > piece_colour(low)[0]
    assert piece_colour(other)[0] > piece_colour(other)[2]
    with console.capture() as captured:
        console.print(TerminalBoard.for_console(console, scene).draw(view))
    assert "\x1b[" in captured.get()
    assert "1024" in captured.get()


def test_a_board_too_large_is_shown_around_the_last_move() -> None:
    scene = {**TINY, "rows": 101, "columns": 102, "zones": []}
    empty = [""] * (101 * 102)
    heads = list(empty)
    heads[50 * 102 + 90] = "A"
    view = {
        "layers": {"land": empty, "heads": heads},
        "marks": {"last": [50 * 102 + 90]},
        "to_move": [],
    }
    lines = plain(TerminalBoard(scene, colour=False, width=76, height=16), view)
    assert len(lines) == 17
    assert max(map(len, lines)) <= 76
    assert any("♙" in line for line in lines)
    assert lines[-1] == "rows 42–57, columns 26–101"


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("colour", [True, False])
def test_every_game_fits_80_columns(name: str, colour: bool) -> None:
    game = get(name)
    options = game.Options()
    position = game.start(options, 1)
    board = TerminalBoard(game.scene(options), colour=colour, width=76, height=16)
    seated = [SeatCaption(f"bot{i}", seat, 1.5) for i, seat in enumerate(game.seat_names)]
    for _ in range(5):
        console = Console(width=80, color_system="truecolor", force_terminal=True)
        with console.capture() as captured:
            console.print(draw_frame(board, position.view(), seated, "title", "footing"))
        assert "bot0" in captured.get()
        assert max(line.cell_len for line in board.draw(position.view()).split()) <= 80
        if not position.to_move:
            break
        position.play({seat: position.legal(seat)[0] for seat in position.to_move})
