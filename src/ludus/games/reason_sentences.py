"""The sentences of outcomes, with the facts of a bout in place of their braces."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

MISSING_FACT = "…"
FIELD = re.compile(r"\{[^{}]*\}")
HAN = "\u4e00-\u9fff"
FIELD_BEFORE_CHINESE = re.compile(rf"\{{(\w+)\}}(?=[{HAN}])")
LATIN_END = re.compile(rf"[^{HAN}）]\Z")


class _MissingFact:
    """Stands in for a fact that a sentence names and a record does not have."""

    def __getattr__(self, name: str) -> _MissingFact:
        return self

    def __getitem__(self, key: object) -> _MissingFact:
        return self

    def __format__(self, form: str) -> str:
        return MISSING_FACT

    def __str__(self) -> str:
        return MISSING_FACT

    __repr__ = __str__


class _Facts(dict[str, Any]):
    def __missing__(self, name: str) -> _MissingFact:
        return _MissingFact()


def fill_sentence(sentence: str, detail: Mapping[str, Any]) -> str:
    """A sentence with the fields of a detail in its braces, and ``…`` for those that are missing.

    Records outlive the sentences of their game: one that was written before a sentence got another
    field, or whose field is of another kind, is still explained. Between a name in Latin letters
    and Chinese words stands a space.
    """

    def set_apart(field: re.Match[str]) -> str:
        fact = detail.get(field[1])
        return f"{field[0]} " if isinstance(fact, str) and LATIN_END.search(fact) else field[0]

    try:
        return FIELD_BEFORE_CHINESE.sub(set_apart, sentence).format_map(_Facts(detail))
    except (AttributeError, LookupError, TypeError, ValueError):
        return FIELD.sub(MISSING_FACT, sentence)
