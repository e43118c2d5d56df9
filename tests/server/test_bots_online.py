"""Bots online: uploaded, checked, read by their owners alone."""

import io
import random
import stat
import zipfile
from typing import Any

import pytest

from ludus.errors import LudusError
from ludus.games.registry import get
from ludus.scheduling.schema import BotRow, UserRow
from ludus.server.accounts import sessions
from ludus.server.admin.site_settings import SiteSettings
from ludus.server.bots import bots, import_policy
from ludus.server.bots.upload import bundle_files, find_main_file, pack_files, unpack_files
from tests.support.accounts import CRASHING, GOOD, Person, checked, good_bot, newcomer, upload
from tests.support.site import Site, hear, wait_for

BUSY_AT_FIRST = b"""
import time

while time.process_time() < 1.5:
    pass


"""
"""Uses CPU time, which the clock of a check counts, for as long on every machine."""


@pytest.fixture
def ann(playing_site: Site) -> Person:
    return newcomer(playing_site, "ann")


def zipped(files: dict[str, bytes], **modes: int) -> bytes:
    box = io.BytesIO()
    with zipfile.ZipFile(box, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            member = zipfile.ZipInfo(name)
            member.external_attr = modes.get(name.replace(".", "_"), 0o644) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, data, compresslevel=1)
    return box.getvalue()


def test_a_good_bot_plays_both_seats_and_its_owner_reads_how(
    playing_site: Site, ann: Person
) -> None:
    bot = upload(ann)
    assert bot["versions"][0]["state"] == "checking"
    version = checked(ann, bot["versions"][0]["id"])
    assert version["state"] == "good" and version["language"] == "python"
    check = version["check"]
    assert {found["severity"] for found in check["findings"]} == {"fine", "note"}
    (printed,) = [found for found in check["findings"] if found["code"] == "output"]
    assert printed["severity"] == "note"
    assert "thinking aloud" in check["stdout"]
    (seats,) = [found for found in check["findings"] if found["code"] == "seats"]
    white = check["bouts"][seats["evidence"]["bouts"][1]]
    assert white["title"]["en"] == "as white against Random moves"
    film = ann.get(f"/api/films/{white['film']}")
    assert film["end"] is not None and film["game"]["name"] == "reversi"
    assert [notice["kind"] for notice in ann.get("/api/notices")["items"]] == ["check"]
    assert ann.get("/api/me")["notices"] == 1
    ann.post("/api/notices/read")
    assert ann.get("/api/me")["notices"] == 0


def test_a_bug_is_shown_to_its_owner_and_mended_in_the_editor(
    playing_site: Site, ann: Person
) -> None:
    bot = upload(ann, CRASHING)
    first = checked(ann, bot["versions"][0]["id"])
    assert first["state"] == "refused"
    failed = first["check"]["findings"][0]
    assert (failed["code"], failed["severity"]) == ("fault", "wrong")
    assert "ValueError" in failed["text"]["en"] and "抛出异常" in failed["text"]["zh"]
    assert "line 7" in failed["evidence"]["output"]
    assert "secret words" in first["check"]["stderr"] and "line 7" in first["check"]["stderr"]
    files = ann.get(f"/api/versions/{first['id']}/files")
    mended = files["bot.py"].replace('raise ValueError("secret " + "words")', "pass")
    with ann.socket("/ws/me") as socket:
        sent = {"files": {"bot.py": mended}, "remark": "mended"}
        answer = ann.ask(f"/api/bots/{bot['id']}/versions", sent)
        assert answer.status == 201 and answer.json["number"] == 2
        told = hear(socket, "version", 60)
        if told["id"] == first["id"]:  # the news of the first may come as late as this
            told = hear(socket, "version", 60)
    assert (told["id"], told["state"]) == (answer.json["id"], "good")


def test_how_far_a_check_is_can_be_followed_by_its_owner_only(
    playing_site: Site, ann: Person
) -> None:
    slow = GOOD.replace(b"class Bot", BUSY_AT_FIRST + b"class Bot")
    version = upload(ann, slow)["versions"][0]["id"]
    address = f"/api/versions/{version}/progress"
    seen: dict[str, Any] = {}
    wait_for(lambda: seen.update(ann.get(address) or {}) or seen, 60)
    assert 1 <= seen["bout"] <= seen["bouts"] and seen["title"]["en"] and seen["limit_s"] == 30
    assert newcomer(playing_site, "bob").ask(address).status == 403
    assert checked(ann, version, 180)["state"] == "good"
    assert ann.get(address) is None


