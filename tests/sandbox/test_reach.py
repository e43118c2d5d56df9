"""What the author of a bot can bring into its jail by naming it: the bot's own files, no more."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ludus
from ludus import sandbox
from ludus.bots.find_program import locate
from ludus.bots.languages.base import extra_folders
from ludus.bots.resolve import resolve_bot
from ludus.errors import LudusError
from ludus.games import get
from ludus.sandbox import JailLevel, Limits

GAME = get("reversi")
SECRET = "MARK-OF-A-KEYRING"
READS = '#!/bin/sh\ncat "$@"\n'


@pytest.fixture(params=["strong", "userns", "plain"])
def level(request: pytest.FixtureRequest) -> JailLevel:
    if request.param not in sandbox.list_levels():
        pytest.skip(f"no jail of level {request.param} on this machine")
    return JailLevel(request.param)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Somebody's home with programs of their own on PATH, and a secret."""
    home = tmp_path / "somebody"
    keyrings = home / ".local" / "share" / "keyrings"
    keyrings.mkdir(parents=True)
    (keyrings / "login.keyring").write_text(SECRET)
    (keyrings / "login.keyring").chmod(0o600)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "ludus"))
    monkeypatch.setenv("PATH", f"{home}/.local/bin:{os.environ['PATH']}")
    program(home / ".local" / "bin" / "ipython")
    for closed in (home / ".local", home / ".local" / "share", keyrings):
        closed.chmod(0o700)
    return home


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(READS)
    path.chmod(0o755)
    return path


def folder(tmp_path: Path, manifest: str) -> Path:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "ludus.toml").write_text(manifest)
    (tmp_path / "bot" / "bot.py").write_text("hello")
    return tmp_path / "bot"


def command(home: Path) -> str:
    return f'["ipython", "bot.py", "{home}/.local/share/keyrings/login.keyring"]'


def test_a_program_on_path_brings_nothing_that_lies_beside_it(
    level: JailLevel, tmp_path: Path, home: Path
) -> None:
    bot = resolve_bot(str(folder(tmp_path, f"[run]\ncommand = {command(home)}\n")), GAME)
    ran = bot.build_spec.build_program(Limits(processes=4))
    done = sandbox.run(ran, seconds=20, limits=Limits(processes=4), level=level)
    assert SECRET not in done.stdout
    if level is not JailLevel.PLAIN:  # where another user may not be able to reach the program
        assert done.stdout == "hello", done
        assert "login.keyring: No such file" in done.stderr


def test_a_program_that_builds_brings_nothing_either(tmp_path: Path, home: Path) -> None:
    manifest = f'[build]\ncommand = {command(home)}\n[run]\ncommand = ["cat", "/out/x"]\n'
    bot = resolve_bot(str(folder(tmp_path, manifest)), GAME)
    with pytest.raises(LudusError) as refusal:
        bot.build_spec.build_program(Limits())
    assert "login.keyring" in refusal.value.detail
    assert SECRET not in refusal.value.detail


def test_of_a_program_that_ludus_does_not_know_its_file_is_shown(home: Path) -> None:
    found = home / ".local" / "bin" / "ipython"
    assert locate("ipython") == (str(found), {str(found): found})


def test_a_toolchain_is_shown_with_its_own_folder_but_never_with_a_shared_one(home: Path) -> None:
    own = home / ".nvm" / "versions" / "v22"
    assert extra_folders(str(own / "bin" / "node")) == (own,)
    for prefix in (home, home / ".local", home / ".cargo", Path("/opt")):
        alone = prefix / "bin" / "node"
        assert extra_folders(str(alone)) == (alone,)
    program(home / ".local" / "bin" / "node")
    assert list(locate("node")[1]) == [str(home / ".local" / "bin" / "node")]


def test_the_python_of_ludus_is_known(home: Path) -> None:
    _, shown = locate(sys.executable)
    roots = [Path(place) for place in (sys.prefix, sys.base_prefix) if place != "/usr"]
    assert all(any(root.is_relative_to(path) for path in shown.values()) for root in roots)


def test_a_program_that_comes_with_a_bot_is_no_toolchain(tmp_path: Path) -> None:
    """Though it is called like one, and lies in a folder called bin."""
    fake = program(tmp_path / "game" / "bin" / "node")
    assert locate(str(fake)) == (str(fake), {str(fake): fake})


@pytest.mark.parametrize(
    ("name", "text", "link"),
    [
        ("bot.cpp", '#include "key.h"\nint main() {}\n', "key.h"),
        ("bot.mjs", 'import "./key.mjs";\n', "key.mjs"),
        ("bot.py", "import key\nclass Bot: pass\n", "key.py"),
        ("bot.py", "import keys\nclass Bot: pass\n", "keys"),
    ],
)
def test_a_file_beside_a_bot_that_is_a_link_elsewhere_is_refused(
    tmp_path: Path, home: Path, name: str, text: str, link: str
) -> None:
    keyrings = home / ".local" / "share" / "keyrings"
    (keyrings / "__init__.py").write_text("")
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / name).write_text(text)
    target = keyrings if link == "keys" else keyrings / "login.keyring"
    (tmp_path / "bots" / link).symlink_to(target)
    with pytest.raises(LudusError, match=f"{link} is a link that leads out of the bot's folder"):
        resolve_bot(str(tmp_path / "bots" / name), GAME)


def test_an_include_out_of_the_folder_is_not_followed(tmp_path: Path, home: Path) -> None:
    secret = home / ".local" / "share" / "keyrings" / "login.keyring"
    (tmp_path / "bots").mkdir()
    bot = tmp_path / "bots" / "bot.cpp"
    for word in (str(secret), os.path.relpath(secret, bot.parent), "/dev/zero"):
        bot.write_text(f'#include "{word}"\nint main() {{}}\n')
        assert list(resolve_bot(str(bot), GAME).build_spec.files) == ["/bot/bot.cpp"]


def test_a_device_is_no_bot() -> None:
    with pytest.raises(LudusError, match="neither a file nor a folder"):
        resolve_bot("/dev/null", GAME)


PEEKS = """
class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        try:
            print(open({path!r}).read())
        except OSError as error:
            print("REFUSED", error)
        import importlib
        importlib.import_module("ludus.games.reversi.search")
        return position.legal(self.seat)[0]
"""


def test_no_folder_of_pythonpath_is_shown_to_a_bot(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "secret.txt").write_text(SECRET)
    bot = tmp_path / "bot.py"
    bot.write_text(PEEKS.format(path=str(theirs / "secret.txt")))
    path = os.pathsep.join([str(Path(ludus.__file__).parents[1]), str(theirs)])
    words = ["play", "reversi", str(bot), "random", "-o", "size=4", "--no-save", "--logs", "logs"]
    done = subprocess.run(
        [sys.executable, "-m", "ludus", *words],
        env={**os.environ, "PYTHONPATH": path, "LUDUS_LANG": "en"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done
    printed = "".join(file.read_text() for file in (tmp_path / "logs").rglob("*") if file.is_file())
    assert "REFUSED" in printed
    assert SECRET not in printed
