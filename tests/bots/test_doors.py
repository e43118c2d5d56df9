"""What installed packages add: bots of other protocols, and seats that are opened by a scheme."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot, resolve_bot_at, resolve_house_bot
from ludus.errors import LudusError
from ludus.games import get
from ludus.server.bots.catalogue import BotCatalogue
from tests.support.entry_points import forget_entry_points, install_entry_points

GAME = get("reversi")
NATIVE = "class Bot:\n    def move(self, position, clock): return position.legal(0)[0]\n"
PACKAGE = """
from ludus.bots.bot_protocols import InstalledProtocol
from ludus.bots.players.foreign import ForeignPlayer
from ludus.bots.resolve import resolve_command

opened = []

def open_seat(argument, game):
    opened.append(argument)
    return resolve_command(argument, "murmur", "murmur")

def create_player(source, game, *, limits, jail, interrupt):
    program = source.build_spec.build_program(limits, jail)
    return ForeignPlayer("murmured " + source.name, program, digest=source.digest, jail=jail)

MURMUR = InstalledProtocol(create_player, lambda language, code: "murmur" in code.text)
SECRET = InstalledProtocol(create_player, for_programs=False)
"""


@pytest.fixture(autouse=True)
def visitors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "installed"
    folder.mkdir()
    install_entry_points(
        folder,
        monkeypatch,
        PACKAGE,
        seat_schemes={"murmur": "open_seat"},
        bot_protocols={"murmur": "MURMUR", "secret": "SECRET"},
    )
    yield
    forget_entry_points()
    sys.modules.pop("visiting_package", None)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_a_scheme_opens_a_seat_which_its_protocol_plays(tmp_path: Path) -> None:
    source = resolve_bot("murmur:cat -u", GAME)
    assert (source.name, source.protocol, source.unjailed) == ("cat", "murmur", False)
    assert source.build_spec.run[1:] == ("-u",)
    assert create_player(source, GAME).name == "murmured cat"
    assert resolve_bot("murmur:cat", GAME, trust=True).unjailed


def test_a_name_that_comes_over_the_network_opens_no_scheme() -> None:
    catalogue = BotCatalogue()
    for name in ("murmur:cat", "cmd:cat"):
        for find in (resolve_house_bot, catalogue.find):
            with pytest.raises(LudusError, match="no"):
                find(name, GAME)
    import visiting_package

    assert visiting_package.opened == []


def test_a_manifest_names_a_protocol(tmp_path: Path) -> None:
    folder = write(tmp_path / "bot", "main.py", "print()\n").parent
    write(folder, "ludus.toml", 'language = "python"\nprotocol = "murmur"\n')
    source = resolve_bot_at(folder, GAME)
    assert source.protocol == "murmur" and source.path is None
    assert source.build_spec.run[1:] == ("/bot/main.py",)


@pytest.mark.parametrize("name", ["morse", "secret"])
def test_a_manifest_cannot_name_a_protocol_that_is_not_for_programs(
    tmp_path: Path, name: str
) -> None:
    folder = write(tmp_path / "bot", "main.py", NATIVE).parent
    write(folder, "ludus.toml", f'language = "python"\nprotocol = "{name}"\n')
    with pytest.raises(LudusError, match=f"unknown protocol '{name}'; supported: ludus/1.*murmur"):
        resolve_bot_at(folder, GAME)


def test_a_bot_is_recognised_by_its_source(tmp_path: Path) -> None:
    python = write(tmp_path, "bot.py", "print('murmur')\n")
    assert resolve_bot(str(python), GAME).protocol == "murmur"
    cpp = write(tmp_path, "bot.cpp", "int main() { /* murmur */ }\n")
    assert resolve_bot(str(cpp), GAME).protocol == "murmur"
    ours = write(tmp_path, "ours.cpp", "int main() {}\n")
    assert resolve_bot(str(ours), GAME).protocol == "ludus/1"
    folder = write(tmp_path / "folder", "main.py", "print('murmur')\n").parent
    write(folder, "ludus.toml", 'language = "python"\n')
    assert resolve_bot(str(folder), GAME).protocol == "murmur"


def test_a_python_file_that_defines_a_bot_of_ludus_stays_one(tmp_path: Path) -> None:
    source = resolve_bot(str(write(tmp_path, "bot.py", f"# murmur\n{NATIVE}")), GAME)
    assert source.protocol == "ludus/1" and source.path is not None
    with pytest.raises(LudusError, match="does not define a bot"):
        resolve_bot(str(write(tmp_path, "other.py", "print()\n")), GAME)