def test_what_is_no_python_is_refused_with_its_line(playing_site: Site, ann: Person) -> None:
    bot = upload(ann, b"class Bot:\n    def move(self:\n")
    version = checked(ann, bot["versions"][0]["id"])
    assert version["state"] == "refused"
    found = version["check"]["findings"][0]
    assert (found["evidence"]["file"], found["evidence"]["line"]) == ("bot.py", 2)


def test_a_folder_and_a_zip_are_bots_too(playing_site: Site, ann: Person) -> None:
    helper = b"def choose(moves):\n    return moves[0]\n"
    main = GOOD.replace(b"position.legal(self.seat)[0]", b"choose(position.legal(self.seat))")
    files = {"mine/main.py": b"from helper import choose\n" + main, "mine/helper.py": helper}
    for sent in (files, {"upload.zip": zipped(files)}):
        name = f"folder {len(sent)} {ann.name[:20]}"
        answer = ann.send("/api/bots", sent, {"game": "reversi", "name": name})
        assert answer.status == 201, answer.body
        version = checked(ann, answer.json["versions"][0]["id"])
        assert version["state"] == "good", version
        code = ann.get(f"/api/versions/{version['id']}/files")
        assert set(code) == {"main.py", "helper.py", "ludus.toml"}
        data = ann.ask(f"/api/versions/{version['id']}/zip").body
        assert set(zipfile.ZipFile(io.BytesIO(data)).namelist()) == set(code)


def test_others_see_that_a_bot_exists_and_nothing_else(
    playing_site: Site, ann: Person, olga: Person
) -> None:
    bot = good_bot(ann)
    version = bot["versions"][0]["id"]
    film = ann.get(f"/api/versions/{version}")["check"]["bouts"][0]["film"]
    paths = [f"/api/versions/{version}{tail}" for tail in ("", "/files", "/zip")]
    paths += [f"/api/films/{film}{tail}" for tail in ("", "/raw", "/html", "/analysis")]
    for other in (newcomer(playing_site), Person(playing_site)):
        seen = other.get(f"/api/bots/{bot['id']}")
        assert seen["mine"] is False and seen["versions"] == []
        for path in paths:
            assert other.ask(path).status in (401, 403), path
        changes = {f"/api/bots/{bot['id']}": "PATCH", f"/api/bots/{bot['id']}/versions": "POST"}
        for path, method in changes.items():
            body = {"name": "stolen"} if method == "PATCH" else {"files": {"a.py": "1"}}
            assert other.ask(path, body, method=method).status in (401, 403)
    for path in paths[:3]:
        assert olga.ask(path).status == 403, "not even the organiser reads other people's code"


def test_a_team_owns_a_bot_together(playing_site: Site, ann: Person) -> None:
    ben = newcomer(playing_site, "ben")
    team = ann.post("/api/teams", {"name": f"team {ann.name}"})
    ben.post("/api/teams/join", {"code": team["code"]})
    bot = upload(ann, team=str(team["id"]))
    assert bot["owner"]["kind"] == "team"
    version = bot["versions"][0]["id"]
    assert "bot.py" in ben.get(f"/api/versions/{version}/files")
    ann.delete(f"/api/teams/{team['id']}/members/{ben.user['id']}")
    assert ben.ask(f"/api/versions/{version}/files").status == 403


@pytest.mark.parametrize(
    "files",
    [
        {"../../evil.py": GOOD},
        {"/etc/evil.py": GOOD},
        {"x.zip": zipped({"../evil.py": GOOD})},
        {"x.zip": zipped({"/abs.py": GOOD})},
        {"x.zip": zipped({"link_py": b"/etc/passwd"}, link_py=stat.S_IFLNK | 0o777)},
        {"x.zip": b"PK\x03\x04 no zip at all"},
        {"x.zip": zipped({"main.py": GOOD, "MAIN.py": GOOD})},
        {"x.zip": zipped({"main.py": GOOD, "弈" * 90 + ".py": GOOD})},
        {"main.py": GOOD, "Lib/a.py": GOOD, "lib/b.py": GOOD},
        {"main.py": GOOD, "caf\u00e9.py": GOOD, "cafe\u0301.py": GOOD},
        {"main.py": GOOD, "lib": b"x", "lib/a.py": GOOD},
        {"main.py": GOOD, "弈" * 90 + ".py": GOOD},
        {"a.py": GOOD, "b.py": GOOD},
        {"big.py": b"#" * (9 << 20)},
        {"\x1b[31m.py": GOOD},
        {},
    ],
    ids=lambda files: next(iter(files), "nothing")[:12],
)
def test_what_would_harm_the_server_is_refused(
    playing_site: Site, ann: Person, files: dict[str, bytes]
) -> None:
    answer = ann.send("/api/bots", files, {"game": "reversi", "name": f"evil {ann.name}"})
    assert answer.status in (400, 413), answer.body
    assert str(playing_site.home) not in answer.body.decode()
    assert ann.get("/api/bots?mine=1")["items"] == []


