"""Files that people open: every original's, and whatever else they bring."""

import gzip
import pickle
import sys
import uuid
import zlib
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from ludus.compat.formats import find_output_format
from ludus.games.registry import get
from ludus.match import record
from ludus.server.records import opened_files
from ludus.server.records.opened_files import OpenedFile, reader_command, sort_files
from ludus.server.state import ServerSettings
from tests.support.bouts import bout
from tests.support.site import Answer, Site, served_for_module

GOLDEN = Path(__file__).parents[1] / "golden"
ROUND = sorted((GOLDEN / "duel2048/records/round_match_example").iterdir())


@pytest.fixture
def settings() -> ServerSettings:
    return ServerSettings(demo=False, reader=reader_command("ludus.compat.reader_process"))


@pytest.fixture(scope="module")
def opening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server that opens files, for all tests that need no fresh one."""
    home = tmp_path_factory.mktemp("opening")
    settings = ServerSettings(demo=False, reader=reader_command("ludus.compat.reader_process"))
    with served_for_module(home, settings) as site:
        yield site


def send(site: Site, files: list[tuple[str, bytes]]) -> Answer:
    mark = uuid.uuid4().hex
    body = b""
    for name, data in files:
        body += (
            f'--{mark}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n'
            f"Content-Type: application/octet-stream\r\n\r\n"
        ).encode() + data
        body += b"\r\n"
    body += f"--{mark}--\r\n".encode()
    kind = f"multipart/form-data; boundary={mark}"
    return site.ask("/api/open", body, headers={"Content-type": kind})


@pytest.mark.parametrize("head", ['; filename=""', "; filename=", "; filename*=UTF-8''%ff", ""])
def test_a_file_without_a_name_is_refused_in_a_sentence(opening: Site, head: str) -> None:
    body = f'--m\r\nContent-Disposition: form-data; name="files"{head}\r\n\r\n'.encode()
    headers = {"Content-type": "multipart/form-data; boundary=m"}
    answer = opening.ask("/api/open", body + b"\x1f\x8b\xff\r\n--m--\r\n", headers=headers)
    assert answer.status == 400 and answer.json["error"].keys() == {"code", "en", "zh"}


def paperio_file(suffix: str) -> bytes:
    rules = get("paperio")
    from ludus.bots.players.create import create_player
    from ludus.bots.resolve import resolve_bot
    from ludus.match import play

    players = [create_player(resolve_bot(bot, rules), rules) for bot in ("go_round", "random")]
    found = play(rules, rules.Options.parse({"turns": 30}), 5, players)
    return find_output_format("paperio", suffix).write(found)


ORIGINALS = {
    "2048.txt": lambda: (GOLDEN / "duel2048/records/normal_40_rounds.txt").read_bytes(),
    "eraser.json": lambda: gzip.decompress(
        (GOLDEN / "eraser/replays/full_greedy_vs_rand.json.gz").read_bytes()
    ),
    "paper.zlog": lambda: paperio_file(".zlog"),
    "paper.clog": lambda: paperio_file(".clog"),
    "ours.ludus": lambda: record.pack(bout()),
}


@pytest.mark.parametrize("name", ORIGINALS)
def test_a_file_of_every_kind_opens(opening: Site, name: str) -> None:
    data = ORIGINALS[name]()
    answer = send(opening, [(name, data)])
    assert answer.status == 200, answer.body
    [summary] = answer.json["films"]
    assert summary["kind"] == "file" and summary["file"] == name
    film = opening.get(f"/api/films/{summary['id']}")
    assert film["id"] == summary["id"] and film["kind"] == "file"
    assert len(film["steps"]) == summary["step"] and film["end"] == summary["end"]
    raw = opening.ask(f"/api/films/{summary['id']}/raw").body
    assert record.unpack(raw, name).game == summary["game"]["name"]
    assert not (opening.home / "records").exists(), "what is opened is not stored"


def test_a_whole_round_match_opens_in_the_order_of_its_table(site: Site) -> None:
    files = [(f"rm/{path.name}", path.read_bytes()) for path in reversed(ROUND)]
    answer = send(site, files).json
    assert answer["errors"] == []
    films = answer["films"]
    table = (ROUND[0].parent / "_.txt").read_text().splitlines()[2:22]
    assert [film["file"] for film in films] == [f"rm/{line.split()[1]}.txt" for line in table]
    assert [film["match"]["number"] for film in films] == list(range(1, 21))
    second = site.get(f"/api/films/{films[1]['id']}")
    assert second["match"]["previous"] == films[0]["id"]
    assert second["match"]["next"] == films[2]["id"]


def test_an_opened_file_can_be_played_on(site: Site) -> None:
    [summary] = send(site, [("2048.txt", ORIGINALS["2048.txt"]())]).json["films"]
    seats = [{"kind": "human"}, {"kind": "bot", "bot": "random"}]
    asked = {"seats": seats, "from": {"film": summary["id"], "step": 10}}
    assert site.ask("/api/rooms", asked).status == 201


class Evil:
    """Unpickled carelessly, it leaves a mark."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return (open, (str(self.mark), "w"))


