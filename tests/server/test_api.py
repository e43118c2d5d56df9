"""What is answered over HTTP."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludus.games.registry import get, names, sample_names
from ludus.lang import Text
from ludus.match import record
from ludus.match.record import save
from ludus.server import game_catalogue
from ludus.server.bots.catalogue import BotCatalogue
from ludus.server.live.film import make_film
from ludus.server.records import standalone_page
from ludus.server.records.summary import summarize_record
from ludus.server.state import ServerSettings
from ludus.server.web import static
from tests.support.bouts import bout
from tests.support.site import Site, served_for_module


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server whose only records are those of ``saved``, for all tests of this module."""
    home = tmp_path_factory.mktemp("site")
    with served_for_module(home, ServerSettings(demo=False)) as site:
        yield site


@pytest.fixture(scope="module")
def saved(site: Site) -> list[str]:
    """Five records: a match of three, one alone, and one of another game."""
    home = site.home
    stems = [f"20260101-000000-reversi-greedy-random-{n:02d}" for n in (1, 2, 3)]
    for name in (*stems, "alone"):
        save(bout(), home / "records" / f"{name}.ludus")
    save(bout("tablut"), home / "records" / "tafl.ludus")
    (home / "records" / "junk.ludus").write_bytes(b"no record")
    return [*stems, "alone", "tafl"]


@pytest.fixture(scope="module")
def alone(shared: Site) -> Site:
    """A server with one record, and a copy of it where nobody may get at it."""
    save(bout(), shared.home / "records" / "alone.ludus")
    (shared.home / "alone.ludus").write_bytes(
        (shared.home / "records" / "alone.ludus").read_bytes()
    )
    return shared


def test_the_server_says_what_it_is(site: Site) -> None:
    info = site.get("/api/info")
    assert info == {"version": info["version"], "language": "en", "demo": False, "loopback": True}


def test_every_game_is_described_in_both_languages(site: Site) -> None:
    games = site.get("/api/games")
    assert [game["name"] for game in games] == [*names(), *sample_names()]
    for game in games:
        assert game["title"].keys() == {"en", "zh"}
        assert all(option["help"].keys() == {"en", "zh"} for option in game["options"])
        assert game["bots"] and game["bots"][0]["description"]["zh"]
        assert site.get(f"/api/games/{game['name']}") == game


def test_the_description_of_a_bot_follows_its_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text('"""First."""\n\n\nclass Bot:\n    def move(self, position, clock): ...\n')
    bots = BotCatalogue([("reversi", str(file))])
    for text in ("First.", "Second, and longer."):
        file.write_text(file.read_text().replace("First.", text))
        bot = game_catalogue.describe(get("reversi"), bots).bots[0]
        assert (bot.name, bot.description.en) == ("mine", text)


def test_records_are_listed_newest_first_and_page_by_page(site: Site, saved: list[str]) -> None:
    whole = site.get("/api/records")
    assert [item["id"] for item in whole["items"]] == saved[::-1]
    assert whole["next"] is None
    seen, cursor = [], ""
    while cursor is not None:
        page = site.get(f"/api/records?limit=2&before={cursor}")
        assert len(page["items"]) <= 2
        seen += [item["id"] for item in page["items"]]
        cursor = page["next"]
    assert seen == saved[::-1]


def test_records_are_found_by_game_and_by_bot(site: Site, saved: list[str]) -> None:
    assert [i["id"] for i in site.get("/api/records?game=tablut")["items"]] == ["tafl"]
    assert len(site.get("/api/records?bot=greedy")["items"]) == 5
    assert site.get("/api/records?bot=nobody")["items"] == []
    item = site.get("/api/records?game=reversi&limit=1")["items"][0]
    assert item["players"] == [
        {"name": "greedy", "human": False},
        {"name": "random", "human": False},
    ]
    assert item["end"]["winner"] in (0, 1, None)


def test_a_film_has_its_neighbours_in_the_match(site: Site, saved: list[str]) -> None:
    match = site.get(f"/api/films/{saved[1]}")["match"]
    stem = saved[1].removesuffix("-02")
    assert match == {"id": stem, "number": 2, "of": 3, "previous": saved[0], "next": saved[2]}
    assert site.get("/api/films/alone")["match"] is None


def test_records_of_before_their_game_changed_its_sentences_are_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = bout("tablut")
    renewed = {old.reason: Text("decided by {line}", "决定于{line}")}
    monkeypatch.setattr(type(get("tablut")), "reasons", renewed)
    shown = [summarize_record(old, "old").end, make_film(old, "old").end]
    assert [end and end.why for end in shown] == [Text("decided by …", "决定于…")] * 2