def test_a_bomb_is_refused(playing_site: Site, ann: Person) -> None:
    bomb = zipped({"bomb.py": bytes(80 << 20)})
    test_what_would_harm_the_server_is_refused(playing_site, ann, {"x.zip": bomb})


def test_a_check_that_ends_oddly_is_not_the_last(playing_site: Site, ann: Person) -> None:
    """Files that cannot be laid out, should they ever be let in: others are still checked."""
    bot = upload(ann)
    with playing_site.state.site.database.writing() as session:
        identity = sessions.make_identity(
            session, session.get_one(UserRow, ann.user["id"]), "token"
        )
        files = {"main.py": GOOD, "lib": b"x", "lib/a.py": b"y"}
        row = session.get_one(BotRow, bot["id"])
        odd = bots.add_version(session, identity, SiteSettings(), row, bundle_files(files)).id
    playing_site.state.background.wake()
    assert checked(ann, odd)["state"] == "refused"
    assert checked(ann, bot["versions"][0]["id"])["state"] == "good"


def test_names_of_bots_are_unique_and_none_is_a_house_bots(playing_site: Site, ann: Person) -> None:
    bot = upload(ann)
    for name in (bot["name"], bot["name"].upper(), "greedy", "", "a/b", "x" * 41):
        answer = ann.send("/api/bots", {"b.py": GOOD}, {"game": "reversi", "name": name})
        assert answer.status in (400, 409), name
    answer = ann.send("/api/bots", {"b.py": GOOD}, {"game": "reversi", "name": bot["name"]})
    assert "you have a bot" in answer.json["error"]["en"]
    bob = newcomer(playing_site, "bob")
    answer = bob.send("/api/bots", {"b.py": GOOD}, {"game": "reversi", "name": bot["name"]})
    free = bob.get(f"/api/bots/free-name?game=reversi&name={bot['name']}")["name"]
    assert free == f"{bot['name']}-2"
    assert answer.json["error"]["code"] == "name_taken"
    assert "somebody else has" in answer.json["error"]["en"] and free in answer.json["error"]["zh"]
    upload(bob, name=free)
    assert bob.get(f"/api/bots/free-name?game=reversi&name={free}")["name"] == f"{free}-2"
    assert len(bob.get(f"/api/bots/free-name?game=reversi&name={'x' * 40}")["name"]) == 40
    answer = ann.send("/api/bots", {"b.py": GOOD}, {"game": "../../etc", "name": "fine"})
    assert answer.status == 404


def test_a_retired_bot_is_gone_but_its_name_is_not_given_away(
    playing_site: Site, ann: Person
) -> None:
    bot = upload(ann)
    ann.delete(f"/api/bots/{bot['id']}")
    assert ann.get("/api/bots?mine=1")["items"] == []
    answer = ann.send("/api/bots", {"b.py": GOOD}, {"game": "reversi", "name": bot["name"]})
    assert answer.status == 409


def test_five_bots_of_a_game_are_enough_for_anybody(playing_site: Site, ann: Person) -> None:
    for _ in range(5):
        upload(ann)
    given = {"game": "reversi", "name": f"sixth {ann.name}"}
    assert ann.send("/api/bots", {"b.py": GOOD}, given).status == 409


def test_a_kit_is_a_bot_that_passes_the_check(playing_site: Site, ann: Person) -> None:
    assert ann.get("/api/kits/duel2048")["languages"][0]["dialect"] == "Player"
    kit = ann.get("/api/kits/reversi")["languages"]
    assert (kit[0]["name"], kit[0]["dialect"]) == ("python", "native")
    given = {"game": "reversi", "name": f"kit {ann.name}"}
    files = {name: text.encode() for name, text in kit[0]["template"].items()}
    answer = ann.send("/api/bots", files, given)
    assert checked(ann, answer.json["versions"][0]["id"])["state"] == "good"


# The static check by itself


def test_imports_are_allowed_by_name() -> None:
    game = get("eraser")
    code = b"import os, math\nfrom numpy import linalg\nimport helper\neval('1')\nx.__dict__\n"
    files = {"main.py": code, "helper.py": b"import subprocess\n"}
    said = import_policy.find_objections(files, game, ["math", "numpy"])
    found = [(each["file"], each["line"]) for each in said]
    assert found == [("helper.py", 1), ("main.py", 1), ("main.py", 4), ("main.py", 5)]
    assert "'os' is not allowed" in said[1]["why"]["en"] and "os" in said[1]["why"]["zh"]
    assert import_policy.find_objections(files, game, None) == []


