"""Embeds JSON in HTML pages: the vocabulary in every page, a film in a standalone page."""

from __future__ import annotations

import msgspec

from ludus.server.web.vocabulary_schema import make_vocabulary

VOCABULARY_PLACEHOLDER = '"__VOCABULARY__"'
FILM_PLACEHOLDER = '"__FILM__"'
"""The placeholder in the page's builds."""


def embed_vocabulary(page: str) -> str:
    """The page with the vocabulary, so that it need not request it."""
    return embed_json(page, VOCABULARY_PLACEHOLDER, msgspec.json.encode(make_vocabulary()))


def embed_json(page: str, placeholder: str, data: bytes) -> str:
    """The page with JSON instead of the first placeholder."""
    return page.replace(placeholder, escape_for_script(data), 1)


def escape_for_script(json: bytes) -> str:
    """JSON that is safe in a script element: it can neither end the element nor start another."""
    text = json.decode()
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text
