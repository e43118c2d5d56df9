"""Finding bots: by house name, by file, by command; and saying why something is no bot."""

from pathlib import Path

import pytest

from ludus.bots import engine_bots
from ludus.bots.load import load_bot
from ludus.bots.resolve import check_bot_file, resolve_bot
from ludus.errors import LudusError
from ludus.games import get
from ludus.games.duel2048.dialect import PlayerHost
from ludus.games.host import Host

GAME = get("duel2048")

PLAYER = """
class Player:
    def __init__(self, isFirst, array): pass
    def output(self, currentRound, board, mode): return None
"""
NATIVE = """
class Bot:
    def move(self, position, clock): return position.legal(position.to_move[0])[0]
"""


def write(folder: Path, text: str, name: str = "bot.py") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_house_bot_is_found_by_name() -> None:
    source = resolve_bot("random", GAME)
    assert source.trusted and source.name == "random" and len(source.digest) == 64


def test_a_file_is_a_strangers_program(tmp_path: Path) -> None:
    assert not resolve_bot(str(write(tmp_path, PLAYER)), GAME).trusted


def test_a_command_is_split_like_a_shell_does(tmp_path: Path) -> None:
    source = resolve_bot("cmd:./bot --name 'two words'", GAME)
    assert source.build_spec.run == ("./bot", "--name", "two words")


@pytest.mark.parametrize("name", ["a b.py", "机器人.py", "GAMMA RAY 2.0.py", "c++#=.py"])
def test_any_file_name_will_do(tmp_path: Path, name: str) -> None:
    assert isinstance(load_bot(write(tmp_path, PLAYER, name), GAME), PlayerHost)


def test_the_originals_dialect_is_told_from_the_native_one(tmp_path: Path) -> None:
    assert type(load_bot(write(tmp_path, PLAYER, "p.py"), GAME)) is PlayerHost
    assert type(load_bot(write(tmp_path, NATIVE, "n.py"), GAME)) is Host
    assert type(load_bot(write(tmp_path, PLAYER + NATIVE, "both.py"), GAME)) is PlayerHost


def test_a_class_of_the_same_name_without_the_method_is_not_taken_for_a_bot(tmp_path: Path) -> None:
    path = write(tmp_path, "class Player: pass\n" + NATIVE, "helper.py")
    assert type(load_bot(path, GAME)) is Host


def test_a_bot_may_import_what_lies_beside_it_and_the_originals_constants(tmp_path: Path) -> None:
    write(tmp_path, "VALUE = 7", "beside_me.py")
    path = write(tmp_path, "import beside_me, constants as c\nassert c.ROUNDS == 500\n" + PLAYER)
    load_bot(path, GAME)


@pytest.mark.parametrize(
    "text",
    [
        "from somewhere import *",
        "from impl import Player",
        "try:\n    from fast import Player\nexcept ImportError:\n    class Player: pass",
        "import impl\nPlayer = impl.make()",
        "if True:\n    class Player: pass",
        "exec('class Player: pass')",
    ],
)
def test_a_file_that_may_define_a_bot_is_given_the_chance(tmp_path: Path, text: str) -> None:
    check_bot_file(write(tmp_path, text), GAME)


def refused(spec: Path | str) -> str:
    with pytest.raises(LudusError) as caught:
        resolve_bot(str(spec), GAME)
    return caught.value.text["en"] + caught.value.text["zh"] + caught.value.detail


def test_no_bot_is_refused_with_the_reason(tmp_path: Path) -> None:
    assert "did you mean 'random'" in refused("randon")
    listed = ", ".join([*GAME.bots(), *engine_bots.engine_paths(GAME)])
    assert f"house bots: {listed}" in refused("nowhere/at/all.py")
    assert "people play on the page, which ludus serve starts" in refused("human")
    assert "without a ludus.toml" in refused(tmp_path)
    assert "Player.output or Bot.move" in refused(write(tmp_path, "x = 1"))
    broken = refused(write(tmp_path, "class Player:\n    def output(self:\n"))
    assert "line 2" in broken and "^" in broken
    assert "not valid Python" in refused(write(tmp_path, "a\0b"))
    assert "needs a command" in refused("cmd:")
    gbk = tmp_path / "gbk.py"
    gbk.write_bytes("x = '中文'\n".encode("gbk"))
    assert "seems to be GBK); save it as UTF-8" in refused(gbk)
    gbk.write_bytes(b"# coding: utf-8\n'two'\n" + "x = '中文'\n".encode("gbk"))
    assert "seems to be GBK); save it as UTF-8" in refused(gbk)
    gbk.write_bytes("x = 'café'\n".encode("latin-1"))
    assert "is not in UTF-8; save it as UTF-8" in refused(gbk)
    gbk.write_bytes(b"# coding: gbk\n" + "x = '中文'\n".encode("gbk") + PLAYER.encode())
    assert resolve_bot(str(gbk), GAME)
