"""What strangers say reaches no terminal as it is: escaped, not too long, and never as markup."""

import json
import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from rich.cells import cell_len

from ludus.bots import cache
from ludus.errors import LudusError
from ludus.escape import escape_to_one_line, escape_unsafe, escape_unsafe_json, truncate
from ludus.server.admin.metrics import RequestMetrics
from ludus.server.web.access_log import AccessLog
from tests.support.cli import LEGAL, Ludus

EVIL = "a\x1b]0;pwned\x07b\x1b[2J\x9b31m\x7f\u202etxt\u2066\rz"
STEERING = re.compile(rb"\x1b\]|\x1b\[2J|\x07|\x7f|\xc2\x9b|\xe2\x80\xae|\xe2\x81\xa6|\rz")


def test_chinese_is_wrapped_between_words_in_latin_letters(
    cli: Ludus, chinese: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for columns in range(60, 100, 3):
        monkeypatch.setenv("COLUMNS", str(columns))
        shown = cli("games", "paperio").out
        table = [line for line in shown.splitlines() if not line.startswith("  座位")]
        assert max(map(cell_len, table)) <= columns
        assert "go_round" in shown and "search" in shown
        assert "event2018：" in shown and "北" in shown
        assert not re.search(r"[一-鿿]\s*\n\s*[，。；：、）]", shown), "a line begins with a mark"


def ludus(*arguments: object, home: Path, **more: str) -> "subprocess.CompletedProcess[bytes]":
    environment = {**os.environ, "LUDUS_HOME": str(home), "LUDUS_LANG": "en", **more}
    command = [os.fsencode(str(each)) for each in (sys.executable, "-m", "ludus", *arguments)]
    return subprocess.run(command, capture_output=True, env=environment, timeout=120)


def on_a_terminal(*arguments: object, home: Path) -> bytes:
    """What a person's terminal gets; Rich steers it then, and nobody else may."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "LUDUS_HOME": str(home), "LUDUS_LANG": "en", "TERM": "xterm"}
    command = [sys.executable, "-m", "ludus", *map(str, arguments)]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=environment
    ):
        os.close(theirs)
        seen = b""
        try:
            while data := os.read(ours, 65536):
                seen += data
        except OSError:
            pass  # the other end is closed
    os.close(ours)
    return seen


def test_everything_that_steers_a_terminal_becomes_visible() -> None:
    assert escape_unsafe(EVIL) == ("a\\x1b]0;pwned\\x07b\\x1b[2J\\x9b31m\\x7f\\u202etxt\\u2066\\rz")
    for code in (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)):
        shown = escape_unsafe(f"x{chr(code)}y")
        assert shown == f"x{chr(code)}y" if chr(code) in "\t\n" else shown.isprintable()
    assert escape_unsafe("弈场\u3000你好 – ½ é 🎲\n\tx") == "弈场\u3000你好 – ½ é 🎲\n\tx"
    assert escape_unsafe(os.fsdecode(b"\xff.py")) == "\\xff.py"
    assert escape_to_one_line("a\nb\x1b") == "a\\nb\\x1b"
    assert truncate("x" * 900_000, 10) == "xxxxxxxxxx… (+899990)"


def test_json_says_the_same_after_it_was_made_safe() -> None:
    said = {"name": EVIL + "\U000e0041" + "弈场"}
    text = escape_unsafe_json(json.dumps(said, ensure_ascii=False))
    assert json.loads(text) == said and not STEERING.search(text.encode())


@pytest.fixture
def evil_bot(tmp_path: Path) -> Path:
    path = tmp_path / f"[red]{EVIL}.py"
    path.write_text(LEGAL, encoding="utf-8")
    return path


def test_the_name_of_a_bots_file_is_shown_escaped(evil_bot: Path, home: Path) -> None:
    done = ludus("play", "reversi", evil_bot, "random", "--bouts", "1", home=home)
    assert done.returncode == 0, done.stderr
    assert b"[red]" in done.stdout and b"\\x1b" in done.stdout
    assert not STEERING.search(done.stdout + done.stderr)
    told = ludus("match", "reversi", evil_bot, "random", "--bouts", "1", "--json", home=home)
    assert json.dumps(EVIL)[1:-1] in json.dumps(json.loads(told.stdout))
    assert not STEERING.search(told.stdout)


def test_on_a_real_terminal_too(evil_bot: Path, home: Path) -> None:
    seen = on_a_terminal("match", "reversi", evil_bot, "random", "--bouts", "1", home=home)
    assert b"pwned" in seen and not STEERING.search(seen)
    assert b"\x1b[" in seen, "what Rich itself wants passes"


def test_the_words_of_a_compiler_are_escaped(tmp_path: Path, cli: Ludus) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "ludus.toml").write_text(
        'name = "x"\n[build]\ncommand = ["sh", "b.sh"]\n[run]\ncommand = ["./x"]\n'
    )
    (folder / "b.sh").write_bytes(b"printf 'no \\033]0;pwned\\007\\033[2J' >&2\nexit 1\n")
    done = cli("play", "reversi", folder, "random")
    assert done.code == 2 and "pwned" in done.err
    assert not STEERING.search(done.err.encode()), done.err


def test_a_bots_own_error_is_not_printed_whole(tmp_path: Path, cli: Ludus) -> None:
    """An error frame of 900 kB."""
    bot = tmp_path / "loud.py"
    bot.write_text(
        "import json, struct, sys\n"
        "sys.stdin.buffer.read(4)\n"
        "said = {'type': 'error', 'kind': 'load', 'en': '\\x1b[2J' + 'x' * 900_000, 'zh': ''}\n"
        "said = json.dumps(said)\n"
        "sys.stdout.buffer.write(struct.pack('>I', len(said)) + said.encode())\n"
        "sys.stdout.buffer.flush()\n"
    )
    done = cli("play", "reversi", f"cmd:{sys.executable} {bot}", "random")
    assert done.code == 2 and "[2Jxxx" in done.err and len(done.err) < 20_000
    assert not STEERING.search(done.err.encode())


@pytest.mark.parametrize("command", ["play", "match", "check"])
def test_a_name_that_is_no_utf8_gets_a_sentence(command: str, tmp_path: Path, cli: Ludus) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.py")
    Path(path).write_text(LEGAL)
    words = ("reversi", path, "random") if command != "check" else (path, "--game", "reversi")
    done = cli(command, *words)
    assert done.code == 2 and "\\xff\\xfe.py is not valid UTF-8" in done.err, done.err
    assert "Traceback" not in done.err


def test_a_build_that_writes_names_that_are_no_utf8_gets_a_sentence(home: Path) -> None:
    def make(folder: Path) -> None:
        Path(os.fsdecode(os.fsencode(folder) + b"/\xff\x1b")).touch()

    with pytest.raises(LudusError, match=r"\\xff\\x1b is not valid UTF-8"):
        cache.ensure_entry("builds", "key", make)
    assert not list((home / "cache" / "builds").glob("[!.]*"))


class Hostile(BaseHTTPRequestHandler):
    """A server that says what it likes."""

    answers: ClassVar[dict[str, tuple[int, object]]] = {
        "/api/me": (200, {"user": {"name": EVIL}}),
        "/api/live": (403, {"error": {"en": EVIL + "x" * 900_000, "zh": EVIL}}),
        "/api/ladders/reversi": (
            200,
            {
                "rows": [
                    {"place": 1, "bot": {"name": EVIL, "owner": {"name": f"[red]{EVIL}"}}}
                    | {"version": None, "elo": 1, "low": 0, "high": 2, "bouts": 3}
                ]
            },
        ),
    }

    def do_GET(self) -> None:
        status, said = self.answers[self.path]
        body = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture
def hostile() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_what_a_server_answers_is_escaped_and_cut(hostile: str, home: Path) -> None:
    done = [
        ludus("remote", "login", hostile, "--token", "x", home=home),
        ludus("remote", "ladder", "reversi", home=home),
        ludus("remote", "ladder", "reversi", "--json", home=home),
        ludus("remote", "watch", "--no-browser", home=home),
    ]
    assert [each.returncode for each in done] == [0, 0, 0, 2]
    for each in done:
        said = each.stdout + each.stderr
        assert b"pwned" in said and not STEERING.search(said), said[:300]
        assert len(said) < 10_000
    assert json.loads(done[2].stdout)["rows"][0]["bot"]["name"] == EVIL


def test_the_name_of_a_contest_is_shown_escaped(tmp_path: Path, cli: Ludus) -> None:
    file = tmp_path / f"{EVIL}.toml"
    file.write_text('name = "x"\ngame = "nothing"\n')
    done = cli("contest", "run", file)
    assert done.code == 2 and not STEERING.search(done.err.encode())


def test_no_name_forges_a_line_of_the_servers_log(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w+", encoding="utf-8") as log:
        logged = AccessLog(None, RequestMetrics(), log)  # type: ignore[arg-type]
        path = f'/x\n{{"user": "Olga"}}\n{EVIL}'
        logged._write({"method": "GET", "path": path, "client": ("::1", 1)}, 200, 0.1)
        log.seek(0)
        [line] = log.readlines()
    assert json.loads(line)["path"] == path and not STEERING.search(line.encode())
