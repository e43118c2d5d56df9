"""Hints for exceptions that come from how bots are run."""

from __future__ import annotations

import errno
import os
import re
import traceback
from pathlib import Path

MANIFEST = "ludus.toml"
NO_HINT = ("", "")

Hint = tuple[str, str]
"""The end of a sentence, in English and Chinese."""


def find_hint(error: BaseException, path: Path) -> Hint:
    """The hint for an exception of the bot in file ``path``; often empty."""
    if type(error).__name__ == "BdbQuit":
        return (
            "; a bot's own process has no keyboard: to use breakpoint(), play with --in-process;"
            " ludus debug stops at any move of a record",
            "；AI 在独立进程中运行，没有键盘：要使用 breakpoint()，请加 --in-process；"
            "ludus debug 可停在录像的任意一步",
        )
    if isinstance(error, (ModuleNotFoundError, FileNotFoundError)):
        return _missing_file_hint(path)
    if isinstance(error, OSError) and _was_raised_in(error, "multiprocessing"):
        return ERRNO_HINTS[errno.EAGAIN]  # its semaphores fail before its processes, at level plain
    if isinstance(error, PermissionError) and _is_own(error.filename, path):
        return ERRNO_HINTS[errno.EROFS]  # at level plain the same mistake gives this error
    if isinstance(error, OSError):
        return ERRNO_HINTS.get(error.errno or 0, NO_HINT)
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
        return ERRNO_HINTS[errno.EAGAIN]
    return NO_HINT


ERRNO_HINTS: dict[int, Hint] = {
    errno.EAGAIN: (
        "; a bot may not start processes (multiprocessing, subprocess), and has at most 64 threads",
        "；AI 不能启动其他进程（multiprocessing、subprocess），线程最多 64 个",
    ),
    errno.EROFS: (
        "; a bot's own folder cannot be written to: write to /tmp, which lasts for the match",
        "；AI 自己的文件夹不可写：请写到 /tmp，它保留到本场比赛结束",
    ),
}


REFUSED_FORK = re.compile(r"Resource temporarily unavailable|[Cc]annot fork|\bEAGAIN\b")
"""What shells and other programs print when they are refused a process."""


def find_refused_program_hint(stderr: str) -> Hint:
    """The hint for a program that has ended after it was refused a process; often empty."""
    if not REFUSED_FORK.search(stderr):
        return NO_HINT
    return (
        "; it seems to start another program, which a jail refuses: a script may replace itself"
        " (exec PROGRAM), and on your own machine --trust runs a program without a jail",
        "；它似乎要启动另一个程序，而沙箱不允许：脚本可以用 exec 程序 替换自身；在自己的机器上，"
        "--trust 可让程序不进沙箱运行",
    )


def _was_raised_in(error: BaseException, package: str) -> bool:
    """Whether an exception was raised in a package, or in code that the package called."""
    frames = traceback.walk_tb(error.__traceback__)
    names = (str(frame.f_globals.get("__name__")) for frame, _ in frames)
    return any(name.partition(".")[0] == package for name in names)


def _is_own(name: object, path: Path) -> bool:
    """Whether a path is in the bot's own folder."""
    return isinstance(name, str) and Path(os.path.abspath(name)).is_relative_to(path.parent)


def find_package_hint(error: BaseException) -> Hint:
    """How to install what a bot imports, if that is missing; else empty."""
    name = ((isinstance(error, ModuleNotFoundError) and error.name) or "").partition(".")[0]
    if not name.isidentifier():
        return NO_HINT
    if name == "numpy":
        return (
            "; Ludus comes without numpy: `ludus add numpy` installs it for the bots of this"
            " machine, as does pip install 'ludus-arena[numpy]'",
            "；弈场本身不带 numpy：`ludus add numpy`（或 pip install 'ludus-arena[numpy]'）"
            "可为本机的 AI 安装它",
        )
    return (
        f"; if {name} is a package, `ludus add {name}` installs it for the bots of this machine",
        f"；若 {name} 是第三方库，`ludus add {name}` 可为本机的 AI 安装它",
    )


def _missing_file_hint(path: Path) -> Hint:
    """The hint for a bot of one file that does not find another file."""
    if any(os.path.exists(above / MANIFEST) for above in path.parents):
        return NO_HINT
    return (
        "; a bot sees its own file and the modules beside it that it imports (a package needs an"
        f" __init__.py); for more files use a folder with a {MANIFEST}",
        "；AI 只能看到自己的文件和它导入的同目录模块（包要有 __init__.py），"
        f"带 {MANIFEST} 的文件夹可以带上更多文件",
    )
