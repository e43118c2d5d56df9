"""Forms with files, as browsers send them."""

from __future__ import annotations

from typing import Any

from litestar import Request
from litestar.datastructures import FormMultiDict

from ludus.errors import LudusError


async def form_of(request: Request[Any, Any, Any]) -> FormMultiDict:
    """The fields of a form. One without a file name counts as text, which bytes are not."""
    try:
        return await request.form()
    except UnicodeDecodeError:
        raise LudusError("a file came without a name", "有文件没有文件名") from None
