"""What a bot's file declares for tuning, and the versions that are written from it."""

from pathlib import Path

import pytest

from ludus.errors import LudusError
from ludus.tuning.parameters import TunableSource, read_tunable
from ludus.tuning.spsa import Spsa, SpsaSettings

SOURCE = '''"""A bot."""
CORNER = 100  # tune: 0..200
RISK = 0.35   # 冒险的比例, share of risky moves  # tune: 0..1 step 0.05
GAIN: float = -1.5e1 #tune:-20 .. +20
OTHER = 7  # not tuned


class Bot:
    corner = CORNER  # local names may be anything

    def move(self, position, clock):
        RISK = 1  # a name of this function
        return position.legal(0)[RISK]
'''


def read(tmp_path: Path, text: str | bytes) -> TunableSource:
    path = tmp_path / "mine.py"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_tunable(path)


def complaint(tmp_path: Path, source: str) -> str:
    with pytest.raises(LudusError) as caught:
        read(tmp_path, source)
    text = caught.value.text
    assert any("\u4e00" <= letter <= "\u9fff" for letter in text["zh"])
    return text["en"]


def test_numbers_are_declared_by_a_comment_each(tmp_path: Path) -> None:
    found = read(tmp_path, SOURCE).numbers
    assert [(n.name, n.start, n.low, n.high, n.step, n.whole) for n in found] == [
        ("CORNER", 100, 0, 200, 20, True),
        ("RISK", 0.35, 0, 1, 0.05, False),
        ("GAIN", -15.0, -20, 20, 4, False),
    ]


def test_a_version_is_the_same_text_with_other_numbers(tmp_path: Path) -> None:
    source = read(tmp_path, SOURCE)
    written = source.write([33.3, 0.5, 2.0])
    expected = (
        SOURCE.replace("= 100 ", "= 33 ").replace("0.35 ", "0.5000 ").replace("-1.5e1", "2.00")
    )
    assert written == expected
    again = read(tmp_path, written)
    assert [n.start for n in again.numbers] == [33, 0.5, 2.0]
    assert source.is_version(again) and again.is_version(source)
    assert not source.is_version(read(tmp_path, SOURCE.replace("A bot", "Another")))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk"])
def test_encodings_and_line_ends_are_kept(tmp_path: Path, encoding: str) -> None:
    text = f"# coding: {encoding.removesuffix('-sig')}\r\nX = '象'; Y = 1.0  # tune: 0..2\r\n"
    source = read(tmp_path, text.encode(encoding))
    assert source.encode([0.25]) == text.replace("1.0", "0.250").encode(encoding)


def test_the_versions_of_an_iteration_stay_within_the_bounds(tmp_path: Path) -> None:
    source = read(tmp_path, "A = 0  # tune: 0..3\nB = 1.0  # tune: 0..1\nclass Bot: ...\n")
    start = tuple(n.to_unit(n.start) for n in source.numbers)
    spsa = Spsa(SpsaSettings(start, (0.5 / 3, 0.1), 50, lag=50))
    for number in range(50):
        for version in source.make_versions(spsa.perturb(number)):
            low, high = (n.start for n in read(tmp_path, version).numbers)
            assert low in (0, 1, 2) and 0 <= high <= 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("X = 1\n", "declares no number to tune"),
        ("X = 1  # tune: 0..\n", "line 1: expected bounds"),
        ("X = 1  # tune: 0-9\n", "line 1: expected bounds"),
        ("X = 1  # tune: 0..9 step\n", "line 1: expected bounds"),
        ("X = 1  # tune: 0..nan\n", "line 1: expected bounds"),
        ("X = 1  # tune: 9..0\n", "line 1: the lower bound of X must be below"),
        ("X = 10  # tune: 0..9\n", "line 1: X is 10, outside its bounds 0..9"),
        ("X = 1  # tune: 0..1.5\n", "line 1: X is a whole number, so its bounds must be"),
        ("X = 1.0  # tune: 0..9 step 0\n", "line 1: the step of X must be above 0"),
        ("X = 1.0  # tune: 0..9 step 5\n", "line 1: the step of X must be above 0"),
        ("X = 1  # tune: 0..9 step 0.1\n", "line 1: the step of X must be above 0"),
        ("\nX = 'a'  # tune: 0..9\n", "line 2: “# tune:” belongs behind a number"),
        ("X = True  # tune: 0..1\n", "line 1: “# tune:” belongs behind a number"),
        ("X = Y = 1  # tune: 0..1\n", "line 1: “# tune:” belongs behind a number"),
        ("X = [1,  # tune: 0..1\n2]\n", "line 1: “# tune:” belongs behind a number"),
        ("# tune: 0..1\nX = 1\n", "line 1: “# tune:” belongs behind a number"),
        ("def f():\n  x = 1  # tune: 0..1\n", "line 2: “# tune:” belongs behind a number"),
        ("X = 1  # tune: 0..9\nX = 2\n", "line 2: X is assigned here and in line 1"),
        ("X = 1  # tune: 0..9\nX = 2  # tune: 0..9\n", "line 1: X is assigned here and in line 2"),
        ("X = 1  # tune: 0..9\nif X:\n  X += 1\n", "line 3: X is assigned here and in line 1"),
        ("X = 1  # tune: 0..9\nfor X in []: pass\n", "line 2: X is assigned here"),
        ("X = 1  # tune: 0..9\nimport a as X\n", "line 2: X is assigned here"),
        ("def f():\n  global X\n  X = 2\nX = 1  # tune: 0..9\n", "line 2: X is assigned here"),
        ("X = = 1  # tune: 0..9\n", "line 1: not valid Python"),
    ],
)
def test_wrong_declarations_are_explained(tmp_path: Path, text: str, words: str) -> None:
    assert words in complaint(tmp_path, text)


def test_too_many_numbers_are_refused(tmp_path: Path) -> None:
    text = "".join(f"X{n} = 1  # tune: 0..9\n" for n in range(201))
    assert "declares 201 numbers to tune" in complaint(tmp_path, text)
