"""A zip that is refused: which of its files, and why, in the limits of an upload."""

import io
import warnings
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from ludus.bots import archive
from ludus.errors import LudusError
from ludus.server.bots import upload

MOST = 1 << 20


def zipped(names: Iterable[str], content: bytes = b"x") -> bytes:
    target = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(target, "w") as box:
        warnings.simplefilter("ignore")  # of the same name twice
        for name in names:
            box.writestr(zipfile.ZipInfo(name), content)
    return target.getvalue()


def refused(data: bytes) -> str:
    with pytest.raises(LudusError) as said:
        upload.unpack_upload([("x.zip", data)], MOST)
    assert not said.value.text["zh"].isascii()
    return said.value.text["en"]


def test_too_many_files_are_told_with_the_limit_of_an_upload() -> None:
    assert "500 files and 8 MB" in refused(zipped(f"{n}.py" for n in range(501)))


def test_too_many_bytes_are_told_with_the_limit_of_an_upload() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as box:
        box.writestr("main.py", bytes(9 << 20))
    assert "8 MB" in refused(target.getvalue())


def test_a_name_that_cannot_be_is_named_with_the_reason() -> None:
    said = refused(zipped(["main.py", "..\\x"]))
    assert "..\\\\x" in said and "backslash" in said


@pytest.mark.parametrize("names", [["a.py", "a.py"], ["a.py", "a.py/b"]])
def test_a_name_that_comes_twice_is_named(tmp_path: Path, names: list[str]) -> None:
    if names[0] == names[1]:
        assert "a.py: the same name twice" in refused(zipped(names))
    path = tmp_path / "dup.zip"
    path.write_bytes(zipped(names))
    (tmp_path / "out").mkdir()
    with pytest.raises(LudusError, match=r"dup\.zip is refused: a\.py.*the same name twice"):
        archive.unpack(path, tmp_path / "out")


def test_a_zip_that_holds_only_a_zip_is_refused_and_one_among_others_is_data() -> None:
    inner = zipped(["main.py"])
    assert "contains only a zip" in refused(zipped(["bot.zip"], inner))
    kept = upload.unpack_upload([("main.py", b"class Bot: pass"), ("book.zip", inner)], MOST)
    assert kept["book.zip"] == inner
