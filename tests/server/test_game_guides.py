"""What people read about games, over the API."""

import logging
from pathlib import Path

import pytest

from ludus.bots.error_hints import find_hint, find_package_hint
from ludus.compat.saiblo.game import open_game as open_saiblo
from ludus.games import get, names
from ludus.games.base import Game
from ludus.games.guide import read_guide
from ludus.lang import Text
from ludus.server.bots.hint_words import reword_hint
from ludus.server.game_guides import describe_guide, find_guide
from tests.support.site import Site

MANIFEST = 'name = "stones"\nlogic = "logic.py"\ntitle = { en = "Stones", zh = "石子" }\n'


def test_every_game_has_a_guide_whose_boards_can_be_drawn(shared: Site) -> None:
    for game in shared.get("/api/games"):
        guide = shared.get(f"/api/games/{game['name']}/guide")
        assert guide["game"] == game["name"] and guide["about"] == game["about"]
        for board in guide["boards"] + guide["openings"]["samples"]:
            cells = board["scene"]["rows"] * board["scene"]["columns"]
            assert all(len(layer) == cells for layer in board["key"]["layers"].values())
            assert board["caption"]["zh"]
    assert shared.ask("/api/games/nothing/guide").status == 404
    assert shared.ask("/api/games/..%2Freversi/guide").status == 404


def test_the_last_steps_of_a_board_are_sent_to_be_shown() -> None:
    boards = {board.name: board for board in describe_guide(get("tablut")).boards}
    capture = boards["capture"]
    [step] = capture.steps
    assert step.moves == {"1": "i4e4"}
    assert any(event["kind"] == "capture" for event in step.events)
    assert boards["start"].steps == []


def test_boards_of_a_game_that_is_a_program_are_given_as_rows(shared: Site) -> None:
    boards = {board["name"]: board for board in shared.get("/api/games/uno/guide")["boards"]}
    assert boards.keys() == {"colours", "wild", "fitting", "wanted"}
    assert boards["wanted"]["key"]["layers"]["cards"] == ["", "wb", "", "b5", "b+", "r5"]
    for board in boards.values():
        [cards] = board["key"]["layers"].values()
        assert set(filter(None, cards)) <= board["scene"]["tokens"]["cards"].keys()


@pytest.mark.parametrize("name", names())
def test_openings_are_told_as_bouts_begin(name: str) -> None:
    game = get(name)
    openings = describe_guide(game).openings
    assert (openings.kind == "seed") == game.is_seeded(game.Options())
    assert (openings.kind == "suite") == (len(openings.samples) > 0) == (openings.count > 100)


def write_game(folder: Path, **files: str) -> Game:
    folder.mkdir()
    (folder / "logic.py").write_text("")
    (folder / "saiblo.toml").write_text(MANIFEST)
    for name, text in files.items():
        (folder / name.replace("_", ".", 1)).write_text(text)
    return open_saiblo(folder)


def test_a_game_in_a_folder_shows_its_readme(tmp_path: Path) -> None:
    silent = find_guide(write_game(tmp_path / "silent"))
    assert not silent.rules
    told = find_guide(write_game(tmp_path / "told", README_md="# Stones\nTake one."))
    assert told.rules.en == told.rules.zh == "# Stones\nTake one."
    described = describe_guide(write_game(tmp_path / "same", README_md="x"))
    assert described.boards == [] and described.openings.kind == "start"


def test_a_game_in_a_folder_may_have_a_guide_of_its_own(tmp_path: Path) -> None:
    game = write_game(tmp_path / "stones", README_md="not this")
    (tmp_path / "stones" / "guide").mkdir()
    (tmp_path / "stones" / "guide" / "en.md").write_text("Take stones.\n\n## Turns\nTake one.\n")
    guide = find_guide(open_saiblo(tmp_path / "stones"))
    assert guide.about.zh == "Take stones." and "Take one." in guide.rules.en
    assert game.name == "stones"


