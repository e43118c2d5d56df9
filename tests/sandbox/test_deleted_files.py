"""Files that were removed and are still held count as what they take of the disk."""

from pathlib import Path

import pytest

from ludus import sandbox
from ludus.sandbox import JailLevel, Limits
from tests.support.jail import MB, level, python

__all__ = ["level"]

HOLDS = """
import mmap, os, sys, time
PLACE = sys.argv[1]

def removed(name):
    file = os.open(f"{PLACE}/{name}", os.O_CREAT | os.O_RDWR)
    os.unlink(f"{PLACE}/{name}")
    return file

def unnamed(name):
    return os.open(PLACE, os.O_TMPFILE | os.O_RDWR)

def fill(file):
    for _ in range(16):
        os.write(file, bytes(1 << 17))

def opened():
    return [fill(removed(n)) for n in range(3)]

def tmpfile():
    return [fill(unnamed(n)) for n in range(3)]

def mapped():
    for n in range(2):
        file = removed(n)
        fill(file)
        held.append(mmap.mmap(file, 4096))
    os.closerange(3, 99)  # those that Python keeps for its mappings too

def forked():
    if not os.fork():
        opened()
        time.sleep(9)

def hidden():
    # By a program that may be run and not read: its user does not see what it has open.
    sleep = os.open(f"{PLACE}/sleep", os.O_CREAT | os.O_WRONLY, 0o111)
    os.write(sleep, open("/usr/bin/sleep", "rb").read())
    os.close(sleep)
    if not os.fork():
        for file in [removed(n) for n in range(3)]:
            os.set_inheritable(file, True)
            fill(file)
        os.execv(f"{PLACE}/sleep", ["sleep", "9"])

held = []
"""
STAYS = "\ntime.sleep(9)\nprint('BREACH')\n"


def hold(how: str, level: JailLevel, place: Path | None, **limits: int) -> sandbox.FinishedProgram:
    """A program that holds 6 MB in a folder that may have 4.

    Mapped: a page each of two files, which may have 4 MB each.
    """
    given = Limits(scratch=4 * MB, output_bytes=4 * MB, file_size=4 * MB, **limits)
    shell = python(f"{HOLDS}\n{how}")
    inside = "/tmp"
    writable: dict[str, Path] = {}
    if place is not None:
        for above in (place, *list(place.parents)[:3]):
            above.chmod(above.stat().st_mode | 0o011)
        inside = str(place) if level is JailLevel.PLAIN else "/work"
        writable = {inside: place}
    program = sandbox.Program(
        argv=(*shell.argv, inside), files=shell.files, writable=writable, cwd="/tmp"
    )
    return sandbox.run(program, seconds=20, limits=given, level=level)


def test_removed_files_count_in_the_output_of_a_build(plain: JailLevel, tmp_path: Path) -> None:
    shell = python(f"{HOLDS}\nforked(){STAYS}")
    program = sandbox.Program(
        argv=(*shell.argv, "/out"), files=shell.files, outputs={"/out": tmp_path}, cwd="/tmp"
    )
    limits = Limits(processes=4, output_bytes=4 * MB, file_size=4 * MB)
    done = sandbox.run(program, seconds=20, limits=limits, level=plain)
    assert done.why is not None and "more than 4 MB to /out" in done.why["en"], done


@pytest.fixture
def plain() -> JailLevel:
    if "plain" not in sandbox.list_levels():
        pytest.skip("no jail of level plain on this machine")
    return JailLevel.PLAIN


@pytest.mark.parametrize("how", ["opened()", "tmpfile()", "mapped()", "forked()", "hidden()"])
def test_removed_files_count_in_tmp_at_level_plain(plain: JailLevel, how: str) -> None:
    done = hold(how + STAYS, plain, None, processes=1 if how in ("opened()", "mapped()") else 4)
    assert "BREACH" not in done.stdout
    assert done.why is not None and "more than 4 MB" in done.why["en"], done
    assert "/tmp" in done.why["zh"]


def test_removed_files_count_in_a_folder_of_the_host_at_every_level(
    level: JailLevel, tmp_path: Path
) -> None:
    place = tmp_path / "work"
    place.mkdir()
    done = hold("opened()" + STAYS, level, place, processes=4)
    assert done.why is not None and "more than 4 MB" in done.why["en"], done


def test_a_few_removed_files_harm_nobody(plain: JailLevel) -> None:
    """As compilers, and whoever writes to a temporary file, have them."""
    how = "a, b = removed('a'), removed('b')\nfill(a)\nheld.append(mmap.mmap(a, 4096))\n"
    done = hold(f"{how}time.sleep(0.4)\nprint('well')\n", plain, None)
    assert done == sandbox.FinishedProgram(0, "well\n", "", None)


def test_disk_is_not_taken_without_writing(level: JailLevel) -> None:
    code = """
        import ctypes, os
        libc = ctypes.CDLL(None, use_errno=True)
        file = os.open(f"{os.environ['TMPDIR']}/big", os.O_CREAT | os.O_RDWR)
        for mode in (0, 1):
            size = ctypes.c_long(2 << 20)
            print(libc.fallocate(file, mode, ctypes.c_long(0), size), ctypes.get_errno() == 95)
        print(os.posix_fallocate(file, 0, 1 << 20), os.fstat(file).st_size)
    """
    done = sandbox.run(python(code), seconds=20, limits=Limits(), level=level)
    assert done.stdout.split("\n")[:3] == ["-1 True", "-1 True", "None 1048576"], done
