"""Sources run uncompiled without Cython: ``ludus/_cython_names.py`` has every name they use."""

import re
import subprocess
import sys
from pathlib import Path

import ludus
from ludus import _cython_names
from ludus.cli.diagnostics import list_compilable_modules

ROOT = Path(ludus.__file__).parents[2]
SOURCES = [ROOT / line for line in (ROOT / "compiled.txt").read_text().split()]


def test_every_name_of_cython_that_sources_use_is_there() -> None:
    text = "\n".join(source.read_text() for source in SOURCES)
    used = set(re.findall(r"\bcython\.(\w+)", text)) - {"cimports", "address"}  # only compiled
    assert len(used) > 20
    assert not {name for name in used if not hasattr(_cython_names, name)}


def test_the_doctor_looks_for_what_is_compiled() -> None:
    sources = {source.relative_to(ROOT / "src").with_suffix("") for source in SOURCES}
    known = {".".join(path.parts) for path in sources}
    found = set(list_compilable_modules())
    assert found <= known and len(found) > 0.9 * len(known)


def test_numbers_are_converted_and_arrays_begin_with_zeros() -> None:
    names = _cython_names
    assert names.declare(names.int) == 0 and names.declare(names.double, 3) == 3.0
    assert names.declare(names.int[3]) == [0, 0, 0]
    assert names.cast(names.int, 2.7) == 2 and names.cast(names.float, 1) == 1.0
    assert names.cast(list, (1,)) == (1,)


def test_the_names_serve_where_cython_is_not_installed() -> None:
    code = "import ludus, cython; print(cython.__file__, cython.compiled)"
    ran = subprocess.run(
        [sys.executable, "-S", "-c", code],  # without site-packages
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == [_cython_names.__file__, "False"]
