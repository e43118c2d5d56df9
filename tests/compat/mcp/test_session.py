"""Agents use ``ludus mcp`` through the protocol's own library: whole sessions, and hostile ones."""

import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from ludus.match.record import read
from tests.support.cli import LEGAL, SOURCE
from tests.support.extras import need_extra
from tests.support.leftovers import none_left
from tests.support.processes import ASLEEP, is_running, wait_for_children

need_extra("mcp", "mcp")

Call = Callable[..., Awaitable[dict[str, Any]]]
TOOLS = ["games", "rules", "starter", "save_bot", "check", "play", "match", "results", "explain"]


def environment(home: Path) -> dict[str, str]:
    known = {**os.environ, "LUDUS_HOME": str(home), "PYTHONPATH": str(SOURCE), "LUDUS_LANG": "en"}
    return {name: value for name, value in known.items() if not name.startswith("PYTEST")}


def over_stdio(folder: Path, work: Callable[[Call, Any], Awaitable[None]]) -> None:
    """A session with the server in a process of its own, as an agent starts it."""
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    command = ["-m", "ludus", "mcp", "--folder", str(folder)]
    home = folder.parent / "home"
    server = StdioServerParameters(command=sys.executable, args=command, env=environment(home))
    # by default it writes to what sys.stderr was when the library was imported
    run_session(Client(stdio_client(server, errlog=sys.__stderr__)), work)


def in_process(folder: Path, work: Callable[[Call, Any], Awaitable[None]]) -> None:
    """A session with the same tools in this process."""
    from mcp.client import Client

    from ludus.compat.mcp.server import create_server
    from ludus.compat.mcp.workspace import Workspace

    run_session(Client(create_server(Workspace(folder))), work)


def run_session(client: Any, work: Callable[[Call, Any], Awaitable[None]]) -> None:
    async def session() -> None:
        async with client as connected:

            async def call(tool: str, **arguments: Any) -> dict[str, Any]:
                answer = await connected.call_tool(tool, arguments)
                text = "".join(part.text for part in answer.content)
                if answer.is_error:
                    return {"error": text}
                assert json.loads(text) == answer.structured_content
                return answer.structured_content

            await work(call, connected)

    anyio.run(session)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LUDUS_LANG", "en")
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def test_an_agent_writes_a_bot_checks_it_plays_a_match_and_reads_the_results(folder: Path) -> None:
    async def work(call: Call, client: Any) -> None:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == TOOLS
        assert all(
            tool.description and tool.input_schema["properties"] is not None for tool in listed
        )
        assert "starter" in client.instructions
        names = [game["name"] for game in (await call("games"))["games"]]
        assert {"ataxx", "reversi"} <= set(names)
        rules = await call("rules", game="ataxx")
        assert "all rival pieces on the eight cells around" in rules["rules"]
        assert rules["first_moves"][:3] == ["b1", "a1c1", "a2"]
        assert {option["name"] for option in rules["options"]} == {"size", "limit"}
        assert rules["first_position"].startswith("● . .")
        starter = await call("starter", game="ataxx")
        assert await call("save_bot", file="mine.py", source=starter["source"]) == {
            "file": "mine.py",
            "bytes": len(starter["source"].encode()),
        }
        checked = await call("check", game="ataxx", bot="mine.py")
        assert checked["usable"] is True, checked
        played = await call("play", game="ataxx", bots=["mine.py", "random"], seed=3)
        assert played["faults"] == [] and (folder / played["record"]).is_file()
        small = {"size": 4}
        match = await call(
            "match", game="ataxx", bots=["mine.py", "greedy"], bouts=4, options=small, seed=1
        )
        first = match["first_bot"]
        assert match["complete"] and match["bouts_played"] == 4
        assert first["won"] + first["drawn"] + first["lost"] == 4
        assert "[" in first["elo"] and 0 <= first["probability_first_is_stronger"] <= 1
        results = await call("results", path=match["folder"])
        rows = {row["bot"]: row for row in results["bots"]}
        assert (rows["mine"]["won"], rows["mine"]["lost"]) == (first["won"], first["lost"])
        assert results["bouts_count"] == len(results["bouts"]) == 4
        told = await call("explain", record=match["bouts"][0]["record"])
        assert told["ended_by"] == match["bouts"][0]["ended_by"]
        [pieces] = told["over_time"]
        assert pieces["values"][0] == [2, 2] and len(pieces["values"]) == len(pieces["steps"])
        assert sum(pieces["values"][-1]) <= 16
        assert len(told["turning_points"]) == 3
        isolation = {bot.name: bot.isolation for bot in read(folder / played["record"]).bots}
        assert isolation["mine"] != isolation["random"], "it plays in a jail"

    over_stdio(folder, work)


