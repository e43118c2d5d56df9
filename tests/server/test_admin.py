"""The organiser's pages, and what the staff of a server looks at."""

import io
import json
import time
import zipfile
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import msgspec
import pytest
import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.scheduling.schema import Base, BoutRow, SeatRow
from ludus.server.admin import overview
from ludus.server.admin.site_settings import SiteSettings
from ludus.server.background import supervisor
from ludus.server.bots import similarity
from ludus.server.bots.upload import pack_files
from tests.support.accounts import GOOD, Person, newcomer, upload, write_code
from tests.support.site import Site, wait_for

COPY = GOOD.replace(b"Bot:", b"Bot:\n    '''my own work'''").replace(b"seat", b"side")
LONG = GOOD + write_code(1)
OTHER = b"import random\n" + b"\n".join(
    b"class Thing%d:\n    def go(self):\n        return {1: 2, 3: (4, 5)}[%d] if self else None"
    % (n, n)
    for n in range(20)
)


def test_the_overview_shows_everything_at_a_glance(playing_site: Site, olga: Person) -> None:
    told = olga.get("/api/admin")
    assert told["workers"]["alive"] in (True, False) and told["storage"]["free"] > 0
    assert told["counts"]["users"] >= 1 and told["bouts_per_hour"] >= 0
    assert {"queue", "load", "faults", "ladders"} <= told.keys()
    assert [user["name"] for user in olga.get("/api/admin/users?search=OLG")["items"]] == ["Olga"]


def test_everything_is_exported_but_code_and_passwords(playing_site: Site, olga: Person) -> None:
    ann = newcomer(playing_site, "=ann"[1:])
    upload(ann, about="=1+1")
    data = olga.ask("/api/admin/export").body
    box = zipfile.ZipFile(io.BytesIO(data))
    users = json.loads(box.read("users.json"))
    assert ann.name in [user["name"] for user in users]
    assert all("password" not in user for user in users)
    assert b"argon2" not in b"".join(box.read(name) for name in box.namelist())
    assert b"'=1+1" in box.read("bots.csv")  # no formula
    assert not any("code" in name for name in box.namelist())


def test_what_bots_printed_is_kept_as_long_as_it_should_be_in_every_time_zone() -> None:
    now = datetime.now(UTC)
    ages = [timedelta(hours=30), timedelta(hours=26), timedelta(hours=22), timedelta(hours=1)]
    zones = [timezone(timedelta(hours=hours)) for hours in (14, -12, 14, -12)]
    engine = sql.create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        for number, (age, zone) in enumerate(zip(ages, zones, strict=True), 1):
            began = (now - age).astimezone(zone).isoformat(timespec="seconds")
            session.add(bout_row(number, began))
            session.add(SeatRow(bout_id=number, seat=0, contest_id=1, name="x", output=b"said"))
        session.commit()
        assert overview.delete_old_outputs(session, 1) == 2
        kept = session.scalars(sql.select(SeatRow.bout_id).where(SeatRow.output.is_not(None)))
        assert sorted(kept) == [3, 4]
        assert overview.count_bouts_last_hour(session) == 0


def bout_row(number: int, began: str) -> BoutRow:
    lists: dict[str, Any] = {key: [] for key in ("names", "scores", "figures", "cpu", "wall")}
    return BoutRow(
        **lists,
        contest_id=1,
        match_id="m",
        number=number,
        seed=1,
        verdict="rules",
        reason={},
        faults=[],
        plies=1,
        began_at=began,
    )


def test_words_reach_everybody_or_a_class(playing_site: Site, olga: Person) -> None:
    ann = newcomer(playing_site)
    assert olga.post("/api/admin/notices", {"text": "Tomorrow at <b>six</b>"})["people"] >= 2
    assert ann.get("/api/notices")["items"][0]["text"]["en"] == "Tomorrow at <b>six</b>"
    group = olga.post("/api/groups", {"name": "Few"})
    assert olga.post("/api/admin/notices", {"text": "Hello", "to": group["id"]})["people"] == 1
    assert olga.ask("/api/admin/notices", {"text": "  "}).status == 400


