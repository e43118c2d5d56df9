"""What is told of a Python file from its text alone, whatever is in it."""

import ast
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ludus.bots.imported_files import IMPORT_PATTERN, collect_imports
from ludus.bots.resolve import resolve_bot
from ludus.bots.static_check import bound_names, list_imports, parse_source
from ludus.errors import LudusError
from ludus.games import get

BOT = "class Bot:\n    def move(self, position, clock): pass\n"


def nested(line: str, depth: int, end: str = "pass") -> str:
    return "".join(" " * n + line + "\n" for n in range(depth)) + " " * depth + end + "\n"


@pytest.mark.parametrize(
    "line", ["if 1:", "for x in y:", "while 1:", "with a:", "try:", "match x:\n{} case 1:"]
)
def test_nesting_costs_no_more_than_its_length(line: str, tmp_path: Path) -> None:
    """With a walk of its own for each level, 25 levels took minutes."""
    depth = 98
    if line == "try:":
        text = nested(line, depth) + "".join(
            " " * n + "finally:\n" + " " * (n + 1) + "pass\n" for n in reversed(range(depth))
        )
    elif line.startswith("match"):
        text = "".join(" " * (2 * n) + f"match x:\n{' ' * (2 * n + 1)}case 1:\n" for n in range(48))
        text += " " * 96 + "pass\n"
    else:
        text = nested(line, depth)
    path = tmp_path / "bot.py"
    path.write_text(text + BOT)
    began = time.process_time()
    assert resolve_bot(str(path), get("reversi")).name == "bot"
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "-" * 100_000 + "1",
        "not " * 20_000 + "1",
        "1" + "+1" * 50_000,
        "a" + ".b" * 50_000,
        "a" + "()" * 50_000,
        "if 1: pass\n" + "elif 1: pass\n" * 5000,
        "lambda: " * 10_000 + "1",
        "a\0b",
        "1" * 100_000,
        nested("if 1:", 150),
        "# coding: punycode\n" + "a" * 1_000_000,
        "# coding: idna\nx = 1",
        "# coding: unicode_escape\nx = 1",
        "# coding: no-such-thing\n",
        "# coding: utf-8\n\udcff",
    ],
    ids=lambda text: ascii(text[:20]),
)
def test_what_python_cannot_read_is_a_mistake_in_the_file(text: str, tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_bytes(text.encode(errors="surrogateescape") + b"\n" + BOT.encode())
    with pytest.raises(LudusError) as caught:
        resolve_bot(str(path), get("reversi"))
    assert "not valid Python" in caught.value.text["en"] and len(str(caught.value)) < 1000
    assert list(list_imports(path.read_bytes())) == []


@pytest.mark.parametrize("coding", ["utf-8", "latin-1", "gbk", "big5", "cp1252", "utf-8-sig"])
def test_programs_may_be_written_as_people_write_them(coding: str) -> None:
    assert isinstance(parse_source(f"# coding: {coding}\nx = 1\n".encode(coding)), ast.Module)


def test_names_are_found_wherever_the_top_level_binds_them() -> None:
    text = """
if x:
    class A: pass
elif y:
    def B(): pass
else:
    C = 1
try:
    import D
except E:
    from e import F as G
finally:
    for h in i:
        with j: K: int = 1
match l:
    case 1: M += 1
while 1:
    def n():
        class Hidden: pass
"""
    names, unsure = bound_names(ast.parse(text))
    assert {"A", "B", "C", "D", "G", "K", "M", "n"} <= names and not unsure
    assert "Hidden" not in names
    for line in ("from x import *", "exec('')", "if 1:\n    setattr(a, 'b', 1)"):
        assert bound_names(ast.parse(line))[1]


def test_a_module_named_like_a_path_brings_no_folder_along(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("x = 1")
    main = tmp_path / "main.py"
    names = ["/etc", "..", "../..", "*", "**", "", "\\0"]
    main.write_text("\n".join(f"__import__('{name}')" for name in names) + "\nimport json\n")
    assert set(collect_imports(main)) == {"main.py"}


def test_blanks_after_from_are_read_once() -> None:
    began = time.process_time()
    assert IMPORT_PATTERN.search(b"from" + b" " * 200_000 + b"x") is None
    assert time.process_time() - began < 5


class Switching:
    """Lets another thread run while it is collected, in the middle of whatever was going on."""

    def __del__(self) -> None:
        time.sleep(0)


def test_threads_can_parse_at_the_same_time() -> None:
    """In Python up to 3.11.4 this is a SystemError in one file of a few hundred."""
    source = Path(ast.__file__).read_bytes()

    def parse_often(_: int) -> None:
        for _ in range(20):
            garbage = Switching()
            garbage.itself = garbage  # type: ignore[attr-defined]
            parse_source(source)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(parse_often, range(8)))
