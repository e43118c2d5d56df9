"""JSON inside an HTML page: the vocabulary in every page, a film in a page of its own."""

from __future__ import annotations

import msgspec

from ludus.server.web.vocabulary_schema import make_vocabulary

VOCABULARY_PLACEHOLDER = '"__VOCABULARY__"'
FILM_PLACEHOLDER = '"__FILM__"'
"""Where the page's builds have a place for them."""


def embed_vocabulary(page: str) -> str:
    """The page with the vocabulary, so that it need not ask for it."""
    return embed_json(page, VOCABULARY_PLACEHOLDER, msgspec.json.encode(make_vocabulary()))


def embed_json(page: str, placeholder: str, data: bytes) -> str:
    """The page with JSON instead of the first placeholder."""
    return page.replace(placeholder, escape_for_script(data), 1)


def escape_for_script(json: bytes) -> str:
    """JSON that may stand in a script element: it neither ends the element nor begins another."""
    text = json.decode()
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text
