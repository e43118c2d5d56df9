"""What a jailed program sees, what it may use, and that nothing of it is left."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ludus import sandbox
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.errors import LudusError, PlatformFault
from ludus.games import get
from ludus.match.bot_check.observed_player import list_children
from ludus.match.series import series
from ludus.sandbox import JailLevel, Limits, Program, launcher
from tests.support.jail import (
    ALIKE_FOR_EVERYBODY,
    BAD,
    HELD_BY_THE_JAIL,
    MB,
    level,
    python,
    run,
)
from tests.support.leftovers import is_deaf

__all__ = ["level"]
HERE = Path(__file__).parent
GAME = get("duel2048")


def test_a_program_says_how_it_ended(level: JailLevel) -> None:
    done = run("import sys; print('hello'); print('oh', file=sys.stderr); sys.exit(3)", level)
    assert done == sandbox.FinishedProgram(3, "hello\n", "oh\n", None)
    killed = run("import os; os.kill(os.getpid(), 11)", level)
    assert killed.code == -signal.SIGSEGV


def test_it_is_alone(level: JailLevel) -> None:
    if level is JailLevel.PLAIN:
        done = run("import os; os.listdir('/proc')", level)
        assert "PermissionError" in done.stderr
    else:
        done = run(
            "import os; print(sorted(int(p) for p in os.listdir('/proc') if p.isdigit()))", level
        )
        assert done.stdout == "[2]\n"  # the keeper, number 1, is not to be seen


def test_it_has_no_more_rights_than_it_needs(level: JailLevel) -> None:
    done = run("import os; print(os.getresuid(), os.getgroups())", level)
    if os.geteuid() == 0 and level is not JailLevel.PLAIN:
        assert "(0" not in done.stdout
    if level is not JailLevel.PLAIN:
        status = run("print(open('/proc/self/status').read())", level).stdout
        facts = dict(line.split(":\t") for line in status.splitlines() if ":\t" in line)
        assert {facts[f"Cap{kind}"] for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")} == {"0" * 16}
        assert facts["NoNewPrivs"] == "1"
        assert facts["Seccomp"] == "2"


def test_it_sees_its_own_files_and_the_system_only(level: JailLevel, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "mine.txt").chmod(0o600)
    code = f"""
        import sys
        print(open(sys.argv[1]).read())
        for path in ("{tmp_path}/secret.txt", "/etc/shadow", "/etc/hosts", "/bot/secret.txt"):
            try:
                print("BREACH", open(path).read())
            except OSError as error:
                print(type(error).__name__)
    """
    inside = python(code, files={"/bot/mine.txt": tmp_path / "mine.txt"})
    program = Program(argv=(*inside.argv, "/bot/mine.txt"), files=inside.files, cwd="/tmp")
    done = sandbox.run(program, seconds=20, limits=Limits(), level=level)
    assert done.stdout.startswith("mine\n"), done
    assert "BREACH" not in done.stdout
    assert len(done.stdout.splitlines()) == 5


def test_it_can_write_to_its_tmp_and_nowhere_else(level: JailLevel) -> None:
    done = run(
        """
        import os
        tmp = os.environ["TMPDIR"]
        open(tmp + "/mine", "w").write("x" * 1000)
        for place in ("/", "/bot", "/usr", "/etc", "/dev", "/proc", "/home", "/root", "/var/tmp"):
            try:
                open(place + "/ludus-breach", "w")
                print("BREACH", place)
            except OSError:
                pass
        print(os.listdir(tmp))
        """,
        level,
    )
    assert done.stdout == "['mine']\n", done


def test_its_tmp_is_small() -> None:
    for each in sandbox.list_levels():
        if each is JailLevel.PLAIN:
            continue
        done = run("open('/tmp/big', 'wb').write(bytes(30 << 20))", each, scratch=8 * MB)
        assert "No space left" in done.stderr


def test_memory_is_limited_and_the_figure_told(level: JailLevel) -> None:
    done = run("x = bytearray(300 << 20)", level, memory=200 * MB)
    if level is JailLevel.STRONG:
        assert done.code == -signal.SIGKILL
        assert done.why is not None
        assert "200 MB" in done.why["en"] and "200 MB" in done.why["zh"]
    else:
        assert "MemoryError" in done.stderr


def test_a_program_is_killed_for_its_files_too_and_not_its_keeper() -> None:
    if JailLevel.STRONG not in sandbox.list_levels():
        pytest.skip("no jail of level strong on this machine")
    small = Program(argv=("dd", "if=/dev/zero", "of=/tmp/big", "bs=64k", "count=900"), cwd="/tmp")
    limits = Limits(memory=32 * MB)
    done = sandbox.run(small, seconds=20, limits=limits, level=JailLevel.STRONG)
    assert done.code == -signal.SIGKILL
    assert done.why is not None
    assert "32 MB allowed" in done.why["en"], done


def test_when_memory_runs_out_the_program_goes_first(level: JailLevel) -> None:
    said = run("print(open('/proc/self/oom_score_adj').read())", level)
    if level is JailLevel.PLAIN:
        assert "PermissionError" in said.stderr  # it cannot read /proc
    else:
        assert said.stdout.strip() == "1000"


def test_where_the_kernel_does_not_count_the_peak_the_limit_is_told() -> None:
    ending = sandbox.ProgramEnding(signal.SIGKILL, {"oom": 1})
    fault = sandbox.memory_fault(ending, Limits(memory=200 * MB))
    assert fault is not None
    assert "it used 200 MB of memory, 200 MB allowed" in fault.why["en"]


@pytest.mark.parametrize("how", ["-1, 300 << 20", "-1, 300 << 20, flags=0x21"])
def test_mapped_memory_is_limited_too(level: JailLevel, how: str) -> None:
    code = f"import mmap; m = mmap.mmap({how})\nfor i in range(0, 300 << 20, 4096): m[i] = 1"
    done = run(code, level, memory=200 * MB)
    assert done.code != 0


def test_time_is_limited(level: JailLevel) -> None:
    for code in ("while True: pass", "import time; time.sleep(1000)"):
        done = run(code, level, seconds=0.25)
        assert done.code != 0
        assert done.why is not None and "0.25 s" in done.why["en"]


def test_threads_yes_processes_no(level: JailLevel) -> None:
    done = run(
        """
        import os, threading
        threads = [threading.Thread(target=lambda: None) for _ in range(20)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        try:
            os.fork()
            print("BREACH")
        except BlockingIOError as error:
            print(error.errno)
        """,
        level,
    )
    assert done.stdout == "11\n", done


def test_a_compiler_may_start_processes_and_all_of_them_end(level: JailLevel) -> None:
    name = f"left-by-{os.getpid()}-{level}"
    code = f"""
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(1000)  # {name}
            os._exit(0)
        os.wait()
        print("started")
    """
    done = run(code, level, processes=10)
    assert done.stdout == "started\n", done
    assert not processes_with(name)


def processes_with(name: str) -> list[str]:
    """Whose command line holds it."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if name.encode() in (entry / "cmdline").read_bytes():
                found.append(entry.name)
    return found


def test_a_program_that_does_not_exist(level: JailLevel) -> None:
    done = sandbox.run(
        Program(argv=("/no/such/program",), cwd="/tmp"), seconds=5, limits=Limits(), level=level
    )
    assert done.why is not None
    assert "cannot be started" in done.why["en"]


def test_an_unknown_level_is_refused_with_those_there_are() -> None:
    with pytest.raises(LudusError) as caught:
        sandbox.choose_level("titanium")
    assert "plain" in str(caught.value)


def test_a_killed_zygote_is_replaced() -> None:
    run("pass", JailLevel.PLAIN)
    zygote = launcher.get_zygote()
    zygote.process.kill()
    zygote.process.wait()
    assert run("print(1)", JailLevel.PLAIN).stdout == "1\n"
    assert launcher.get_zygote() is not zygote


def test_a_killed_zygote_leaves_no_folder() -> None:
    jailed = sandbox.launch(python("input()"), Limits(), level=JailLevel.PLAIN)
    assert os.path.isdir(jailed.folder)
    zygote = launcher.get_zygote()
    zygote.process.kill()
    zygote.process.wait()
    jailed.kill()
    assert not os.path.exists(jailed.folder)


def test_a_jail_that_cannot_be_made_is_the_machines_fault(tmp_path: Path) -> None:
    if sandbox.list_levels()[0] is JailLevel.PLAIN:
        pytest.skip("no namespaces on this machine")
    program = Program(argv=("true",), writable={"/out": tmp_path}, cwd="/dev/null/x")
    with pytest.raises(PlatformFault) as caught:
        sandbox.launch(program, Limits())
    assert "jail" in str(caught.value)


ENDLESS = """
import signal
class Player:
    def __init__(self, isFirst, array):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True: pass
    def output(self, *args): pass
"""
REFEREE = """
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games import get, Clock
from ludus.match.series import series
game = get("duel2048")
players = [create_player(resolve_bot(BOT, game), game, jail=LEVEL) for _ in range(2)]
players[0].start  # both are in this process's hands
print("ready", flush=True)
list(series(game, game.Options(), players, 1, 1, clock=Clock(budget=1000)))
"""


def session_of(pid: int) -> list[int]:
    """The processes that were started on behalf of a referee, by their parents."""
    found, new = set(), {pid}
    while new := set().union(*map(list_children, new)):
        found |= new
    return sorted(found)


def left_behind() -> set[str]:
    import tempfile

    # Path.glob fails if a group of another test vanishes under it.
    groups = [
        f"{top}/{name}"
        for top, names, _ in os.walk("/sys/fs/cgroup")
        for name in names
        if name.startswith("ludus-")
    ]
    folders = [str(p) for p in Path(tempfile.gettempdir()).glob("ludus-*/bot")]
    return {*groups, *folders}


def test_nothing_outlives_a_killed_referee(level: JailLevel, tmp_path: Path) -> None:
    bot = tmp_path / "endless.py"
    bot.write_text(ENDLESS)
    code = f"BOT = {str(bot)!r}\nLEVEL = {level.value!r}\n{REFEREE}"
    referee = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert referee.stdout is not None
    assert referee.stdout.readline() == b"ready\n"
    until = time.monotonic() + 60
    while not any(map(is_deaf, busy := session_of(referee.pid))) and time.monotonic() < until:
        time.sleep(0.02)
    assert any(map(is_deaf, busy)) and len(busy) >= 3, "a zygote, a keeper and a bot"
    referee.kill()
    referee.wait()
    until = time.monotonic() + 20
    alive = busy
    while alive and time.monotonic() < until:
        alive = [pid for pid in busy if is_alive(pid)]
        time.sleep(0.02)
    assert not alive
    assert not [place for place in left_behind() if f"ludus-{busy[0]}-" in place]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_record_names_the_level(level: JailLevel) -> None:
    players = [
        create_player(resolve_bot(str(BAD / "normal.py"), GAME), GAME, jail=level.value),
        create_player(resolve_bot("random", GAME), GAME),
    ]
    (played,) = series(GAME, GAME.Options(rounds=3), players, 1, 1)
    assert [bot.isolation for bot in played.record.bots] == [level.value, "in-process"]


WITHOUT_NAMESPACES = """
import errno, struct
from ludus.sandbox import seccomp, libc_calls
libc_calls.prctl(libc_calls.PR_SET_NO_NEW_PRIVS, 1)
unshare = seccomp.FORBIDDEN["unshare"][seccomp.ARCHITECTURES[libc_calls.MACHINE][1]]
steps = [
    (seccomp.LOAD, 0, 0, seccomp.NUMBER),
    (seccomp.IF_EQUAL, 0, 1, unshare),
    (seccomp.RETURN, 0, 0, seccomp.REFUSE | errno.EPERM),
    (seccomp.RETURN, 0, 0, seccomp.ALLOW),
]
libc_calls.install_seccomp_filter(b"".join(struct.pack("=HBBI", *step) for step in steps))
from ludus.cli.main import main
import sys
sys.argv = ["ludus", *sys.argv[1:]]
main()
"""


@pytest.mark.skipif(
    not sandbox.probe_abilities().seccomp, reason="system calls cannot be filtered here"
)
def test_where_namespaces_are_forbidden_the_plain_jail_says_what_it_cannot_stop(
    tmp_path: Path,
) -> None:
    def ludus(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", WITHOUT_NAMESPACES, *words],
            capture_output=True,
            text=True,
            # No PATH: the doctor finds no compilers to try.
            env={"LUDUS_HOME": str(tmp_path), "LUDUS_LANG": "en", "PATH": str(tmp_path)},
        )

    doctor = ludus("doctor").stdout
    assert "level plain" in doctor
    assert "no namespaces" in doctor
    bot = str(BAD / "normal.py")
    played = ludus("play", "duel2048", bot, "random", "-o", "rounds=5", "--no-save")
    assert played.returncode == 0, played.stderr
    assert "cannot prevent everything" in played.stderr
    strong = ludus("play", "duel2048", bot, "random", "--jail", "strong")
    assert strong.returncode == 2
    assert "only: plain" in strong.stderr


ROOT_OR_NOT = (
    *("litters", "namespaces_are_forbidden", "prints", "a_flood", "the_referee"),
    *("two_who_remove", "eats_memory_in_threads", "owners_pythonpath"),
    *("killed_zygote", "killed_template", "dying_zygote"),
)
"""Words in the names of tests that have nothing to do with the rights of whoever runs them."""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_an_ordinary_user_has_jails_too() -> None:
    script = str(HERE.parent / "support" / "as_ordinary_user.py")
    names = (
        "deleted_files",
        "hostile_calls",
        "jail",
        "memory",
        "output_files",
        "remove_tree",
        "traces",
    )
    tests = [
        *(str(HERE / f"test_{name}.py") for name in names),
        f"{HERE / 'test_reach.py'}::test_a_program_on_path_brings_nothing_that_lies_beside_it",
        f"{HERE / 'test_reach.py'}::test_no_folder_of_pythonpath_is_shown_to_a_bot",
        str(HERE.parent / "bots" / "test_standing_still.py"),
        str(HERE.parent / "bots" / "test_bad_bots.py"),
    ]
    bad = [name for name in HELD_BY_THE_JAIL if name not in ALIKE_FOR_EVERYBODY]
    without = " or ".join(("strong", *ROOT_OR_NOT))
    chosen = f"not ({without}) and (not gets_its_verdict or {' or '.join(bad)})"
    pytest_ = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0"]
    ran = subprocess.run(
        [sys.executable, script, *pytest_, *tests, "-k", chosen],
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout[-3000:]
    assert "failed" not in ran.stdout


@pytest.mark.parametrize("level", ["strong", "userns"], indirect=True)
def test_a_program_can_read_its_own_folder_though_others_cannot(
    level: JailLevel, tmp_path: Path
) -> None:
    folder = tmp_path / "private"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "word").write_text("hello")
    for path, mode in ((folder, 0o700), (folder / "inner", 0o700)):
        path.chmod(mode)
    program = python("print(open('/own/inner/word').read())", files={"/own": folder})
    done = sandbox.run(program, seconds=20, limits=Limits(), level=level)
    assert done.stdout == "hello\n", done.stderr
