"""Links to pages: in notices, API responses and on terminals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal
from urllib.parse import quote, urlencode

PageRoute = Literal[
    "/watch/:id",
    "/room/:id",
    "/welcome",
    "/me",
    "/bots/:id",
    "/challenges/:id",
    "/contests/:id",
    "/groups/:id",
    "/assignments/:id",
]
"""Addresses as the page's router writes them; a test checks that each exists there."""


def page_link(
    route: PageRoute,
    id: str | int = "",
    query: Mapping[str, str | int] | None = None,
    base: str = "",
) -> str:
    """Where the page shows something. ``base`` is the server's own address, for links that are
    followed from elsewhere.

    >>> page_link("/bots/:id", 7)
    '/bots/7'
    """
    path = route.replace(":id", quote(str(id), safe=""))
    return f"{base}{path}?{urlencode(query)}" if query else f"{base}{path}"
