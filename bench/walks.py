"""How many functions a reader opens to follow a bout, and an upload until its first ladder bout.

    python bench/walks.py bout|upload [TREE] [--list]

TREE is a checkout that is set up, by default this one; so two commits can be counted by one rule.

The rule: the command is run with all its processes traced, and whenever something happens, the
functions of Ludus that are under way (on the stack) are noted. What is noted at least once is a
hop; what returned before anything happened is a helper that need not be opened. Something happens
when bytes are written (to a file, a pipe, a socket, a terminal), a file of the walk is opened, a
process is started, a row is changed, the rules play a move, pairs are chosen, or the bot's own code
runs. Functions count once, however often they are called; lambdas, comprehensions, imports and logs
do not count.

``bout``: ``ludus play duel2048 walk_bot.py random`` with a jailed bot, from ``main`` to the table
of results. ``upload``: a server with a ladder, from the request with a zip until a bout of the
ladder is stored and rated; of the bouts until the referee begins: the rest is the other walk.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from walk_tracer import read_chains

BOT = """
class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        return position.legal(self.seat)[0]
"""
PASSWORD = "a long password"
RUN = """
import sys
sys.path.insert(0, {bench!r})
import walk_tracer
del sys.path[0]
walk_tracer.start({folder!r}, {tree!r}, {bout_only!r})
from ludus.cli.main import main
main()
"""
READ_CODE = """
import sys
from pathlib import Path
try:
    from ludus.server.accounts.first_account import read_code
except ImportError:
    from ludus.arena.club.first_account import read_code
