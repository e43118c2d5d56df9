"""The beginning of a program that speaks ludus/1 without Ludus."""

FRAMES = """
import json, sys

def read():
    head = sys.stdin.buffer.read(4)
    return json.loads(sys.stdin.buffer.read(int.from_bytes(head, "big"))) if head else None

def say(**answer):
    body = json.dumps(answer).encode()
    sys.stdout.buffer.write(len(body).to_bytes(4, "big") + body)
    sys.stdout.buffer.flush()
"""


def first_legal(note: str = "pass") -> str:
    """A whole program that plays the first legal move; ``note`` is done with every ``message``."""
    return f"""{FRAMES}
while message := read():
    {note}
    if message["type"] == "hello":
        say(type="hello", protocol="ludus/1", want=["legal"])
    elif message["type"] == "turn":
        say(type="move", n=message["n"], move=message["legal"][0])
    else:
        say(type="ready")
"""