BAD: dict[str, Callable[[Path], bytes]] = {
    "empty": lambda _: b"",
    "text": lambda _: b"hello",
    "html": lambda _: b"<script>alert(1)</script>",
    "cut": lambda _: record.pack(bout())[:-20],
    "bomb": lambda _: gzip.compress(b"0" * (200 << 20), 1),
    "evil.zlog": lambda mark: zlib.compress(pickle.dumps(Evil(mark))),
    "evil.clog": lambda mark: pickle.dumps(Evil(mark)),
    "deep.json": lambda _: b"[" * 100_000,
    "program.py": lambda _: b"import os; os.abort()",
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_record_is_refused_and_never_run(
    opening: Site, tmp_path: Path, name: str
) -> None:
    mark = tmp_path / "mark"
    answer = send(opening, [(name, BAD[name](mark))])
    assert answer.status == 400
    assert answer.json["file"] == name
    assert answer.json["error"].keys() == {"code", "en", "zh"}
    assert "ludus-open" not in answer.json["error"]["en"], "it names our own folder"
    assert not mark.exists()
    assert opening.ask("/api/info").status == 200


def test_a_record_that_is_not_true_is_refused(opening: Site) -> None:
    import msgspec

    found = bout()
    lie = msgspec.structs.replace(found, scores=found.scores[::-1], seal="")
    answer = send(opening, [("lie.ludus", record.pack(lie.with_checksum()))])
    assert answer.status == 400
    assert "verification failed" in answer.json["error"]["en"]


def test_good_files_open_beside_bad_ones(opening: Site) -> None:
    answer = send(opening, [("bad", b"x"), ("good.ludus", record.pack(bout()))])
    assert answer.status == 200
    assert [film["file"] for film in answer.json["films"]] == ["good.ludus"]
    assert [error["file"] for error in answer.json["errors"]] == ["bad"]


def test_nothing_brought_is_said(opening: Site) -> None:
    assert send(opening, []).status == 400
    assert opening.ask("/api/open", {"files": []}).status == 400


def test_a_name_with_folders_goes_nowhere(opening: Site, tmp_path: Path) -> None:
    name = f"../../../../{tmp_path}/planted.ludus"
    assert send(opening, [(name, record.pack(bout()))]).status == 200
    assert not (tmp_path / "planted.ludus").exists()


def test_reading_that_takes_too_long_is_ended(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened_files, "READ_TIMEOUT_S", 0.5)
    sleeper = (sys.executable, "-c", "import time; time.sleep(60)")
    monkeypatch.setattr(site.state.uploads, "_reader", sleeper)
    answer = send(site, [("slow", b"x")])
    assert answer.status == 400
    assert "time" in answer.json["error"]["en"]


def test_only_so_much_is_kept(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened_files, "MAX_STORED_RECORD_BYTES", 1)
    [first] = send(site, [("a.ludus", record.pack(bout()))]).json["films"]
    [second] = send(site, [("2048.txt", ORIGINALS["2048.txt"]())]).json["films"]
    assert site.ask(f"/api/films/{first['id']}").status == 404
    assert site.ask(f"/api/films/{second['id']}").status == 200


def test_a_body_that_is_too_large_is_refused(site: Site) -> None:
    talk = HTTPConnection("127.0.0.1", site.port, timeout=20)
    talk.putrequest("POST", "/api/open")
    talk.putheader("Content-Type", "multipart/form-data; boundary=x")
    talk.putheader("Content-Length", str(opened_files.MAX_UPLOAD_BYTES + 1))
    talk.endheaders(b"--x")
    assert talk.getresponse().status == 413, "refused before it has come"
    talk.close()


def test_files_without_a_table_are_ordered_as_people_count() -> None:
    files = [OpenedFile(f"m/{n}.txt", b"") for n in (10, 9, 1)]
    assert [file.name for file in sort_files(files, files)] == ["m/1.txt", "m/9.txt", "m/10.txt"]