print(read_code(Path(sys.argv[1])))
"""


def main() -> None:
    words = [word for word in sys.argv[1:] if word != "--list"]
    walk = words[0]
    tree = Path(words[1] if len(words) > 1 else Path(__file__).parent.parent).resolve()
    with tempfile.TemporaryDirectory(prefix="walk") as scratch:
        folder = Path(scratch)
        {"bout": trace_bout, "upload": trace_upload}[walk](folder, tree)
        chains = read_chains(folder)
    functions = list(dict.fromkeys(part for chain in chains for part in chain))
    if "--list" in sys.argv:
        print("\n".join(" > ".join(chain) for chain in chains))
    files = {function.partition(":")[0] for function in functions}
    print(f"{walk} of {tree}: {len(functions)} functions in {len(files)} files")


def command(folder: Path, tree: Path, bout_only: bool, *words: str) -> list[str]:
    script = RUN.format(
        bench=str(Path(__file__).resolve().parent),
        folder=str(folder),
        tree=str(tree),
        bout_only=bout_only,
    )
    return [str(tree / ".venv/bin/python"), "-P", "-c", script, *words]


def environment(folder: Path) -> dict[str, str]:
    given = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    home = {"LUDUS_HOME": str(folder / "home"), "LUDUS_LANG": "en", "LUDUS_UNCOMPILED": "1"}
    return given | home


def trace_bout(folder: Path, tree: Path) -> None:
    bot = folder / "walk_bot.py"
    bot.write_text(BOT)
    words = ["play", "duel2048", str(bot), "random", "-o", "rounds=5"]
    subprocess.run(
        command(folder, tree, True, *words), env=environment(folder), check=True, cwd=folder
    )


def trace_upload(folder: Path, tree: Path) -> None:
    with serve(folder, tree) as url:
        admin = register(url, folder, tree)
        set_up_ladder(url, admin)
        wait_until_idle()
        (folder / "go").touch()
        body, kind = multipart(game="reversi", name="b", enter="true")
        ask(f"{url}/api/bots", admin | {"Content-Type": kind}, body)
        wait_for_rating(folder / "arena.db")
        (folder / "go").unlink()


def wait_until_idle(seconds: float = 120) -> None:
    """Until the server and its background process have done what they begin with: they sleep
    whenever one looks."""
    until, quiet = time.monotonic() + seconds, 0
    while quiet < 8 and time.monotonic() < until:
        time.sleep(0.5)
        quiet = quiet + 1 if not any(map(is_running, list_descendants(os.getpid()))) else 0


def list_descendants(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children = [child for task in tasks for child in task.read_text().split()]
    return [each for child in map(int, children) for each in (child, *list_descendants(child))]


def is_running(pid: int) -> bool:
    """Whether a thread of a process runs, or would if it had a core."""
    stats = (file.read_text() for file in Path(f"/proc/{pid}/task").glob("*/stat"))
    return any(stat.rpartition(")")[2].split()[0] in "RD" for stat in stats)


@contextlib.contextmanager
def serve(folder: Path, tree: Path) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    words = ["serve", "--no-browser", "--no-demo", "--port", port, "--jobs", "1"]
    words += ["--database", str(folder / "arena.db")]
    server = subprocess.Popen(
        command(folder, tree, False, *words), env=environment(folder), cwd=folder
    )
    url = f"http://127.0.0.1:{port}"
    try:
        until = time.monotonic() + 120
        while time.monotonic() < until:
            with contextlib.suppress(OSError):
                ask(f"{url}/health", {})
                break
            time.sleep(0.3)
        yield url
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(60)


def register(url: str, folder: Path, tree: Path) -> dict[str, str]:
    """The headers of the first account, which may do everything."""
    python = str(tree / ".venv/bin/python")
    code = subprocess.run(
        [python, "-c", READ_CODE, str(folder / "home")],
        env=environment(folder),
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    body = {"name": "olga", "password": PASSWORD, "code": code}
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/api/register", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as reply:
        cookies = [each.partition(";")[0] for each in reply.headers.get_all("set-cookie") or ()]
        csrf = json.loads(reply.read())["csrf"]
    scopes = {"label": "walk", "scopes": ["read", "upload", "play", "admin"]}
    cookie = headers | {"Cookie": "; ".join(cookies), "X-Csrf": csrf}
    token = ask(f"{url}/api/me/tokens", cookie, json.dumps(scopes).encode())["token"]
    return {"Authorization": f"Bearer {token}"}


def set_up_ladder(url: str, admin: dict[str, str]) -> None:
    settings: dict[str, Any] = {"ladder_house": {"reversi": ["random"]}, "ladder_enough": 0}
    settings["ladder_options"] = {"reversi": {"size": 4}}
    headers = admin | {"Content-Type": "application/json"}
    body = json.dumps(settings).encode()
    try:
        ask(f"{url}/api/admin/settings", headers, body, "PATCH")
    except urllib.error.HTTPError as error:
        if error.code not in (404, 405):
            raise
        ask(f"{url}/api/desk/settings", headers, body, "PATCH")


def ask(url: str, headers: dict[str, str], body: bytes | None = None, method: str = "") -> Any:
    request = urllib.request.Request(url, body, headers, method=method or None)
    with urllib.request.urlopen(request, timeout=120) as reply:
        return json.loads(reply.read())


def multipart(**fields: str) -> tuple[bytes, str]:
    """A form with a zip of the bot."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("bot.py", BOT)
    parts = [f'name="{name}"\r\n\r\n{value}\r\n'.encode() for name, value in fields.items()]
    file = b'name="files"; filename="bot.zip"\r\nContent-Type: application/zip\r\n\r\n'
    parts.append(file + packed.getvalue() + b"\r\n")
    lines = [b"--walk\r\nContent-Disposition: form-data; " + part for part in parts]
    return b"".join(lines) + b"--walk--\r\n", "multipart/form-data; boundary=walk"


def wait_for_rating(database: Path, seconds: float = 240) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as read:
            tables = ("bouts", "ratings")
            if all(read.execute(f"SELECT 1 FROM {table}").fetchone() for table in tables):
                time.sleep(10)  # the ratings are written again, now with the bout
                return
        time.sleep(0.5)
    raise SystemExit("no bout of the ladder was rated in time")


if __name__ == "__main__":
    main()
