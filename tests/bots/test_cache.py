"""What is kept to save time: never more than allowed, and never what is in use."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ludus.bots import cache, cache_eviction, cache_leases, temp_folders
from ludus.bots.cache import ensure_entry
from ludus.errors import LudusError

MB = 1 << 20


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "kept"))
    monkeypatch.setenv("LUDUS_CACHE_MB", "4")
    return tmp_path / "kept"


@pytest.fixture
def unused(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if everything were used by processes that are gone."""
    monkeypatch.setattr(cache_leases, "list_used_keys", lambda root: set())


def filled(key: str, size: int = MB) -> Path:
    return ensure_entry("builds", key, lambda folder: put(folder, size))


def put(folder: Path, size: int) -> None:
    (folder / "deep").mkdir()
    (folder / "deep" / "file").write_bytes(bytes(size))


def keys(root: Path) -> list[str]:
    return sorted(each.place.name for each in cache_eviction.list_entries(root))


def used_at(root: Path, key: str, ago: float) -> None:
    then = time.time() - ago
    os.utime(root / "builds" / key / "size", (then, then))


def test_the_cache_has_a_place_of_its_own(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert filled("a").is_relative_to(root)
    monkeypatch.delenv("LUDUS_CACHE")
    monkeypatch.setenv("LUDUS_HOME", str(root.parent / "home"))
    assert cache.cache_root() == root.parent / "home" / "cache"


@pytest.mark.usefixtures("unused")
def test_what_was_not_used_for_longest_is_forgotten_first(root: Path) -> None:
    for ago, key in enumerate("abc"):
        filled(key)
        used_at(root, key, 100 - ago)
    filled("a")  # used again: now b is the oldest
    filled("d", MB * 3 // 2)
    assert keys(root) == ["a", "c", "d"]
    assert sum(each.size for each in cache_eviction.list_entries(root)) <= 4 * MB
    for number in range(10):
        filled(f"n{number}")
        assert sum(each.size for each in cache_eviction.list_entries(root)) <= 4 * MB


@pytest.mark.usefixtures("unused")
def test_many_small_files_count_as_what_they_take_of_a_disk(root: Path) -> None:
    def many(folder: Path) -> None:
        for number in range(300):
            (folder / str(number)).touch()
            (folder / str(number)).write_bytes(b"x")

    ensure_entry("builds", "many", many)
    assert cache_eviction.list_entries(root)[0].size >= 300 * 4096


def test_what_a_living_process_uses_stays_and_a_dead_ones_does_not(root: Path) -> None:
    code = (
        "import sys; from ludus.bots.cache import ensure_entry\n"
        "ensure_entry('builds', 'theirs', lambda f: (f / 'x').write_bytes(bytes(2 << 20)))\n"
        "print('ready', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert other.stdout is not None and other.stdout.readline()
        used_at(root, "theirs", 1000)
        with pytest.raises(LudusError) as caught:
            filled("mine", 3 * MB)
        assert "in use" in caught.value.text["en"] and "LUDUS_CACHE_MB" in caught.value.text["zh"]
        assert keys(root) == ["theirs"]
    finally:
        other.kill()
        other.communicate()
    filled("mine", 3 * MB)
    assert keys(root) == ["mine"]
    assert len(list((root / "leases").iterdir())) == 1, "that of the dead process is gone"


def test_what_was_used_long_ago_is_not_in_use(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled("old", 3 * MB)
    monkeypatch.setattr(cache_leases, "LEASE_DURATION_S", -1.0)
    filled("new", 3 * MB)
    assert keys(root) == ["new"]


@pytest.mark.usefixtures("unused")
def test_what_killed_processes_left_is_removed(root: Path) -> None:
    filled("a")
    for name in (".new-killed", ".new-working", ".old-killed"):
        (root / "builds" / name / "files").mkdir(parents=True)
    os.utime(root / "builds" / ".new-killed", (0, 0))
    filled("b")
    left = {path.name for path in (root / "builds").iterdir()}
    assert left == {"a", "b", ".new-working"}


def test_too_much_for_the_whole_cache_is_refused_and_leaves_nothing(root: Path) -> None:
    with pytest.raises(LudusError, match="full"):
        filled("huge", 5 * MB)
    assert [path.name for path in (root / "builds").iterdir()] == []


def test_several_processes_fill_the_same_cache_at_once(root: Path) -> None:
    code = (
        "import sys; from ludus.bots.cache import ensure_entry\n"
        "for n in range(12):\n"
        "    made = ensure_entry('builds', f'k{n % 4}', lambda f: (f /"
        " 'x').write_bytes(bytes(700_000)))\n"
        "    assert (made / 'x').stat().st_size == 700_000\n"
    )
    crowd = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    assert [each.wait() for each in crowd] == [0, 0, 0]
    assert len(keys(root)) == 4
    assert not [path for path in (root / "builds").iterdir() if path.name.startswith(".")]


def test_one_makes_what_several_want_at_once(root: Path) -> None:
    made: list[int] = []
    begun, others = threading.Event(), threading.Event()

    def make(folder: Path) -> None:
        made.append(1)
        begun.set()
        others.wait()
        put(folder, 100)

    with ThreadPoolExecutor(3) as threads:
        first = threads.submit(ensure_entry, "builds", "same", make)
        begun.wait()
        rest = [threads.submit(ensure_entry, "builds", "same", make) for _ in range(2)]
        other = ensure_entry(
            "builds", "other", lambda folder: put(folder, 100)
        )  # nobody waits for that
        assert other.is_dir() and not any(each.done() for each in (first, *rest))
        others.set()
        assert {each.result() for each in (first, *rest)} == {root / "builds" / "same" / "files"}
    assert made == [1]
    assert not [path for path in (root / "builds").iterdir() if path.name.startswith(".")]


def test_what_a_killed_process_was_making_another_makes(root: Path) -> None:
    code = (
        "from ludus.bots.cache import ensure_entry\n"
        "ensure_entry('builds', 'same', lambda folder: print('making', flush=True) or input())\n"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe) as maker:
        assert maker.stdout is not None and maker.stdout.readline() == b"making\n"
        with ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(filled, "same", 100)
            maker.kill()
            assert waiting.result().is_dir()


@pytest.mark.parametrize("word", ["lots", "-1", "1e3", "²"])
def test_a_size_that_is_no_number_is_told(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_CACHE_MB", word)
    with pytest.raises(LudusError, match="megabytes"):
        cache_eviction.max_cache_bytes()


# Temporary folders


def test_temporary_folders_of_killed_processes_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(temp_folders, "MIN_SWEEP_AGE_S", -1.0)
    code = (
        "import sys, tempfile; tempfile.tempdir = sys.argv[1]\n"
        "from ludus.bots.temp_folders import TempFolder\n"
        "held = TempFolder('test'); print(held.name, flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout is not None
    theirs = Path(other.stdout.readline().strip())
    (tmp_path / "ludus-tmp-link").symlink_to(tmp_path)
    (tmp_path / "ludus-other").mkdir()
    try:
        assert temp_folders.sweep_temp_folders() == 0 and theirs.is_dir()
    finally:
        other.kill()
        other.communicate()
    assert temp_folders.sweep_temp_folders() == 1 and not theirs.exists()
    assert (tmp_path / "ludus-other").is_dir()


def test_a_temporary_folder_is_removed_however_deep_it_is(tmp_path: Path) -> None:
    with temp_folders.TempFolder("deep") as folder:
        handle = os.open(folder, os.O_RDONLY)
        for _ in range(1100):
            os.mkdir("d", dir_fd=handle)
            below = os.open("d", os.O_RDONLY, dir_fd=handle)
            os.close(handle)
            handle = below
        os.close(handle)
    assert not folder.exists()
