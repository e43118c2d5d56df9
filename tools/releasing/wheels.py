"""The files of a release: an sdist, and a wheel for each version of CPython.

Zig compiles them against glibc 2.17, so that they run on every Linux of the last ten years,
whatever the machine that builds them has.
"""

from __future__ import annotations

import os
import re
import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tools.releasing.commands import ReleaseError, Words, run
from tools.releasing.pythons import Interpreter

PLATFORM = "manylinux_2_17_x86_64"
TARGET = "x86_64-linux-gnu.2.17"
NEEDED_FILES = (
    "ludus/py.typed",
    "ludus/server/page/index.html",
    "ludus/server/docs/index.html",
    "ludus/server/docs/zh/index.html.gz",
    "ludus/learn/nets/tablut.onnx",
    "ludus/learn/nets/reversi.onnx",
    "ludus/scheduling/migrations/env.py",
)
"""What a wheel must have beside Python modules, one file of each kind."""
UNWANTED = re.compile(r"^tests/|(^|/)(node_modules|__pycache__)/|\.(c|pyc|map)$")


def build_sdist(root: Path, out: Path, work: Path) -> Path:
    """The sources with the page and the docs built."""
    out.mkdir(parents=True, exist_ok=True)
    python = root / ".venv/bin/python"
    environment = {**os.environ, "LUDUS_UNCOMPILED": "1"}
    command: Words = [python, "setup.py", "-q", "egg_info", "-e", work, "sdist", "-d", out]
    work.mkdir(parents=True, exist_ok=True)
    run(command, folder=root, environment=environment)
    return max(out.glob("*.tar.gz"), key=lambda file: file.stat().st_mtime)


def unpack_sdist(sdist: Path, folder: Path) -> Path:
    """The folder of the sources inside an sdist, unpacked anew."""
    shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(sdist) as packed:
        if hasattr(tarfile, "data_filter"):  # not in the Python of Debian 12
            packed.extractall(folder, filter="data")
        else:
            packed.extractall(folder)
    (inside,) = folder.iterdir()
    return inside


def build_wheel(sources: Path, python: Interpreter, zig: Path, out: Path) -> Path:
    """A wheel of unpacked sources for one Python; its compiler is that of ``zig``."""
    # Debian's Python has a header in a folder of the system, to be looked at after zig's own
    headers = "-idirafter /usr/include"
    compiler = f"{zig} -m ziglang cc -target {TARGET} -fno-sanitize=undefined {headers}"
    environment = {**os.environ, "CC": compiler, "LDSHARED": f"{compiler} -shared -s"}
    environment.pop("LUDUS_UNCOMPILED", None)
    before = set(out.glob("*.whl"))
    command: Words = [python.builder, "setup.py", "-q", "bdist_wheel", "-p", PLATFORM, "-d", out]
    said = run(command, folder=sources, environment=environment)
    built = set(out.glob(f"*-{python.tag}-*.whl"))
    if not built:
        raise ReleaseError(f"no wheel for {python.tag} was built:\n{said[-3000:]}")
    return (built - before or built).pop()


def build_plain_wheel(sources: Path, python: Path, out: Path) -> Path:
    """A wheel without compiled modules, for tests of what is in a wheel."""
    environment = {**os.environ, "LUDUS_UNCOMPILED": "1"}
    run(
        [python, "setup.py", "-q", "bdist_wheel", "-d", out],
        folder=sources,
        environment=environment,
    )
    (wheel,) = out.glob("*-py3-none-any.whl")
    return wheel


def find_wheel_problems(wheel: Path, compiled: list[str]) -> Iterator[str]:
    """What is missing in a wheel, or should not be there. ``compiled``: lines of compiled.txt."""
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
    for name in NEEDED_FILES:
        if name not in names:
            yield f"{wheel.name} lacks {name}"
    for name in sorted(names):
        if UNWANTED.search(name):
            yield f"{wheel.name} should not have {name}"
    modules = {name.partition(".")[0] for name in names if name.endswith(".so")}
    for path in compiled:
        module = path.removeprefix("src/").removesuffix(".py")
        if module not in modules:
            yield f"{wheel.name} has {module} uncompiled"


def find_platform_problems(wheel: Path, auditwheel: Path) -> Iterator[str]:
    """Whether auditwheel agrees with the platform in the wheel's name."""
    said = " ".join(run([auditwheel, "show", wheel]).split())
    if f'"{PLATFORM}"' not in said:
        yield f"{wheel.name} is not {PLATFORM}: {said}"
