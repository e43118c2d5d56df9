"""Embeds JSON in HTML pages: the vocabulary in every page, a film or a report in a file."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from ludus.errors import LudusError
from ludus.server.web.vocabulary_schema import make_vocabulary

VOCABULARY_PLACEHOLDER = '"__VOCABULARY__"'
FILM_PLACEHOLDER = '"__FILM__"'
REPORT_PLACEHOLDER = '"__REPORT__"'
"""The placeholders in the page's builds."""


def embed_vocabulary(page: str) -> str:
    """The page with the vocabulary, so that it need not request it."""
    return page.replace(VOCABULARY_PLACEHOLDER, encode_vocabulary(), 1)


def encode_vocabulary() -> str:
    """The vocabulary for a script element."""
    return escape_for_script(msgspec.json.encode(make_vocabulary()))


def fill_placeholders(page: str, values: Mapping[str, str]) -> str:
    """The page with a value for every placeholder.

    Values are never searched for placeholders, so that a name which looks like one stays a name.
    They must be escaped already.
    """
    for name in values:
        if name not in page:
            raise LudusError(
                f"the page's build has no place for {name}; run ./ludus --rebuild",
                f"页面构建中没有 {name} 的位置；请运行 ./ludus --rebuild",
            )
    pattern = re.compile("|".join(re.escape(name) for name in values))
    return pattern.sub(lambda found: values[found[0]], page)


def escape_for_script(json: bytes) -> str:
    """JSON that is safe in a script element: it can neither end the element nor start another."""
    text = json.decode()
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text
