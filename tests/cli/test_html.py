"""``ludus replay html``: a bout as one file."""

import json
from pathlib import Path

import pytest

from ludus.server.web import static
from tests.support.cli import Ludus

PAGE = '<!doctype html><script type="module">const film = "__FILM__"</script>'


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "standalone.html"
    page.write_text(PAGE)
    monkeypatch.setattr(static, "STANDALONE_PAGE", page)


def test_the_last_bout_becomes_a_file(cli: Ludus, home: Path, built: None, tmp_path: Path) -> None:
    assert cli("play", "reversi", "greedy", "random", "--seed", 1).code == 0
    out = tmp_path / "bout.html"
    assert cli("replay", "html", "-o", out).code == 0
    head, tail = PAGE.split('"__FILM__"')
    film = json.loads(out.read_text().removeprefix(head).removesuffix(tail))
    assert film["game"]["name"] == "reversi" and len(film["steps"]) > 50
    again = cli("replay", "html", "-o", out)
    assert again.code == 2 and "--force" in again.err
    assert cli("replay", "html", "-o", out, "--force").code == 0


def test_a_file_of_an_original_becomes_one_too(cli: Ludus, built: None, tmp_path: Path) -> None:
    golden = Path(__file__).parents[1] / "golden/duel2048/records/normal_40_rounds.txt"
    out = tmp_path / "old.html"
    assert cli("replay", "html", golden, "-o", out).code == 0
    assert '"name":"duel2048"' in out.read_text()


def test_without_the_page_it_says_how_to_build_it(
    cli: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static, "STANDALONE_PAGE", tmp_path / "nothing.html")
    golden = Path(__file__).parents[1] / "golden/duel2048/records/normal_40_rounds.txt"
    ran = cli("replay", "html", golden, "-o", tmp_path / "x.html")
    assert ran.code == 2 and "--rebuild" in ran.err
    assert not (tmp_path / "x.html").exists()


def test_watching_in_two_places_is_refused(cli: Ludus) -> None:
    ran = cli("play", "reversi", "greedy", "random", "--watch", "--web")
    assert ran.code == 2 and "exclude each other" in ran.err


@pytest.mark.parametrize("given", ["reversi", "chess=x.py", "reversi=no_such_file.py"])
def test_a_bot_that_cannot_be_entered_stops_the_server_before_it_starts(
    cli: Ludus, given: str
) -> None:
    ran = cli("serve", "--port", "0", "--bot", given)
    assert ran.code == 2 and "open at" not in ran.out
