"""What ordinary programs of every language do, and may go on doing, in a jail of every level."""

import os
from pathlib import Path

import pytest

from ludus import sandbox
from ludus.bots.build import BuildSpec
from ludus.bots.languages.base import OUT_FOLDER
from ludus.bots.languages.registry import BY_NAME
from ludus.bots.resolve import resolve_bot
from ludus.games import get
from ludus.sandbox import JailLevel, Limits, Program
from tests.support.jail import python
from tests.support.languages import need

LIMITS = Limits(memory=2 << 30)
BUILD = Limits(memory=2 << 30, processes=64, scratch=256 << 20)


@pytest.fixture(scope="module", params=["strong", "userns", "plain"])
def level(request: pytest.FixtureRequest) -> JailLevel:
    if request.param not in sandbox.list_levels():
        pytest.skip(f"no jail of level {request.param} on this machine")
    return JailLevel(request.param)


def succeed(program: Program, level: JailLevel, limits: Limits = LIMITS) -> str:
    done = sandbox.run(program, seconds=60, limits=limits, level=level)
    assert (done.code, done.why) == (0, None), done
    return done.stdout


PYTHON = r"""
import asyncio, concurrent.futures, ctypes, fcntl, glob, hashlib, json, mmap, os, random
import resource, select, selectors, shutil, signal, socket, sqlite3, subprocess, tempfile
import threading, time, zlib

os.chdir(tempfile.gettempdir())
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    assert sum(pool.map(len, ["ab"] * 100)) == 200

async def main():
    loop = asyncio.get_running_loop()
    assert await loop.run_in_executor(None, sum, [1, 2]) == 3
    reading, writing = os.pipe()
    heard = loop.create_future()
    loop.add_reader(reading, lambda: heard.set_result(os.read(reading, 10)))
    os.write(writing, b"x")
    assert await heard == b"x"
    loop.add_signal_handler(signal.SIGUSR1, lambda: None)
    os.kill(os.getpid(), signal.SIGUSR1)
    await asyncio.sleep(0.01)
asyncio.run(main())

for mode in ("delete", "wal"):
    database = sqlite3.connect(f"{mode}.db")
    assert database.execute(f"pragma journal_mode = {mode}").fetchone() == (mode,)
    with database:
        database.execute("create table numbers (n)")
        database.executemany("insert into numbers values (?)", [(n,) for n in range(100)])
    other = sqlite3.connect(f"{mode}.db")
    assert other.execute("select count(*) from numbers").fetchone() == (100,)
    database.close()
    other.close()
with open("own.lock", "w") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    fcntl.lockf(file, fcntl.LOCK_EX)
    fcntl.lockf(file, fcntl.LOCK_UN)
with open("mapped", "wb+") as file:
    file.truncate(8192)
    with mmap.mmap(file.fileno(), 0) as mapped:
        mapped[:5] = b"hello"
        mapped.flush()
shutil.copyfile("mapped", "copied")
os.rename("copied", "moved")
os.symlink("moved", "link")
assert [os.path.basename(p) for p in sorted(glob.glob("m*"))] == ["mapped", "moved"]
try:
    subprocess.run(["true"])
    print("a process")
except BlockingIOError:
    pass
try:
    socket.socket()
    print("a socket")
except PermissionError:
    pass
one, other = socket.socketpair()
one.sendall(b"hi")
assert other.recv(2) == b"hi" and other.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(64, soft), hard))
selectors.DefaultSelector().close()
ctypes.CDLL(None).prctl(15, b"name", 0, 0, 0)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
signal.setitimer(signal.ITIMER_REAL, 0.01)
assert signal.sigwait([signal.SIGALRM]) == signal.SIGALRM
os.sched_getaffinity(0), os.getloadavg, os.times(), os.urandom(8), time.process_time()
print("done")
"""


def test_python_and_its_library(level: JailLevel) -> None:
    assert succeed(python(PYTHON), level) == "done\n"


def test_python_copies_files_with_their_modes_and_times(level: JailLevel) -> None:
    code = """
    import dbm, os, shutil, tempfile
    os.chdir(tempfile.gettempdir())
    open("one", "w").close()
    with dbm.open("words", "c") as words:
        words["a"] = "b"
    shutil.copy2("one", "two")
    print("copied")
    """
    assert succeed(python(code), level) == "copied\n"


def test_numpy_with_threads(level: JailLevel) -> None:
    numpy = pytest.importorskip("numpy")
    packages = Path(numpy.__file__).parent.parent
    code = f"""
    import sys
    sys.path.append({str(packages)!r})
    import numpy
    numbers = numpy.random.default_rng(1).random((300, 300))
    assert numpy.allclose(numpy.linalg.inv(numbers) @ numbers, numpy.eye(300), atol=1e-6)
    print("done")
    """
    own = python(code, files={str(packages): packages}, env={"OPENBLAS_NUM_THREADS": "4"})
    assert succeed(own, level) == "done\n"


CPP = r"""
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <random>
#include <thread>
#include <vector>
int main() {
    std::atomic<int> sum{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++) threads.emplace_back([&] { sum += 1; });
    for (auto& thread : threads) thread.join();
    sum += std::async(std::launch::async, [] { return 1; }).get();
    std::signal(SIGUSR1, [](int) {});
    std::raise(SIGUSR1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    auto folder = std::filesystem::temp_directory_path();
    std::ofstream(folder / "file") << std::random_device{}();
    std::filesystem::copy_file(folder / "file", folder / "copy");
    for (auto& entry : std::filesystem::directory_iterator(folder)) sum += entry.is_regular_file();
    std::vector<char> large(64 << 20, 1);
    try { throw 1; } catch (int one) { sum += one; }
    std::cout << sum << (std::system("true") ? " alone" : " not alone") << std::endl;
}
"""
C = '#include <stdio.h>\nint main(void) { puts("made"); }\n'
MAKEFILES = {
    "main.cpp": "bot:\n\tg++ -O0 -std=c++17 -pthread main.cpp -o $(OUT)/bot\n",
    "main.c": "bot: main.o\n\tgcc -o $(OUT)/bot $(OUT)/main.o\n"
    "main.o:\n\tgcc -c main.c -o $(OUT)/main.o\n",
}


