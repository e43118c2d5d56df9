"""A hundred wrong command lines get one clear sentence each, in both languages."""

import os
import re
import shlex
from pathlib import Path

import pytest

from tests.support.cli import Ludus

WRONG = """
# commands and options
plya
ply tablut random random
Play tablut random random
help play
replay x
replay shwo
contest rnu
remote upload
new bto
challenge x
--verbose
play --bots 2
play tablut random random --bout 3x
play tablut random random --seed
games all
games --json=1
completion
completion tcsh
# games, seats and bots
play
play chess random random
play tablutt random random
play tablut
play tablut random
play tablut random random random
play tablut random greeedy
play tablut random missing.py
play tablut random missing_folder/
play tablut random empty.py
play tablut random broken.py
play tablut random noclass.py
play tablut random notes.txt
play tablut random cmd:
play tablut random cmd:no_such_program_here
play tablut random gtp:
play tablut random search:x
play tablut random search:0
play tablut random learned:missing.onnx
play tablut random search:-1
play tablut random empty_folder
play tablut random bad_manifest
play tablut random broken.zip
play . random random
play paperio random greedy
# numbers and options of games
play tablut random random --bouts 0
play tablut random random --bouts -3
play tablut random random --bouts many
play tablut random random --bouts 1.5
play tablut random random --seed x
play tablut random random --time 0
play tablut random random --time -1
play tablut random random --time soon
play tablut random random --time nan
play tablut random random --per-move -1
play tablut random random --increment x
play tablut random random --measure sun
play tablut random random --patience 0
play tablut random random --jobs 0
play tablut random random --jobs some
play tablut random random --jail iron
play tablut random random --time0 1
play tablut random random --time0 a,b
play tablut random random --openings missing.txt
play tablut random random --openings random:x
play tablut random random --openings broken.txt
play tablut random random -o
play tablut random random -o variant
play tablut random random -o colour=red
play tablut random random -o variant=chess
play reversi random random -o size=7
play reversi random random -o size=big
play duel2048 random random -o rounds=-1
play tablut random random --save notes.txt
play tablut random random --logs notes.txt
play tablut random random --isolate --in-process
match tablut random
match chess random random
match tablut random random --bouts 1x
# the other commands
sprt random greedy
sprt random greedy --game chess
sprt random greedy --game tablut --elo0 10 --elo1 0
sprt random greedy --game tablut --alpha 2
sprt random greedy --game tablut --bouts 0
sprt random missing.py --game tablut
sprt random greedy --game tablut --cluster-key key.pem
sprt random greedy --game tablut --insecure
engine chess
engine tablut missing.py
perft tablut --depth x
perft tablut --depth -1
perft chess
playthrough chess
bots
bots chess
check
check random
check missing.py --game tablut
check notes.txt --game tablut
replay show missing.ludus
replay show notes.txt
replay show folder_of_records
replay show --step x
replay verify
replay verify missing.ludus
replay convert notes.txt
replay convert missing.txt
replay html missing.ludus
replay stats missing.ludus
analyse missing.ludus
analyse notes.txt
why missing.ludus
why notes.txt
debug notes.txt
debug missing.ludus --bot random
matchup random
tune missing.py --game tablut
tune notes.txt --game tablut
tune random --game tablut --bouts 0
rate tablut
rate chess random
rate tablut missing.onnx
train chess
train tablut --preset missing
train tablut --preset laptop -s nothing
train tablut --preset laptop -s learn.nothing=1
new bot
new bot mine.py
new bot mine.py --game chess
new bot mine.rb --game tablut
new bot notes.txt --game tablut
new bot mine.py --game tablut --dialect C
new bot mine.py --game tablut --language ruby
new game
new game Chess!
new game tablut
new game x --language java
contest new tablut random
contest new chess random greedy
contest new tablut random greedy --format liga
contest new tablut missing.py greedy
contest new tablut random greedy --bouts 0
contest run missing.toml
contest run broken.toml
contest status missing.toml
contest report missing.toml
judge
judge missing.py
remote login
remote login not-a-url
remote login ftp://arena.example
remote ladder tablut
remote results tablut
remote results near
serve --port x
serve --port 99999
serve --port -1
serve --limit x
serve --limit rooms_per_guest=x
serve --limit nothing=1
serve --bot tablut
serve --bot chess=random
serve --jobs -1
serve --log-level loud
serve --smtp x
serve --proxy x
worker not-an-address --jobs 0
backup
backup /no/such/folder/file
restore missing.backup
restore notes.txt
mcp --folder missing_folder
add
"""
LINES = [line for line in WRONG.splitlines() if line and not line.startswith("#")]
BUG = re.compile(r"Traceback|internal error|内部错误|\bErrno\b|object at 0x|<class|None\b")
MAX_CHARS = 420


@pytest.fixture
def wrong_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder with files that are not what a command wants."""
    monkeypatch.chdir(tmp_path)
    for name in ("LUDUS_DATABASE", "LUDUS_CLUSTER"):
        monkeypatch.delenv(name, raising=False)
    for name, text in {
        "notes.txt": "to do: write a bot\n",
        "empty.py": "",
        "broken.py": "class Bot:\n    def move(self",
        "noclass.py": "x = 1\n",
        "broken.zip": "not a zip",
        "broken.txt": "no moves at all\n",
        "broken.toml": "[contest\n",
        "bad_manifest/ludus.toml": "start = 3\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    for name in ("empty_folder", "folder_of_records"):
        os.mkdir(tmp_path / name)


def find_fault(code: int, out: str, err: str, start: str) -> str:
    """What is wrong with the answer to a wrong command line; empty if nothing is."""
    lines = err.rstrip("\n").splitlines()
    if code != 2:
        return f"exit code {code}"
    if out:
        return "something on stdout"
    if not lines or not lines[0].startswith(start):
        return "no sentence"
    if BUG.search(err):
        return "not a sentence for people"
    if len(lines[0]) > MAX_CHARS:
        return f"{len(lines[0])} characters"
    return ""


def test_a_hundred_wrong_command_lines_get_one_clear_sentence_each(
    cli: Ludus, wrong_files: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(LINES) >= 100 and len(set(LINES)) == len(LINES)
    found = []
    for language, start in (("en", "ludus: "), ("zh", "ludus：")):
        monkeypatch.setenv("LUDUS_LANG", language)
        for line in LINES:
            ran = cli(*shlex.split(line))
            if fault := find_fault(ran.code, ran.out, ran.err, start):
                found.append(f"ludus {line}: {fault}\n{ran.out[:300]}{ran.err[:600]}")
    assert not found, f"{len(found)} of them:\n" + "\n".join(found)


def test_a_bot_in_the_place_of_the_game_is_told(cli: Ludus) -> None:
    said = cli("remote", "results", "near").err
    assert "BOT is missing, or the game before it: this machine has no game 'near'" in said
    assert "ludus: BOT is missing\n" in cli("remote", "results", "reversi").err
