"""What a bot of one file brings along from the folder that it lies in."""

import os
from pathlib import Path

import pytest

from ludus.bots import resolve as finding
from ludus.bots.resolve import resolve_bot
from ludus.errors import LudusError
from ludus.games import get

GAME = get("reversi")
BOT = "class Bot: pass\n"
HUGE = 3 << 30


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder with all that people keep beside a bot."""
    desk = tmp_path / "desk"
    for name, text in {
        ".env": "KEY=1",
        ".git/key.mjs": "",
        "alice.py": BOT,
        "keys.txt": "KEY=1",
        "alicef/ludus.toml": 'language = "python"\n',
        "alicef/__init__.py": "",
        "alicef/main.py": BOT,
        "alicef/book.h": "",
        "lib/bots/deep/ludus.toml": 'language = "python"\n',
        "lib/__init__.py": "",
        "Documents/diary.py": "",
        "Documents/diary.txt": "",
        "own/__init__.py": "",
        "own/weights.bin": "",
    }.items():
        path = desk / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (desk / "safe.h").symlink_to(".env")
    (desk / "safe.py").symlink_to("keys.txt")
    (desk / "book.h").symlink_to("alicef/book.h")
    return desk


def brought(desk: Path, name: str, text: str) -> set[str]:
    bot = desk / name
    bot.write_text(text)
    return {path.removeprefix("/bot/") for path in resolve_bot(str(bot), GAME).build_spec.files}


@pytest.mark.parametrize(
    ("name", "text", "why", "zh"),
    [
        ("bot.mjs", 'import("./.env")', ".env, which is hidden", ".env，它是隐藏文件"),
        ("bot.mjs", 'import "./.git/key.mjs"', "which is hidden", "是隐藏文件"),
        (
            "bot.mjs",
            "require('./keys.txt')",
            "none of the suffixes .mjs .js .cjs .json",
            "后缀不是",
        ),
        (
            "bot.c",
            '#if 0\n#include "alice.py"\n#endif\n',
            "alice.py, which has none of the suffixes",
            "后缀不是",
        ),
        ("bot.c", '#include ".env"\n', "which is hidden", "是隐藏文件"),
        ("bot.cpp", '#include "safe.h"\n', "which is hidden", "是隐藏文件"),
        ("bot.cpp", '#include "alicef/book.h"\n', "a bot with a ludus.toml", "另一个带 ludus.toml"),
        ("bot.cpp", '#include "book.h"\n', "a bot with a ludus.toml", "另一个带 ludus.toml"),
        ("bot.py", f"import safe\n{BOT}", "none of the suffixes .py .so", "后缀不是"),
        ("bot.py", f"import alicef\n{BOT}", "a bot with a ludus.toml", "另一个带 ludus.toml"),
        ("bot.py", f"import lib\n{BOT}", "a bot with a ludus.toml", "另一个带 ludus.toml"),
    ],
)
def test_what_is_no_source_of_its_own_is_refused(
    desk: Path, name: str, text: str, why: str, zh: str
) -> None:
    with pytest.raises(LudusError) as refusal:
        brought(desk, name, text)
    assert why in refusal.value.text["en"] and "a folder of its own" in refusal.value.text["en"]
    assert (
        zh in refusal.value.text["zh"] and "建立带 ludus.toml 的文件夹" in refusal.value.text["zh"]
    )


def test_a_folder_is_a_package_only_with_an_init(desk: Path) -> None:
    assert brought(desk, "bot.py", f"import Documents, own\n{BOT}") == {"bot.py", "own"}


def test_sources_of_its_language_come_along(desk: Path) -> None:
    for name in ("a.h", "sub/b.inc", "c.json", "d.mjs"):
        (desk / name).parent.mkdir(exist_ok=True)
        (desk / name).write_text('#include "sub/b.inc"\n')
    assert brought(desk, "bot.c", '#include "a.h"\n') == {"bot.c", "a.h", "sub/b.inc"}
    text = "import c from './c.json'; import './d.mjs'"
    assert brought(desk, "bot.mjs", text) == {"bot.mjs", "c.json", "d.mjs"}


@pytest.mark.parametrize("name", ["bot.py", "bot.cpp", "bot.java", "bot"])
def test_a_file_of_gigabytes_is_not_read(desk: Path, name: str) -> None:
    """Its size is looked at first: sparse, it takes no disk, and no memory here."""
    (desk / name).touch()
    os.truncate(desk / name, HUGE)
    with pytest.raises(LudusError, match=r"too long: a source file may have 8 MB") as refusal:
        resolve_bot(str(desk / name), GAME)
    assert "一个源码文件最多 8 MB" in refusal.value.text["zh"]


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("bot.c", '#include "big.h"\n', "big.h"),
        ("bot.py", f"import big\n{BOT}", "big.py"),
        ("bot.py", f"import big\n{BOT}", "big.abi3.so"),
        ("bot.py", f"import big\n{BOT}", "big/__init__.py"),
    ],
)
def test_nor_is_one_that_a_bot_names(desk: Path, name: str, text: str, named: str) -> None:
    (desk / named).parent.mkdir(exist_ok=True)
    (desk / named).touch()
    os.truncate(desk / named, HUGE)
    with pytest.raises(LudusError, match=r"5000 files and 512 MB"):
        brought(desk, name, text)
    os.truncate(desk / named, 9 << 20)
    if not named.endswith(".so"):
        with pytest.raises(LudusError, match=r"a source file may have 8 MB"):
            brought(desk, name, text)


def test_main_files_of_folders_have_a_limit_too(desk: Path) -> None:
    (desk / "alicef" / "ludus.toml").write_text('language = "cpp"\n')
    (desk / "alicef" / "main.cpp").touch()
    os.truncate(desk / "alicef" / "main.cpp", 9 << 20)
    with pytest.raises(LudusError, match=r"a source file may have 8 MB"):
        resolve_bot(str(desk / "alicef"), GAME)


def test_all_that_is_followed_together_has_a_limit(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ludus.bots import imported_files

    names = [f"m{number}" for number in range(5)]
    for name in names:
        (desk / f"{name}.py").write_text("#" * 100)
    text = f"import {', '.join(names)}\n{BOT}"
    assert len(brought(desk, "bot.py", text)) == 6
    monkeypatch.setattr(imported_files, "MAX_TOTAL_SOURCE_BYTES", 400)
    with pytest.raises(LudusError, match="at most 0 MB of source text"):
        brought(desk, "bot.py", text)
    monkeypatch.setattr(imported_files, "MAX_BOT_FILES", 5)
    with pytest.raises(LudusError, match="at most 5 files"):
        brought(desk, "bot.py", text)


def test_the_folder_is_listed_once_however_many_names_are_imported(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lists: list[object] = []
    real = {"listdir": os.listdir, "scandir": os.scandir}
    for name in real:

        def counted(folder: object = ".", name: str = name) -> object:
            lists.append(folder)
            return real[name](folder)  # type: ignore[operator]

        monkeypatch.setattr(os, name, counted)
    bot = desk / "bot.py"
    bot.write_text("".join(f"import m{number}\n" for number in range(300)) + BOT)
    monkeypatch.setattr(finding, "snapshot_files", lambda files, roots: dict(files))
    resolve_bot(str(bot), GAME)
    assert [folder for folder in lists if str(folder) == str(desk)] == [desk]
