"""The original judger's command line, console and controller, held to recorded sessions."""

import base64
import contextlib
import json
import os
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

from ludus.compat.saiblo import judger as command_line
from tests.support.talking import PYTHON
from tests.support.transcripts import PROBE, SCENARIOS, records, stdout_of

PROGRAM = [sys.executable, "-m", "ludus.compat.saiblo.judger"]
RECORDED = {"v1": "v1", "v1.1": "v11"}
RECORDED_COMMAND = re.compile(
    r"[^\s\"]+python3[+ ]\S+tee\.py[+ ]\S+[+ ](?P<who>A\d|L)[+ ]--[+ ]\S+python3[+ ]"
    r"\S+/probe_(?:ai|logic)\.py[+ ]\S+/(?P<scenario>\w+)\.json(?:[+ ]\d)?"
)


def our_command(who: str, scenario: str, blank: str) -> str:
    path = SCENARIOS / f"{scenario}.json"
    role = ["logic", path] if who == "L" else ["ai", path, who[1:]]
    return blank.join(map(str, [PYTHON, "-IS", PROBE, *role]))


def translated(text: str) -> str:
    """A recorded text with our programs in place of those that were recorded."""

    def ours(found: re.Match[str]) -> str:
        blank = "+" if "+--+" in found[0] else " "
        return our_command(found["who"], found["scenario"], blank)

    return RECORDED_COMMAND.sub(ours, text)


def typed(name: str) -> bytes:
    said = [r["b64"] for r in records(name) if r.get("dir") == "STDIN>J"]
    return b"".join(base64.b64decode(text) for text in said)


class Judger:
    """The command line, called in this process from an empty folder."""

    def __init__(
        self, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[bytes], folder: Path
    ) -> None:
        self._patch, self._capture = patch, capture
        patch.chdir(folder)

    def __call__(self, *arguments: str, stdin: bytes = b"") -> tuple[bytes, bytes]:
        """What it printed on stdout and stderr."""
        typed = os.memfd_create("typed")
        os.pwrite(typed, stdin, 0)
        self._patch.setattr(command_line, "STDIN", typed)
        try:
            assert command_line.main([*arguments]) == 0
        finally:
            os.close(typed)
        return self._capture.readouterr()


@pytest.fixture
def judger(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> Judger:
    return Judger(monkeypatch, capfdbinary, tmp_path)


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
    name: str, version: str, judger: Judger
) -> None:
    commands = [our_command(who, name, "+") for who in ("L", "A0", "A1")]
    stdout, stderr = judger("--protocol", version, *commands, "replay.json")
    assert stdout == stdout_of(f"{RECORDED[version]}__{name}")
    if name == "logic_crash_midgame":
        assert b"logic boom" in stderr and b"SIGABRT" in stderr


def test_the_command_line_is_a_program_that_plays_the_first_version(tmp_path: Path) -> None:
    commands = [our_command(who, "normal_pingpong", "+") for who in ("L", "A0", "A1")]
    done = subprocess.run([*PROGRAM, *commands, "replay.json"], capture_output=True, cwd=tmp_path)
    assert done.stdout == stdout_of("v1__normal_pingpong")
    assert done.returncode == 0


def test_a_logic_that_cannot_be_started_is_told_by_the_second_version(judger: Judger) -> None:
    ais = [our_command(who, "x_ai_start_failure", "+") for who in ("A0", "A1")]
    stdout, _ = judger("--protocol", "v1.1", "/nonexistent/logic", *ais, "replay.json")
    assert stdout == stdout_of("v11__x_logic_start_failure")


@pytest.mark.parametrize("version", RECORDED)
def test_the_console_answers_as_recorded(version: str, judger: Judger) -> None:
    name = f"{RECORDED[version]}__x_test_mode"
    typing = translated(typed(name).decode()).encode()
    stdout, _ = judger("--protocol", version, "test_mode", stdin=typing)
    assert stdout.decode() == translated(stdout_of(name).decode())


@pytest.mark.parametrize("version", RECORDED)
def test_the_controller_answers_as_recorded(version: str, judger: Judger) -> None:
    name = f"{RECORDED[version]}__x_controller"
    orders = [translated(body.decode()).encode() for body in bodies(typed(name))]
    frames = b"".join(len(order).to_bytes(4, "big") + order for order in orders)
    stdout, _ = judger("--protocol", version, stdin=frames)
    assert stdout == stdout_of(name)


def bodies(frames: bytes) -> list[bytes]:
    found = []
    while frames:
        size = int.from_bytes(frames[:4], "big")
        found.append(frames[4 : 4 + size])
        frames = frames[4 + size :]
    return found


def test_the_init_message_of_a_controller_has_its_config(tmp_path: Path, judger: Judger) -> None:
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
    judger(stdin=len(body).to_bytes(4, "big") + body)
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
    with (
        contextlib.ExitStack() as stack,
        subprocess.Popen(
            [*PROGRAM, "--protocol", version, "test_mode"],
            stdin=PIPE,
            stdout=PIPE,
            cwd=tmp_path,
            bufsize=0,
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
