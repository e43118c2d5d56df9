"""What a bot can learn from its memory and from /proc: nothing of others, nothing of the host."""

import fcntl
import os
import signal
import socket
import subprocess
import sys
import termios
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ludus import sandbox
from ludus.bots.build import python_bot
from ludus.bots.players.process import ProcessPlayer
from ludus.errors import PlatformFault
from ludus.games import get
from ludus.match.series import series
from ludus.sandbox import JailLevel, Limits, Program
from tests.support.jail import BAD, MB, level, python

__all__ = ["level"]
GAME = get("duel2048")
SEARCHER = '''
"""Reads all of its own memory and looks for words of which only a disguise is written here."""
import ctypes, gc, os
import normal

WORDS = {words!r}  # every byte is one more than what is looked for
ONE_MORE = bytes((number + 1) % 256 for number in range(256))
LIBC = ctypes.CDLL(None)
LIBC.sbrk.restype = ctypes.c_void_p
PLANTED = "".join(map(str, range(40)))


def pieces():
    """Of all memory that can be written to; without /proc, of Python's and the C library's heap."""
    try:
        lines = open("/proc/self/maps").read().splitlines()
        memory = open("/proc/self/mem", "rb", buffering=0)
    except OSError:
        yield from heap()
        return
    for line in lines:
        where, rights = line.split()[:2]
        if rights.startswith("rw"):
            start, end = (int(word, 16) for word in where.split("-"))
            memory.seek(start)
            try:
                yield memory.read(end - start)
            except OSError:
                pass


def heap():
    size = 1 << 20
    objects = gc.get_objects()
    objects += [vars(found) for found in objects if hasattr(found, "__dict__")]
    arenas = {{id(found) // size * size for found in objects}}
    top = LIBC.sbrk(0)
    reading, writing = os.pipe()
    for start, end in [(arena, arena + size) for arena in arenas] + [(top - (48 << 20), top)]:
        found = []
        for page in range(start // 4096 * 4096, end, 4096):
            if LIBC.write(writing, ctypes.c_void_p(page), 4096) == 4096:  # else it is no memory
                found.append(os.read(reading, 4096))
        yield b"".join(found)


class Player(normal.Player):
    def __init__(self, *given):
        super().__init__(*given)
        wanted = [PLANTED.encode().translate(ONE_MORE), *WORDS]
        found = [0] * len(wanted)
        for piece in pieces():
            disguised = piece.translate(ONE_MORE)
            found = [old + disguised.count(word) for old, word in zip(found, wanted)]
        if not found[0]:
            raise RuntimeError("this searcher sees nothing")
        if any(found[1:]):
            raise RuntimeError(f"BREACH {{found}}")
        print("searched")
'''


def disguise(word: str) -> bytes:
    return bytes((number + 1) % 256 for number in word.encode())


def bot_in(folder: Path, name: str, code: str) -> Path:
    folder.mkdir()
    folder.chmod(0o755)
    (folder / name).write_text(code)
    return folder / name


def test_a_bot_finds_nothing_of_others_nor_of_its_host_in_its_memory(
    level: JailLevel, tmp_path: Path
) -> None:
    """Whoever was started first, and after several matches."""
    words = ("rivals-place-8f3a", "rival_of_77c1", "own-place-51d0", "earlier_bot_9e2")
    rival = bot_in(tmp_path / words[0], f"{words[1]}.py", (BAD / "normal.py").read_text())
    code = SEARCHER.format(words=[*map(disguise, words)])
    searcher = bot_in(tmp_path / words[2], "searcher.py", code)
    earlier = bot_in(tmp_path / "earlier", f"{words[3]}.py", (BAD / "normal.py").read_text())

    def play(*bots: Path) -> None:
        players = [ProcessPlayer("x", python_bot(b, BAD / "normal.py"), jail=level) for b in bots]
        (played,) = series(GAME, GAME.Options(rounds=2), players, 1, seed=5)
        assert played.record.verdict == "rules", played.record.faults
        for bot, output in zip(bots, played.outputs, strict=True):
            assert output["stdout"] == ("searched\n" if bot == searcher else "")

    play(earlier, rival)
    play(rival, searcher)
    play(searcher, rival)


