"""Players of the Tablut challenge for tests: the example, and programs that misbehave."""

import importlib.util
import shlex
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

EXAMPLE = Path(__file__).parents[2] / "examples" / "tablut_challenge" / "player.py"

PYTHON = f"{shlex.quote(sys.executable)} -S -E"
"""The interpreter in a command, started as quickly as possible."""

BAD_PLAYER = """
import json, socket, sys, time
how, side, address = sys.argv[1:]
if how == "exits at once":
    sys.exit("no such side")
if how == "never connects":
    time.sleep(600)
connection = socket.create_connection((address, {"WHITE": 5800, "BLACK": 5801}[side]))
def send(text):
    connection.sendall(len(text).to_bytes(4, "big") + text)
if how == "has no name":
    connection.close()
    sys.exit(3)
if how == "moves before its turn":  # in one piece, so that it is there when it is looked for
    connection.sendall(b"\\0\\0\\0\\x03bad\\0\\0\\0\\x02{}")
else:
    send(b"bad")
stream = connection.makefile("rb")
state = json.loads(stream.read(int.from_bytes(stream.read(4), "big")))
print("it is", state["turn"], flush=True)
if how == "exits when asked":
    print("tired", file=sys.stderr)
    sys.exit(7)
if how == "sends half a message":
    connection.sendall(b"\\0\\0\\0\\x30{")
    sys.exit()
if how == "sends half a message and waits":
    connection.sendall(b"\\0\\0\\0\\x30{")
    time.sleep(600)
if how == "hangs":
    time.sleep(600)
if how == "announces 2 GB":
    connection.sendall(b"\\x7f\\xff\\xff\\xff" + bytes(100_000))
    time.sleep(600)
answers = {
    "sends no JSON": b"e4f4",
    "sends another JSON": b"[1, 2]",
    "sends numbers": b'{"from": 1, "to": 2}',
    "sends bytes that are no text": b"\\xff\\xfe",
    "plays an illegal move": b'{"from": "e4", "to": "e9", "turn": "WHITE"}',
    "moves the other side's piece": b'{"from": "d1", "to": "c1", "turn": "BLACK"}',
    "names cells that do not exist": b'{"from": "z99", "to": "", "turn": "WHITE"}',
    "floods": b'{"from": "e4", "to": "e9", "turn": "WHITE"}',
}
send(answers[how])
if how == "floods":
    print("x" * 3_000_000, flush=True)
    while True:
        send(answers[how])
print(json.loads(stream.read(int.from_bytes(stream.read(4), "big")))["turn"], flush=True)
"""


def load_example(white_port: int, black_port: int) -> ModuleType:
    """The example's module, which connects to these ports."""
    found = importlib.util.spec_from_file_location("example_challenge_player", EXAMPLE)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    module.PORTS = {"WHITE": white_port, "BLACK": black_port}
    return module


def run_in_thread(function: Callable[..., object], *arguments: object) -> threading.Thread:
    thread = threading.Thread(target=function, args=arguments, daemon=True)
    thread.start()
    return thread


def connect(port: int, data: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(data)
    return connection
