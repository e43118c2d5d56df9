"""Logics and AIs for tests, written as short scripts with a few words of protocol at hand."""

import shutil
import textwrap
from pathlib import Path

from ludus.compat.saiblo.command import find_typed_program
from ludus.sandbox import Program

PYTHON = shutil.which("python3", path="/usr/bin:/usr/local/bin") or shutil.which("python3")
PROTOCOL = """
import json, os, sys, time

def read(size):
    got = b""
    while len(got) < size:
        more = os.read(0, size - len(got))
        if not more:
            sys.exit(0)
        got += more
    return got

def write(data):
    while data:
        data = data[os.write(1, data):]

def receive():
    return json.loads(read(int.from_bytes(read(4), "big")))

def tell(said, target=-1):
    body = said if isinstance(said, bytes) else json.dumps(said).encode()
    write(len(body).to_bytes(4, "big") + target.to_bytes(4, "big", signed=True) + body)

def ask(state, seat, text):
    tell({"state": state, "listen": [seat], "player": [seat], "content": [text]})
    return receive()

def end(*scores):
    info = {str(seat): score for seat, score in enumerate(scores)}
    tell({"state": -1, "end_info": json.dumps(info)})

def answer(text):
    body = text.encode()
    write(len(body).to_bytes(4, "big") + body)
"""


def script(folder: Path, name: str, code: str) -> Program:
    """A program of its own file."""
    path = folder / f"{name}.py"
    path.write_text(PROTOCOL + textwrap.dedent(code))
    program = find_typed_program(f"{PYTHON} {path}", folder)
    assert program is not None
    return program


ECHO = """
while True:
    answer(read(4).decode())
"""
"""An AI that answers what it is told, four bytes at a time."""


ROCK_PAPER_SCISSORS = """
import random
BEATS = {"rock": "scissors", "scissors": "paper", "paper": "rock"}
init = receive()
rng = random.Random(init["config"]["random_seed"])
rounds = init["config"].get("rounds", 3)
wins = [0, 0]
for number in range(1, rounds + 1):
    tell({"watch": f"round {number}, luck {rng.random()}"})
    tell({"state": number, "listen": [0, 1], "player": [0, 1], "content": ["go\\n", "go\\n"]})
    hands = {}
    while len(hands) < 2:
        said = receive()
        if said["player"] == -1:
            hands[json.loads(said["content"])["player"]] = None
        else:
            hands[said["player"]] = said["content"]
    for seat in (0, 1):
        wins[seat] += hands[1 - seat] is None or BEATS.get(hands[seat]) == hands[1 - seat]
tell({"state": -1, "end_info": json.dumps({"0": wins[0], "1": wins[1]})})
"""


HAND = "import sys\nfor line in sys.stdin:\n    answer({hand!r})\n"