def test_submissions_that_look_alike_are_pointed_out(playing_site: Site, olga: Person) -> None:
    ann, ben = newcomer(playing_site), newcomer(playing_site)
    a, b = upload(ann, LONG), upload(ben, LONG.replace(b"helper", b"mine"))
    found = olga.get("/api/admin/similar?game=reversi")
    pair = {a["id"], b["id"]}
    match = next(each for each in found if {each["a"]["bot"]["id"], each["b"]["bot"]["id"]} == pair)
    assert match["share"] > 0.9 and match["where"][0][0] == "bot.py"
    _, first, last, _, other_first, other_last = match["where"][0]
    assert first < last and other_first < other_last, "whole places, not only where they begin"
    games = olga.get("/api/admin/similar/games")
    assert next(one["bots"] for one in games if one["game"] == "reversi") >= 2
    assert b"helper" not in json.dumps(found).encode()  # places, no code
    assert ann.ask("/api/admin/similar?game=reversi").status == 403
    assert ann.ask("/api/admin/similar/games").status == 403


def test_likeness_sees_through_names_and_comments_and_not_through_work() -> None:
    prints = {
        number: similarity.fingerprint_files({"bot.py": code})
        for number, code in enumerate((LONG, LONG.replace(b"helper", b"h") + b"# more\n", OTHER))
    }
    found = similarity.find_similar(prints)
    assert [(each.a, each.b) for each in found] == [(0, 1)]
    [place] = found[0].where
    assert place == ("bot.py", place[1], place[2], "bot.py", place[1], place[2])
    assert place[2] >= LONG.decode().rstrip().count("\n"), "to the end, since all is alike"
    assert found[0].share > 0.95


def test_health_and_numbers_for_machines(playing_site: Site, olga: Person) -> None:
    assert olga.get("/health")["ok"] is True
    text = playing_site.ask("/metrics").body.decode()
    assert "ludus_requests_total" in text and "ludus_workers " in text
    forwarded = playing_site.ask("/metrics", headers={"X-Forwarded-For": "203.0.113.7"})
    assert forwarded.status == 401
    token = olga.post("/api/me/tokens", {"label": "prometheus", "scopes": ["admin"]})["token"]
    headers = {"X-Forwarded-For": "203.0.113.7", "Authorization": f"Bearer {token}"}
    assert playing_site.ask("/metrics", headers=headers).status == 200


@pytest.mark.parametrize("wrong", [{"bots_per_game": -1}, {"nonsense": 1}, {"register": "yes"}])
def test_settings_that_cannot_be_are_refused(
    playing_site: Site, olga: Person, wrong: dict[str, object]
) -> None:
    answer = olga.ask("/api/admin/settings", wrong, method="PATCH")
    assert answer.status == 400 and answer.json["error"]["zh"]


def test_a_background_process_that_hears_nothing_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often the server rings, and when it stops."""
    deaf = tmp_path / "deaf"
    deaf.write_text("#!/bin/sh\nexec sleep 600\n")
    deaf.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(deaf))
    monkeypatch.setattr(supervisor, "STOP_TIMEOUT_S", 0.2)
    found = supervisor.BackgroundSupervisor({}, lambda _: None)
    found.start()
    wait_for(lambda: found.pid)
    pid = found.pid
    began = time.monotonic()
    for _ in range(50_000):
        found.wake()
    found.close()
    assert time.monotonic() - began < 30
    assert not Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize(
    "text",
    ["/* " * 50_000, "'" + "\\'" * 50_000, '"' * 100_001],
    ids=["comment", "text", "quotes"],
)
def test_comparing_takes_time_that_grows_with_the_text(text: str) -> None:
    began = time.process_time()
    similarity.fingerprint_files({"a.py": text.encode()})
    assert time.process_time() - began < 8


def test_a_program_that_cannot_be_compared_hides_no_other() -> None:
    assert similarity.fingerprint_packed(b"no zip at all") is None
    prints = {n: similarity.fingerprint_packed(pack_files({"a.py": LONG})) for n in (1, 3)}
    found = similarity.find_similar_limited(
        {n: each for n, each in prints.items() if each is not None}
    )
    assert [(pair.a, pair.b, pair.share) for pair in found] == [(1, 3, 1.0)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_docs_explain_every_setting_with_its_default(language: str) -> None:
    text = (Path(__file__).parents[2] / "docs" / language / "arena.md").read_text(encoding="utf-8")
    told = {}
    for row in text.splitlines():
        cells = [cell.strip() for cell in row.split("|")]
        if len(cells) == 5 and cells[3]:
            told[cells[1].strip("`")] = cells[2].strip("`")
    usual = msgspec.to_builtins(SiteSettings())
    assert usual["jail"] is None and told.pop("jail") == "null"
    del usual["jail"]
    assert {name: json.loads(told.get(name, "null")) for name in usual} == usual