def test_the_same_files_are_always_packed_the_same() -> None:
    files = {"b.py": b"2", "a/x.py": b"1"}
    again = dict(reversed(list(files.items())))
    assert pack_files(files) == pack_files(again)
    assert unpack_files(pack_files(files)) == files


def test_which_of_several_files_is_the_bot_must_be_clear() -> None:
    assert find_main_file({"bot.py": b"", "other.py": b""}) == "bot.py"
    assert find_main_file({"only.cpp": b"", "data.txt": b""}) == "only.cpp"
    with pytest.raises(LudusError, match="which of these"):
        find_main_file({"one.py": b"", "two.py": b""})


# How much may be kept


def test_a_zip_in_a_zip_is_refused_and_nothing_of_it_is_kept(
    playing_site: Site, ann: Person
) -> None:
    inner = zipped({"main.py": GOOD, "zeros": bytes(15 << 20), "ludus.toml": b""})
    for name in ("bot.zip", "deep/er/bot.ZIP"):
        files = {"x.zip": zipped({name: inner})}
        answer = ann.send("/api/bots", files, {"game": "reversi", "name": f"nested {ann.name}"})
        assert answer.status == 400 and "contains only a zip" in answer.body.decode()
    assert not (playing_site.home / "cache" / "bots").exists()


def test_a_zip_in_a_zip_that_was_let_in_before_is_not_unpacked(
    playing_site: Site, ann: Person
) -> None:
    bot = upload(ann)
    with playing_site.state.site.database.writing() as session:
        identity = sessions.make_identity(
            session, session.get_one(UserRow, ann.user["id"]), "token"
        )
        box = bundle_files({"bot.zip": zipped({"main.py": GOOD, "ludus.toml": b""})})
        row = session.get_one(BotRow, bot["id"])
        old = bots.add_version(session, identity, SiteSettings(), row, box).id
    playing_site.state.background.wake()
    version = checked(ann, old)
    assert version["state"] == "refused"
    assert "zip in a zip" in version["check"]["findings"][-1]["text"]["en"]
    assert not (playing_site.home / "cache" / "bots").exists()


def test_a_person_has_room_for_so_much_and_sees_how_much(
    playing_site: Site, ann: Person, olga: Person
) -> None:
    olga.post("/api/admin/settings", {"storage_megabytes": 2}, "PATCH")
    try:
        noise = b"# " + random.Random(1).randbytes(450_000).hex().encode()
        bot = upload(ann, GOOD + noise)
        assert 900_000 < ann.get(f"/api/users/{ann.name}")["storage"]["used"] < 2 << 20
        sent = {"bot.py": GOOD + noise + b"#"}
        answer = ann.send(f"/api/bots/{bot['id']}/versions", sent)
        assert answer.status == 413 and "MB are left" in answer.json["error"]["en"]
        assert answer.json["error"]["zh"] != answer.json["error"]["en"]
        team = ann.post("/api/teams", {"name": f"more room {ann.name}"[:40]})
        given = {"game": "reversi", "name": f"team {ann.name}", "team": str(team["id"])}
        assert ann.send("/api/bots", sent, given).status == 413, "teams give no more room"
        assert upload(newcomer(playing_site))["versions"], "others have room of their own"
        assert "storage" not in newcomer(playing_site).get(f"/api/users/{ann.name}")
    finally:
        olga.post("/api/admin/settings", {"storage_megabytes": 256}, "PATCH")


# What a list of modules can tell


@pytest.mark.parametrize(
    "line",
    [
        b"import typing\ntyping.sys.modules['os']",
        b"import random\nrandom._os",
        b"from ludus.bots.cache import os",
        b"from random import _os as o",
        b"__builtins__",
    ],
)
def test_the_plain_ways_around_a_list_of_modules_are_closed(line: bytes) -> None:
    game = get("reversi")
    for name in ("bot.py", "bot", "bot.txt", "bot.PY"):
        assert import_policy.find_objections({name: line}, game, ["random"]), name
    files = {"ludus.toml": b'language = "python"\nmain = "bot"', "bot": line, "data": b"x"}
    found = import_policy.find_objections(files, game, ["random"])
    assert {each["file"] for each in found} == {"bot"}


def test_python_without_a_text_is_refused_where_there_is_a_list() -> None:
    files = {"main.py": b"x = 1", "helper.so": b"\x7fELF", "other.pyc": b"x"}
    found = import_policy.find_objections(files, get("reversi"), [])
    assert [each["file"] for each in found] == ["helper.so", "other.pyc"]
    assert import_policy.find_objections(files, get("reversi"), None) == []
    assert import_policy.find_objections({"main.cpp": b"int main;"}, get("reversi"), []) == []
