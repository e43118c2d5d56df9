"""The memory limit holds at every level, whichever way a program comes to its memory."""

import signal
from pathlib import Path

import pytest

from ludus.bots.build import python_bot
from ludus.bots.players.process import ProcessPlayer
from ludus.games import get
from ludus.match.series import series
from ludus.sandbox import JailLevel, Limits
from tests.support.jail import BAD, MB, level, run

__all__ = ["level"]
LIMIT = 80 * MB
TAKEN = 200 * MB
"""What each program tries to have."""
BEGINNING = f"""
import ctypes, mmap, time
TAKEN = {TAKEN}
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
PRIVATE, ANONYMOUS, GROWS_DOWN, NO_RESERVE = 0x02, 0x20, 0x100, 0x4000
READ, WRITE = 1, 2

def map_anonymous(size, rights, flags):
    at = LIBC.mmap(None, ctypes.c_size_t(size), rights, flags, -1, ctypes.c_long(0))
    if at in (None, ctypes.c_void_p(-1).value):
        raise MemoryError
    return at

def protect(at, size, rights):
    LIBC.mprotect(ctypes.c_void_p(at), ctypes.c_size_t(size), rights)
"""
END = """
time.sleep(1)
print("BREACH")
"""
WAYS = {
    "shared-zero": """
with open("/dev/zero", "r+b") as file:
    shared = mmap.mmap(file.fileno(), TAKEN)
for page in range(0, TAKEN, 4096):
    shared[page] = 1
""",
    "grows-down": """
at = map_anonymous(TAKEN, READ | WRITE, PRIVATE | ANONYMOUS | GROWS_DOWN)
ctypes.memset(at, 1, TAKEN)
""",
    "made-read-only": """
for _ in range(TAKEN >> 22):
    at = map_anonymous(1 << 22, READ | WRITE, PRIVATE | ANONYMOUS)
    ctypes.memset(at, 1, 1 << 22)
    protect(at, 1 << 22, READ)
""",
    "page-tables": """
STEP, NO_HUGE_PAGES = 2 << 20, 15
size = TAKEN // 4096 * STEP
at = map_anonymous(size, READ, PRIVATE | ANONYMOUS | NO_RESERVE)
LIBC.madvise(ctypes.c_void_p(at), ctypes.c_size_t(size), NO_HUGE_PAGES)
for place in range(at, at + size, STEP):
    ctypes.string_at(place, 1)
""",
    "threads": """
import threading
done = []
def eat():
    at = map_anonymous(TAKEN // 4, READ | WRITE, PRIVATE | ANONYMOUS)
    ctypes.memset(at, 1, TAKEN // 4)
    protect(at, TAKEN // 4, READ)
    done.append(at)
threads = [threading.Thread(target=eat) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
if len(done) < 4:
    raise MemoryError
""",
}


@pytest.mark.parametrize("way", WAYS)
def test_no_way_around_the_limit(level: JailLevel, way: str) -> None:
    done = run(BEGINNING + WAYS[way] + END, level, memory=LIMIT)
    assert "BREACH" not in done.stdout
    if done.code == -signal.SIGKILL:
        assert done.why is not None
        assert "80 MB allowed" in done.why["en"] and "80 MB" in done.why["zh"], done
    else:
        refused = ("MemoryError", "OSError", "PermissionError", "FileNotFoundError")
        assert any(word in done.stderr for word in refused), done


def test_processes_of_a_build_share_the_limit(level: JailLevel) -> None:
    """None of them has more than it may, but all together have."""
    code = f"""
        import os, time
        for _ in range(6):
            if os.fork() == 0:
                kept = bytearray({TAKEN // 6})
                time.sleep(10)
                os._exit(0)
        for _ in range(6):
            if os.wait()[1]:
                os._exit(3)
        print("BREACH")
    """
    done = run(code, level, memory=LIMIT, processes=10)
    assert done.code != 0 and "BREACH" not in done.stdout
    if level is not JailLevel.STRONG:  # there the kernel ends one of them
        assert done.why is not None and "80 MB allowed" in done.why["en"], done


EATER = """
import normal
class Player(normal.Player):
    def misbehave(self, board):
        exec({code!r}, {{}})
"""


@pytest.mark.parametrize("way", ["made-read-only"])
def test_a_bot_gets_the_verdict_memory_with_the_figure(
    level: JailLevel, way: str, tmp_path: Path
) -> None:
    bot = tmp_path / "eater.py"
    bot.write_text(EATER.format(code=BEGINNING + WAYS[way] + END))
    game = get("duel2048")
    program = python_bot(bot, BAD / "normal.py")
    limits = Limits(memory=LIMIT)
    players = [
        ProcessPlayer("eater", program, limits=limits, jail=level),
        ProcessPlayer("normal", python_bot(BAD / "normal.py"), jail=level),
    ]
    (played,) = series(game, game.Options(rounds=10), players, 1, seed=5)
    assert played.record.verdict == "memory", played.record.faults
    assert "80 MB allowed" in played.record.faults[0].why["en"]


@pytest.mark.parametrize("level", ["userns", "plain"], indirect=True)
def test_memory_that_is_there_can_be_had(level: JailLevel) -> None:
    code = f"kept = bytearray({LIMIT // 2}); import time; time.sleep(0.3); print(len(kept))"
    assert run(code, level, memory=LIMIT).stdout == f"{LIMIT // 2}\n"


def test_waiting_signals_and_timers_are_few(level: JailLevel) -> None:
    """They are counted for the user, whom a bot may share with its owner."""
    done = run("import resource; print(resource.getrlimit(resource.RLIMIT_SIGPENDING))", level)
    assert done.stdout == "(256, 256)\n", done