HOSTILE = {
    "crash": LEGAL.replace("return position", "return 1 / 0, position"),
    "illegal": LEGAL.replace("position.legal(self.seat)[0]", "'z9'"),
    "timeout": LEGAL.replace("return position", "time.sleep(99)\n        return position").replace(
        "class Bot", "import time\nclass Bot"
    ),
}
FLOOD = LEGAL.replace("return position", "print('x' * 200_000)\n        return position")


def test_what_is_wrong_with_a_bot_is_said_and_nothing_is_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, source in HOSTILE.items():
        (folder / f"{name}.py").write_text(source)
    (folder / "flood.py").write_text(FLOOD)
    (folder / "broken.py").write_text("class Bot(:\n")

    async def work(call: Call, client: Any) -> None:
        for name in HOSTILE:
            bots = [f"{name}.py", "random"]
            played = await call("play", game="ataxx", bots=bots, seconds_per_bot=0.3, seed=1)
            [fault] = played["faults"]
            assert (fault["kind"], fault["bot"], fault["seat"]) == (name, name, "black")
            assert played["winning_seat"] == "white"
            assert fault["kind"] in played["ended_by"]
            told = await call("explain", record=played["record"])
            assert told["faults"] == [fault]
        trace = (await call("play", game="ataxx", bots=["random", "crash.py"]))["faults"][0]
        assert "ZeroDivisionError" in trace["trace"]
        flood = await call("play", game="ataxx", bots=["flood.py", "random"], options={"size": 4})
        assert len(json.dumps(flood)) < 40_000
        assert "characters left out" in flood["outputs"][0]["stdout"]
        checked = await call("check", game="ataxx", bot="crash.py")
        assert checked["usable"] is False
        broken = await call("check", game="ataxx", bot="broken.py")
        assert "error" in broken or broken["usable"] is False

    temporary = folder.parent / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    with none_left(temporary):
        in_process(folder, work)


def test_a_match_ends_when_its_time_is_up(folder: Path) -> None:
    (folder / "asleep.py").write_text(ASLEEP)

    async def work(call: Call, client: Any) -> None:
        slow = await call("match", game="ataxx", bots=["asleep.py", "random"], seconds=1.0)
        assert "no bout was finished within 1 seconds" in slow["error"]

    in_process(folder, work)


BAD_CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("check", {"game": "ataxx", "bot": "../outside.py"}, "is outside of"),
    ("check", {"game": "ataxx", "bot": "/etc/passwd"}, "is outside of"),
    ("check", {"game": "ataxx", "bot": "link.py"}, "is outside of"),
    ("check", {"game": "ataxx", "bot": "cmd:id"}, "no house bot"),
    ("check", {"game": "ataxx", "bot": "nobody"}, "no house bot"),
    ("check", {"game": "chess", "bot": "random"}, "there is no game 'chess'"),
    ("rules", {"game": "../ataxx"}, "there is no game"),
    ("starter", {"game": "ataxx", "language": "cobol"}, "no starter"),
    ("save_bot", {"file": "../bot.py", "source": ""}, "is outside of"),
    ("save_bot", {"file": "big.py", "source": "x" * 300_000}, "at most"),
    ("play", {"game": "ataxx", "bots": ["random"]}, "has 2 seats"),
    ("play", {"game": "ataxx", "bots": "random"}, "valid list"),
    ("play", {"game": "ataxx", "bots": ["random"] * 2, "options": {"size": 99}}, "between 4 and 8"),
    ("play", {"game": "ataxx", "bots": ["random"] * 2, "options": {"no": 1}}, "no option 'no'"),
    ("play", {"game": "ataxx", "bots": ["random"] * 2, "seconds_per_bot": 1e9}, "seconds_per_bot"),
    ("play", {"game": "ataxx", "bots": ["random"] * 2, "seconds": -1}, "seconds must be"),
    ("match", {"game": "ataxx", "bots": ["random"] * 2, "bouts": 10**9}, "bouts must be"),
    ("match", {"game": "ataxx"}, "bots"),
    ("results", {"path": "nowhere"}, "there is no file nowhere"),
    ("results", {"path": "."}, "garbage.ludus is not a Ludus record"),
    ("results", {"path": "empty"}, "has 0 records"),
    ("results", {"path": "../"}, "is outside of"),
    ("explain", {"record": "link.py"}, "is outside of"),
    ("explain", {"record": "garbage.ludus"}, "garbage.ludus"),
    ("explain", {"record": "huge.ludus"}, "huge.ludus"),
    ("format_disk", {}, "format_disk"),
]


