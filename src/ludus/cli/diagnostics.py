"""The checks of ``ludus doctor``."""

from __future__ import annotations

import contextlib
import importlib.machinery
import importlib.util
import os
import platform
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import ludus
from ludus.findings import Evidence, Finding, Severity, fine, note, odd, wrong
from ludus.lang import language
from ludus.match import record_files
from ludus.os_errors import describe_os_error
from ludus.packages import DISTRIBUTION_NAME, add_command

MIN_FREE_MEMORY_BYTES = 1 << 30
MIN_FREE_DISK_BYTES = 100 << 20
CYTHON_IMPORT = b"\nimport cython\n"
DEPENDENCIES = ("click", "rich", "msgspec")


def run_diagnostics() -> Iterator[Finding]:
    """Run all checks, the most important first."""
    yield _check_python()
    yield from _check_compiled()
    yield from _check_dependencies()
    yield _check_processors()
    yield _check_cpu_clock()
    yield _check_schedstat()
    yield _check_pidfd()
    yield from _check_jails()
    yield from _check_languages()
    yield _check_git()
    yield _check_memory()
    yield _check_disk()
    yield _check_cache()
    yield from _check_leftover_journals()
    yield note(
        "language",
        f"language: {language()}; LUDUS_LANG=zh for Chinese",
        f"语言：{language()}；LUDUS_LANG=en 可切换为英文",
    )


def _check_python() -> Finding:
    version = platform.python_version()
    where = f"{platform.python_implementation()} {version}, {sys.executable}"
    return fine(
        "python", f"Ludus {ludus.__version__} on {where}", f"Ludus {ludus.__version__}，{where}"
    )


def list_compilable_modules() -> list[str]:
    """The modules that are meant to be compiled: those that use the names of Cython."""
    package = Path(ludus.__file__).parent
    rooms = ("games", "learn", "compat", "rating")
    files = [file for room in rooms for file in sorted((package / room).rglob("*.py"))]
    found = [file for file in files if CYTHON_IMPORT in file.read_bytes()]
    return [".".join(("ludus", *f.relative_to(package).with_suffix("").parts)) for f in found]


def is_compiled(module: str) -> bool:
    """Whether a module's compiled version is installed."""
    spec = importlib.util.find_spec(module)
    suffixes = tuple(importlib.machinery.EXTENSION_SUFFIXES)
    return bool(spec and spec.origin and spec.origin.endswith(suffixes))


def _check_compiled() -> Iterator[Finding]:
    modules = list_compilable_modules()
    slow = [module for module in modules if not is_compiled(module)]
    if not slow:
        count = len(modules)
        yield fine("compiled", f"all {count} modules are compiled", f"{count} 个模块均已编译")
        return
    names = ", ".join(slow)
    if os.environ.get("LUDUS_UNCOMPILED") == "1":
        mend = "unset LUDUS_UNCOMPILED"
    else:
        is_clone = (Path(ludus.__file__).parents[2] / "compiled.txt").is_file()
        again = f"pip install --force-reinstall --no-cache-dir {DISTRIBUTION_NAME}"
        mend = "./ludus --rebuild" if is_clone else again
        if not any(map(shutil.which, ("cc", "gcc", "clang"))):
            mend = f"apt install gcc python3-dev && {mend}"
    yield odd(
        "compiled",
        f"not compiled, so slower: {names}",
        f"未编译，速度较慢：{names}",
        Evidence(output=mend),
    )


def _check_dependencies() -> Iterator[Finding]:
    from importlib import metadata

    versions = []
    for name in DEPENDENCIES:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            mend = Evidence(output=add_command(name))
            yield wrong("packages", f"{name} is not installed", f"未安装 {name}", mend)
    yield fine("packages", f"packages: {', '.join(versions)}", f"软件包：{', '.join(versions)}")


def _check_processors() -> Finding:
    usable, all_of_them = len(os.sched_getaffinity(0)), os.cpu_count() or 1
    load = os.getloadavg()[0]
    en = f"{usable} of {all_of_them} processors, load {load:.1f}"
    zh = f"可用处理器 {usable}/{all_of_them}，负载 {load:.1f}"
    return odd("processors", en, zh) if load > usable else fine("processors", en, zh)


def _check_cpu_clock() -> Finding:
    """Whether the CPU time of another process can be read, as the referee does."""
    clock = (~os.getppid() << 3) | 2
    try:
        time.clock_gettime(clock)
    except OSError as error:
        why = describe_os_error(error)
        return wrong(
            "cpu-clock",
            f"the CPU time of other processes cannot be read: {why.en}",
            f"无法读取其他进程的 CPU 时间：{why.zh}",
            Evidence(output="ludus play … --measure wall"),
        )
    return fine("cpu-clock", "CPU time of bots can be read", "可以读取 AI 的 CPU 时间")


def _check_schedstat() -> Finding:
    try:
        fields = Path("/proc/self/schedstat").read_text().split()
    except OSError:
        fields = []
    if len(fields) < 2 or not any(map(int, fields)):
        return odd(
            "schedstat",
            "no /proc/PID/schedstat: on a busy machine a queueing bot looks like a sleeping one",
            "没有 /proc/PID/schedstat：机器繁忙时，排队的 AI 会被当作休眠",
        )
    return fine(
        "schedstat",
        "queueing and sleeping can be distinguished (schedstat)",
        "可区分排队与休眠（schedstat）",
    )


