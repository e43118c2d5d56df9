"""Forms with files, and work that is cancelled when the client disconnects."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any, TypeVar

from litestar import Request
from litestar.datastructures import FormMultiDict

from ludus.errors import LudusError

T = TypeVar("T")


async def read_form(request: Request[Any, Any, Any]) -> FormMultiDict:
    """The fields of a form. A part without a file name must be text."""
    try:
        return await request.form()
    except UnicodeDecodeError:
        raise LudusError("a file has no name", "有文件没有文件名") from None


async def run_while_connected(request: Request[Any, Any, Any], work: Coroutine[Any, Any, T]) -> T:
    """The result of work on a request whose body has been read; cancelled when the client
    disconnects."""
    doing, gone = asyncio.ensure_future(work), asyncio.ensure_future(_wait_for_disconnect(request))
    try:
        await asyncio.wait((doing, gone), return_when=asyncio.FIRST_COMPLETED)
        if doing.done():
            return doing.result()
        raise LudusError("the client has gone", "客户端已离开")
    finally:
        for task in (doing, gone):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task


async def _wait_for_disconnect(request: Request[Any, Any, Any]) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
