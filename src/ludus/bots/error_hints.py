"""What an author can do about an exception that has to do with how bots are run."""

from __future__ import annotations

import errno
import os
import traceback
from pathlib import Path

MANIFEST = "ludus.toml"
NONE = ("", "")

Advice = tuple[str, str]
"""The rest of a sentence, in English and Chinese."""


def advice(error: BaseException, path: Path) -> Advice:
    """What to add to the sentence about an exception of the bot in a file; often nothing."""
    if type(error).__name__ == "BdbQuit":
        return (
            "; nobody sits at the keyboard of a bot's own process: to use breakpoint(), play with"
            " --in-process",
            "；AI 在独立进程中运行，没有键盘：要使用 breakpoint()，请加 --in-process",
        )
    if isinstance(error, ModuleNotFoundError):
        return _joined(_package(error), _files(path))
    if isinstance(error, FileNotFoundError):
        return _files(path)
    if isinstance(error, OSError) and _came_through(error, "multiprocessing"):
        return OF_ERRNO[errno.EAGAIN]  # its semaphores fail before its processes, at level plain
    if isinstance(error, PermissionError) and _is_own(error.filename, path):
        return OF_ERRNO[errno.EROFS]  # what level plain says in its place
    if isinstance(error, OSError):
        return OF_ERRNO.get(error.errno or 0, NONE)
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
        return OF_ERRNO[errno.EAGAIN]
    return NONE


OF_ERRNO: dict[int, Advice] = {
    errno.EAGAIN: (
        "; a bot may not start processes (multiprocessing, subprocess), and has at most 64 threads",
        "；AI 不能启动其他进程（multiprocessing、subprocess），线程最多 64 个",
    ),
    errno.EROFS: (
        "; a bot's own folder cannot be written to: write to /tmp, which lasts for the match",
        "；AI 自己的文件夹不可写：请写到 /tmp，它保留到本场比赛结束",
    ),
}


def _came_through(error: BaseException, package: str) -> bool:
    """Whether an exception was raised in a package, or in what that called."""
    frames = traceback.walk_tb(error.__traceback__)
    names = (str(frame.f_globals.get("__name__")) for frame, _ in frames)
    return any(name.partition(".")[0] == package for name in names)


def _is_own(name: object, path: Path) -> bool:
    """Whether a name is one in the bot's own folder."""
    return isinstance(name, str) and Path(os.path.abspath(name)).is_relative_to(path.parent)


def _package(error: ModuleNotFoundError) -> Advice:
    name = (error.name or "").partition(".")[0]
    if not name.isidentifier():
        return NONE
    return (
        f"; if {name} is a package, `ludus add {name}` installs it for the bots of this machine",
        f"；若 {name} 是第三方库，`ludus add {name}` 可为本机的 AI 安装它",
    )


def _files(path: Path) -> Advice:
    """For a bot of one file that misses another."""
    if any(os.path.exists(above / MANIFEST) for above in path.parents):
        return NONE
    return (
        "; a bot sees its own file and the modules beside it that it imports (a package needs an"
        f" __init__.py), a folder with a {MANIFEST} brings more",
        "；AI 只能看到自己的文件和它导入的同目录模块（包要有 __init__.py），"
        f"带 {MANIFEST} 的文件夹可以带上更多文件",
    )


def _joined(one: Advice, other: Advice) -> Advice:
    return one[0] + other[0], one[1] + other[1]
