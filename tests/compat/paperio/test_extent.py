"""A few bytes that are as large as the world once they are written out."""

import os
import pickle
import subprocess
import sys
import zlib
from array import array
from pathlib import Path
from typing import Any

from ludus.compat.paperio import pickles, results
from ludus.compat.paperio.extent import summarise_value
from ludus.match.verdict import SeatFault
from ludus.sandbox.bot_fault import FaultKind
from tests.support.cli import SOURCE


def laughing(depth: int = 60, each: Any = ()) -> Any:
    """Each pair is of the one before twice."""
    for _ in range(depth):
        each = (each, each)
    return each


def clog(**changed: Any) -> bytes:
    match = {
        "players": ("a", "b"),
        "size": (102, 101),
        "maxturn": 2000,
        "maxtime": 30,
        "result": (1, 1, 0),
        "traces": [array("b", [0, 1]), array("b", [0, 1])],
        "init": [{"x": 1, "y": 1}, {"x": 9, "y": 9}],
        "timeleft": [array("f", [1.0, 1.0])] * 2,
    }
    return zlib.compress(pickle.dumps(match | changed, 4))


PARSES = """
import sys
from pathlib import Path
from ludus.errors import LudusError
from ludus.compat.paperio import records
for path in sorted(Path(sys.argv[1]).iterdir()):
    try:
        records.read(path)
    except LudusError as error:
        print(path.name, error.text["en"], error.text["zh"], flush=True)
"""


def refusals(folder: Path) -> dict[str, str]:
    """What is said of each file of a folder, by a process of its own: it might never end."""
    ran = subprocess.run(
        [sys.executable, "-c", PARSES, str(folder)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        timeout=60,
    )
    assert ran.stderr == ""
    return dict(line.split(" ", 1) for line in ran.stdout.splitlines())


def test_a_value_that_is_used_again_and_again_is_refused(tmp_path: Path) -> None:
    match = pickle.loads(zlib.decompress(clog()))
    starts = [{"x": laughing(), "y": 1}, match["init"][1]]
    lists: list[Any] = []
    lists.append(lists)
    evil = {
        **{key: clog(**{key: laughing()}) for key in match},
        "pairs": clog(size=(laughing(), laughing())),
        "start": clog(init=starts),
        "itself": clog(size=lists),
        "deep": deep(),
        "array": hashed(),
    }
    for name, data in evil.items():
        (tmp_path / name).write_bytes(data)
    said = refusals(tmp_path)
    assert said.keys() == evil.keys()
    assert "its pickle is damaged" in said.pop("array")
    for words in said.values():
        assert "far larger written out" in words and "展开后远大于文件" in words


def deep() -> bytes:
    """Five thousand tuples, one in the other."""
    body = pickle.dumps({"players": 0}, 4).removesuffix(b".")
    return zlib.compress(body + b"\x8c\x04size" + b")" + b"\x85" * 5000 + b"s.")


def hashed() -> bytes:
    """An array whose kind is a tuple of tuples: to look it up is to hash all of them."""
    pairs = b"".join(b"h%ch%c\x86\x94" % (number, number) for number in range(60))
    call = b"carray\n_array_reconstructor\n(Nh\x3cK\x01C\x00tR."
    return zlib.compress(b"\x80\x04)\x94" + pairs + call)


def test_what_is_large_is_shown_as_what_it_is() -> None:
    assert summarise_value((1, "two")) == "(1, 'two')" and summarise_value("x" * 99) == "x" * 60
    assert (
        summarise_value(laughing()) == "a large tuple"
        and summarise_value([0] * 1000) == "a large list"
    )
    thing = pickles.InertObject(pickles.GlobalName("my_bot", "Stop"), (laughing(),))
    assert results.format_exception(thing) == "Stop: a large tuple"
    assert summarise_value(thing) == "a large object"


def test_columns_that_a_file_repeats_are_no_bomb() -> None:
    """Frames are equal columns over and over, and so are those of a true record."""
    fields = tuple([(None, 1, 2, None, 1)] * 100)
    frames = [{"fields": fields, "bands": fields} for _ in range(200)]
    data = zlib.compress(pickle.dumps({"log": frames}, 4))
    assert pickles.load(data) == {"log": frames}


def test_records_that_end_by_hostile_exceptions_can_be_written_out() -> None:
    fault = SeatFault(0, FaultKind.CRASH, {"en": "it raised KeyError: " + "(" * 9000, "zh": ""})
    assert results.exception_from_fault(fault).args == ("(" * 9000,)
