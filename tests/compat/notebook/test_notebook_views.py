"""How positions, records and matches look in a notebook."""

import re
import xml.etree.ElementTree as ElementTree
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

import ludus
from ludus.compat.notebook import pages
from ludus.compat.notebook.board_svg import draw_svg
from ludus.compat.notebook.board_text import draw_text
from ludus.games.registry import names

SHORT: dict[str, dict[str, Any]] = {
    "duel2048": {"rounds": 6},
    "paperio": {"k": 9, "h": 17, "turns": 20},
    "tablut": {"limit": 12},
    "eraser": {"turns": 8},
}


@pytest.mark.parametrize("name", names())
def test_every_game_is_drawn(name: str) -> None:
    bout = ludus.play(name, "random", "random", options=SHORT.get(name, {}), seed=1)
    for position in (bout.position(0), bout.position()):
        scene, view = position.game.scene(), position.view()
        picture = ElementTree.fromstring(draw_svg(scene, view))
        assert picture.attrib["role"] == "img"
        assert len(picture) >= scene["rows"]
        assert len(draw_text(scene, view).splitlines()) == scene["rows"]
        assert "<svg" in position._repr_html_()


def test_a_picture_shows_what_stands_where() -> None:
    position = ludus.game("reversi").start()
    picture = ElementTree.fromstring(draw_svg(position.game.scene(), position.view()))
    discs = [part for part in picture if part.tag.endswith("circle")]
    places = {(float(disc.attrib["cx"]) // 36, float(disc.attrib["cy"]) // 36) for disc in discs}
    assert places == {(3, 3), (3, 4), (4, 3), (4, 4)}
    assert len({disc.attrib["fill"] for disc in discs}) == 2


def test_the_largest_field_is_a_small_picture() -> None:
    bout = ludus.play("paperio", "random", "random", seed=1)
    assert len(bout.position()._repr_html_()) < 100_000


def test_pieces_of_two_owners_with_one_glyph_are_told_apart() -> None:
    bout = ludus.play("duel2048", "random", "random", options={"rounds": 6}, seed=1)
    assert "2'" in draw_text(bout.game.scene(), bout.position(3).view()).split()


def test_names_of_bots_are_escaped() -> None:
    def bot(position: Any) -> str:
        return str(position.legal(position.to_move[0])[0])

    bot.__name__ = "<script>alert(1)</script>"
    match = ludus.match("reversi", bot, "random", bouts=2, options={"size": 4}, seed=1)
    assert "<script>" not in match._repr_html_()
    frame = match.bouts[0]._repr_html_()
    assert frame.count("<") == 4  # the tags of the frame and around it


def test_a_player_that_is_too_large_becomes_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MAX_PLAYER_BYTES", 1000)
    html = ludus.play("reversi", "random", "random", options={"size": 4})._repr_html_()
    assert "<svg" in html
    assert "<iframe" not in html
    assert "to_html()" in html


def test_a_page_that_is_not_built_is_replaced_by_a_picture(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("ludus.server.web.static.STANDALONE_PAGE", tmp_path / "missing.html")
    html = ludus.play("reversi", "random", "random", options={"size": 4})._repr_html_()
    assert "<svg" in html
    assert "--rebuild" in html


def test_the_player_works_in_a_notebooks_sandbox(browser: Browser) -> None:
    bout = ludus.play("reversi", "greedy", "random", options={"size": 4}, seed=1)
    html = bout._repr_html_()
    frame = re.search(r'srcdoc="([^"]*)"', html)
    assert frame is not None
    assert unescape(frame[1]) == bout.to_html()
    page = browser.new_page()
    errors: list[object] = []
    page.on("pageerror", lambda error: errors.append(error))
    page.set_content(html)
    player = page.frame_locator("iframe")
    player.get_by_text(re.compile("One move ahead|贪心")).first.wait_for()
    assert player.locator("canvas").count() > 0
    assert errors == []
    page.close()