def test_a_film_is_sent_packed_to_who_takes_it_so(site: Site, saved: list[str]) -> None:
    plain = site.ask("/api/films/alone")
    packed = site.ask("/api/films/alone", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    found = record.read(site.home / "records" / "alone.ludus")
    assert plain.json == json.loads(make_film(found, "alone").encode())


def test_the_raw_record_is_the_file(site: Site, saved: list[str]) -> None:
    answer = site.ask("/api/films/alone/raw")
    assert answer.body == (site.home / "records" / "alone.ludus").read_bytes()
    assert answer.headers["content-disposition"].startswith("attachment")


def test_gestures_of_any_position_can_be_asked_for(site: Site, saved: list[str]) -> None:
    found = site.get("/api/films/alone/gestures?step=0&seat=0")
    assert {gesture["move"] for gesture in found} == {"d3", "c4", "f5", "e6"}
    assert site.get("/api/films/alone/gestures?step=0&seat=1") == []
    assert site.ask("/api/films/alone/gestures?step=9999&seat=0").status == 400


@pytest.mark.parametrize(
    "path",
    [
        "/api/films/nothing",
        "/api/films/nothing/raw",
        "/api/films/nothing/html",
        "/api/films/..",
        "/api/films/..%2F..%2Falone",
        "/api/films/%2e%2e%2falone",
        "/api/films/.hidden",
        "/api/films/a%00b",
        "/api/films/" + "x" * 300,
        "/api/games/nothing",
        "/api/nothing",
        "/ws/nothing",
    ],
)
def test_what_is_not_there_is_said_in_both_languages(alone: Site, path: str) -> None:
    answer = alone.ask(path)
    assert answer.status == 404
    assert answer.json["error"].keys() == {"code", "en", "zh"}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/records?limit=many", None),
        ("/api/records?limit=0", None),
        ("/api/records?before=yesterday", None),
        ("/api/rooms", {}),
        ("/api/rooms", {"game": "chess", "seats": [{"kind": "human"}]}),
        ("/api/rooms", {"game": "reversi", "seats": [{"kind": "human"}]}),
        ("/api/rooms", {"game": "reversi", "seats": [{"kind": "ghost"}] * 2}),
        ("/api/rooms", {"game": "reversi", "seats": [{"kind": "bot", "bot": "greedy"}] * 2}),
        (
            "/api/rooms",
            {"game": "reversi", "seats": [{"kind": "human"}] * 2, "options": {"size": 99}},
        ),
        (
            "/api/rooms",
            {"game": "reversi", "seats": [{"kind": "human"}] * 2, "clock": {"budget": -1}},
        ),
        ("/api/matches", {"game": "reversi", "bots": ["greedy"]}),
        ("/api/matches", {"game": "reversi", "bots": ["greedy", "random"], "bouts": 10**9}),
        ("/api/matches", b"{"),
    ],
)
def test_what_cannot_be_done_is_refused_in_both_languages(
    shared: Site, path: str, body: object
) -> None:
    answer = shared.ask(path, body)
    assert answer.status == 400
    assert answer.json["error"].keys() == {"code", "en", "zh"}


@pytest.mark.parametrize("bot", ["cmd:touch {}", "{}", "/etc/passwd", "../../x.py"])
def test_no_request_can_start_a_program_of_its_choice(
    shared: Site, tmp_path: Path, bot: str
) -> None:
    mark = tmp_path / "started"
    (tmp_path / "bot.py").write_text(f"open({str(mark)!r}, 'w')\nclass Bot:\n    move = print\n")
    name = bot.format(mark if bot.startswith("cmd") else tmp_path / "bot.py")
    seats = [{"kind": "human"}, {"kind": "bot", "bot": name}]
    assert shared.ask("/api/rooms", {"game": "reversi", "seats": seats}).status == 400
    assert shared.ask("/api/matches", {"game": "reversi", "bots": [name] * 2}).status == 400
    assert not mark.exists()


def test_the_api_describes_itself_without_scripts(site: Site) -> None:
    page = site.ask("/api/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert b"/api/films/{id}" in page.body and b"<script" not in page.body
    schema = site.get("/api/docs/openapi.json")
    assert {"/api/rooms", "/api/open", "/api/records", "/api/live"} <= schema["paths"].keys()
    assert all("description" in get for get in schema["paths"]["/api/games"].values())


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page that has been built."""
    page = tmp_path / "page"
    (page / "assets").mkdir(parents=True)
    (page / "index.html").write_text("<p>the page")
    (page / "assets" / "app-1a2b.js").write_text("let page = 'a page'\n" * 50)
    (page / "standalone.html").write_text('<script>const film = "__FILM__"</script>')
    (tmp_path / "secret").write_text("secret")
    monkeypatch.setattr(static, "PAGE_FOLDER", page)
    monkeypatch.setattr(static, "STANDALONE_PAGE", page / "standalone.html")
    return page


def test_the_page_answers_everywhere_else(built: Path, site: Site) -> None:
    for path in ("/", "/watch/some-bout", "/room/x?token=y", "/%2e%2e/secret", "/../secret"):
        answer = site.ask(path)
        assert (answer.status, answer.body) == (200, b"<p>the page")
        assert answer.headers["cache-control"] == "no-cache"
    script = site.ask("/assets/app-1a2b.js", headers={"Accept-Encoding": "gzip"})
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "immutable" in script.headers["cache-control"]
    assert gzip.decompress(script.body) == (built / "assets" / "app-1a2b.js").read_bytes()


def test_without_the_page_the_server_says_how_to_build_it(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static, "PAGE_FOLDER", tmp_path / "nowhere")
    answer = site.ask("/")
    assert "--rebuild" in answer.body.decode() and "页面" in answer.body.decode()


def test_a_bout_becomes_one_html_file(built: Path, site: Site, saved: list[str]) -> None:
    answer = site.ask("/api/films/alone/html")
    assert answer.headers["content-disposition"].startswith("attachment")
    text = answer.body.decode()
    film = text.removeprefix("<script>const film = ").removesuffix("</script>")
    assert json.loads(film)["id"] == "alone"


def test_a_film_cannot_break_out_of_its_html_file(built: Path) -> None:
    film = json.dumps({"name": "</script><script>alert(1)</script><!-- \u2028 &"}).encode()
    text = standalone_page.render_html(film).decode()
    assert text.count("<script>") == text.count("</script>") == 1
    inside = text.removeprefix("<script>const film = ").removesuffix("</script>")
    assert json.loads(inside) == json.loads(film)