def test_bad_calls_are_answered_with_a_sentence_and_the_server_goes_on(folder: Path) -> None:
    (folder.parent / "outside.py").write_text(LEGAL)
    (folder / "link.py").symlink_to("../outside.py")
    (folder / "empty").mkdir()
    (folder / "garbage.ludus").write_bytes(os.urandom(2000))
    (folder / "huge.ludus").write_bytes(b"[" * (2 << 20))

    async def work(call: Call, client: Any) -> None:
        for tool, arguments, words in BAD_CALLS:
            try:
                answer = await call(tool, **arguments)
            except Exception as error:  # an unknown tool is an error of the protocol
                answer = {"error": str(error)}
            assert words in answer.get("error", ""), (tool, arguments, answer)
            assert len(answer["error"]) < 4000
        assert (await call("games"))["games"]

    in_process(folder, work)


def test_bytes_that_are_not_the_protocol_do_not_stop_the_server(folder: Path) -> None:
    lines = [b"not json", b"[1,2", b'{"jsonrpc":"2.0"}', b"\xff\xfe\x00", b"x" * (2 << 20)]
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-03-26",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        },
    }
    done = subprocess.run(
        [sys.executable, "-m", "ludus", "mcp", "--folder", str(folder)],
        input=b"\n".join([*lines, json.dumps(hello).encode(), b""]),
        env=environment(folder.parent / "home"),
        capture_output=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [a["result"]["serverInfo"]["name"] for a in answers if a.get("id") == 1] == ["ludus"]
    assert done.returncode == 0


SPY = LEGAL.replace(
    "return position",
    """
        import os, pathlib, sys
        print(dict(os.environ), sys.argv)
        for place in (SECRET_FILE, "/proc/1/environ"):
            try:
                print(pathlib.Path(place).read_text())
            except OSError as error:
                print(error)
        return position""",
)


def test_no_secret_of_the_owner_reaches_an_agent_through_a_bot(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither from the environment of the server nor from files beside the folder."""
    monkeypatch.setenv("OPENAI_API_KEY", "planted-in-the-environment")
    (folder.parent / "key.txt").write_text("planted-in-a-file")
    place = json.dumps(str(folder.parent / "key.txt"))
    (folder / "spy.py").write_text(SPY.replace("SECRET_FILE", place))

    async def work(call: Call, client: Any) -> None:
        played = await call("play", game="ataxx", bots=["spy.py", "random"], options={"size": 4})
        assert "PATH" in played["outputs"][0]["stdout"]
        answers = [played, await call("explain", record=played["record"])]
        assert "planted" not in json.dumps(answers)

    in_process(folder, work)
    records = [path.read_bytes() for path in folder.rglob("*.ludus")]
    assert records and not any(b"planted" in gzip.decompress(data) for data in records)


NOTING = """
class Bot:
    def move(self, position, clock):
        print("printed")
        return position.legal(position.to_move[0])[0], "NO" + "TED"
"""


def test_notes_of_bots_are_not_among_the_results(folder: Path) -> None:
    """An agent may play against a bot of somebody else."""
    (folder / "noting.py").write_text(NOTING)

    async def work(call: Call, client: Any) -> None:
        played = await call("play", game="reversi", bots=["noting.py", "random"])
        assert "printed" in played["outputs"][0]["stdout"]
        assert "NOTED" not in str(played)

    in_process(folder, work)


def server_of(folder: Path) -> int:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with_arguments = path.read_bytes().split(b"\0")
        if b"mcp" in with_arguments and str(folder).encode() in with_arguments:
            return int(path.parent.name)
    raise AssertionError("no server runs")


def test_nothing_is_left_when_the_agent_leaves_in_the_middle_of_a_bout(folder: Path) -> None:
    (folder / "asleep.py").write_text(ASLEEP)
    started: set[int] = set()

    async def work(call: Call, client: Any) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(
                lambda: call("play", game="ataxx", bots=["asleep.py", "random"], seconds=100.0)
            )
            server = server_of(folder)
            started.update(await anyio.to_thread.run_sync(wait_for_children, server), {server})
            await anyio.sleep(0.3)  # the bot itself is a child of a child
            tasks.cancel_scope.cancel()

    over_stdio(folder, work)
    deadline = time.monotonic() + 60
    while any(map(is_running, started)):
        assert time.monotonic() < deadline, "processes are left"
        time.sleep(0.05)


def test_without_the_extra_it_says_how_to_install_it(folder: Path) -> None:
    code = (
        "import sys; sys.modules['mcp'] = None\n"
        "from ludus.cli.main import main; sys.argv = ['ludus', 'mcp']; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**environment(folder), "LUDUS_CALLED": "./ludus"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "./ludus add 'ludus-arena[mcp]'" in done.stderr