def test_a_readme_that_leads_elsewhere_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    game = write_game(tmp_path / "stones")
    (tmp_path / "stones" / "README.md").symlink_to(tmp_path / "secret")
    assert not find_guide(game).rules


def test_starters_are_in_the_language_of_the_reader_and_without_commands(shared: Site) -> None:
    for name in (*names(), "uno"):
        texts = {}
        for language in ("en", "zh"):
            kits = shared.get(f"/api/kits/{name}?language={language}")["languages"]
            assert kits
            texts[language] = [text for kit in kits for text in kit["template"].values()]
            assert not [text for text in texts[language] if "ludus play" in text]
            assert not [text for text in texts[language] if "ludus check" in text]
        assert texts["en"] != texts["zh"]
    assert shared.ask("/api/kits/reversi?language=fr").status == 400
    unknown = shared.ask("/api/kits/reversi/folder?name=cobol&dialect=native")
    assert unknown.status == 404


def test_hints_on_a_page_advise_no_commands(tmp_path: Path) -> None:
    missing = [ModuleNotFoundError(name=name) for name in ("nonsuch", "numpy")]
    hints = [find_package_hint(error) for error in missing]
    hints.append(find_hint(type("BdbQuit", (Exception,), {})(), tmp_path / "bot.py"))
    for hint in (Text(*words) for words in hints):
        assert "ludus " in hint.en and "ludus " in hint.zh
        for words in reword_hint(hint).values():
            assert not any(command in words for command in ("ludus ", "pip ", "--"))
    assert "this server does not have it" in reword_hint(Text(*hints[0])).en


def renewed_reversi(folder: Path) -> Game:
    found: Game = type("Renewed", (type(get("reversi")),), {"guide_folder": folder})()
    return found


def test_a_guide_whose_folder_is_missing_is_a_guide_without_text(tmp_path: Path) -> None:
    guide = describe_guide(renewed_reversi(tmp_path / "nowhere"))
    assert not guide.about and not guide.rules
    assert [board.name for board in guide.boards] == ["start"]


@pytest.mark.parametrize(
    ("content", "count", "drawn"),
    [(b"\xff\xfe", 0, []), (None, 0, []), (b"", 0, []), (b"d3 c5\nd3 a1\nno move\n", 3, ["d3 c5"])],
    ids=["not text", "missing", "empty", "illegal"],
)
def test_a_guide_is_shown_without_openings_that_have_a_mistake(
    tmp_path: Path, content: bytes | None, count: int, drawn: list[str]
) -> None:
    file = tmp_path / "openings.txt"
    if content is not None:
        file.write_bytes(content)
    kind = type(get("reversi"))
    game: Game = type("Renewed", (kind,), {"openings_file": lambda self, options: file})()
    guide = describe_guide(game)
    assert guide.rules and guide.boards
    assert (guide.openings.kind, guide.openings.count) == ("suite", count)
    assert [board.caption.en for board in guide.openings.samples] == drawn


def test_a_picture_with_a_mistake_is_left_out_and_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("ludus"), "propagate", True)
    (tmp_path / "en.md").write_text("Discs.\n\n## Turns {#turns}\nTake one.\n")
    form = '[[pictures]]\nname = "{}"\nmoves = "{}"\ncaption = {{ en = "A", zh = "B" }}\n'
    pictures = tmp_path / "pictures.toml"
    pictures.write_text(form.format("right", "d3") + form.format("wrong", "d3 a1"))
    guide = describe_guide(renewed_reversi(tmp_path))
    assert guide.about.zh == "Discs." and "Take one." in guide.rules.en
    assert [board.name for board in guide.boards] == ["right"]
    [said] = set(caplog.messages)
    assert "picture 'wrong'" in said and "a1" in said

    read_guide.cache_clear()
    pictures.write_text("[[pictures]")
    guide = describe_guide(renewed_reversi(tmp_path))
    assert guide.about.en == "Discs." and [board.name for board in guide.boards] == ["start"]
    assert "pictures.toml" in caplog.messages[-1]