def make(place: Path, name: str, text: str, level: JailLevel) -> Program:
    """What ``make`` and a compiler make of a source in a jail."""
    source, made = place / "source", place / "made"
    for folder in (source, made):
        folder.mkdir()
        folder.chmod(0o777)
    (source / name).write_text(text)
    (source / "Makefile").write_text(MAKEFILES[name])
    program = Program(
        ("make", "-j2", "bot"),
        files={"/bot": source},
        writable={OUT_FOLDER: made},
        env={"OUT": OUT_FOLDER},
    )
    succeed(program, level, BUILD)
    (made / "bot").chmod(0o755)  # at level plain a linker cannot
    return Program((f"{OUT_FOLDER}/bot",), files={OUT_FOLDER: made}, cwd="/tmp")


def test_make_and_a_compiler_and_what_they_made(level: JailLevel, tmp_path: Path) -> None:
    need("c")
    assert succeed(make(tmp_path, "main.c", C, level), level) == "made\n"


@pytest.fixture(scope="module")
def cpp_program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    need("cpp")
    return make(tmp_path_factory.mktemp("cpp"), "main.cpp", CPP, sandbox.list_levels()[0])


def test_the_library_of_cpp(level: JailLevel, cpp_program: Program) -> None:
    counted = 8 + 1 + 2 + 1
    assert succeed(cpp_program, level) == f"{counted} alone\n"


NODE = r"""
const fs = require("fs"), os = require("os"), path = require("path");
const { Worker } = require("worker_threads");
const zlib = require("zlib"), crypto = require("crypto");
const { spawnSync } = require("child_process");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "x"));
async function main() {
    await fs.promises.writeFile(path.join(folder, "a"), "x".repeat(100000));
    const packed = await new Promise((done) =>
        zlib.gzip(fs.readFileSync(path.join(folder, "a")), (_, data) => done(data)));
    const sum = crypto.createHash("sha256").update(packed).digest("hex").length;
    const said = await new Promise((done) =>
        new Worker("require('worker_threads').parentPort.postMessage(7)", { eval: true })
            .on("message", done));
    const key = await new Promise((done) =>
        crypto.scrypt("a", "b", 16, (_, found) => done(found.length)));
    await new Promise((done) => setTimeout(done, 5));
    const child = spawnSync("true").error ? "refused" : "started";
    console.log(sum, said, key, os.cpus().length >= 0, child);
}
main();
"""


def test_node_with_workers_and_its_thread_pool(level: JailLevel) -> None:
    need("javascript")
    language = BY_NAME["javascript"]
    node = language.toolchain().program
    env = language.settings
    program = Program((node, "-e", NODE), files=shown(node), cwd="/tmp", env=env)
    assert succeed(program, level) == "64 7 16 true refused\n"


JAVA = """
import java.util.*;
import java.util.concurrent.*;

public class Threads {
    static int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1); }

    public static void main(String[] words) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(24);
        CountDownLatch all = new CountDownLatch(24);
        List<Future<Integer>> found = new ArrayList<>();
        for (int n = 0; n < 24; n++) {
            found.add(pool.submit(() -> { all.countDown(); all.await(); return 1; }));
        }
        int sum = 0;
        for (Future<Integer> each : found) sum += each.get();
        pool.shutdown();
        byte[][] much = new byte[300][1 << 20];
        System.out.println(sum + " " + deep(200_000) + " " + much.length);
    }
}
"""


@pytest.fixture(scope="module")
def threads_of_java(tmp_path_factory: pytest.TempPathFactory) -> BuildSpec:
    need("java")
    path = tmp_path_factory.mktemp("java") / "Threads.java"
    path.write_text(JAVA)
    return resolve_bot(str(path), get("reversi")).build_spec


def test_java_with_many_threads_and_a_deep_stack(
    level: JailLevel, threads_of_java: BuildSpec
) -> None:
    """With what a bot has: 1 GB, which the stacks of threads are part of without control groups."""
    program = threads_of_java.build_program(Limits())
    assert succeed(program, level, Limits()) == "24 200000 300\n"


def shown(program: str) -> dict[str, Path]:
    """Where a program that does not come with the system lies."""
    folder = Path(os.path.realpath(program)).parents[1]
    return {} if folder == Path("/usr") else {str(folder): folder}


def test_a_shell_and_the_usual_tools_build(level: JailLevel, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    script = """
    set -e
    cd "$OUT"
    (echo one; echo two) | sort -r | tee lines | wc -l
    cp lines copy && mkdir -p deep/er && mv copy deep/er/
    ln -s deep link && ls -l . > /dev/null && find . -type f | sort
    diff lines deep/er/copy && rm -r deep
    tar cf all.tar lines && tar xOf all.tar | head -1
    sleep 0.01 & wait $!
    """
    program = Program(
        ("sh", "-c", script), writable={OUT_FOLDER: tmp_path}, cwd="/tmp", env={"OUT": OUT_FOLDER}
    )
    expected = "2\n./deep/er/copy\n./lines\ntwo\n"
    assert succeed(program, level, BUILD) == expected
