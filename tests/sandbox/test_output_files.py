"""Files that a program leaves: handed over within bounds, and nothing but files."""

import os
import socket
import stat
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from ludus import sandbox
from ludus.bots.languages.base import Language
from ludus.bots.resolve import resolve_program
from ludus.errors import LudusError
from ludus.sandbox import JailLevel, Limits, output_files
from ludus.sandbox.output_files import OutputBoundExceeded, OutputReceiver, check_path
from tests.support.jail import MB, level, python

__all__ = ["level"]


def build(code: str, level: JailLevel, folder: Path, **limits: int) -> sandbox.FinishedProgram:
    """A program that leaves something in /out, which it is told as a word of its own."""
    program = python(f"import os, sys\nOUT = sys.argv[1]\n{code}", outputs={"/out": folder})
    program = sandbox.Program(
        argv=(*program.argv, "/out"), files=program.files, outputs=program.outputs, cwd="/tmp"
    )
    given = Limits(**{"processes": 4, "file_size": 4 * MB, "output_files": 50, **limits})
    return sandbox.run(program, seconds=20, limits=given, level=level)


def test_plain_files_come_and_nothing_else(level: JailLevel, tmp_path: Path) -> None:
    code = """
os.makedirs(OUT + "/deep/er")
os.makedirs(OUT + "/empty")
open(OUT + "/deep/er/word", "w").write("hello")
open(OUT + "/big", "wb").write(bytes(range(256)) * 1000)
open(OUT + "/script", "w").write("#!/bin/sh")
os.symlink("/etc/passwd", OUT + "/link")
os.mkfifo(OUT + "/pipe")
os.close(os.open(OUT + "/closed", os.O_CREAT | os.O_WRONLY, 0))
os.mkdir(OUT + "/shut", 0)
"""
    done = build(code, level, tmp_path)
    assert done == sandbox.FinishedProgram(0, "", "", None)
    found = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert found == {"deep/er/word", "big", "script", "closed"}
    assert (tmp_path / "deep/er/word").read_text() == "hello"
    assert (tmp_path / "big").read_bytes() == bytes(range(256)) * 1000
    assert (tmp_path / "script").stat().st_mode & stat.S_IXUSR
    assert not (tmp_path / "big").stat().st_mode & stat.S_IXUSR
    assert not (tmp_path / "empty").exists()


@pytest.mark.parametrize(
    ("code", "why"),
    [
        # Deeper than any recursion and than any path can be long.
        (
            "for _ in range(1500):\n os.mkdir('d' * 9); os.chdir('d' * 9)\n",
            "folders more than 64 deep",
        ),
        ("for n in range(200):\n open(f'{n}', 'w').close()\n", "more than 50 files"),
        ("open(b'\\xff\\xfe', 'w').close()", "name is not UTF-8"),
        ("for n in range(6):\n open(f'{n}', 'wb').write(bytes(1 << 20))\n", "more than 4 MB"),
        ("for n in range(6):\n os.truncate(os.open(f'{n}', 66), 1 << 20)\n", "more than 4 MB"),
    ],
    ids=["deep", "many", "name", "large", "sparse"],
)
def test_what_is_too_much_is_refused_with_a_sentence(
    level: JailLevel, tmp_path: Path, code: str, why: str
) -> None:
    files = 50 if "files" in why else 4000
    done = build(f"os.chdir(OUT)\n{code}", level, tmp_path, output_bytes=4 * MB, output_files=files)
    if "No space left" in done.stderr:  # where the folder has a size of its own
        assert done.code == 1 and level is not JailLevel.PLAIN
    else:
        assert done.why is not None, done
        assert why in done.why["en"] and "/out" in done.why["zh"]
    assert sum(1 for path in tmp_path.rglob("*") if path.is_file()) <= 50


def test_nothing_is_written_to_the_host_beyond_the_limit(level: JailLevel, tmp_path: Path) -> None:
    """A folder on the host's disk is watched; one in the jail has a size."""
    code = """
import time
for n in range(40):
    open(f"{OUT}/{n}", "wb").write(bytes(1 << 20))
    os.remove(f"{OUT}/{n - 8}") if n > 8 else None
    time.sleep(0.02)
"""
    done = build(code, level, tmp_path, output_bytes=4 * MB)
    assert done.code != 0, done
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 4 * MB


