"""Bots of several files: what comes with a single one, folders, zips and their ludus.toml."""

import io
import os
import shutil
import stat
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ludus.bots import archive, cache, cache_leases
from ludus.bots import snapshot as snapshot_module
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.bots.source_files import compute_digest
from ludus.errors import LudusError
from ludus.games import get
from ludus.match.record import Record
from ludus.match.series import series
from ludus.sandbox import Limits, list_levels
from ludus.sandbox.remove_tree import remove_tree
from tests.support.frames import first_legal
from tests.support.languages import need
from tests.support.shared_caches import hasten_compilers

GAME = get("reversi")
BOT = """
class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        return position.legal(self.seat)[0]
"""
SPEAKS = first_legal()
TOML = 'name = "Firsty"\nlanguage = "python"\n'


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    (tmp_path / "desk").mkdir()
    return tmp_path / "desk"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def bout(spec: Path | str) -> Record:
    players = [create_player(resolve_bot(str(each), GAME), GAME) for each in (spec, "random")]
    (played,) = series(GAME, GAME.Options(size=4), players, 1, 1)
    return played.record


def plays(spec: Path | str) -> Record:
    record = bout(spec)
    assert record.verdict == "rules", record.faults
    return record


def refused(spec: Path | str) -> str:
    with pytest.raises(LudusError) as caught:
        resolve_bot(str(spec), GAME).build_spec.build_program(Limits())
    assert caught.value.text["zh"] != caught.value.text["en"]
    return caught.value.text["en"]


# A single Python file


def test_a_file_brings_the_modules_that_it_imports_and_no_others(desk: Path) -> None:
    write(desk, "near.py", "import importlib\nfar = importlib.import_module('far')\n")
    write(desk, "far.py", "import package.deep\n")
    write(desk, "package/__init__.py", "")
    write(desk, "package/deep.py", "import beyond\n")
    write(desk, "package/data.txt", "7")
    write(desk, "beyond.py", "")
    write(desk, "unrelated.py", "")
    write(desk, "notes.txt", "")
    main = write(desk, "main.py", "def late():\n    from near import far\nlate()\n" + BOT)
    files = resolve_bot(str(main), GAME).build_spec.files
    assert set(files) == {
        f"/bot/{n}" for n in ("main.py", "near.py", "far.py", "package", "beyond.py")
    }
    plays(main)


def test_modules_that_the_game_provides_are_not_taken_from_the_folder(desk: Path) -> None:
    write(desk, "constants.py", "ROUNDS = 1")
    main = write(desk, "main.py", "import constants\nclass Player:\n    def output(self): pass\n")
    assert set(resolve_bot(str(main), get("duel2048")).build_spec.files) == {"/bot/main.py"}


def test_a_file_alone_has_the_digest_of_its_bytes(desk: Path) -> None:
    import hashlib

    main = write(desk, "main.py", BOT)
    alone = resolve_bot(str(main), GAME).digest
    assert alone == hashlib.sha256(main.read_bytes()).hexdigest()
    write(desk, "near.py", "")
    assert resolve_bot(str(main), GAME).digest == alone
    main.write_text("import near\n" + BOT)
    together = resolve_bot(str(main), GAME).digest
    write(desk, "near.py", "x = 1")
    assert resolve_bot(str(main), GAME).digest != together


@pytest.mark.parametrize(
    "line", ["open('weights.txt')", "import importlib as i; i.__import__('wei')"]
)
def test_a_file_that_misses_another_is_told_about_folders(desk: Path, line: str) -> None:
    write(desk, "weights.txt", "1")
    record = bout(write(desk, "main.py", f"{line}\n{BOT}"))
    assert record.verdict == "load"
    assert "for more files use a folder with a ludus.toml" in record.faults[0].why["en"]
    assert "ludus.toml" in record.faults[0].why["zh"]


# Folders


def test_a_folder_is_a_bot_with_all_its_files(desk: Path) -> None:
    write(desk, "ludus.toml", TOML)
    write(desk, "weights.txt", "1")
    write(desk, "main.py", "assert open('weights.txt').read() == '1'\n" + BOT)
    assert plays(desk).bots[0].name == "Firsty"
    before = resolve_bot(str(desk), GAME).digest
    write(desk, "__pycache__/main.cpython.pyc", "x")
    assert resolve_bot(str(desk), GAME).digest == before
    write(desk, "weights.txt", "2")
    assert resolve_bot(str(desk), GAME).digest != before


