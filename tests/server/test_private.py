"""What a server and the command line keep is closed to other users of the machine."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ludus import home as homes
from ludus import sandbox
from ludus.bots import cache
from ludus.errors import LudusError
from ludus.match.record import write_atomically
from ludus.sandbox import JailLevel, jail_spec
from ludus.sandbox.program import Limits, Program
from ludus.scheduling.database import connect
from ludus.server.admin import backup
from ludus.server.database import Database
from ludus.server.state import ServerSettings, ServerState
from ludus.server.web.access_log import open_log
from ludus.server.web.app import make_app
from tests.support.accounts import register
from tests.support.site import served

ROOT = os.geteuid() == 0
LOOK = """
import os, sys
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
for place in sys.argv[1:]:
    for path in [place, *(os.path.join(f, n) for f, _, ns in os.walk(place) for n in ns)]:
        try:
            os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1)
            print(path)
        except OSError:
            pass
"""


@pytest.fixture(params=[0o000, 0o022])
def loose(request: pytest.FixtureRequest) -> Iterator[int]:
    """A umask that lets others in."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder that every user can get to; those of pytest are closed."""
    with tempfile.TemporaryDirectory(prefix="open-") as place:
        os.chmod(place, 0o755)
        yield Path(place)


def open_to_others(*places: Path) -> list[str]:
    """What another user can read; by trying it where that is possible, else by the modes."""
    if ROOT:
        command = [sys.executable, "-I", "-c", LOOK, *map(str, places)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.split()
    found = []
    for place in places:
        for path in (place, *place.rglob("*")):
            ways = [each for each in path.parents if each.is_relative_to(place)]
            if path.stat().st_mode & 0o044 and all(way.stat().st_mode & 0o011 for way in ways):
                found.append(str(path))
    return found


def fill(home: Path, elsewhere: Path) -> None:
    """Everything that a server and the command line write."""
    settings = ServerSettings(
        demo=False, database=str(elsewhere / "my.db"), log=str(elsewhere / "requests.log")
    )
    with served(home, settings) as site:
        register(site, "Olga")
        site.state.version_files.folder.mkdir(exist_ok=True)
        assert (elsewhere / "my.db-wal").exists()
        backup.write_backup(site.state.site.database, elsewhere / "backup.zip")
        cache.ensure_entry("builds", "key", lambda folder: (folder / "program").touch())
        write_atomically(home / "records" / "a.ludus", b"record")
        connect(str(elsewhere / "contest.db")).connect().close()
        files = [*home.rglob("*"), *elsewhere.glob("*")]
        assert len(files) >= 10
        assert open_to_others(home, *elsewhere.glob("*")) == []


def test_no_other_user_reads_anything_of_the_home(
    open_place: Path, monkeypatch: pytest.MonkeyPatch, loose: int
) -> None:
    home, elsewhere = open_place / "home", open_place / "elsewhere"
    elsewhere.mkdir()
    elsewhere.chmod(0o755)
    monkeypatch.setenv("LUDUS_HOME", str(home))
    fill(home, elsewhere)
    assert {path.stat().st_mode & 0o777 for path in elsewhere.glob("*")} == {0o600}
    assert home.stat().st_mode & 0o777 == 0o700


def test_a_home_that_was_open_is_closed_at_the_start_and_told_of(
    open_place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    home = open_place / "home"
    (home / "versions" / "1").mkdir(parents=True)
    (home / "versions" / "1" / "bot.py").write_text("secret")
    (home / "arena.db").touch()
    for path in (home, *home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert open_to_others(home)
    monkeypatch.setenv("LUDUS_HOME", str(home))
    monkeypatch.setenv("LUDUS_LANG", "en")
    with served(home, ServerSettings(demo=False)):
        assert open_to_others(home) == []
    told = capfd.readouterr().err
    assert f"closed {home} to other users" in told and f"closed {home / 'arena.db'}" in told


def test_files_of_the_system_that_are_named_by_mistake_are_left_as_they_are(
    tmp_path: Path, home: Path
) -> None:
    for name, text in (
        ("passwd", "root:x:0:0:root:/root:/bin/bash\n"),
        ("daemon.json", '{"log-driver": "journald"}\n'),
    ):
        file = tmp_path / name
        file.write_text(text)
        file.chmod(0o644)
        with pytest.raises(LudusError, match="not a database"):
            Database(str(file)).check_usable()
        with pytest.raises(LudusError, match="something else than a log"):
            open_log(str(file))
        assert file.stat().st_mode & 0o777 == 0o644
        assert file.read_text() == text


def test_a_log_is_continued_and_one_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "requests.log"
    line = '{"at":"2026-01-01T00:00:00Z","path":"/"}\n'
    for _ in range(2):
        log = open_log(str(place))
        assert log is not None
        log.write(line)
        log.close()
    assert place.read_text() == line * 2
    place.chmod(0o200)
    if not ROOT:  # root reads everything
        with pytest.raises(LudusError, match="cannot write the log"):
            open_log(str(place))


def test_a_folder_for_several_people_is_not_closed(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    assert not homes.close_to_others(tmp_path) and tmp_path.stat().st_mode & 0o777 == 0o777
    (tmp_path / "link").symlink_to("/")
    assert not homes.close_to_others(tmp_path / "link")


def test_what_one_saves_elsewhere_is_as_open_as_any_file(tmp_path: Path, home: Path) -> None:
    write_atomically(tmp_path / "mine" / "a.ludus", b"record")
    assert (tmp_path / "mine" / "a.ludus").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("level", ["strong", "userns", "plain"])
def test_a_bot_reads_its_files_in_the_closed_home_at_every_level(
    level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At plain too, and as a user of its own: without a root of its own it needs a copy."""
    if level not in sandbox.list_levels():
        pytest.skip(f"no jail of level {level} on this machine")
    monkeypatch.setattr(jail_spec, "_readable_by_others", lambda from_the_root: True)
    (tmp_path / "versions" / "1" / "deep").mkdir(parents=True)
    (tmp_path / "versions" / "1" / "deep" / "bot.txt").write_text("mine")
    for path in tmp_path.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    own = {"/bot": tmp_path / "versions" / "1"}
    given: Any = {"seconds": 20.0, "limits": Limits(), "level": JailLevel(level)}
    user = sandbox.run(Program(argv=("/usr/bin/id", "-u"), files=own, cwd="/tmp"), **given)
    cat = ("/bin/cat", "/bot/deep/bot.txt")
    read = sandbox.run(Program(argv=cat, files=own, cwd="/tmp"), **given)
    assert read.stdout == "mine", read
    if ROOT:
        assert int(user.stdout) > 0, "it has a user of its own"


def test_a_home_or_log_that_others_could_have_filled_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "writable"
    home.mkdir()
    home.chmod(0o777)
    with pytest.raises(LudusError, match="every user of this machine"):
        make_app(ServerState(ServerSettings(demo=False), home))
    home.chmod(0o700)
    log, link = tmp_path / "log", tmp_path / "link"
    log.touch()
    log.chmod(0o666)
    link.symlink_to(log)
    with pytest.raises(LudusError, match="not a regular file"):
        open_log(str(link))
    file = open_log(str(log))
    assert file is not None and log.stat().st_mode & 0o777 == 0o600
    file.close()
    if ROOT:  # only root can make what belongs to somebody else
        os.chown(home, 65534, 65534)
        os.chown(log, 65534, 65534)
        with pytest.raises(LudusError, match="another user"):
            make_app(ServerState(ServerSettings(demo=False), home))
        with pytest.raises(LudusError, match="another user"):
            open_log(str(log))