def test_a_folder_to_write_to_is_watched_at_every_level(level: JailLevel, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    for above in (folder, *list(folder.parents)[:3]):
        above.chmod(above.stat().st_mode | 0o011)
    code = """
        import sys, time
        for n in range(9):
            open(f"{sys.argv[1]}/{n}", "wb").write(bytes(1 << 20))
        time.sleep(5)
    """
    inside = str(folder) if level is JailLevel.PLAIN else "/work"
    program = python(code, writable={inside: folder})
    program = sandbox.Program(
        argv=(*program.argv, inside), files=program.files, writable={inside: folder}, cwd="/tmp"
    )
    limits = Limits(output_bytes=4 * MB)
    done = sandbox.run(program, seconds=20, limits=limits, level=level)
    assert done.why is not None and "more than 4 MB" in done.why["en"], done


def test_tmp_is_small_at_every_level(level: JailLevel) -> None:
    code = """
        import os, time
        for n in range(300):
            open(f"{os.environ['TMPDIR']}/{n}", "w").close()
        time.sleep(5)
        print("BREACH")
    """
    done = sandbox.run(python(code), seconds=20, limits=Limits(scratch=1 * MB), level=level)
    assert "BREACH" not in done.stdout
    if level is JailLevel.PLAIN:
        assert done.why is not None and "more than 64 files to /tmp" in done.why["en"]
    else:
        assert "No space left" in done.stderr


NESTS = """
import os, sys
os.chdir(sys.argv[1])
for _ in range(3000):
    os.mkdir("d")
    os.chdir("d")
open("bot", "w").close()
"""
LITTERS = """
import sys
for number in range(250):
    open(f"{sys.argv[1]}/{number}", "w").close()
"""


@pytest.mark.skipif(not os.path.exists("/usr/bin/python3"), reason="no /usr/bin/python3")
@pytest.mark.parametrize(
    ("code", "why"), [(NESTS, "64 deep"), (LITTERS, "200 files")], ids=["nests", "litters"]
)
def test_a_bots_own_build_leaves_nothing_that_is_too_much(
    level: JailLevel, code: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, temporary = tmp_path / "desk", tmp_path / "temporary"
    for folder in (desk, temporary, *list(tmp_path.parents)[:2], tmp_path):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LUDUS_JAIL", level.value)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr(Language, "limits", replace(Language.limits, output_files=200))
    (desk / "make.py").write_text(code)
    build = '[build]\ncommand = ["/usr/bin/python3", "make.py", "/out"]\n'
    (desk / "ludus.toml").write_text(build + '[run]\ncommand = ["/out/bot"]\n')
    with pytest.raises(LudusError) as caught:
        resolve_program(desk).build_spec.build_program(Limits())
    assert why in str(caught.value)
    assert list(temporary.iterdir()) == []
    assert list((tmp_path / "home" / "cache" / "builds").iterdir()) == []


@pytest.mark.parametrize(
    "path",
    ["", "/etc/x", "../x", "a/../../x", "a//b", "./x", "a\0b", "a/", "x" * 2000, "a/" * 90 + "b"],
)
def test_the_referee_trusts_no_name(path: str, tmp_path: Path) -> None:
    with pytest.raises(OutputBoundExceeded):
        check_path(path.encode())
    with pytest.raises(OutputBoundExceeded):
        OutputReceiver([("/out", tmp_path)], 10, 10).begin_file(b"\0\0" + path.encode())
    assert list(tmp_path.iterdir()) == []


def test_the_referee_counts_for_itself(tmp_path: Path) -> None:
    receiver = OutputReceiver([("/out", tmp_path)], 10, 1)
    receiver.begin_file(b"\0\1one")
    receiver.write_data(b"x" * 10)
    with pytest.raises(OutputBoundExceeded):
        receiver.write_data(b"x")
    with pytest.raises(OutputBoundExceeded):
        receiver.begin_file(b"\0\0two")
    receiver.close()
    assert os.listdir(tmp_path) == ["one"]


def test_files_are_sent_as_they_are(tmp_path: Path) -> None:
    """From one folder to another, without a jail."""
    source, target = tmp_path / "source", tmp_path / "target"
    (source / "inner").mkdir(parents=True)
    target.mkdir()
    (source / "inner" / "中文.txt").write_text("x")
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    assert output_files.send_files(0, str(source), 100, 10, theirs) == (99, 8)
    receiver = OutputReceiver([("/out", target)], 100, 10)
    receiver.begin_file(ours.recv(4096)[1:])
    receiver.write_data(ours.recv(4096)[1:])
    receiver.close()
    assert (target / "inner" / "中文.txt").read_text() == "x"
    ours.close()
    theirs.close()
