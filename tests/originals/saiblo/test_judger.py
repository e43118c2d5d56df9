"""The original judger's command line, console and controller, held to recorded sessions."""

import base64
import contextlib
import json
import re
import socket
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE
from typing import IO

import pytest
from websockets.exceptions import ConnectionClosedOK
from websockets.sync.client import ClientConnection, connect

from tests.support.talking import PYTHON
from tests.support.transcripts import PROBE, SCENARIOS, records, stdout_of

RECORDED = {"v1": "v1", "v1.1": "v11"}
RECORDED_COMMAND = re.compile(
    r"[^\s\"]+python3[+ ]\S+tee\.py[+ ]\S+[+ ](?P<who>A\d|L)[+ ]--[+ ]\S+python3[+ ]"
    r"\S+/probe_(?:ai|logic)\.py[+ ]\S+/(?P<scenario>\w+)\.json(?:[+ ]\d)?"
)


def our_command(who: str, scenario: str, blank: str) -> str:
    path = SCENARIOS / f"{scenario}.json"
    role = ["logic", path] if who == "L" else ["ai", path, who[1:]]
    return blank.join(map(str, [PYTHON, PROBE, *role]))


def translated(text: str) -> str:
    """A recorded text with our programs in place of those that were recorded."""

    def ours(found: re.Match[str]) -> str:
        blank = "+" if "+--+" in found[0] else " "
        return our_command(found["who"], found["scenario"], blank)

    return RECORDED_COMMAND.sub(ours, text)


def typed(name: str) -> bytes:
    said = [r["b64"] for r in records(name) if r.get("dir") == "STDIN>J"]
    return b"".join(base64.b64decode(text) for text in said)


def run(folder: Path, *arguments: str, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "ludus.originals.saiblo.judger", *arguments],
        input=stdin,
        capture_output=True,
        timeout=60,
        cwd=folder,
    )


@pytest.mark.parametrize("version", RECORDED)
@pytest.mark.parametrize(
    "name",
    [
        "normal_pingpong",
        "logic_end_info_single_quotes",
        "logic_end_with_end_state",
        "logic_bad_json",
        "logic_bad_target",
        "logic_crash_midgame",
    ],
)
def test_the_command_line_prints_the_recorded_frames(
    name: str, version: str, tmp_path: Path
) -> None:
    commands = [our_command(who, name, "+") for who in ("L", "A0", "A1")]
    done = run(tmp_path, "--protocol", version, *commands, "replay.json")
    assert done.stdout == stdout_of(f"{RECORDED[version]}__{name}")
    assert done.returncode == 0


def test_stderr_of_the_programs_is_passed_on(tmp_path: Path) -> None:
    commands = [our_command(who, "logic_crash_midgame", "+") for who in ("L", "A0", "A1")]
    done = run(tmp_path, *commands, "replay.json")
    assert b"logic boom" in done.stderr
    assert b"SIGABRT" in done.stderr


def test_a_logic_that_cannot_be_started_is_told_by_the_second_version(tmp_path: Path) -> None:
    ais = [our_command(who, "x_ai_start_failure", "+") for who in ("A0", "A1")]
    done = run(tmp_path, "--protocol", "v1.1", "/nonexistent/logic", *ais, "replay.json")
    assert done.stdout == stdout_of("v11__x_logic_start_failure")


@pytest.mark.parametrize("version", RECORDED)
def test_the_console_answers_as_recorded(version: str, tmp_path: Path) -> None:
    name = f"{RECORDED[version]}__x_test_mode"
    typing = translated(typed(name).decode()).encode()
    done = run(tmp_path, "--protocol", version, "test_mode", stdin=typing)
    assert done.stdout.decode() == translated(stdout_of(name).decode())
    assert done.returncode == 0


@pytest.mark.parametrize("version", RECORDED)
def test_the_controller_answers_as_recorded(version: str, tmp_path: Path) -> None:
    name = f"{RECORDED[version]}__x_controller"
    orders = [translated(body.decode()).encode() for body in bodies(typed(name))]
    frames = b"".join(len(order).to_bytes(4, "big") + order for order in orders)
    done = run(tmp_path, "--protocol", version, stdin=frames)
    assert done.stdout == stdout_of(name)
    assert done.returncode == 0


def bodies(frames: bytes) -> list[bytes]:
    found = []
    while frames:
        size = int.from_bytes(frames[:4], "big")
        found.append(frames[4 : 4 + size])
        frames = frames[4 + size :]
    return found


def test_the_init_message_of_a_controller_has_its_config(tmp_path: Path) -> None:
    logic = tmp_path / "logic.py"
    logic.write_text(
        "import sys\n"
        "size = int.from_bytes(sys.stdin.buffer.read(4), 'big')\n"
        "open('said.json', 'wb').write(sys.stdin.buffer.read(size))\n"
        'body = b\'{"state": -1, "end_info": "{}"}\'\n'
        "sys.stdout.buffer.write(len(body).to_bytes(4, 'big') + b'\\xff' * 4 + body)\n"
    )
    order = {"type": 4, "command": f"{PYTHON} logic.py", "config": "c", "replay": "said.json"}
    body = json.dumps(order).encode()
    run(tmp_path, stdin=len(body).to_bytes(4, "big") + body)
    said = json.loads((tmp_path / "said.json").read_text())
    assert said == {"player_list": [], "player_num": 0, "replay": "said.json", "config": "c"}


@pytest.mark.parametrize(("version", "coded"), [("v1", False), ("v1.1", True)])
def test_a_person_plays_through_the_console_as_recorded(
    version: str, coded: bool, tmp_path: Path
) -> None:
    """The recorded session with its WebSocket client, on another port."""
    name = f"{RECORDED[version]}__x_human_ws"
    session = records(name)
    port = free_port()
    address = f"127.0.0.1:{port}/1/player/1"
    token = base64.b64encode(address.encode()).decode() if coded else address
    command = [sys.executable, "-m", "ludus.originals.saiblo.judger", "--protocol", version]
    with (
        contextlib.ExitStack() as stack,
        subprocess.Popen(
            [*command, "test_mode"], stdin=PIPE, stdout=PIPE, cwd=tmp_path, bufsize=0
        ) as judger,
    ):
        assert judger.stdin is not None and judger.stdout is not None
        clients: dict[str, ClientConnection] = {}
        for record in session:
            direction = record.get("dir", "")
            raw = base64.b64decode(record.get("b64", ""))
            if direction == "STDIN>J":
                text = re.sub(r"127\.0\.0\.1 \d+", f"127.0.0.1 {port}", raw.decode())
                judger.stdin.write(translated(text).encode())
            elif direction == "J>STDOUT":
                wanted = translated(raw.decode()).encode()
                assert read_exactly(judger.stdout, len(wanted)) == wanted
            elif direction in ("H1>J", "H1b>J"):
                who = direction.partition(">")[0]
                if who not in clients:
                    clients[who] = stack.enter_context(connect(f"ws://{address}"))
                clients[who].send(json.dumps({**json.loads(raw), "token": token}))
            elif direction == "J>H1":
                assert json.loads(clients["H1"].recv(timeout=20)) == json.loads(raw)
            elif record.get("ev") == "ws_closed" and record["who"] == "H1b":
                with pytest.raises(ConnectionClosedOK):
                    clients["H1b"].recv(timeout=20)
        assert judger.wait(20) == 0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def read_exactly(pipe: IO[bytes], size: int) -> bytes:
    got = b""
    while len(got) < size and (more := pipe.read(size - len(got))):
        got += more
    return got