COMPILED_BESIDE = """
import py_compile, pathlib, sys
source = pathlib.Path(sys.argv[1])
good = source.read_text()
source.write_text("WHO = 'nobody knows'")
py_compile.compile(source, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
source.write_text(good)
"""
"""Leaves a module that Python would run instead of the source beside it."""


@pytest.mark.parametrize("form", ["folder", "file"])
def test_what_is_not_in_the_digest_is_not_in_the_jail(desk: Path, form: str) -> None:
    write(desk, "ludus.toml", TOML)
    write(desk, "helper/__init__.py", "WHO = 'the source'")
    subprocess.run(
        [sys.executable, "-c", COMPILED_BESIDE, str(desk / "helper/__init__.py")], check=True
    )
    write(desk, "helper/.git/hidden", "")
    look = (
        "import helper, os, pathlib\n"
        "assert helper.WHO == 'the source'\n"
        "here = pathlib.Path(helper.__file__).parent\n"
        "assert os.listdir(here) == ['__init__.py'], os.listdir(here)\n"
    )
    main = write(desk, "main.py", look + BOT)
    plays(desk if form == "folder" else main)


@pytest.mark.parametrize("form", ["folder", "file", "command"])
def test_a_bot_plays_as_it_was_found(desk: Path, form: str) -> None:
    """Whatever is written into its files while a long contest goes on."""
    write(desk, "ludus.toml", TOML)
    main = write(desk, "main.py", "import helper\n" + (SPEAKS if form == "command" else BOT))
    helper = write(desk, "helper.py", "")
    spec = {"folder": desk, "file": main, "command": f"cmd:python3 {main} {helper}"}[form]
    source = resolve_bot(str(spec), GAME)
    write(desk, "main.py", "raise SystemExit")
    write(desk, "helper.py", "raise SystemExit")
    assert resolve_bot(str(spec), GAME).digest != source.digest if form == "command" else True
    for _ in range(2):
        players = [create_player(source, GAME), create_player(resolve_bot("random", GAME), GAME)]
        (played,) = series(GAME, GAME.Options(size=4), players, 1, 1)
        assert played.record.verdict == "rules", played.record.faults
        assert played.record.bots[0].digest == source.digest