READ_ALL_OF_PROC = """
import os
for path, folders, names in os.walk("/proc"):
    for name in names:
        try:
            file = os.open(f"{path}/{name}", os.O_RDONLY | os.O_NONBLOCK)
            if b"place-of-the-host" in os.read(file, 1 << 16):
                print("BREACH", path, name)
            os.close(file)
        except OSError:
            pass
    folders[:] = [name for name in folders if name not in ("fd", "map_files")]
"""


@pytest.mark.parametrize("processes", [1, 10], ids=["bot", "build"])
def test_proc_tells_nothing_of_the_hosts_places(
    level: JailLevel, processes: int, tmp_path: Path
) -> None:
    own = tmp_path / "place-of-the-host"
    bot_in(own, "file", "mine")
    hidden = READ_ALL_OF_PROC.replace("place-of-the-host", "place-of-\\x74he-host")
    shown = hidden + "print(open('/bot/file').read())" if level is not JailLevel.PLAIN else hidden
    program = python(shown, files={"/bot": own})
    done = sandbox.run(program, seconds=20, limits=Limits(processes=processes), level=level)
    assert done.stdout == ("mine\n" if level is not JailLevel.PLAIN else ""), done
    assert (own / "file").read_text() == "mine"


OWN_FACTS = (
    "auxv cmdline comm cwd environ exe fd fdinfo limits map_files maps mem oom_score_adj root stat"
    " statm status"
)
FACTS = f"""
import os
told = set()
for entry in os.scandir("/proc/self"):
    if entry.is_symlink():
        told.add(entry.name)
    elif entry.is_dir():
        told |= {{entry.name}} if os.listdir(entry.path) else set()
    else:
        try:
            with open(entry.path, "rb") as file:
                told |= {{entry.name}} if entry.name == "mem" or file.read(1) else set()
        except OSError as error:
            told.add(f"{{entry.name}}: {{error}}")
assert told <= set({OWN_FACTS!r}.split()), told
assert {{"cpuset", "numa_maps", "uid_map", "net", "ns", "task"}} <= set(os.listdir("/proc/self"))
assert not os.path.exists("/proc/1")
assert open("/proc/cmdline").read() == ""
assert os.getpid() == int(open("/proc/self/stat").read().split()[0])
assert os.readlink("/proc/self/exe") == os.path.realpath("/proc/thread-self/exe")
print(sorted(os.listdir("/proc")))
print(open("/proc/meminfo").readline().split()[1])
"""


def test_a_bot_finds_in_proc_itself_and_what_it_may_use(level: JailLevel) -> None:
    if level is JailLevel.PLAIN:
        if not sandbox.probe_abilities().landlock:
            pytest.skip("without Landlock nothing hides /proc")
        names = ("self/mountinfo", "self/maps", "cmdline", "meminfo", "1/stat")
        code = f"""
            for name in {names}:
                try:
                    print(open('/proc/' + name).read())
                except PermissionError:
                    pass
        """
        assert sandbox.run(python(code), seconds=20, limits=Limits(), level=level).stdout == ""
        return
    done = sandbox.run(python(FACTS), seconds=20, limits=Limits(memory=300 * MB), level=level)
    names = "['2', 'cmdline', 'cpuinfo', 'meminfo', 'self', 'stat', 'sys', 'thread-self']"
    assert done.stdout == f"{names}\n{300 << 10}\n", done


def test_a_build_sees_its_own_processes_and_not_its_keeper(level: JailLevel) -> None:
    code = "import os; print([p for p in os.listdir('/proc') if p.isdigit()], os.listdir('/proc'))"
    done = sandbox.run(python(code), seconds=20, limits=Limits(processes=10), level=level)
    if level is JailLevel.PLAIN:
        assert done.stdout == "" and "PermissionError" in done.stderr, done
        return
    assert done.stdout.startswith("['2'] ["), done
    assert "cmdline" not in done.stdout and "meminfo" not in done.stdout


