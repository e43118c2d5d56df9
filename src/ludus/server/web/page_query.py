"""The query parameters of a list that is read in pages (see ``server.paging``)."""

from __future__ import annotations

from typing import Annotated

from litestar.params import QueryParameter

from ludus.server.paging import MAX_PAGE_ITEMS

Before = Annotated[int | None, QueryParameter(ge=0, le=1 << 53)]
Limit = Annotated[int, QueryParameter(ge=1, le=MAX_PAGE_ITEMS)]