def _check_pidfd() -> Finding:
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError) as error:
        why = describe_os_error(error)
        return wrong(
            "pidfd",
            f"no pidfd: bots in processes cannot be run ({why.en})",
            f"没有 pidfd：无法在进程中运行 AI（{why.zh}）",
            Evidence(output="Linux ≥ 5.3"),
        )
    return fine(
        "pidfd",
        "the end of a bot's process is noticed at once (pidfd)",
        "可立即发现 AI 进程终止（pidfd）",
    )


def _check_jails() -> Iterator[Finding]:
    """The levels of jails that this machine offers."""
    from ludus import sandbox
    from ludus.errors import PlatformFault
    from ludus.sandbox import JailLevel

    try:
        able, levels = sandbox.probe_abilities(), sandbox.list_levels()
    except PlatformFault as fault:
        yield wrong("jails", f"no jails for bots: {fault}", f"无法建立 AI 沙箱：{fault}")
        return
    make_finding = fine if levels[0] is JailLevel.STRONG else odd
    names = ", ".join(levels)
    has = [f"cgroup v{able.cgroups}"] if able.cgroups else []
    has += ["seccomp"] if able.seccomp else []
    has += [f"Landlock v{able.landlock}"] if able.landlock else []
    parts = ", ".join(has)
    yield make_finding(
        "jails",
        f"jail for bots: level {levels[0]} (available: {names}; {parts})",
        f"AI 沙箱：级别 {levels[0]}（可用：{names}；{parts}）",
    )
    for remedy in sandbox.list_remedies(able):
        mend = Evidence(output=remedy.command)
        yield Finding("jails", Severity.ODD, remedy.missing, mend)
    for gap in sandbox.list_gaps(levels[0], able):
        yield note("jails", f"level {levels[0]}: {gap['en']}", f"级别 {levels[0]}：{gap['zh']}")


def _check_languages() -> Iterator[Finding]:
    """Compile and run a sample of each language in a jail."""
    from concurrent.futures import ThreadPoolExecutor

    from ludus.bots.languages.registry import LANGUAGES
    from ludus.bots.languages.selftest import run_self_test

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        results = list(threads.map(run_self_test, LANGUAGES))
    for result in results:
        if result.works:
            yield Finding("languages", Severity.FINE, result.text)
        elif result.installed:
            why = Evidence(output=result.detail)
            yield Finding("languages", Severity.ODD, result.text, why)
        else:
            yield Finding("languages", Severity.NOTE, result.text)


def _check_git() -> Finding:
    """A server without git takes no pushes; everything else works."""
    from ludus.server.git.jailed_git import is_git_installed

    if is_git_installed():
        return fine("git", "git: bots can be submitted by push", "git：可以用 git push 提交 AI")
    return note(
        "git",
        "submitting bots by git push needs git, which is not installed; on Debian: apt install git",
        "用 git push 提交 AI 需要 git，尚未安装；Debian 上：apt install git",
    )


def _check_memory() -> Finding:
    free = available_memory()
    en, zh = f"{free / 2**30:.1f} GB of memory free", f"可用内存 {free / 2**30:.1f} GB"
    return fine("memory", en, zh) if free >= MIN_FREE_MEMORY_BYTES else odd("memory", en, zh)


def available_memory() -> int:
    """Available memory in bytes."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _check_disk() -> Finding:
    folder = record_files.records_folder()
    there = folder
    while not there.exists() and there != there.parent:
        there = there.parent
    free = shutil.disk_usage(there).free
    en = f"records go to {folder} ({free / 2**30:.1f} GB free)"
    zh = f"录像保存在 {folder}（剩余 {free / 2**30:.1f} GB）"
    mend = Evidence(output="export LUDUS_HOME=…")
    if not there.is_dir() or not os.access(there, os.W_OK):
        return wrong("disk", f"{en}, which cannot be written to", f"{zh}，但无法写入", mend)
    return fine("disk", en, zh) if free >= MIN_FREE_DISK_BYTES else odd("disk", en, zh, mend)


def _check_cache() -> Finding:
    """The size of the cache."""
    from ludus.bots import cache, cache_eviction

    entries = cache_eviction.list_entries(cache.cache_root())
    size, most = sum(each.size for each in entries) / 2**20, cache_eviction.max_cache_bytes() >> 20
    en = f"cache: {size:.0f} of {most} MB, {len(entries)} entries in {cache.cache_root()}"
    zh = f"缓存：{size:.0f}/{most} MB，{len(entries)} 项，位于 {cache.cache_root()}"
    return fine(
        "cache", f"{en}; ludus doctor --clear-cache", f"{zh}；ludus doctor --clear-cache 可清空"
    )


def _check_leftover_journals() -> Iterator[Finding]:
    """Journals of bouts whose process has ended."""
    dead = [path for path in record_files.live_folder().glob("*.jsonl") if not _is_alive(path)]
    if dead:
        folder = record_files.live_folder()
        yield odd(
            "journals",
            f"{len(dead)} journals of bouts that were killed",
            f"{len(dead)} 份中断对局的实况日志",
            Evidence(output=f"rm {folder}/*.jsonl"),
        )


def _is_alive(journal: Path) -> bool:
    pid = journal.stem.rpartition(".")[2]
    return pid.isdigit() and Path(f"/proc/{pid}").exists()
