"""When programs for the device are compiled: in the background, or in an earlier run."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jax

from ludus.errors import LudusError
from ludus.os_errors import describe_os_error

OWNER_ONLY = 0o700
OTHERS_MAY_WRITE = 0o022
MIN_COMPILE_S = 0.5
"""Programs that are compiled faster are not kept."""
describe_array: Callable[..., Any] = jax.ShapeDtypeStruct
set_jax_option: Callable[..., None] = jax.config.update


class AheadCompiled:
    """A jitted function that can be compiled in a thread before its first call.

    The call waits for that thread. Without ``start`` it compiles when it is called, as usual.
    """

    def __init__(self, function: Any) -> None:
        self.function = function
        self.compiled: Future[Any] | None = None

    def start(self, threads: ThreadPoolExecutor, *like: Any) -> None:
        """Compile for arguments of these shapes."""
        shapes = jax.tree.map(_shape_of, like)
        self.compiled = threads.submit(lambda: self.function.lower(*shapes).compile())

    def __call__(self, *arguments: Any) -> Any:
        return (self.compiled.result() if self.compiled else self.function)(*arguments)


def _shape_of(leaf: Any) -> Any:
    return describe_array(leaf.shape, leaf.dtype)


def use_compile_cache(folder: Path) -> None:
    """Keep compiled programs in a folder, and use those of earlier runs on the same device.

    A program of the cache is run without further checks, so the folder must belong to this user
    and be writable for nobody else. A new one is made that way.
    """
    folder = folder.expanduser().absolute()
    try:
        folder.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
        facts = folder.stat()
    except OSError as error:
        why = describe_os_error(error)
        raise LudusError(
            f"the compile cache {folder} cannot be used: {why.en}",
            f"无法使用编译缓存 {folder}：{why.zh}",
        ) from None
    if facts.st_uid != os.getuid() or facts.st_mode & OTHERS_MAY_WRITE:
        raise LudusError(
            f"the compile cache {folder} must belong to you and be writable for nobody else,"
            f" because programs in it are run: chmod go-w {folder}, or choose another folder",
            f"编译缓存 {folder} 必须属于你，且他人不可写，因为其中的程序会被执行："
            f"chmod go-w {folder}，或换一个文件夹",
        )
    set_jax_option("jax_compilation_cache_dir", str(folder))
    set_jax_option("jax_persistent_cache_min_compile_time_secs", MIN_COMPILE_S)
