"""Plays a scenario of the golden data, as its logic or as one of its AIs.

    probe.py logic SCENARIO.json
    probe.py ai SCENARIO.json SEAT

The language of scenarios is told in tests/golden/saiblo/FORMAT.md.
"""

import os
import sys
import time

# Importing json would be half of what an AI does, and hundreds are started.
WORDS_OF_JSON = {"true": True, "false": False, "null": None}


def write(data):
    while data:
        data = data[os.write(1, data) :]


def read(size):
    got = b""
    while len(got) < size:
        more = os.read(0, size - len(got))
        if not more:
            sys.exit(7)  # the judger has hung up
        got += more
    return got


def number(value):
    return value.to_bytes(4, "big", signed=True)


def as_json(value):
    import json

    return json.dumps(value)


def to_target(target, body):
    write(number(len(body)) + number(target) + body)


def receive():
    read(int.from_bytes(read(4), "big"))


def hang():
    while True:
        time.sleep(60)


COMMON = {
    "sleep": time.sleep,
    "err": lambda text: os.write(2, text.encode()),
    "exit": os._exit,
    "raw": lambda hexes: write(bytes.fromhex(hexes)),
    "hang": hang,
}
LOGIC = {
    **COMMON,
    "init": receive,
    "j": lambda said: to_target(-1, as_json(said).encode()),
    "jraw": lambda text: to_target(-1, text.encode()),
    "to": lambda seat, hexes: to_target(seat, bytes.fromhex(hexes)),
    "hdr": lambda size, target, hexes: write(number(size) + number(target) + bytes.fromhex(hexes)),
    "recv": lambda count: [receive() for _ in range(count)],
    "abort": os.abort,
}


def spin():
    while True:
        pass


def send(body):
    write(number(len(body)) + body)


AI = {
    **COMMON,
    "read": read,
    "send": lambda text: send(text.encode()),
    "sendchars": lambda text: write(number(len(text)) + text.encode()),
    "big": lambda size, letter: send(letter.encode() * size),
    "close": lambda: os.close(1),
    "spin": spin,
}


def main():
    role, path, *rest = sys.argv[1:]
    with open(path) as file:
        scenario = eval(file.read(), WORDS_OF_JSON)
    script = scenario["logic"] if role == "logic" else scenario["ai"][int(rest[0])]
    operations = LOGIC if role == "logic" else AI
    for name, *arguments in script:
        operations[name](*arguments)
    if role == "ai":
        while os.read(0, 65536):
            pass


main()