READS_THE_OWNERS_PACKAGES = """
import sys
sys.path.insert(0, {bad!r})
import normal
class Player(normal.Player):
    def __init__(self, *given):
        super().__init__(*given)
        try:
            raise RuntimeError("BREACH " + open({secret!r}).read())
        except OSError:
            pass
        assert not any("owners-modules" in place for place in sys.path)
"""


def test_a_python_bot_does_not_see_the_owners_pythonpath(level: JailLevel, tmp_path: Path) -> None:
    modules = tmp_path / "owners-modules"
    bot_in(modules, "secret.py", "secret")
    code = READS_THE_OWNERS_PACKAGES.format(secret=str(modules / "secret.py"), bad="/bot")
    bot = bot_in(tmp_path / "bot", "reader.py", code)
    code = SEARCHER.format(words=[disguise("owners-modules")])
    searcher = bot_in(tmp_path / "other", "searcher.py", code)
    play = textwrap.dedent(f"""
        from pathlib import Path
        from ludus.bots.players.process import ProcessPlayer
        from ludus.bots.build import python_bot
        from ludus.games import get
        from ludus.match.series import series
        game = get("duel2048")
        programs = [
            python_bot(Path(bot), Path({str(BAD / "normal.py")!r}))
            for bot in ({str(bot)!r}, {str(searcher)!r})
        ]
        players = [ProcessPlayer("x", program, jail={level.value!r}) for program in programs]
        (played,) = series(game, game.Options(rounds=2), players, 1, 5)
        print(played.record.verdict, [fault.why["en"] for fault in played.record.faults])
    """)
    ran = subprocess.run(
        [sys.executable, "-c", play],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(modules)},
    )
    assert ran.stdout == "rules []\n", ran


def test_a_killed_template_is_replaced_with_its_zygote() -> None:
    from ludus.sandbox import launcher
    from tests.support.leftovers import parent_of

    sandbox.run(
        Program(argv=("true",), cwd="/tmp"), seconds=5, limits=Limits(), level=JailLevel.PLAIN
    )
    zygote = launcher.get_zygote()
    running = sandbox.launch(python("input()"), Limits(), level=JailLevel.PLAIN)
    children = [int(entry.name) for entry in Path("/proc").glob("[0-9]*")]
    ours = [pid for pid in children if parent_of(pid) == zygote.process.pid]
    for pid in ours:
        if Path(f"/proc/{pid}/task/{pid}/children").read_text() == "":  # not a keeper
            os.kill(pid, 9)
    with pytest.raises(PlatformFault, match="jail could not be made"):
        sandbox.launch(python("pass"), Limits(), level=JailLevel.PLAIN)
    done = sandbox.run(python("print(1)"), seconds=5, limits=Limits(), level=JailLevel.PLAIN)
    assert done.stdout == "1\n"
    assert running.ending is None
    running.kill()


def test_an_order_that_a_dying_zygote_never_read_is_no_fault_of_the_program() -> None:
    from ludus.sandbox import launcher

    zygote = launcher.get_zygote(fresh=True)
    zygote.process.send_signal(signal.SIGSTOP)
    with ThreadPoolExecutor(1) as threads:
        done = threads.submit(
            sandbox.run, python("print(1)"), seconds=5, limits=Limits(), level=JailLevel.PLAIN
        )
        while unread(zygote.control) == 0:
            time.sleep(0.001)
        zygote.process.kill()
        with pytest.raises(PlatformFault, match="jail could not be made"):
            done.result()


def unread(control: socket.socket) -> int:
    """Bytes that the other side has not read yet."""
    return int.from_bytes(fcntl.ioctl(control, termios.TIOCOUTQ, b"\0" * 4), sys.byteorder)