def test_a_bot_of_one_file_is_kept_as_long_as_it_is_started(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = resolve_bot(str(write(desk, "main.py", BOT)), GAME)
    (copy,) = source.build_spec.files.values()
    key = "/".join(copy.relative_to(cache.cache_root()).parts[:2])
    monkeypatch.setattr(
        cache_leases, "list_used_keys", lambda root: set(cache_leases._own_lease_file(root)[1])
    )
    cache_leases._own_lease_file(cache.cache_root())[1].clear()  # as if it had been found hours ago
    source.build_spec.build_program(Limits())
    assert key in cache_leases.list_used_keys(cache.cache_root())


def test_a_bot_plays_as_it_was_found_where_nothing_can_be_kept(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDUS_CACHE", "/proc/nothing/can/be/kept")
    main = write(desk, "main.py", BOT)
    source = resolve_bot(str(main), GAME)
    write(desk, "main.py", "raise SystemExit")
    players = [create_player(source, GAME), create_player(resolve_bot("random", GAME), GAME)]
    (played,) = series(GAME, GAME.Options(size=4), players, 1, 1)
    assert played.record.verdict == "rules", played.record.faults


def test_files_of_one_bytes_and_other_names_are_told_apart(desk: Path) -> None:
    one = resolve_bot(str(write(desk, "one.py", BOT)), GAME)
    two = resolve_bot(str(write(desk, "two.py", BOT)), GAME)
    assert one.digest == two.digest and (one.name, two.name) == ("one", "two")
    assert plays(desk / "two.py").bots[0].name == "two"


def test_a_file_that_becomes_a_link_after_it_was_looked_at_is_refused(
    desk: Path, tmp_path: Path
) -> None:
    secret = write(tmp_path, "secret", "1")
    (desk / "helper.py").symlink_to(secret)
    with pytest.raises(LudusError, match="changed while it was being read"):
        snapshot_module.snapshot_files({"helper.py": desk / "helper.py"}, [desk])


def test_a_file_that_becomes_a_link_while_it_is_copied_is_refused(
    desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = write(tmp_path, "secret", "1")
    weights = write(desk, "weights.txt", "1")
    files = snapshot_module.list_bot_files(desk)

    def swapped(folder: Path) -> dict[str, Path]:
        weights.unlink(missing_ok=True)
        weights.symlink_to(secret)
        return files

    monkeypatch.setattr(snapshot_module, "list_bot_files", swapped)
    with pytest.raises(LudusError, match="changed while it was being read"):
        snapshot_module.snapshot_folder(desk)


def test_a_folder_may_name_its_main_file_and_is_called_like_the_folder(desk: Path) -> None:
    write(desk, "ludus.toml", 'language = "python"\nmain = "src/bot.py"\ngame = "reversi"\n')
    write(desk, "src/bot.py", "import beside\n" + BOT)
    write(desk, "src/beside.py", "")
    assert plays(desk).bots[0].name == "desk"


def test_a_folder_of_several_sources_is_compiled_together(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasten_compilers(monkeypatch)
    need("cpp")
    write(desk, "ludus.toml", 'language = "cpp"\n')
    write(
        desk,
        "choose.hpp",
        "#include <string>\n#include <vector>\n"
        "std::string choose(const std::vector<std::string>&);\n",
    )
    write(
        desk,
        "lib/choose.cc",
        '#include "../choose.hpp"\n'
        "std::string choose(const std::vector<std::string>& all) { return all.back(); }\n",
    )
    write(
        desk,
        "main.cpp",
        '#include <ludus.hpp>\n#include "choose.hpp"\n'
        "struct B : ludus::Bot { std::string move(const ludus::Turn& turn) override"
        " { return choose(turn.legal); } };\nint main() { B b; return ludus::run(b); }\n",
    )
    plays(desk)


def test_a_folder_may_say_how_it_is_built_and_run(desk: Path) -> None:
    need("cpp")
    write(
        desk,
        "ludus.toml",
        '[build]\ncommand = ["g++", "b.cxx", "-I", "inc", "-o", "/out/mine"]\n'
        '[run]\ncommand = ["/out/mine", "last"]\n',
    )
    for header in (Path(__file__).parents[2] / "sdk/cpp").glob("*.hpp"):
        shutil.copy(header, desk)
    write(desk, "inc/mine.hpp", '#include "../ludus.hpp"\n')
    write(
        desk,
        "b.cxx",
        "#include <mine.hpp>\n"
        "struct B : ludus::Bot { std::string move(const ludus::Turn& turn) override"
        " { return turn.legal.back(); } };\n"
        "int main(int count, char** words)"
        " { B b; return count == 2 && words[1][0] == 'l' ? ludus::run(b) : 9; }\n",
    )
    plays(desk)


def test_a_python_bot_may_be_built_too(desk: Path) -> None:
    build = "open('/out/weights.txt', 'w').write('7')"
    write(desk, "ludus.toml", f'{TOML}[build]\ncommand = ["python3", "-c", "{build}"]\n')
    write(desk, "main.py", "assert open('/out/weights.txt').read() == '7'\n" + BOT)
    plays(desk)


def test_a_folder_of_javascript_finds_the_kit_and_its_own_modules(desk: Path) -> None:
    need("javascript")
    write(desk, "ludus.toml", 'language = "javascript"\n')
    write(desk, "lib/choose.mjs", "export default (all) => all.at(-1);\n")
    write(
        desk,
        "main.mjs",
        'import { run } from "ludus";\nimport choose from "./lib/choose.mjs";\n'
        "run({ move: (turn) => choose(turn.legal) });\n",
    )
    plays(desk)


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("name = ", "not valid TOML"),
        ("language = 3", "Expected `str`"),
        ('language = "cobol"', "supported: python, cpp"),
        ("", "add the language the bot is written in"),
        ('lang = "cpp"', "unknown entry 'lang'; allowed: name, language"),
        (TOML + '[run]\ncomand = ["x"]', "unknown entry 'comand' in [run]; allowed: command"),
        (TOML + '[run]\ncommand = "x"', "Expected `array`"),
        (TOML + "[build]\ncommand = []", "length >= 1"),
        (TOML + "build = 3", "Expected `object | null`"),
        (TOML + 'main = "/etc/passwd"', "not in the bot's folder"),
        (TOML + 'main = "../bot.py"', "not in the bot's folder"),
        (TOML + 'main = "other.py"', "has no other.py"),
        (TOML + 'game = "tablut"', "plays tablut, not reversi"),
        (TOML + 'games = ["tablut", "eraser"]', "plays tablut, eraser, not reversi"),
        ('name = "a\\nb"\nlanguage = "python"', "one line"),
        ('[run]\ncommand = ["no-such-program"]', "needs the program 'no-such-program'"),
        ("#" * 70_000, "too long"),
        ("a" + ".a" * 30_000 + " = 1", "too long"),
        ("a = " + "1" * 10_000, "not valid TOML"),
        ("a = " + "[" * 10_000, "not valid TOML"),
    ],
)
def test_a_mistake_in_ludus_toml_is_told(desk: Path, toml: str, says: str) -> None:
    write(desk, "main.py", BOT)
    write(desk, "ludus.toml", toml)
    said = refused(desk)
    assert says in said and str(desk) in said


def test_a_link_may_stay_inside_but_not_lead_out(desk: Path, tmp_path: Path) -> None:
    write(desk, "ludus.toml", TOML)
    write(desk, "main.py", BOT)
    (desk / "again.py").symlink_to("main.py")
    plays(desk)
    (desk / "out").symlink_to(tmp_path)
    assert "leads out of the bot's folder" in refused(desk)
    (desk / "out").unlink()
    (desk / "out").symlink_to("nowhere")
    assert "leads out of the bot's folder" in refused(desk)


def test_folders_in_folders_without_end_are_refused(desk: Path) -> None:
    write(desk, "ludus.toml", TOML)
    write(desk, "main.py", BOT)
    deep = desk.joinpath(*["d"] * 65)
    deep.mkdir(parents=True)
    handle = os.open(deep, os.O_RDONLY)
    for _ in range(1200):  # deeper than Python can call itself, longer than a path may be
        os.mkdir("d" * 9, dir_fd=handle)
        below = os.open("d" * 9, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = below
    os.close(handle)
    assert "more than 64 deep" in refused(desk)
    remove_tree(desk / "d")


def test_what_is_neither_file_nor_folder_is_refused(desk: Path) -> None:
    write(desk, "ludus.toml", TOML)
    write(desk, "main.py", BOT)
    os.mkfifo(desk / "pipe")
    assert "neither a file nor a folder" in refused(desk)


# Zips


def pack(path: Path, files: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in files.items():
            made.writestr(name, text)
    return path


@pytest.mark.parametrize("top", ["", "my_bot/"])
def test_a_zip_is_the_folder_in_it(desk: Path, top: str) -> None:
    files = {"ludus.toml": TOML, "main.py": "import pkg.part\n" + BOT, "pkg/part.py": ""}
    packed = pack(desk / "bot.zip", {f"{top}{name}": text for name, text in files.items()})
    assert plays(packed).bots[0].name == "Firsty"
    for name, text in files.items():
        write(desk / "same", name, text)
    assert resolve_bot(str(packed), GAME).digest == resolve_bot(str(desk / "same"), GAME).digest


def test_a_zip_is_unpacked_once_and_again_when_damaged(desk: Path, home: Path) -> None:
    packed = pack(desk / "bot.zip", {"ludus.toml": TOML, "main.py": BOT, "__MACOSX/x": "junk"})
    (main,) = [resolve_bot(str(packed), GAME).path for _ in range(2)][:1]
    assert main is not None and main.is_relative_to(home / "cache")
    assert sorted(os.listdir(main.parent)) == ["ludus.toml", "main.py"]
    main.write_text("raise SystemExit")
    plays(packed)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("../evil.py", "outside"),
        ("a/../../evil.py", "outside"),
        ("/etc/evil.py", "outside"),
        ("a\\..\\evil.py", "invalid file name"),
        ("C:/evil.py", "outside"),
        ("x\ny.py", "invalid file name"),
        ("x" * 300, "invalid file name"),
    ],
)
def test_a_zip_that_would_write_elsewhere_is_refused(desk: Path, name: str, says: str) -> None:
    packed = pack(desk / "bot.zip", {"ludus.toml": TOML, "main.py": BOT, name: "x"})
    assert says in refused(packed)
    assert not (desk.parent / "evil.py").exists() and not Path("/etc/evil.py").exists()


def test_a_link_in_a_zip_is_refused(desk: Path) -> None:
    packed = pack(desk / "bot.zip", {"ludus.toml": TOML, "main.py": BOT})
    with zipfile.ZipFile(packed, "a") as made:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(link, "/etc/passwd")
    assert "it may be a link" in refused(packed)


def test_an_encrypted_zip_is_refused(desk: Path) -> None:
    packed = pack(desk / "bot.zip", {"ludus.toml": TOML, "main.py": BOT})
    data = bytearray(packed.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    packed.write_bytes(data)
    assert "encrypted" in refused(packed)


def test_a_bomb_is_refused_before_it_goes_off(desk: Path) -> None:
    zeros = bytes(64 << 20)
    packed = pack(desk / "bot.zip", {"ludus.toml": TOML, "main.py": BOT, "zeros": zeros})
    assert "times its size" in refused(packed)


def test_a_bomb_that_lies_about_its_size_is_stopped(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_BOT_BYTES", 1 << 20)
    packed = pack(desk / "bot.zip", {"ludus.toml": TOML, "main.py": BOT, "zeros": bytes(4 << 20)})
    data = packed.read_bytes().replace(struct.pack("<L", 4 << 20), struct.pack("<L", 1000))
    packed.write_bytes(data)
    said = refused(packed)
    assert "too large for a bot" in said or "cannot be read as a zip" in said


def test_too_many_files_are_refused(desk: Path) -> None:
    packed = pack(desk / "bot.zip", {f"{n}.txt": "" for n in range(5001)})
    assert "too large for a bot" in refused(packed)


def test_the_same_name_twice_is_refused(desk: Path) -> None:
    with pytest.warns(UserWarning), zipfile.ZipFile(desk / "bot.zip", "w") as made:
        made.writestr("main.py", BOT)
        made.writestr("main.py", "raise SystemExit")
    assert "the same name twice" in refused(desk / "bot.zip")
    packed = pack(desk / "two.zip", {"a": "", "a/b": ""})
    assert "the same name twice" in refused(packed)


@pytest.mark.parametrize("cut", [0, 10, 60, -30])
def test_a_broken_zip_is_told(desk: Path, cut: int) -> None:
    packed = pack(desk / "bot.zip", {"ludus.toml": TOML, "main.py": BOT})
    packed.write_bytes(packed.read_bytes()[:cut])
    assert "cannot be read as a zip" in refused(packed)


def test_a_damaged_member_is_told(desk: Path) -> None:
    packed = pack(desk / "bot.zip", {"main.py": BOT * 50})
    data = bytearray(packed.read_bytes())
    data[60] ^= 0xFF
    packed.write_bytes(data)
    assert "cannot be read as a zip" in refused(packed)


def test_a_zip_without_ludus_toml_is_told(desk: Path) -> None:
    assert "without a ludus.toml" in refused(pack(desk / "bot.zip", {"main.py": BOT}))


# Programs


def test_a_program_sees_the_files_that_it_is_given(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(desk, "bot.sh", "")
    write(desk, "data/x", "")
    write(desk, "other", "")
    monkeypatch.chdir(desk)
    recipe = resolve_bot("cmd:sh bot.sh data --fast", GAME).build_spec
    assert set(recipe.files) == {str(desk / "bot.sh"), str(desk / "data")}
    assert recipe.cwd == str(desk)
    assert recipe.run[1:] == ("bot.sh", "data", "--fast") and recipe.run[0].endswith("/sh")
    assert len(recipe.digest) == 64
    write(desk, "data/x", "changed")
    assert resolve_bot("cmd:sh bot.sh data --fast", GAME).digest != recipe.digest


@pytest.mark.parametrize("level", list_levels())
def test_a_program_of_the_system_may_be_named_by_its_path(desk: Path, level: str) -> None:
    python = "/usr/bin/python3"
    if not os.path.exists(python):
        pytest.skip("the system has no Python of its own")
    spec = f"cmd:{python} {write(desk, 'bot.py', SPEAKS)}"
    source = resolve_bot(spec, GAME)
    assert list(source.build_spec.files) == [str(desk / "bot.py")]
    players = [
        create_player(source, GAME, jail=level),
        create_player(resolve_bot("random", GAME), GAME),
    ]
    (played,) = series(GAME, GAME.Options(size=4), players, 1, 1)
    assert played.record.verdict == "rules", played.record.faults


def test_a_real_program_is_preferred_to_a_version_managers_shim(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("shims/tool", "bin/tool", "shims/other"):
        write(desk, name, "#!/bin/sh\n").chmod(0o755)
    monkeypatch.setenv("PATH", f"{desk}/shims:{desk}/bin")
    assert resolve_bot("cmd:tool", GAME).build_spec.run == (str(desk / "bin/tool"),)
    assert resolve_bot("cmd:other", GAME).build_spec.run == (str(desk / "shims/other"),)


def test_the_digest_of_several_files_is_that_of_what_sha256sum_prints(desk: Path) -> None:
    import hashlib

    files = {"b": write(desk, "b", "2"), "a": write(desk, "a", "1")}
    printed = io.StringIO()
    for name in "ab":
        printed.write(f"{hashlib.sha256(files[name].read_bytes()).hexdigest()}  {name}\n")
    assert compute_digest(files) == hashlib.sha256(printed.getvalue().encode()).hexdigest()


def test_a_name_that_could_pass_for_another_line_of_the_digest_is_refused(desk: Path) -> None:
    write(desk, "ludus.toml", TOML)
    write(desk, "main.py", BOT)
    write(desk, f"a\n{'0' * 64}  b", "")
    assert "a\\n0000" in refused(desk)
